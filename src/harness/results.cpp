// SPDX-License-Identifier: Apache-2.0
#include "harness/results.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <numeric>

#include "base/terminal_text.h"
#include "report/explanation.h"
#include "report/timeline.h"
#include "report/words.h"

namespace plumb::harness {

namespace {

using check::Answer;
using report::counted;
using report::TextOptions;
using report::wrapped;

Answer news_of(const TestResult& result) {
  if (result.is_as_expected()) return Answer::kHolds;
  return result.answer == Answer::kUnknown ? Answer::kUnknown
                                           : Answer::kViolated;
}

std::string full_name_of(const TestResult& result) {
  std::string out;
  if (!result.file.empty()) {
    out = fmt::format("{}:{}: ", result.file, result.line);
  }
  out += result.name;
  if (!result.condition.empty()) {
    out +=
        fmt::format(" {}, {}", result.condition, result.specification->name());
  }
  return out;
}

std::string headline(const TestResult& result, bool color) {
  std::string verdict = check::to_string(result.answer);
  if (result.says_expect && result.is_as_expected()) {
    if (result.expect.answer != Answer::kHolds) verdict += ", as expected";
  } else if (result.says_expect && result.answer != Answer::kUnknown) {
    verdict += fmt::format(", but 'expect {}' says otherwise",
                           result.expect.to_string());
  }
  return fmt::format("{}: {}\n", full_name_of(result),
                     report::painted(verdict, news_of(result), color));
}

std::string memory_in_words(const TestResult& result) {
  switch (result.caveats.memory) {
    case sched::MemoryModel::kSc:
      return "sequentially consistent memory";
    case sched::MemoryModel::kTso:
      return "x86's memory model (TSO)";
    case sched::MemoryModel::kRc11:
      return result.statistics.graphs > 0 ? "C++'s memory model (RC11)"
                                          : "C++'s memory model";
  }
  return "";
}

// Histories are not counted then; some programs may have been searched by
// traces.
std::string figures_of_states(const TestResult& result) {
  const Statistics& all = result.statistics;
  std::string out = counted(all.states, "state") + " in " +
                    counted(all.executions + all.blocked, "execution");
  if (all.graphs > 0) out += ", " + counted(all.graphs, "graph");
  if (result.exhaustive) {
    out += fmt::format(", exhaustive for {}", memory_in_words(result));
  }
  return out + fmt::format(", {:.2f} s\n", result.seconds);
}

std::string figures(const TestResult& result) {
  std::string out = "  ";
  if (!result.condition.empty()) {
    out += counted(result.programs, "program");
    if (result.programs < result.all_programs) {
      out += fmt::format(" of {}", report::grouped(result.all_programs));
    }
    out += ", ";
  }
  if (result.statistics.states > 0) {
    return out + figures_of_states(result);
  }
  out += counted(result.statistics.executions,
                 result.stress ? "run" : "execution");
  if (result.statistics.blocked > 0) {
    out += fmt::format(" and {} cut short",
                       report::grouped(result.statistics.blocked));
  }
  if (result.statistics.graphs > 0) {
    out += ", " + counted(result.statistics.graphs, "graph");
  }
  if (result.histories > 0) {
    out += ", " + (result.histories == 1
                       ? std::string("1 history")
                       : report::grouped(result.histories) + " histories");
  }
  if (result.exhaustive) {
    out += fmt::format(", exhaustive for {}", memory_in_words(result));
  }
  return out + fmt::format(", {:.2f} s\n", result.seconds);
}

// Where bars do not fit, operations are listed with their moments.
history::History with_moments(history::History history) {
  for (history::Operation& operation : history.operations) {
    operation.line = operation.invoked + 1;
    if (!operation.pending()) operation.returned_line = operation.returned + 1;
  }
  return history;
}

std::string why_not(const TestResult& result, const history::History& history,
                    const TextOptions& options) {
  const spec::Specification& object = *result.specification;
  const check::Explanation& why = *result.evidence->explanation;
  std::string out;
  if (why.culprits.size() < history.size()) {
    const std::string subject =
        why.culprits.size() == 1
            ? "This call cannot be explained"
            : fmt::format("These {} calls cannot be explained together",
                          why.culprits.size());
    out += fmt::format("\n  {}, whatever the others did:\n\n", subject);
    out += report::draw_timeline(history, object, why.culprits,
                                 {"    ", options.width, "moments"});
  }
  return out + report::longest_order_text(history, object, why);
}

std::string text_of(const Remedies& remedies) {
  if (remedies.none_helps) {
    return "  no stronger memory orders would help: it is something else, "
           "too\n";
  }
  if (remedies.sets.empty()) return "";
  const bool several = remedies.sets.size() > 1;
  std::string out = fmt::format(
      "  with {} this program holds:\n",
      several ? "any one of these stronger orders" : "stronger orders");
  for (const Remedy& set : remedies.sets) {
    out += fmt::format("    {}\n", fmt::join(set, "\n      and "));
  }
  return out;
}

std::string text_of(const Relaxations& relaxations) {
  const bool any = !relaxations.lines.empty();
  std::string out = fmt::format(
      "  {} of {} orders {} stronger than these programs need, each by "
      "itself{}{}\n",
      relaxations.lines.size(), relaxations.tried,
      relaxations.lines.size() == 1 ? "is" : "are",
      relaxations.all_were_tried ? "" : " (there was no time for others)",
      any ? ":" : "");
  for (const std::string& line : relaxations.lines) {
    out += fmt::format("    {}\n", line);
  }
  return out;
}

std::string evidence_text(const TestResult& result,
                          const TextOptions& options) {
  const Evidence& evidence = *result.evidence;
  std::string out;
  if (!evidence.machines.empty()) out += "  " + evidence.machines + "\n";
  out += text_of(evidence.remedies);
  if (!evidence.program_lines.empty()) {
    out += "\n  The program:\n\n";
    for (const std::string& line : evidence.program_lines) {
      out += wrapped(line, "    ", options.width);
    }
  }
  if (!evidence.smaller_program_lines.empty()) {
    out += "\n  A smaller program is violated as well:\n\n";
    for (const std::string& line : evidence.smaller_program_lines) {
      out += wrapped(line, "    ", options.width);
    }
  }
  if (!evidence.story.empty()) {
    out += "\n  The run ('>' call, '<' return):\n\n" + evidence.story;
  }
  if (evidence.history) {
    const history::History history = with_moments(*evidence.history);
    std::vector<std::uint32_t> all(history.size());
    std::iota(all.begin(), all.end(), 0u);
    out += "\n  The history:\n\n";
    out += report::draw_timeline(history, *result.specification, all,
                                 {"    ", options.width, "moments"});
    if (evidence.explanation) out += why_not(result, history, options);
  }
  return out;
}

}  // namespace

int status_of(const TestResult& result) {
  if (result.is_as_expected()) return 0;
  return result.answer == Answer::kUnknown ? 3 : 1;
}

int worse(int a, int b) {
  constexpr std::array kFromWorst = {2, 1, 3};
  for (const int status : kFromWorst) {
    if (a == status || b == status) return status;
  }
  return 0;
}

std::string to_text(const TestResult& result, const TextOptions& options) {
  std::string out = headline(result, options.color);
  if (!result.reason.empty()) {
    out += wrapped(result.reason, "  ", options.width);
  }
  out += figures(result);
  if (result.answer != Answer::kViolated) {
    for (const std::string& clause : result.caveats.clauses) {
      out += wrapped(clause, "  ", options.width);
    }
    if (result.relaxations) out += text_of(*result.relaxations);
    return terminal_text(out, options.color);
  }
  if (result.show_evidence && result.evidence) {
    out += evidence_text(result, options);
    if (!result.replay.empty()) out += '\n';
  }
  if (!result.replay.empty()) {
    out += fmt::format("  To see it again: {}\n", result.replay);
  }
  // What code under test throws, or names its operations, may be anything.
  return terminal_text(out, options.color);
}

}  // namespace plumb::harness
