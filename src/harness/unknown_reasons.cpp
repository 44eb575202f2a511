// SPDX-License-Identifier: Apache-2.0
#include "harness/unknown_reasons.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "report/words.h"

namespace plumb::harness {

std::string reasons_of(const std::vector<ProgramOutcome>& outcomes,
                       const ProgramList& list, const std::string& limit) {
  std::vector<std::pair<std::string, std::size_t>> reasons;
  for (const ProgramOutcome& outcome : outcomes) {
    if (outcome.answer != check::Answer::kUnknown) continue;
    const auto same = std::find_if(
        reasons.begin(), reasons.end(),
        [&](const auto& other) { return other.first == outcome.reason; });
    if (same == reasons.end()) {
      reasons.emplace_back(outcome.reason, 1);
    } else {
      ++same->second;
    }
  }
  std::vector<std::string> clauses;
  for (const auto& [reason, count] : reasons) {
    clauses.push_back(list.programs.size() == 1
                          ? reason
                          : fmt::format("{} (in {})", reason,
                                        report::counted(count, "program")));
  }
  if (outcomes.size() < list.programs.size()) {
    if (reasons.empty()) clauses.push_back(limit);
    clauses.push_back(
        fmt::format("{} of {} programs were not begun",
                    report::grouped(list.programs.size() - outcomes.size()),
                    report::grouped(list.programs.size())));
  }
  if (!list.complete) {
    clauses.push_back(fmt::format(
        "there are too many programs: all of at most {}, and larger ones by "
        "chance",
        report::counted(list.whole_up_to, "call")));
  }
  return fmt::format("{}", fmt::join(clauses, "; "));
}

}  // namespace plumb::harness
