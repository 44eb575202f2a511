// SPDX-License-Identifier: Apache-2.0
#include "sched/graph_walk.h"

namespace plumb::sched {

bool GraphWalk::start_run() {
  constexpr std::uint32_t kRates[] = {0, 8, 3, 2};
  strays_one_in_ = kRates[dice_.below(4)];
  rejects_run_ = false;
  return threads_->start_run() && GraphRun::start_run();
}

bool GraphWalk::fails(ThreadId thread) {
  is_failure_ = true;
  const bool out = choose(thread, 2) != 0;
  is_failure_ = false;
  return out;
}

std::uint32_t GraphWalk::outcome_of(std::uint32_t bound) {
  if (is_failure_) return one_in(kFailsOneIn) ? 1 : 0;
  return dice_.below(bound);
}

// What is latest can be read in any model.  Locks are taken as they are.
GraphRun::Source GraphWalk::source_of(EventId id) {
  const GraphEvent& event = graph_[id];
  const std::uint32_t location = event.location;
  const std::size_t last = graph_.location(location).writes.size();
  std::size_t place = last;
  if (!event.label.is_sync && one_in(strays_one_in_)) {
    const std::size_t first = graph_.first_source(id);
    place = first + dice_.below(static_cast<std::uint32_t>(last - first + 1));
  }
  const auto updates = [&](EventId write) {
    return event.label.updates_at(graph_.value_of(location, write));
  };
  Source source = {graph_.write_at(location, place)};
  const auto may_fail = [&] {
    return event.label.may_fail && updates(source.write);
  };
  source.fails = may_fail() && one_in(kFailsOneIn);
  if (place == last) return source;
  const bool splits = updates(source.write) && !source.fails &&
                      graph_.splits_update(location, place + 1);
  const bool stays = event.label.waits && !updates(source.write);
  graph_.set_source(id, source.write, source.fails);
  if (splits || stays || !graph_.is_consistent(model_)) {
    source.write = graph_.write_at(location, last);
    source.fails &= may_fail();
  }
  return source;
}

std::size_t GraphWalk::place_of(EventId id) {
  const std::uint32_t location = graph_[id].location;
  const std::size_t end = graph_.location(location).writes.size() + 1;
  if (!one_in(strays_one_in_)) return end;
  const std::size_t first = graph_.first_place(id);
  const std::size_t place =
      first + dice_.below(static_cast<std::uint32_t>(end - first + 1));
  if (place >= end || graph_.splits_update(location, place)) return end;
  graph_.insert_write(id, place);
  const bool is_consistent = graph_.is_consistent(model_);
  graph_.remove_write(id);
  return is_consistent ? place : end;
}

bool GraphWalk::updated(ThreadId thread, const Bytes& value) {
  const bool is_latest = GraphRun::updated(thread, value);
  rejects_run_ = !is_latest && !graph_.is_consistent(model_);
  return is_latest;
}

}  // namespace plumb::sched
