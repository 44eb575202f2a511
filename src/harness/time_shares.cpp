// SPDX-License-Identifier: Apache-2.0
#include "harness/time_shares.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <utility>

namespace plumb::harness {

namespace {

using check::Answer;
using Clock = Budget::Clock;

Clock::duration left_until(Clock::time_point end) {
  return std::max(Clock::duration::zero(), end - Clock::now());
}

// What one of `programs` gets, `processes` working at once.
Clock::duration part_of(Clock::duration all, std::size_t programs,
                        unsigned processes) {
  const auto at_once = std::min<std::size_t>(programs, processes);
  return all * static_cast<int>(at_once) / static_cast<int>(programs);
}

}  // namespace

std::vector<ProgramOutcome> explore_in_shares(
    const WorkPlan& plan, Clock::time_point end, const std::string& out_of_time,
    const std::function<ProgramOutcome(std::size_t, const Share&)>& explore,
    Budget& budget) {
  std::vector<std::size_t> unfinished(plan.programs);
  std::iota(unfinished.begin(), unfinished.end(), std::size_t{0});
  std::vector<ProgramOutcome> outcomes;
  Clock::duration last = Clock::duration::zero();
  for (unsigned round = 0; !unfinished.empty(); ++round) {
    WorkPlan work = plan;
    work.programs = unfinished.size();
    const Clock::duration part =
        part_of(left_until(end), work.programs, plan.processes);
    if (round > 0 && part < 2 * last) break;
    last = part;
    const auto explore_one = [&](std::size_t i) {
      const Clock::duration mine =
          part_of(left_until(end), unfinished.size() - i, plan.processes);
      return explore(unfinished[i], {Clock::now() + mine, round});
    };
    std::vector<ProgramOutcome> found =
        explore_programs(work, explore_one, budget);
    std::vector<std::size_t> again;
    bool is_over = budget.spent_now() || found.size() < work.programs;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool is_late =
          found[i].answer == Answer::kUnknown && found[i].reason == out_of_time;
      if (is_late) again.push_back(unfinished[i]);
      is_over |= found[i].answer == Answer::kViolated && plan.stop_at_violation;
      if (round == 0) {
        outcomes.push_back(std::move(found[i]));
        continue;
      }
      ProgramOutcome& outcome = outcomes[unfinished[i]];
      found[i].statistics.add(outcome.statistics);
      found[i].histories += outcome.histories;
      found[i].heaps |= outcome.heaps;
      outcome = std::move(found[i]);
    }
    if (is_over) break;
    unfinished = std::move(again);
  }
  return outcomes;
}

}  // namespace plumb::harness
