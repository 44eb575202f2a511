// SPDX-License-Identifier: Apache-2.0
#include "sched/trace.h"

#include <cassert>

namespace plumb::sched {

namespace {

// Beyond this an event is compared with all others instead of being entered
// at each of its places: memory that is given back can be large.
constexpr std::uint32_t kWide = 64;

bool is_wide(const Event& event) {
  return event.size > kWide;
}

bool covers(const Event& write, const Event& event) {
  return write.writes && write.address <= event.address &&
         write.address + write.size >= event.address + event.size;
}

}  // namespace

Trace::Trace() : places_(64) {}

template <typename Visit>
void Trace::for_places(const Event& event, Visit visit) {
  if (event.address != 0 && event.size != 0) {
    const std::uintptr_t last = (event.address + event.size - 1) >> 3;
    for (std::uintptr_t g = event.address >> 3; g <= last; ++g) visit(g);
  }
  if (event.second != 0) visit(event.second >> 3);
}

Trace::Place& Trace::place_of(std::uintptr_t granule) {
  if (used_places_ * 2 >= places_.size()) {
    std::vector<Place> old(places_.size() * 2);
    old.swap(places_);
    used_places_ = 0;
    for (Place& place : old) {
      if (place.granule) place_of(place.granule).events.swap(place.events);
    }
  }
  const std::size_t mask = places_.size() - 1;
  std::size_t slot = (granule * 0x9E3779B97F4A7C15u) >> 32 & mask;
  while (places_[slot].granule != granule) {
    if (places_[slot].granule == 0) {
      places_[slot].granule = granule;
      ++used_places_;
      break;
    }
    slot = (slot + 1) & mask;
  }
  return places_[slot];
}

void Trace::enter(std::size_t number) {
  const Event& event = events_[number];
  const auto index = static_cast<std::uint32_t>(number);
  if (is_wide(event)) {
    wide_.push_back(index);
  } else {
    for_places(event,
               [&](std::uintptr_t g) { place_of(g).events.push_back(index); });
  }
  previous_.push_back(last_of_[event.thread]);
  last_of_[event.thread] = index + 1;
  if (event.kind == Kind::kSpawn) spawned_by_[event.address] = index + 1;
}

void Trace::leave(std::size_t number) {
  const Event& event = events_[number];
  if (is_wide(event)) {
    wide_.pop_back();
  } else {
    for_places(event, [&](std::uintptr_t g) { place_of(g).events.pop_back(); });
  }
  last_of_[event.thread] = previous_.back();
  previous_.pop_back();
  if (event.kind == Kind::kSpawn) spawned_by_[event.address] = 0;
}

void Trace::truncate(std::size_t length) {
  while (ordered_ > length) leave(--ordered_);
  events_.resize(length);
  race_ends_.resize(ordered_);
}

void Trace::widen() {
  const std::size_t words = (events_.size() + 64) / 64 * 2;
  std::vector<std::uint64_t> wider((events_.size() + kMaxThreads) * words);
  for (std::size_t event = 0; event < ordered_; ++event) {
    std::copy_n(row(event), words_, wider.data() + event * words);
  }
  order_.swap(wider);
  words_ = words;
}

void Trace::follow(std::size_t number, std::size_t earlier) {
  std::uint64_t* mine = row(number);
  const std::uint64_t* other = row(earlier);
  for (std::size_t w = 0; w < words_; ++w) mine[w] |= other[w];
  mine[earlier >> 6] |= std::uint64_t{1} << (earlier & 63);
}

// Appends what conflicts with `event` around `address`, newest first.  Older
// than a write that covers it is nothing that does not happen before that.
void Trace::collect(std::uintptr_t address, const Event& event) {
  const std::vector<std::uint32_t>& others = place_of(address >> 3).events;
  for (auto other = others.rbegin(); other != others.rend(); ++other) {
    const Event& earlier = events_[*other];
    if (earlier.thread == event.thread || !dependent(earlier, event)) continue;
    conflicts_.push_back(*other);
    if (covers(earlier, event) && !may_wait(event.kind) && !event.second) {
      break;
    }
  }
}

// Leaves the conflicts with earlier events in conflicts_, newest first.
void Trace::find_conflicts(const Event& event) {
  conflicts_.clear();
  if (is_wide(event)) {
    for (std::size_t k = ordered_; k-- > 0;) {
      if (events_[k].thread != event.thread && dependent(events_[k], event)) {
        conflicts_.push_back(static_cast<std::uint32_t>(k));
      }
    }
    return;
  }
  int sources = 0;
  for_places(event, [&](std::uintptr_t g) {
    collect(g << 3, event);
    ++sources;
  });
  for (const std::uint32_t k : wide_) {
    if (events_[k].thread != event.thread && dependent(events_[k], event)) {
      conflicts_.push_back(k);
      ++sources;
    }
  }
  if (sources > 1) {
    std::sort(conflicts_.begin(), conflicts_.end(), std::greater<>());
    conflicts_.erase(std::unique(conflicts_.begin(), conflicts_.end()),
                     conflicts_.end());
  }
}

// Who takes a mutex races with who took it before, not with who gave it back:
// it could not have come before that.  A semaphore may have had one more: both
// are tried, and who gave hides nobody who came before.
void Trace::order_taking(std::size_t number, Kind kind) {
  known_.assign(row(number), row(number) + words_);
  for (const std::uint32_t k : conflicts_) {
    const Kind earlier = events_[k].kind;
    const bool gives = earlier == Kind::kUnlock || earlier == Kind::kWait ||
                       earlier == Kind::kSignal || earlier == Kind::kUp;
    if (gives && kind == Kind::kLock) continue;
    if (known_[k >> 6] >> (k & 63) & 1) continue;
    races_.push_back({k, static_cast<std::uint32_t>(number)});
    if (gives) continue;
    for (std::size_t w = 0; w < words_; ++w) known_[w] |= row(k)[w];
    known_[k >> 6] |= std::uint64_t{1} << (k & 63);
  }
  for (const std::uint32_t k : conflicts_) {
    if (!happens_before(k, number)) follow(number, k);
  }
}

void Trace::order_event(std::size_t number, const Event& event) {
  std::fill_n(row(number), words_, 0);
  if (last_of_[event.thread]) {
    follow(number, last_of_[event.thread] - 1);
  } else if (spawned_by_[event.thread]) {
    follow(number, spawned_by_[event.thread] - 1);
  }
  for (std::size_t k = event.after; k-- > 0;) {
    if (!happens_before(k, number)) follow(number, k);
  }
  if (event.kind == Kind::kJoin) {
    if (last_of_[event.address]) follow(number, last_of_[event.address] - 1);
    return;
  }
  find_conflicts(event);
  if (event.kind == Kind::kLock || event.kind == Kind::kDown) {
    order_taking(number, event.kind);
    return;
  }
  // Newest first: what is not yet known to happen before it does so directly.
  for (const std::uint32_t k : conflicts_) {
    if (happens_before(k, number)) continue;
    races_.push_back({k, static_cast<std::uint32_t>(number)});
    follow(number, k);
  }
}

void Trace::analyse(ThreadMask waiting, const Event* pending) {
  if (events_.size() > words_ * 64) widen();
  if (order_.size() < (events_.size() + kMaxThreads) * words_) {
    order_.resize((events_.size() + kMaxThreads) * words_ * 2);
  }
  races_.resize(races_before(ordered_));
  for (; ordered_ < events_.size(); ++ordered_) {
    order_event(ordered_, events_[ordered_]);
    race_ends_.push_back(static_cast<std::uint32_t>(races_.size()));
    enter(ordered_);
  }
  for (ThreadMask left = waiting; left != 0; left &= left - 1) {
    const auto thread = static_cast<std::size_t>(__builtin_ctz(left));
    if (!may_wait(pending[thread].kind)) continue;
    order_event(events_.size() + thread, pending[thread]);
  }
}

}  // namespace plumb::sched
