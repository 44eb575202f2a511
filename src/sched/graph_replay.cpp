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
  strayed_ = false;
  quiet_ = 0;
  return GraphRun::start_run();
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
  if (at_end_ == AtEnd::kStops) return kNoThread;
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

std::uint32_t GraphReplay::outcome_of(std::uint32_t bound) {
  if (choice() < bound) return choice();
  strayed_ = true;
  return 0;
}

GraphRun::Source GraphReplay::source_of(EventId id) {
  const GraphEvent& event = graph_[id];
  const std::size_t writes = graph_.location(event.location).writes.size();
  const std::uint16_t told = event.label.is_sync ? 0 : choice();
  const std::size_t back = told / 2u;
  const bool is_there =
      back <= writes && writes - back >= graph_.first_source(id);
  strayed_ |= !is_there;
  const std::size_t place = is_there ? writes - back : writes;
  const Source source = {graph_.write_at(event.location, place), told % 2 != 0};
  const bool updates = !source.fails && event.label.updates_at(graph_.value_of(
                                            event.location, source.write));
  strayed_ |= updates && graph_.splits_update(event.location, place + 1);
  return source;
}

std::size_t GraphReplay::place_of(EventId id) {
  const std::uint32_t location = graph_[id].location;
  const std::size_t end = graph_.location(location).writes.size() + 1;
  const std::size_t back = choice() / 2u;
  const bool is_there = back < end && end - back >= graph_.first_place(id) &&
                        !graph_.splits_update(location, end - back);
  strayed_ |= !is_there;
  return is_there ? end - back : end;
}

}  // namespace plumb::sched
