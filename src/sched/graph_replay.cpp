// SPDX-License-Identifier: Apache-2.0
#include "sched/graph_replay.h"

#include <algorithm>

namespace plumb::sched {

std::uint16_t choice_of(const ExecutionGraph& graph, EventId id,
                        const Past& done) {
  const GraphEvent& event = graph[id];
  if (event.kind == GraphKind::kChoice) return event.choice;
  const bool reads = event.kind == GraphKind::kRead;
  if (!reads && event.kind != GraphKind::kWrite) return 0;
  const std::size_t place = reads ? graph.place_of(event.source) : event.place;
  const auto& writes = graph.location(event.location).writes;
  const auto later = std::count_if(
      writes.begin() + static_cast<std::ptrdiff_t>(place), writes.end(),
      [&](EventId write) { return done.contains(write); });
  return static_cast<std::uint16_t>(2 * later + (event.failed ? 1 : 0));
}

bool GraphReplay::start_run() {
  graph_ = ExecutionGraph();
  strayed_ = false;
  quiet_ = 0;
  forget_run();
  return true;
}

std::uint16_t GraphReplay::choice() const {
  const std::size_t now = events().size();
  if (now >= told_.size() || !told_[now].is_choice) return 0;
  return told_[now].choice;
}

ThreadId GraphReplay::pick(const Situation& situation) {
  const std::size_t now = events().size();
  if (now < told_.size()) {
    const ThreadId thread =
        told_[now].thread == kNoThread ? situation.current : told_[now].thread;
    if (thread < kMaxThreads && (situation.enabled & bit(thread))) {
      return thread;
    }
    strayed_ = true;
  }
  if (quiet_ >= kSpinning) {
    const ThreadMask behind =
        situation.enabled & ~(bit(situation.current) * 2 - 1);
    return nth(behind != 0 ? behind : situation.enabled, 0);
  }
  if (situation.enabled & bit(situation.current)) return situation.current;
  return nth(situation.enabled, 0);
}

void GraphReplay::saw(const Event& event) {
  GraphScheduler::saw(event);
  const bool is_idle = event.kind == Kind::kFence ||
                       event.kind == Kind::kRead ||
                       (event.kind == Kind::kUpdate && event.is_silent);
  quiet_ = is_idle ? quiet_ + 1 : 0;
}

EventId GraphReplay::add(ThreadId thread, GraphKind kind) {
  const EventId id = graph_.append(thread, kind);
  note(thread);
  return id;
}

std::uint32_t GraphReplay::choose(ThreadId thread, std::uint32_t bound) {
  const EventId id = add(thread, GraphKind::kChoice);
  graph_.finish_choice(id, static_cast<std::uint16_t>(bound));
  if (choice() >= bound) {
    strayed_ = true;
    return 0;
  }
  graph_[id].choice = choice();
  return choice();
}

GraphScheduler::Read GraphReplay::read(ThreadId thread, const ReadLabel& label,
                                       const Bytes& initial, Next) {
  const std::uint32_t location = graph_.location_of(label.key, initial);
  const EventId id = add(thread, GraphKind::kRead);
  graph_.add_read(id, location, label);
  graph_.set_source(id, kInitially, false);
  const std::size_t writes = graph_.location(location).writes.size();
  const std::uint16_t told = label.is_sync ? 0 : choice();
  const std::size_t back = told / 2u;
  const bool is_there =
      back <= writes && writes - back >= graph_.first_source(id);
  strayed_ |= !is_there;
  const EventId source = is_there ? graph_.write_at(location, writes - back)
                                  : graph_.latest(location);
  graph_.set_source(id, source, told % 2 != 0);
  const GraphEvent& event = graph_[id];
  if (event.exclusive &&
      graph_.splits_update(location, graph_.place_of(source) + 1)) {
    strayed_ = true;
  }
  return {graph_.value_read(event), event.exclusive, event.failed};
}

bool GraphReplay::wrote(ThreadId thread, std::uint64_t key, const Bytes& value,
                        int order, const Bytes& initial) {
  const std::uint32_t location = graph_.location_of(key, initial);
  const EventId id = add(thread, GraphKind::kWrite);
  graph_.finish_write(id, location, value, order, false);
  const std::size_t end = graph_.location(location).writes.size() + 1;
  const std::size_t back = choice() / 2u;
  const bool is_there = back < end && end - back >= graph_.first_place(id) &&
                        !graph_.splits_update(location, end - back);
  strayed_ |= !is_there;
  graph_.insert_write(id, is_there ? end - back : end);
  return is_latest(id);
}

bool GraphReplay::updated(ThreadId thread, const Bytes& value) {
  const EventId read = graph_.last_of(thread);
  const EventId id = add(thread, GraphKind::kWrite);
  const std::uint32_t location = graph_[read].location;
  graph_.finish_write(id, location, value, graph_[read].label.order, true);
  graph_.insert_write(id, graph_.place_of(graph_[read].source) + 1);
  return is_latest(id);
}

void GraphReplay::fence(ThreadId thread, int order) {
  graph_.finish_fence(add(thread, GraphKind::kFence), order);
}

void GraphReplay::spawned(ThreadId thread, ThreadId child) {
  graph_.finish_spawn(add(thread, GraphKind::kSpawn), child);
}

void GraphReplay::joined(ThreadId thread, ThreadId child) {
  graph_.finish_join(add(thread, GraphKind::kJoin), child);
}

}  // namespace plumb::sched
