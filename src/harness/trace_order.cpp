// SPDX-License-Identifier: Apache-2.0
#include "harness/trace_order.h"

namespace plumb::harness {

EventOrder order_of(const sched::Trace& trace, bool has_failed) {
  EventOrder order;
  for (std::uint32_t event = 0; event < trace.size(); ++event) {
    order.thread.push_back(trace[event].thread);
    order.waits.push_back(sched::may_wait(trace[event].kind));
    auto& before = order.before.emplace_back();
    for (std::uint32_t other = 0; other < event; ++other) {
      if (trace.happens_before(other, event)) before.push_back(other);
    }
  }
  if (has_failed && trace.size() > 1) {
    const auto last = static_cast<std::uint32_t>(trace.size() - 1);
    for (std::uint32_t other = 0; other < last; ++other) {
      order.before[last].push_back(other);
    }
  }
  return order;
}

void add_real_time(EventOrder& order, const ProgramRun& run,
                   const std::vector<std::uint8_t>& ends) {
  // Events of ends, as fill() numbered them.
  std::vector<std::uint32_t> event_of;
  for (const ProgramRun::Record& record : run.calls()) {
    if (!record.began) continue;
    const runtime::Span span = ProgramRun::span_of(record);
    event_of.push_back(span.first);
    event_of.push_back(span.first == UINT32_MAX ? UINT32_MAX : span.last);
  }
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (!(ends[i] & 1) || event_of[ends[i]] == UINT32_MAX) continue;
    for (std::size_t j = i + 1; j < ends.size(); ++j) {
      if ((ends[j] & 1) || event_of[ends[j]] == UINT32_MAX) continue;
      order.before[event_of[ends[j]]].push_back(event_of[ends[i]]);
    }
  }
}

}  // namespace plumb::harness
