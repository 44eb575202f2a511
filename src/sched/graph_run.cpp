// SPDX-License-Identifier: Apache-2.0
#include "sched/graph_run.h"

namespace plumb::sched {

bool GraphRun::start_run() {
  graph_ = ExecutionGraph();
  forget_run();
  return true;
}

EventId GraphRun::add(ThreadId thread, GraphKind kind) {
  const EventId id = graph_.append(thread, kind);
  note(thread);
  return id;
}

std::uint32_t GraphRun::choose(ThreadId thread, std::uint32_t bound) {
  const std::uint32_t outcome = outcome_of(bound);
  const EventId id = add(thread, GraphKind::kChoice);
  graph_.finish_choice(id, static_cast<std::uint16_t>(bound));
  graph_[id].choice = static_cast<std::uint16_t>(outcome);
  return outcome;
}

GraphScheduler::Read GraphRun::read(ThreadId thread, const ReadLabel& label,
                                    const Bytes& initial, Next) {
  const std::uint32_t location = graph_.location_of(label.key, initial);
  const EventId id = add(thread, GraphKind::kRead);
  graph_.add_read(id, location, label);
  graph_.set_source(id, kInitially, false);
  const Source source = source_of(id);
  graph_.set_source(id, source.write, source.fails);
  const GraphEvent& event = graph_[id];
  return {graph_.value_read(event), event.exclusive, event.failed};
}

bool GraphRun::wrote(ThreadId thread, std::uint64_t key, const Bytes& value,
                     int order, const Bytes& initial) {
  const std::uint32_t location = graph_.location_of(key, initial);
  const EventId id = add(thread, GraphKind::kWrite);
  graph_.finish_write(id, location, value, order, false);
  graph_.insert_write(id, place_of(id));
  return is_latest(id);
}

bool GraphRun::updated(ThreadId thread, const Bytes& value) {
  const EventId read = graph_.last_of(thread);
  const EventId id = add(thread, GraphKind::kWrite);
  const std::uint32_t location = graph_[read].location;
  graph_.finish_write(id, location, value, graph_[read].label.order, true);
  graph_.insert_write(id, graph_.place_of(graph_[read].source) + 1);
  return is_latest(id);
}

void GraphRun::fence(ThreadId thread, int order) {
  graph_.finish_fence(add(thread, GraphKind::kFence), order);
}

void GraphRun::spawned(ThreadId thread, ThreadId child) {
  graph_.finish_spawn(add(thread, GraphKind::kSpawn), child);
}

void GraphRun::joined(ThreadId thread, ThreadId child) {
  graph_.finish_join(add(thread, GraphKind::kJoin), child);
}

}  // namespace plumb::sched
