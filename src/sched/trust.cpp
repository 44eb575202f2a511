// SPDX-License-Identifier: Apache-2.0
#include "sched/trust.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace plumb::sched {

bool Trust::start_run() {
  if (!started_) {
    started_ = true;
    frames_.emplace_back();
    plan_run();
    return true;
  }
  while (!frames_.empty()) {
    auto& items = frames_.back().items;
    if (items.empty()) {
      frames_.pop_back();
      continue;
    }
    const Item item = items.back();
    items.pop_back();
    if (!take(item)) continue;
    plan_run();
    return true;
  }
  return false;
}

// Changes the graph into another one; false: that is not consistent.
bool Trust::take(const Item& item) {
  ExecutionGraph& graph = mine();
  graph.truncate(item.stamp);
  switch (item.kind) {
    case Item::Kind::kRead:
      return take_read(item);
    case Item::Kind::kPlace:
      return take_place(item);
    case Item::Kind::kRevisit:
      return take_revisit(item);
    case Item::Kind::kChoice:
      graph[item.event].choice = item.place;
      return accept(item.event, true);
  }
  return false;
}

bool Trust::was_along_order(EventId event) const {
  const auto& order = graph().order();
  assert(order.back() == event);
  static_cast<void>(event);
  return order.size() < 2 || graph()[order[order.size() - 2]].along_order;
}

// The event was added last, or is there in another way.  `is_latest`: it reads
// or writes what is latest, or neither reads nor writes.
bool Trust::accept(EventId event, bool is_latest) {
  ExecutionGraph& graph = mine();
  const bool along_order = is_latest && was_along_order(event);
  graph[event].along_order = along_order;
  graph.set_rank(event);
  if (along_order || graph.is_consistent(model_)) return true;
  ++rejected_;
  return false;
}

bool Trust::take_read(const Item& item) {
  ExecutionGraph& graph = mine();
  graph.set_source(item.event, item.other, item.fails);
  const bool is_latest = item.other == graph.latest(graph[item.event].location);
  if (!accept(item.event, is_latest)) return false;
  if (!graph[item.event].exclusive) return true;
  return add_update(item.event, item.next);
}

// Where the place is taken by another update, this can only revisit.
bool Trust::add_update(EventId read, const Bytes& value) {
  ExecutionGraph& graph = mine();
  const EventId write = graph.append(read.thread, GraphKind::kWrite);
  const std::uint32_t location = graph[read].location;
  graph.finish_write(write, location, value, graph[read].label.order, true);
  offer_revisits(write);
  const std::size_t place = graph.place_of(graph[read].source) + 1;
  if (graph.splits_update(location, place)) return false;
  graph.insert_write(write, place);
  if (!accept(write, write == graph.latest(location))) return false;
  move_waiting(write);
  return true;
}

// A read that waits takes the first write that lets it go on.
void Trust::move_waiting(EventId write) {
  ExecutionGraph& graph = mine();
  const GraphEvent& event = graph[write];
  if (!event.exclusive) return;
  const EventId before = graph.write_at(event.location, event.place - 1u);
  for (const EventId read : graph.location(event.location).reads) {
    if (!graph[read].blocked || !graph[read].label.in_place) continue;
    if (graph[read].source != before) continue;
    graph[write].moved = read;
    graph[write].moved_from = before;
    graph.set_source(read, write, false);
    graph.set_rank(read);
    return;
  }
}

bool Trust::take_place(const Item& item) {
  ExecutionGraph& graph = mine();
  graph.remove_write(item.event);
  graph.insert_write(item.event, item.place);
  const bool is_latest = item.event == graph.latest(graph[item.event].location);
  if (!accept(item.event, is_latest)) return false;
  if (item.other != kInitially) graph.set_rank(item.other);
  return true;
}

// A graph of its own: what the read was before is still to be tried there.
bool Trust::take_revisit(const Item& item) {
  const ExecutionGraph& old = graph();
  const bool along_order = was_along_order(item.event);
  Frame frame;
  frame.graph = old.restricted(old[item.other].stamp, old[item.event].porf);
  ExecutionGraph& graph = frame.graph;
  for (const EventId id : graph.order()) graph[id].along_order = along_order;
  graph.remove_write(item.event);
  assert(graph.last_of(item.other.thread) == item.other);
  graph.set_source(item.other, item.event, false);
  if (graph[item.other].label.is_told) {
    graph.block(item.other);
    graph[item.other].untried = true;
  }
  const GraphEvent& write = graph[item.event];
  std::size_t place = graph.location(write.location).writes.size() + 1;
  const std::size_t first = std::max(graph.first_place(item.event),
                                     graph.first_source(item.other) + 1);
  if (write.exclusive) {
    const EventId half = {item.event.thread,
                          static_cast<std::uint16_t>(item.event.index - 1)};
    place = graph.place_of(graph[half].source) + 1;
    if (place < first || graph.splits_update(write.location, place)) {
      return false;
    }
  }
  frames_.push_back(std::move(frame));
  if (!mine()[item.event].exclusive) {
    offer_places(item.event, first, item.other);
  }
  mine().insert_write(item.event, place);
  const bool is_latest =
      item.event == mine().latest(mine()[item.event].location);
  if (!accept(item.event, is_latest)) return false;
  mine().set_rank(item.other);
  return true;
}

// All places but the last.  Requires: it is not in mo.
void Trust::offer_places(EventId write, std::size_t first, EventId reader) {
  const ExecutionGraph& graph = this->graph();
  const GraphEvent& event = graph[write];
  Item item;
  item.kind = Item::Kind::kPlace;
  item.stamp = event.stamp;
  item.event = write;
  item.other = reader;
  const std::size_t last = graph.location(event.location).writes.size();
  for (std::size_t place = first; place <= last; ++place) {
    if (graph.splits_update(event.location, place)) continue;
    item.place = static_cast<std::uint16_t>(place);
    frames_.back().items.push_back(item);
  }
}

void Trust::offer_revisits(EventId write) {
  const ExecutionGraph& graph = this->graph();
  const GraphEvent& event = graph[write];
  Item item;
  item.kind = Item::Kind::kRevisit;
  item.stamp = event.stamp;
  item.event = write;
  const auto& order = graph.order();
  for (std::size_t i = order.size(); i-- > 0;) {
    const EventId id = order[i];
    if (event.porf.contains(id)) continue;
    if (!is_maximal(id, event)) return;
    const GraphEvent& read = graph[id];
    if (read.kind != GraphKind::kRead || read.location != event.location ||
        (read.blocked && read.label.in_place)) {
      continue;
    }
    item.other = id;
    frames_.back().items.push_back(item);
  }
}

// Was the event added as if nothing but what came before it, and what `write`
// depends on, were there: reading and writing what is latest?
bool Trust::is_maximal(EventId id, const GraphEvent& write) const {
  const ExecutionGraph& graph = this->graph();
  const GraphEvent& event = graph[id];
  const auto counts = [&](EventId other) {
    return other == kInitially || graph[other].stamp <= event.stamp ||
           write.porf.contains(other);
  };
  EventId source = event.source;
  std::size_t place = 0;
  switch (event.kind) {
    case GraphKind::kChoice:
      return event.choice == 0;
    case GraphKind::kRead:
      // Without the write that let it go on, it would wait.
      while (!counts(source) && graph[source].moved == id) {
        source = graph[source].moved_from;
      }
      if (event.failed || !counts(source)) return false;
      place = graph.place_of(source);
      break;
    case GraphKind::kWrite:
      for (const EventId read : graph.location(event.location).reads) {
        if (graph.source_before_moves(read) == id && counts(read)) return false;
      }
      place = event.place;
      break;
    default:
      return true;
  }
  const auto& writes = graph.location(event.location).writes;
  return std::none_of(writes.begin() + static_cast<std::ptrdiff_t>(place),
                      writes.end(), counts);
}

// An order of what is in the graph along po and rf.  Updates of which only the
// first half is there come last: the second is what the run adds first.
void Trust::plan_run() {
  const ExecutionGraph& graph = this->graph();
  plan_.clear();
  forget_run();
  touched_.clear();
  planned_.assign(graph.threads(), 0);
  diverged_ = rejects_run_ = stalled_ = false;
  for (const EventId id : graph.order()) {
    if (!graph.is_open(id) && !graph[id].blocked) plan(id);
  }
  for (std::size_t t = 0; t < graph.threads(); ++t) {
    if (graph.size(t) == 0) continue;
    const EventId last = graph.last_of(t);
    if (graph.is_open(last) || graph[last].untried) plan(last);
  }
  std::reverse(plan_.begin(), plan_.end());
}

void Trust::plan(EventId last) {
  const ExecutionGraph& graph = this->graph();
  std::uint16_t& planned = planned_[last.thread];
  while (planned <= last.index) {
    const EventId id = {last.thread, planned};
    const GraphEvent& event = graph[id];
    if (id.index == 0) {
      const EventId spawn = graph.spawned_by(id.thread);
      if (spawn != kInitially) plan(spawn);
    }
    if (event.kind == GraphKind::kRead && event.source != kInitially) {
      plan(event.source);
    } else if (event.kind == GraphKind::kJoin && graph.size(event.choice) > 0) {
      plan(graph.last_of(event.choice));
    }
    const bool is_second = event.kind == GraphKind::kWrite && event.exclusive;
    if (!is_second) plan_.push_back(id);
    ++planned;
  }
}

// What is planned is next, and its thread is enabled or not.  Does the run do
// it?  If not, it may go on without, or is over (rejects_run_, diverged_).
bool Trust::can_do(EventId id, bool is_enabled) {
  ExecutionGraph& graph = mine();
  GraphEvent& event = graph[id];
  if (!event.label.is_told) {
    diverged_ |= !is_enabled;
    return is_enabled;
  }
  if (event.untried) {
    event.untried = false;
    if (!is_enabled) return false;
    graph.set_source(id, event.source, false);
    rejects_run_ = !graph[graph.order().back()].along_order &&
                   !graph.is_consistent(model_);
  } else {
    rejects_run_ = !is_enabled;
  }
  rejected_ += rejects_run_;
  return !rejects_run_;
}

ThreadId Trust::pick(const Situation& situation) {
  if (rejects_run_ || diverged_) return kNoThread;
  while (!plan_.empty()) {
    const EventId next = plan_.back();
    const auto thread = static_cast<ThreadId>(next.thread);
    plan_.pop_back();
    if (next.index < done(thread)) continue;  // one step did several
    if (can_do(next, situation.enabled & bit(thread))) return thread;
    if (rejects_run_ || diverged_) return kNoThread;
  }
  // What is still in the graph waits.
  ThreadMask enabled = situation.enabled;
  for (ThreadMask left = enabled; left != 0; left &= left - 1) {
    const ThreadId thread = nth(left, 0);
    if (has_more(thread)) enabled &= ~bit(thread);
  }
  stalled_ = enabled == 0;
  return stalled_ ? kNoThread : nth(enabled, 0);
}

bool Trust::replays(ThreadId thread, GraphKind kind) {
  const ExecutionGraph& graph = this->graph();
  if (thread >= graph.threads() || done(thread) >= graph.size(thread)) {
    return false;
  }
  const EventId next = {thread, static_cast<std::uint16_t>(done(thread))};
  if (graph[next].kind != kind) diverged_ = true;
  return true;
}

EventId Trust::add(ThreadId thread, GraphKind kind) {
  const EventId id = mine().append(thread, kind);
  note(thread);
  return id;
}

// What locations hold at first may depend on what threads did before.
std::uint32_t Trust::touch(std::uint64_t key, const Bytes& initial) {
  const std::uint32_t location = mine().location_of(key, initial);
  if (std::find(touched_.begin(), touched_.end(), location) == touched_.end()) {
    touched_.push_back(location);
    mine().set_initial(location, initial);
  }
  return location;
}

Trust::Read Trust::answer(EventId id) const {
  const GraphEvent& read = graph()[id];
  return {graph().value_read(read), read.exclusive, read.failed};
}

Trust::Read Trust::read(ThreadId thread, const ReadLabel& label,
                        const Bytes& initial, Next next) {
  const std::uint32_t location = touch(label.key, initial);
  ExecutionGraph& graph = mine();
  if (replays(thread, GraphKind::kRead)) {
    const EventId id = note(thread);
    if (graph[id].location != location) diverged_ = true;
    const EventId source = graph[id].source;
    if (source != kInitially && source.index >= done(source.thread)) {
      diverged_ = true;  // a step did several, and this one too early
    }
    if (diverged_) return {};
    return answer(id);
  }
  const EventId id = add(thread, GraphKind::kRead);
  graph.add_read(id, location, label);
  graph.set_source(id, kInitially, false);
  offer_sources(id, next);
  graph.set_source(id, graph.latest(location), false);
  // Always consistent, and not checked: all models can read what is latest.
  graph[id].along_order = was_along_order(id);
  graph.set_rank(id);
  if (graph[id].blocked) diverged_ = true;
  return answer(id);
}

// The update cannot take place here; but it may revisit.
void Trust::waits(ThreadId thread, const ReadLabel& label, const Bytes& initial,
                  Next next) {
  ExecutionGraph& graph = mine();
  if (thread < graph.threads() && done(thread) < graph.size(thread)) return;
  const std::uint32_t location = touch(label.key, initial);
  const EventId id = graph.append(thread, GraphKind::kRead);
  graph.add_read(id, location, label);
  graph.set_source(id, kInitially, false);
  offer_sources(id, next);
  graph.set_source(id, graph.latest(location), false);
  if (label.is_told) graph.block(id);
  graph[id].along_order = was_along_order(id);
}

// All but the latest.  One that others have updated is tried for what the
// write may revisit.
void Trust::offer_sources(EventId read, Next next) {
  const ExecutionGraph& graph = this->graph();
  const GraphEvent& event = graph[read];
  Item item;
  item.kind = Item::Kind::kRead;
  item.stamp = event.stamp;
  item.event = read;
  const std::size_t last = graph.location(event.location).writes.size();
  for (std::size_t place = graph.first_source(read); place <= last; ++place) {
    item.other = graph.write_at(event.location, place);
    const Bytes& value = graph.value_of(event.location, item.other);
    const bool updates = event.label.updates_at(value);
    if (event.label.waits && !updates) continue;
    if (updates && event.label.may_fail) {
      item.fails = true;
      frames_.back().items.push_back(item);
    }
    if (place == last) continue;
    item.fails = false;
    if (updates) item.next = next(value);
    frames_.back().items.push_back(item);
  }
}

bool Trust::wrote(ThreadId thread, std::uint64_t key, const Bytes& value,
                  int order, const Bytes& initial) {
  const std::uint32_t location = touch(key, initial);
  ExecutionGraph& graph = mine();
  if (replays(thread, GraphKind::kWrite)) {
    const EventId id = note(thread);
    diverged_ |= graph[id].location != location || graph[id].value != value;
    return is_latest_done(id);
  }
  const EventId id = add(thread, GraphKind::kWrite);
  graph.finish_write(id, location, value, order, false);
  offer_revisits(id);
  offer_places(id, graph.first_place(id), kInitially);
  graph.insert_write(id, graph.location(location).writes.size() + 1);
  graph[id].along_order = was_along_order(id);
  graph.set_rank(id);
  return true;
}

bool Trust::updated(ThreadId thread, const Bytes& value) {
  ExecutionGraph& graph = mine();
  if (replays(thread, GraphKind::kWrite)) {
    const EventId id = note(thread);
    diverged_ |= !graph[id].exclusive || graph[id].value != value;
    return is_latest_done(id);
  }
  const EventId read = graph.last_of(thread);
  if (!add_update(read, value)) rejects_run_ = true;
  const EventId write = note(thread);
  if (graph[write].moved != kInitially && graph.is_open(graph[write].moved)) {
    plan_.push_back(graph[write].moved);
  }
  return rejects_run_ || is_latest_done(write);
}

bool Trust::is_latest_done(EventId write) const {
  const ExecutionGraph& graph = this->graph();
  const auto& writes = graph.location(graph[write].location).writes;
  return std::none_of(
      writes.begin() + graph[write].place, writes.end(),
      [&](EventId later) { return later.index < done(later.thread); });
}

void Trust::fence(ThreadId thread, int order) {
  if (replays(thread, GraphKind::kFence)) {
    note(thread);
    return;
  }
  const EventId id = add(thread, GraphKind::kFence);
  mine().finish_fence(id, order);
  mine()[id].along_order = was_along_order(id);
  mine().set_rank(id);
}

void Trust::spawned(ThreadId thread, ThreadId child) {
  if (replays(thread, GraphKind::kSpawn)) {
    note(thread);
    return;
  }
  const EventId id = add(thread, GraphKind::kSpawn);
  mine().finish_spawn(id, child);
  mine()[id].along_order = was_along_order(id);
  mine().set_rank(id);
}

void Trust::joined(ThreadId thread, ThreadId child) {
  if (replays(thread, GraphKind::kJoin)) {
    note(thread);
    return;
  }
  const EventId id = add(thread, GraphKind::kJoin);
  mine().finish_join(id, child);
  mine()[id].along_order = was_along_order(id);
  mine().set_rank(id);
}

std::uint32_t Trust::choose(ThreadId thread, std::uint32_t outcomes) {
  if (replays(thread, GraphKind::kChoice)) {
    return graph()[note(thread)].choice;
  }
  const EventId id = add(thread, GraphKind::kChoice);
  mine().finish_choice(id, static_cast<std::uint16_t>(outcomes));
  mine()[id].along_order = was_along_order(id);
  mine().set_rank(id);
  Item item;
  item.kind = Item::Kind::kChoice;
  item.stamp = graph()[id].stamp;
  item.event = id;
  for (std::uint32_t i = outcomes; i-- > 1;) {
    item.place = static_cast<std::uint16_t>(i);
    frames_.back().items.push_back(item);
  }
  return 0;
}

}  // namespace plumb::sched
