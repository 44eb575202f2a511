// SPDX-License-Identifier: Apache-2.0
#include "report/text.h"

#include <fmt/format.h>

#include "base/terminal_text.h"
#include "report/excess.h"
#include "report/explanation.h"
#include "report/rank_errors.h"
#include "report/timeline.h"
#include "report/words.h"

namespace plumb::report {

namespace {

using check::Answer;

std::string headline(const HistoryResult& result, bool color) {
  std::string out = fmt::format("{}: {}: {} as a {}, {}", one_line(result.name),
                                painted(check::to_string(result.verdict.answer),
                                        result.verdict.answer, color),
                                result.condition, result.object->name(),
                                counted(result.operations, "operation"));
  if (result.pending > 0) out += fmt::format(" ({} pending)", result.pending);
  if (result.verdict.answer == Answer::kUnknown) {
    out += "; " + result.verdict.reason;
  }
  out += '\n';
  if (result.not_judged > 0) {
    out += fmt::format(
        "  {} after the last moment with nothing pending: not judged\n",
        counted(result.not_judged, "operation"));
  }
  return out;
}

std::string name_of(const HistoryResult& result, std::uint32_t i) {
  return check::describe(result.history->operations[i], *result.object);
}

std::string culprits(const HistoryResult& result, const TextOptions& options) {
  const check::Explanation& why = *result.explanation;
  const auto& last = result.history->operations[why.last];
  std::string out =
      why.is_shortest
          ? fmt::format(
                "\n  {} ({}) is the first return that cannot be explained.\n",
                name_of(result, why.last), lines_of(last))
          : "\n  A limit was reached before the first return that cannot be "
            "explained was found.\n";
  const char* others = why.culprits.size() == result.operations ? ""
                       : why.is_proof ? ", with or without any of the others"
                       : why.others_left_out ? ", even without the others"
                                             : ", whatever the others did";
  const std::string subject =
      why.culprits.size() == 1
          ? "This operation cannot"
          : fmt::format("These {} operations cannot together",
                        why.culprits.size());
  out += fmt::format("  {}{}{}:\n\n", subject, others,
                     why.is_minimal || why.is_proof
                         ? ""
                         : " (there was no time to leave out more of them)");
  return out + draw_timeline(*result.history, *result.object, why.culprits,
                             {"    ", options.width, "line", result.remarks});
}

std::string witness(const HistoryResult& result) {
  std::string out = "\n  An order that explains it:\n\n";
  for (const std::uint32_t i : result.verdict.order) {
    const auto& o = result.history->operations[i];
    out += fmt::format("    {:<30} line {}\n", name_of(result, i), o.line);
  }
  return out;
}

std::string minimum_factors(const HistoryResult& result) {
  const check::MinimumFactors& found = *result.minimum_factors;
  std::string out = "\n  smallest factors:";
  bool first = true;
  for (const check::Factors& factors : found.minimal) {
    out += first ? " " : " or ";
    first = false;
    if (factors.empty()) {
      out += "none needed";
      continue;
    }
    check::Condition condition;
    condition.*found.kind = factors;
    out += condition.to_string();
  }
  if (found.minimal.empty()) {
    out += fmt::format(" none up to a sum of {}", found.tried_up_to);
  } else if (!found.complete) {
    out +=
        fmt::format("; others, if any, have a sum above {}", found.tried_up_to);
  }
  if (!found.reason.empty()) {
    out += fmt::format(" ({})", found.reason);
  }
  return out + "\n";
}

}  // namespace

std::string to_text(const HistoryResult& result, const TextOptions& options) {
  std::string out = headline(result, options.color);
  if (result.explanation) out += culprits(result, options);
  if (result.excess) {
    out += excess_text(*result.history, *result.object, *result.excess,
                       options.width);
  }
  if (result.explanation && !names_one(result.excess)) {
    out += longest_order_text(*result.history, *result.object,
                              *result.explanation);
  }
  if (result.show_order && result.verdict.answer == Answer::kHolds) {
    out += witness(result);
  }
  if (result.rank_errors) {
    out +=
        rank_errors_text(*result.history, *result.object, *result.rank_errors);
  }
  if (result.minimum_factors) out += minimum_factors(result);
  if (result.verdict.answer == Answer::kViolated && !result.replay.empty()) {
    out += fmt::format("\n  To see it again: {}\n", result.replay);
  }
  return out;
}

}  // namespace plumb::report
