// SPDX-License-Identifier: Apache-2.0
#include "sched/trace.h"

#include <algorithm>
#include <cassert>

namespace plumb::sched {

namespace {

// Beyond this an event is compared with all others instead of being entered
// at each of its places: memory that is given back can be large.
constexpr std::uint32_t kWide = 64;

bool is_wide(const Event& event) {
  return event.size > kWide || (event.second && event.second_size > kWide);
}

bool covers(const Event& one, const Event& event) {
  return one.address <= event.address &&
         one.address + one.size >= event.address + event.size;
}

// Does everything that conflicts with `event` and is older than `earlier`
// conflict with that too?
bool hides_older(const Event& earlier, const Event& event) {
  if (!covers(earlier, event) || may_wait(event.kind) || event.second) {
    return false;
  }
  return earlier.writes || (earlier.thread == event.thread && !event.writes);
}

}  // namespace

Trace::Trace() : places_(64) {
  make_room();
}

template <typename Visit>
void Trace::for_places(const Event& event, Visit visit) {
  if (event.address != 0 && event.size != 0) {
    const std::uintptr_t last = (event.address + event.size - 1) >> 3;
    for (std::uintptr_t g = event.address >> 3; g <= last; ++g) visit(g);
  }
  if (event.second != 0) {
    const std::uintptr_t last = (event.second + event.second_size - 1) >> 3;
    for (std::uintptr_t g = event.second >> 3; g <= last; ++g) visit(g);
  }
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
  of_thread_[event.thread * words_ + (number >> 6)] |= std::uint64_t{1}
                                                       << (number & 63);
  after_ends_.push_back(index + 1);
  std::fill_n(after_.data() + number * words_, words_, 0);
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
  of_thread_[event.thread * words_ + (number >> 6)] &=
      ~(std::uint64_t{1} << (number & 63));
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
  after_ends_.resize(ordered_);
  const std::size_t word = length >> 6;
  for (std::size_t k = 0; k < ordered_; ++k) {
    if (after_ends_[k] <= length) continue;
    after_ends_[k] = static_cast<std::uint32_t>(length);
    std::uint64_t* set = after_.data() + k * words_;
    set[word] &= (std::uint64_t{1} << (length & 63)) - 1;
    std::fill(set + word + 1, set + words_, 0);
  }
}

// Most races are those of the last execution, too: only what is new is added.
const std::uint64_t* Trace::after(std::size_t event) {
  std::uint64_t* set = after_.data() + event * words_;
  for (std::size_t k = after_ends_[event]; k < ordered_; ++k) {
    set[k >> 6] |= std::uint64_t{happens_before(event, k)} << (k & 63);
  }
  after_ends_[event] = static_cast<std::uint32_t>(ordered_);
  return set;
}

// For all events and for what each thread may wait for.
void Trace::make_room() {
  const std::size_t rows = events_.size() + kMaxThreads;
  if (events_.size() < 64 * words_ && rows * words_ <= order_.size()) return;
  const bool is_wide_enough = events_.size() < 64 * words_;
  const std::size_t words =
      is_wide_enough ? words_ : (events_.size() / 64 + 1) * (words_ ? 2 : 1);
  const auto move = [&](std::vector<std::uint64_t>& sets, std::size_t count) {
    std::vector<std::uint64_t> wider(count * words);
    for (std::size_t i = 0; i < count && words_ * i < sets.size(); ++i) {
      std::copy_n(sets.data() + i * words_, words_, wider.data() + i * words);
    }
    sets.swap(wider);
  };
  move(order_, 2 * rows);
  move(after_, 2 * rows);
  move(of_thread_, kMaxThreads);
  words_ = words;
}

void Trace::follow(std::size_t number, std::size_t earlier) {
  std::uint64_t* mine = row(number);
  const std::uint64_t* other = row(earlier);
  for (std::size_t w = 0; w < words_; ++w) mine[w] |= other[w];
  mine[earlier >> 6] |= std::uint64_t{1} << (earlier & 63);
}

// Appends what conflicts with `event` around `address`, newest first, as far
// as it does not happen before another of these or one of the same thread.
void Trace::collect(std::uintptr_t address, const Event& event) {
  const std::vector<std::uint32_t>& others = place_of(address >> 3).events;
  for (auto other = others.rbegin(); other != others.rend(); ++other) {
    const Event& earlier = events_[*other];
    if (!dependent(earlier, event)) continue;
    if (earlier.thread != event.thread) conflicts_.push_back(*other);
    if (hides_older(earlier, event)) break;
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
  // Numbers of threads are given again: then the later spawn counts.
  if (const std::uint32_t cause =
          std::max(last_of_[event.thread], spawned_by_[event.thread])) {
    follow(number, cause - 1);
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
  make_room();
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
