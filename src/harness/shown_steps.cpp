// SPDX-License-Identifier: Apache-2.0
#include "harness/shown_steps.h"

#include <chrono>
#include <optional>

#include "harness/graph_order.h"
#include "harness/shrink.h"
#include "harness/trace_order.h"

namespace plumb::harness {

namespace {

// At the end of the time nobody can wait for the best.
std::vector<sched::ThreadId> with_few_switches(const EventOrder& order,
                                               Budget::Clock::time_point end) {
  constexpr std::size_t kWidest = 200'000, kWidestAtTheEnd = 1'000;
  const bool is_soon = end - Budget::Clock::now() < std::chrono::seconds(1);
  const auto fewest =
      fewest_switches(order, std::nullopt, is_soon ? kWidestAtTheEnd : kWidest);
  return fewest ? *fewest : order.thread;
}

}  // namespace

std::vector<Step> steps_that_show(const ShownRun& shown,
                                  const sched::Trace& trace) {
  EventOrder order =
      order_of(trace, shown.outcome.end == sched::RunEnd::kFailed);
  add_real_time(order, shown.run, shown.ends);
  std::vector<Step> steps;
  std::vector<std::size_t> next(sched::kMaxThreads, 0);
  for (const sched::ThreadId thread : with_few_switches(order, shown.end)) {
    std::size_t& at = next[thread];
    while (trace[at].thread != thread) ++at;
    const sched::Event& event = trace[at++];
    Step& step = steps.emplace_back();
    step.thread = thread;
    if (sched::is_choice(event)) step.choice = event.choice;
  }
  return steps;
}

std::vector<Step> steps_that_show(const ShownRun& shown,
                                  const sched::GraphScheduler& search) {
  EventOrder order = order_of_graph(search);
  add_real_time(order, shown.run, shown.ends);
  if (shown.outcome.end == sched::RunEnd::kFailed && !order.thread.empty()) {
    const auto last = static_cast<EventNumber>(order.thread.size() - 1);
    for (EventNumber n = 0; n < last; ++n) order.before[last].push_back(n);
  }
  return steps_of_graph(search, with_few_switches(order, shown.end));
}

std::vector<Step> steps_of(const sched::Recorded& search) {
  std::vector<Step> steps;
  for (const auto& recorded : search.steps()) {
    Step& step = steps.emplace_back();
    step.thread = recorded.thread;
    if (recorded.is_choice) step.choice = recorded.choice;
  }
  return steps;
}

}  // namespace plumb::harness
