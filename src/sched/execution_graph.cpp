// SPDX-License-Identifier: Apache-2.0
#include "sched/execution_graph.h"

#include <algorithm>
#include <cassert>

namespace plumb::sched {

bool ReadLabel::updates_at(const Bytes& value) const {
  switch (updates) {
    case Updates::kNever:
      return false;
    case Updates::kAlways:
      return true;
    case Updates::kIfEqual:
      return value == expected;
    case Updates::kIfPositive:
      return value.low != 0;
    case Updates::kIfEven:
      return value.low % 2 == 0;
  }
  return false;
}

// Locations are few, and mostly the same ones again.
std::uint32_t ExecutionGraph::location_of(std::uint64_t key,
                                          const Bytes& initial) {
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    if (locations_[i].key == key) return static_cast<std::uint32_t>(i);
  }
  locations_.push_back({key, initial, {}, {}});
  return static_cast<std::uint32_t>(locations_.size() - 1);
}

EventId ExecutionGraph::latest(std::uint32_t location) const {
  const auto& writes = locations_[location].writes;
  return writes.empty() ? kInitially : writes.back();
}

EventId ExecutionGraph::source_before_moves(EventId read) const {
  EventId source = (*this)[read].source;
  while (source != kInitially && (*this)[source].moved == read) {
    source = (*this)[source].moved_from;
  }
  return source;
}

bool ExecutionGraph::is_open(EventId read) const {
  const GraphEvent& event = (*this)[read];
  return event.kind == GraphKind::kRead && event.exclusive && !event.blocked &&
         read.index + 1u == threads_[read.thread].size();
}

EventId ExecutionGraph::append(std::size_t thread, GraphKind kind) {
  if (threads_.size() <= thread) {
    threads_.resize(thread + 1);
    spawned_by_.resize(thread + 1, kInitially);
  }
  auto& events = threads_[thread];
  const EventId id = {static_cast<std::uint16_t>(thread),
                      static_cast<std::uint16_t>(events.size())};
  GraphEvent& event = events.emplace_back();
  event.kind = kind;
  event.stamp = next_stamp_++;
  order_.push_back(id);
  follow_program_order(id);
  return id;
}

void ExecutionGraph::follow_program_order(EventId id) {
  GraphEvent& event = (*this)[id];
  if (id.index > 0) {
    const GraphEvent& previous = threads_[id.thread][id.index - 1u];
    event.porf = previous.porf;
    event.hb = previous.hb;
  } else if (spawned_by_[id.thread] != kInitially) {
    const GraphEvent& spawn = (*this)[spawned_by_[id.thread]];
    event.porf = spawn.porf;
    event.hb = spawn.hb;
  } else {
    event.porf = event.hb = Past{};
  }
  event.porf.of[id.thread] = event.hb.of[id.thread] =
      static_cast<std::uint16_t>(id.index + 1);
}

// An acquire fence acquires what earlier reads of its thread could have.
void ExecutionGraph::finish_fence(EventId id, int order) {
  GraphEvent& fence = (*this)[id];
  fence.order = static_cast<std::uint8_t>(order);
  if (!acquires_order(order)) return;
  for (std::size_t i = 0; i < id.index; ++i) {
    const GraphEvent& read = threads_[id.thread][i];
    if (read.kind == GraphKind::kRead && read.source != kInitially &&
        !read.label.is_sync) {
      fence.hb.join((*this)[read.source].released);
    }
  }
}

void ExecutionGraph::finish_spawn(EventId id, std::size_t child) {
  (*this)[id].choice = static_cast<std::uint16_t>(child);
  if (threads_.size() <= child) {
    threads_.resize(child + 1);
    spawned_by_.resize(child + 1, kInitially);
  }
  spawned_by_[child] = id;
}

void ExecutionGraph::finish_join(EventId id, std::size_t child) {
  GraphEvent& join = (*this)[id];
  join.choice = static_cast<std::uint16_t>(child);
  const EventId spawn =
      child < threads_.size() ? spawned_by_[child] : kInitially;
  const EventId last = child < threads_.size() && !threads_[child].empty()
                           ? last_of(child)
                           : spawn;
  if (last == kInitially) return;
  join.porf.join((*this)[last].porf);
  join.hb.join((*this)[last].hb);
  // And all that the thread did later, without an event.
  join.hb.of[child] = static_cast<std::uint16_t>(threads_[child].size() + 1);
}

void ExecutionGraph::finish_choice(EventId choice, std::uint16_t outcomes) {
  (*this)[choice].outcomes = outcomes;
}

void ExecutionGraph::add_read(EventId id, std::uint32_t location,
                              const ReadLabel& label) {
  GraphEvent& read = (*this)[id];
  read.location = location;
  read.label = label;
  locations_[location].reads.push_back(id);
}

void ExecutionGraph::set_source(EventId id, EventId source, bool fails) {
  GraphEvent& read = (*this)[id];
  read.source = source;
  read.failed = fails;
  const bool updates =
      !fails && read.label.updates_at(value_of(read.location, source));
  read.exclusive = updates;
  read.blocked = read.label.waits && !updates;
  read.order = updates || read.label.updates == Updates::kNever
                   ? read.label.order
                   : read.label.failure;
  acquire(id);
}

void ExecutionGraph::block(EventId id) {
  GraphEvent& read = (*this)[id];
  read.exclusive = false;
  read.blocked = true;
  read.order = read.label.failure;
  acquire(id);
}

// What the read follows, knowing its source.
void ExecutionGraph::acquire(EventId id) {
  follow_program_order(id);
  GraphEvent& read = (*this)[id];
  if (read.source == kInitially) return;
  const GraphEvent& write = (*this)[read.source];
  read.porf.join(write.porf);
  if (acquires_order(read.order)) read.hb.join(write.released);
  if (!read.label.acquires_all || !read.exclusive) return;
  for (EventId from = read.source; from != kInitially;) {
    if (!(*this)[from].exclusive) return;
    const EventId half = {from.thread,
                          static_cast<std::uint16_t>(from.index - 1)};
    if ((*this)[half].label.shares) read.hb.join((*this)[from].hb);
    from = (*this)[half].source;
  }
}

// Release sequences are those of C++20: only updates continue them.
void ExecutionGraph::finish_write(EventId id, std::uint32_t location,
                                  const Bytes& value, int order,
                                  bool exclusive) {
  GraphEvent& write = (*this)[id];
  write.location = location;
  write.value = value;
  write.order = static_cast<std::uint8_t>(order);
  write.exclusive = exclusive;
  follow_program_order(id);
  write.released = Past{};
  const bool is_sync =
      exclusive && threads_[id.thread][id.index - 1u].label.is_sync;
  if (releases_order(order)) {
    write.released = write.hb;
  } else if (!is_sync) {
    for (std::size_t i = id.index; i-- > 0;) {
      const GraphEvent& fence = threads_[id.thread][i];
      if (fence.kind != GraphKind::kFence || !releases_order(fence.order)) {
        continue;
      }
      write.released = fence.hb;
      break;
    }
  }
  if (!exclusive) return;
  const EventId source = threads_[id.thread][id.index - 1u].source;
  if (source != kInitially) write.released.join((*this)[source].released);
}

void ExecutionGraph::insert_write(EventId id, std::size_t place) {
  GraphEvent& write = (*this)[id];
  auto& writes = locations_[write.location].writes;
  assert(place >= 1 && place <= writes.size() + 1);
  writes.insert(writes.begin() + static_cast<std::ptrdiff_t>(place - 1), id);
  for (std::size_t i = place; i <= writes.size(); ++i) {
    (*this)[writes[i - 1]].place = static_cast<std::uint16_t>(i);
  }
}

void ExecutionGraph::remove_write(EventId id) {
  GraphEvent& write = (*this)[id];
  if (write.place == 0) return;
  auto& writes = locations_[write.location].writes;
  writes.erase(writes.begin() + (write.place - 1));
  for (std::size_t i = write.place; i <= writes.size(); ++i) {
    (*this)[writes[i - 1]].place = static_cast<std::uint16_t>(i);
  }
  write.place = 0;
}

// Takes an event out of all tables but the one of its thread.
void ExecutionGraph::forget(EventId id) {
  const GraphEvent& event = (*this)[id];
  if (event.kind == GraphKind::kRead) {
    auto& reads = locations_[event.location].reads;
    reads.erase(std::find(reads.begin(), reads.end(), id));
  } else if (event.kind == GraphKind::kWrite) {
    if (event.moved != kInitially) {
      set_source(event.moved, event.moved_from, false);
    }
    remove_write(id);
  } else if (event.kind == GraphKind::kSpawn) {
    spawned_by_[event.choice] = kInitially;
  }
}

void ExecutionGraph::truncate(std::uint32_t stamp) {
  while (!order_.empty() && (*this)[order_.back()].stamp > stamp) {
    const EventId id = order_.back();
    order_.pop_back();
    forget(id);
    threads_[id.thread].pop_back();
  }
  next_stamp_ = this->stamp() + 1;
}

ExecutionGraph ExecutionGraph::restricted(std::uint32_t stamp,
                                          const Past& past) const {
  ExecutionGraph out;
  const auto stays = [&](EventId id) {
    return id == kInitially || past.contains(id) || (*this)[id].stamp <= stamp;
  };
  out.threads_.resize(threads_.size());
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    const auto& events = threads_[t];
    std::size_t kept = past.of[t];
    while (kept < events.size() && events[kept].stamp <= stamp) ++kept;
    out.threads_[t].reserve(kept + 8);
    out.threads_[t].assign(events.begin(),
                           events.begin() + static_cast<std::ptrdiff_t>(kept));
  }
  for (const EventId id : order_) {
    if (stays(id)) out.order_.push_back(id);
  }
  out.spawned_by_ = spawned_by_;
  for (EventId& spawn : out.spawned_by_) {
    if (!stays(spawn)) spawn = kInitially;
  }
  out.locations_.resize(locations_.size());
  for (std::size_t i = 0; i < locations_.size(); ++i) {
    const GraphLocation& from = locations_[i];
    GraphLocation& to = out.locations_[i];
    to.key = from.key;
    to.initial = from.initial;
    for (const EventId id : from.reads) {
      if (stays(id)) to.reads.push_back(id);
    }
    for (const EventId id : from.writes) {
      if (!stays(id)) continue;
      to.writes.push_back(id);
      out[id].place = static_cast<std::uint16_t>(to.writes.size());
    }
  }
  out.next_stamp_ = out.stamp() + 1;
  out.rank_ = rank_;
  for (const EventId id : order_) {
    // What waited before the write was there waits again.
    const GraphEvent& read = (*this)[id];
    if (read.kind != GraphKind::kRead || !stays(id) || stays(read.source)) {
      continue;
    }
    EventId source = read.source;
    while (!stays(source)) source = (*this)[source].moved_from;
    out.set_source(id, source, false);
  }
  return out;
}

// Coherence [LahavEtAl17, irreflexive hb;eco?]: nothing that the event follows
// may know more of the location than the event itself.
std::size_t ExecutionGraph::first_source(EventId id) const {
  const GraphEvent& event = (*this)[id];
  const GraphLocation& location = locations_[event.location];
  std::size_t first = 0;
  for (std::size_t i = location.writes.size(); i > 0; --i) {
    if (hb(location.writes[i - 1], id)) {
      first = i;
      break;
    }
  }
  for (const EventId read : location.reads) {
    if (read == id || !event.hb.contains(read)) continue;
    first = std::max(first, place_of((*this)[read].source));
  }
  return first;
}

std::size_t ExecutionGraph::first_place(EventId id) const {
  return first_source(id) + 1;
}

bool ExecutionGraph::splits_update(std::uint32_t location,
                                   std::size_t place) const {
  const auto& writes = locations_[location].writes;
  return place <= writes.size() && (*this)[writes[place - 1]].exclusive;
}

}  // namespace plumb::sched
