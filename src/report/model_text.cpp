// SPDX-License-Identifier: Apache-2.0
#include "report/model_text.h"
#include "base/terminal_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "report/excess.h"
#include "report/explanation.h"
#include "report/steps.h"
#include "report/timeline.h"
#include "report/words.h"

namespace plumb::report {

namespace {

using check::Answer;

// How the answer stands to what was expected: that is good news or bad.
Answer news_of(const ModelResult& result) {
  if (result.is_as_expected()) return Answer::kHolds;
  return result.outcome.answer == Answer::kUnknown ? Answer::kUnknown
                                                   : Answer::kViolated;
}

std::string headline(const ModelResult& result, bool color) {
  std::string verdict = check::to_string(result.outcome.answer);
  if (result.expect && result.is_as_expected()) {
    if (*result.expect != Answer::kHolds) verdict += ", as expected";
  } else if (result.expect && result.outcome.answer != Answer::kUnknown) {
    verdict += fmt::format(", but 'expect {}' says otherwise",
                           check::to_string(*result.expect));
  }
  return fmt::format("{}: {}\n", one_line(name_of(result)),
                     painted(verdict, news_of(result), color));
}

std::string figures(const ModelResult& result) {
  const verify::Statistics& s = result.outcome.statistics;
  std::string out = fmt::format("  {}, {}", counted(s.states, "state"),
                                counted(s.transitions, "transition"));
  if (s.pairs > 0 && s.pairs != s.states) {
    out += fmt::format(", {}", counted(s.pairs, "pair"));
  }
  out += fmt::format(", {:.2f} s, {}", s.seconds, sized(s.store_bytes));
  if (!s.method.empty() && result.outcome.answer == Answer::kHolds) {
    out += ", by " + s.method;
  }
  return out + '\n';
}

// What the reductions did, and, where the search was long, why not more.
std::string reductions(const ModelResult& result, std::size_t width) {
  const verify::Statistics& s = result.outcome.statistics;
  std::vector<std::string> parts;
  if (s.represented > static_cast<double>(s.states) * 1.001) {
    const auto all = static_cast<std::uint64_t>(std::llround(s.represented));
    parts.push_back("symmetry: for " + counted(all, "state"));
  }
  if (s.left_out > 0) {
    parts.push_back("left out: " + counted(s.left_out, "transition"));
  }
  if (s.joined > 0) parts.push_back("joined: " + counted(s.joined, "step"));
  std::string out;
  if (!parts.empty()) {
    out = wrapped(fmt::format("{}", fmt::join(parts, "; ")), "  ", width);
  }
  constexpr std::uint64_t kLong = 100'000;
  if (s.states < kLong && result.outcome.answer != Answer::kUnknown) return out;
  for (const std::string& note : result.notes) {
    out += wrapped(note, "  ", width);
  }
  return out;
}

std::string meaning(const ModelResult& result, std::size_t width) {
  if (result.outcome.answer != Answer::kHolds) return "";
  std::string out;
  if (!result.bounds.empty()) {
    out += wrapped("for exactly these bounds: " + result.bounds, "  ", width);
  }
  return out;
}

std::string bounds_met(const ModelResult& result, std::size_t width) {
  std::string out;
  for (const std::string& bound : result.outcome.bounds_met) {
    out += wrapped(
        fmt::format("bound met: {}: steps beyond it were not taken", bound),
        "  ", width);
  }
  return out;
}

// Points that differ only in what the operation then returns, as one.
struct PointGroup {
  const verify::Point* point;
  std::string only_if;  // "1 or 2"; empty: whatever it returns
};

bool same_place(const verify::Point& a, const verify::Point& b) {
  return a.operation == b.operation && a.edge.operation == b.edge.operation &&
         a.edge.line == b.edge.line && a.edge.statement == b.edge.statement &&
         a.edge.outcome == b.edge.outcome && a.may == b.may &&
         a.by_other == b.by_other;
}

bool returns_nothing(const ModelResult& result, std::uint16_t operation) {
  if (!result.specification || operation >= result.operations.size()) {
    return false;
  }
  const auto code =
      spec::find_operation(*result.specification, result.operations[operation]);
  return code && result.specification->operations()[*code].result ==
                     spec::Result::kNone;
}

std::vector<PointGroup> grouped_points(const ModelResult& result) {
  std::vector<PointGroup> groups;
  for (const verify::Point& point : result.outcome.points) {
    const std::string only_if =
        returns_nothing(result, point.operation) ? "" : point.only_if;
    const auto same = std::find_if(groups.begin(), groups.end(),
                                   [&](const PointGroup& group) {
                                     return same_place(*group.point, point);
                                   });
    if (same == groups.end()) {
      groups.push_back({&point, only_if});
    } else if (only_if.empty() || same->only_if.empty()) {
      same->only_if.clear();
    } else {
      same->only_if += " or " + only_if;
    }
  }
  return groups;
}

std::string point_text(const ModelResult& result, const PointGroup& group,
                       std::size_t width) {
  const verify::Point& point = *group.point;
  const auto name = [&](std::uint16_t operation) {
    return operation < result.operations.size() ? result.operations[operation]
                                                : std::string("?");
  };
  std::string out = fmt::format("{} {} at line {}", name(point.operation),
                                point.may ? "may take effect" : "takes effect",
                                point.edge.line);
  if (point.by_other) {
    out += fmt::format(" of another process's {}", name(point.edge.operation));
  }
  constexpr std::size_t kShown = 48;
  out += fmt::format(", '{}'", fitted(point.edge.statement, kShown));
  if (!point.edge.outcome.empty()) out += ", " + point.edge.outcome;
  if (!group.only_if.empty()) {
    out += fmt::format(", if it then returns {}", group.only_if);
  }
  return wrapped(out, "  ", width);
}

std::vector<std::uint32_t> all_operations(const history::History& history) {
  std::vector<std::uint32_t> all(history.size());
  std::iota(all.begin(), all.end(), 0u);
  return all;
}

std::string why_not(const ModelResult& result, const TextOptions& options) {
  const history::History& history = *result.outcome.history;
  const spec::Specification& object = *result.specification;
  const check::Explanation& why = *result.explanation;
  std::string out;
  if (why.culprits.size() < history.size()) {
    const std::string subject =
        why.culprits.size() == 1
            ? "This operation cannot be explained"
            : fmt::format("These {} operations cannot be explained together",
                          why.culprits.size());
    out += fmt::format("\n  {}, whatever the others did:\n\n", subject);
    out += draw_timeline(history, object, why.culprits,
                         {"    ", options.width, "steps"});
  }
  if (result.excess) {
    out += excess_text(history, object, *result.excess, options.width);
  }
  if (names_one(result.excess)) return out;
  return out + longest_order_text(history, object, why);
}

std::string details(const ModelResult& result, std::size_t width) {
  std::string out;
  for (const std::string& line : result.outcome.details) {
    out += wrapped(line, "  ", width);
  }
  return out;
}

}  // namespace

std::string MinimumFactor::to_string() const {
  const std::string none =
      refuted      ? fmt::format("none up to {}", tried)
      : tried == 0 ? "not known"
                   : fmt::format("not known, but not below {}", tried);
  return fmt::format("smallest factor of {}: {}", of,
                     found ? std::to_string(*found) : none);
}

void say_windows(ModelResult& result) {
  result.condition += " by windows";
  if (!result.outcome.hint.empty()) result.outcome.hint += "; ";
  result.outcome.hint +=
      "the window construction is not exact: see --relaxation in "
      "docs/models.md";
}

std::string name_of(const ModelResult& result) {
  return result.line > 0
             ? fmt::format("{}:{}: {}", result.file, result.line, result.check)
             : fmt::format("{}: {}", result.file, result.check);
}

std::string evidence_text(const ModelResult& result,
                          const TextOptions& options) {
  std::string out;
  if (result.refutation) {
    out += refutation_text(*result.refutation, options.width);
  }
  if (result.trace) {
    const bool has_calls =
        std::any_of(result.trace->steps.begin(), result.trace->steps.end(),
                    [](const TraceStep& step) {
                      return step.kind == lts::LabelKind::kInvoke ||
                             step.kind == lts::LabelKind::kReturn;
                    });
    out += has_calls ? "\n  The steps ('>' call, '<' return):\n\n"
                     : "\n  The steps:\n\n";
    out += draw_steps(*result.trace, "    ", options.width);
  }
  if (result.outcome.history && result.specification) {
    const history::History& history = *result.outcome.history;
    out += "\n  The history:\n\n";
    out +=
        draw_timeline(history, *result.specification, all_operations(history),
                      {"    ", options.width, "steps"});
    if (result.explanation) out += why_not(result, options);
  }
  if (result.outcome.answer == Answer::kHolds) return out;
  if (!result.outcome.details.empty()) out += '\n';
  return out + details(result, options.width);
}

std::string to_text(const ModelResult& result, const TextOptions& options) {
  std::string out = headline(result, options.color);
  if (result.minimum_factor) {
    out += fmt::format("  {}\n", result.minimum_factor->to_string());
  }
  if (!result.outcome.reason.empty()) {
    out += wrapped(result.outcome.reason, "  ", options.width);
  }
  if (result.outcome.answer == Answer::kHolds) {
    out += details(result, options.width);
  }
  out += meaning(result, options.width) + bounds_met(result, options.width) +
         figures(result) + reductions(result, options.width);
  for (const PointGroup& group : grouped_points(result)) {
    out += point_text(result, group, options.width);
  }
  if (!result.outcome.hint.empty()) {
    out += wrapped("note: " + result.outcome.hint, "  ", options.width);
  }
  // What is reached, or goes wrong, has a run that shows it, too.
  if (result.outcome.answer != Answer::kViolated && !result.trace) return out;
  if (result.show_evidence) out += evidence_text(result, options) + '\n';
  if (!result.replay.empty()) {
    out += fmt::format("  To see it again: {}\n", result.replay);
  }
  return out;
}

}  // namespace plumb::report
