// SPDX-License-Identifier: Apache-2.0
#include "harness/graph_order.h"

#include "sched/graph_replay.h"

namespace plumb::harness {

using sched::EventId;
using sched::ExecutionGraph;
using sched::GraphEvent;
using sched::GraphKind;

CallPairs pairs_of(const ProgramRun& run, const sched::GraphScheduler& search,
                   sched::MemoryModel model) {
  CallPairs pairs;
  for (const ProgramRun::Record& record : run.calls()) {
    if (!record.began) continue;
    const runtime::Span span = ProgramRun::span_of(record);
    const std::size_t i = pairs.size++;
    const bool any = span.first != UINT32_MAX;
    pairs.first[i] = any ? search.first_of(span.first) : sched::kInitially;
    pairs.last[i] = any ? search.last_of(span.last) : sched::kInitially;
    pairs.all_are_seen &= any;
  }
  const ExecutionGraph& graph = search.graph();
  for (std::size_t a = 0; a < pairs.size; ++a) {
    pairs.before[a] = pairs.begun[a] = pairs.allowed[a] = 0;
    if (pairs.last[a] == sched::kInitially) continue;
    const GraphEvent& first = graph[pairs.first[a]];
    const GraphEvent& last = graph[pairs.last[a]];
    for (std::size_t b = 0; b < pairs.size; ++b) {
      if (a == b || pairs.last[b] == sched::kInitially) continue;
      const CallMask mask = mask_of(b);
      if (first.hb.contains(pairs.last[b])) pairs.before[a] |= mask;
      if (last.porf.contains(pairs.first[b])) pairs.begun[a] |= mask;
      if (graph.allows(model, pairs.last[a], pairs.first[b])) {
        pairs.allowed[a] |= mask;
      }
    }
  }
  return pairs;
}

bool order_by_pairs(const CallPairs& pairs, CallTrace& calls) {
  const auto is_seen = [&](std::size_t i) {
    return pairs.last[i] != sched::kInitially;
  };
  for (std::size_t a = 0; a < pairs.size; ++a) {
    calls.before[2 * a] = 0;
    calls.before[2 * a + 1] = first_end(a);
    for (std::size_t b = 0; b < pairs.size; ++b) {
      if (a == b || !is_seen(a) || !is_seen(b)) continue;
      if ((pairs.before[a] & mask_of(b)) != 0) {
        calls.before[2 * a] |= first_end(b) | last_end(b);
      }
      if ((pairs.allowed[a] & mask_of(b)) == 0) {
        calls.before[2 * a + 1] |= first_end(b);
      }
    }
  }
  close_order(calls);
  for (std::size_t end = 0; end < 2 * pairs.size; ++end) {
    if ((calls.before[end] >> end & 1) != 0) return false;
  }
  return true;
}

std::vector<std::vector<std::uint32_t>> numbers_of(
    const sched::GraphScheduler& search) {
  std::vector<std::vector<std::uint32_t>> numbers(search.graph().threads());
  for (std::uint32_t n = 0; n < search.events().size(); ++n) {
    const EventId last = search.last_of(n);
    numbers[last.thread].resize(last.index + 1u, n);
  }
  return numbers;
}

EventOrder order_of_graph(const sched::GraphScheduler& search) {
  const ExecutionGraph& graph = search.graph();
  const auto numbers = numbers_of(search);
  EventOrder order;
  for (std::uint32_t n = 0; n < search.events().size(); ++n) {
    order.thread.push_back(search.events()[n].thread);
    order.waits.push_back(sched::may_wait(search.events()[n].kind));
    auto& before = order.before.emplace_back();
    const auto add = [&](EventId id) {
      if (id == sched::kInitially) return;
      if (id.index >= numbers[id.thread].size()) return;
      const std::uint32_t number = numbers[id.thread][id.index];
      if (number != n) before.push_back(number);
    };
    const EventId first = search.first_of(n), last = search.last_of(n);
    for (EventId id = first; id.index <= last.index; ++id.index) {
      const GraphEvent& event = graph[id];
      if (event.kind == GraphKind::kRead) add(event.source);
      if (event.kind == GraphKind::kJoin && event.choice < graph.threads() &&
          graph.size(event.choice) > 0) {
        add(graph.last_of(event.choice));
      }
    }
    if (first.index == 0) add(graph.spawned_by(first.thread));
  }
  return order;
}

std::vector<Step> steps_of_graph(const sched::GraphScheduler& search,
                                 const std::vector<sched::ThreadId>& threads) {
  std::vector<Step> steps;
  sched::Past done;
  std::vector<std::size_t> next(sched::kMaxThreads, 0);
  for (const sched::ThreadId thread : threads) {
    std::size_t& at = next[thread];
    while (search.events()[at].thread != thread) ++at;
    Step step;
    step.thread = thread;
    const EventId last = search.last_of(at);
    for (EventId id = search.first_of(at); id.index <= last.index; ++id.index) {
      const std::uint16_t choice = choice_of(search.graph(), id, done);
      const bool is_choice =
          search.graph()[id].kind == GraphKind::kChoice || choice != 0;
      if (is_choice && !step.choice) step.choice = choice;
      done.of[thread] = static_cast<std::uint16_t>(id.index + 1);
    }
    steps.push_back(step);
    ++at;
  }
  return steps;
}

}  // namespace plumb::harness
