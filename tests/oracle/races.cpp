// SPDX-License-Identifier: Apache-2.0
#include "oracle/races.h"

#include <cassert>

namespace plumb::oracle {

namespace {

using Events = std::vector<RaceEvent>;

bool is_atomic(const RaceEvent& e) {
  return e.does == Does::kLoad || e.does == Does::kStore ||
         e.does == Does::kUpdate;
}

bool reads(const RaceEvent& e) {
  return e.does == Does::kRead || e.does == Does::kLoad ||
         e.does == Does::kUpdate;
}

bool writes(const RaceEvent& e) {
  return e.does == Does::kWrite || e.does == Does::kStore ||
         e.does == Does::kUpdate || e.does == Does::kFree;
}

bool is_access(const RaceEvent& e) {
  return reads(e) || writes(e);
}

bool has(const RaceEvent& e, std::uintptr_t byte) {
  return byte >= e.address && byte < e.address + e.size;
}

// Release: 3, acquire: 1 (consume) and 2, both: 4 and 5.
bool is_release(const RaceEvent& e) {
  return e.order == 3 || e.order == 4 || e.order == 5;
}
bool is_acquire(const RaceEvent& e) {
  return e.order == 1 || e.order == 2 || e.order == 4 || e.order == 5;
}

class Order {
 public:
  explicit Order(const Events& events) : events_(events) {
    assert(events.size() <= 64);
    add_threads();
    add_objects();
    add_atomics();
    close();
  }

  bool before(std::size_t a, std::size_t b) const { return edge_[a][b]; }

  // Does an allocation of this byte lie between two events?
  bool reborn(std::uintptr_t byte, std::size_t a, std::size_t b) const {
    return lies_between(Does::kAllocate, byte, a, b);
  }

 private:
  bool lies_between(Does what, std::uintptr_t byte, std::size_t a,
                    std::size_t b) const {
    for (std::size_t i = a + 1; i < b; ++i) {
      if (events_[i].does == what && has(events_[i], byte)) return true;
    }
    return false;
  }

  // Sequenced-before, starts and joins.
  void add_threads() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      for (std::size_t j = i + 1; j < events_.size(); ++j) {
        const RaceEvent &a = events_[i], &b = events_[j];
        edge_[i][j] |= a.thread == b.thread;
        edge_[i][j] |= a.does == Does::kSpawn && b.thread == a.other;
        edge_[i][j] |= b.does == Does::kJoin && a.thread == b.other;
        // Of a thread that does nothing.
        edge_[i][j] |= a.does == Does::kSpawn && b.does == Does::kJoin &&
                       a.other == b.other;
      }
    }
  }

  // A sync object ends with its memory.
  void add_objects() {
    for (std::size_t i = 0; i < events_.size(); ++i) {
      for (std::size_t j = i + 1; j < events_.size(); ++j) {
        const RaceEvent &a = events_[i], &b = events_[j];
        edge_[i][j] |= a.does == Does::kRelease && b.does == Does::kAcquire &&
                       a.address == b.address && !reborn(a.address, i, j) &&
                       !lies_between(Does::kFree, a.address, i, j);
      }
    }
  }

  // The write that event i reads at this byte, or i if there is none.
  std::size_t source(std::size_t i, std::uintptr_t byte) const {
    for (std::size_t w = i; w-- > 0;) {
      if (events_[w].does == Does::kAllocate && has(events_[w], byte)) break;
      if (writes(events_[w]) && has(events_[w], byte)) return w;
    }
    return i;
  }

  // [intro.races]/5: a release sequence is a release operation and the
  // read-modify-writes that follow it at once.  [atomics.fences]: so is, in
  // thought, what any atomic write heads; a release fence before it counts.
  void add_atomics() {
    for (std::size_t y = 0; y < events_.size(); ++y) {
      const RaceEvent& reader = events_[y];
      if (!is_atomic(reader) || !reads(reader)) continue;
      for (std::size_t i = 0; i < reader.size; ++i) {
        const std::uintptr_t byte = reader.address + i;
        std::size_t from = y;
        for (;;) {
          const std::size_t x = source(from, byte);
          if (x == from || !is_atomic(events_[x])) break;
          synchronize(x, y);
          if (events_[x].does != Does::kUpdate) break;
          from = x;
        }
      }
    }
  }

  // y reads from the sequence that x heads.
  void synchronize(std::size_t x, std::size_t y) {
    for (std::size_t a = 0; a <= x; ++a) {
      const RaceEvent& from = events_[a];
      const bool gives = a == x || (from.does == Does::kFence &&
                                    from.thread == events_[x].thread);
      if (!gives || !is_release(from)) continue;
      for (std::size_t b = y; b < events_.size(); ++b) {
        const RaceEvent& to = events_[b];
        const bool takes = b == y || (to.does == Does::kFence &&
                                      to.thread == events_[y].thread);
        if (takes && is_acquire(to)) edge_[a][b] = true;
      }
    }
  }

  void close() {
    const std::size_t n = events_.size();
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; edge_[i][k] && j < n; ++j) {
          edge_[i][j] |= edge_[k][j];
        }
      }
    }
  }

  const Events& events_;
  bool edge_[64][64] = {};
};

bool conflict(const RaceEvent& a, const RaceEvent& b) {
  return is_access(a) && is_access(b) && a.thread != b.thread &&
         (writes(a) || writes(b)) && !(is_atomic(a) && is_atomic(b));
}

}  // namespace

RacingPairs data_races(const Events& events) {
  const Order order(events);
  RacingPairs pairs;
  for (std::size_t i = 0; i < events.size(); ++i) {
    for (std::size_t j = i + 1; j < events.size(); ++j) {
      if (!conflict(events[i], events[j]) || order.before(i, j)) continue;
      for (std::size_t k = 0; k < events[i].size; ++k) {
        const std::uintptr_t byte = events[i].address + k;
        if (has(events[j], byte) && !order.reborn(byte, i, j)) {
          pairs.emplace_back(i, j);
          break;
        }
      }
    }
  }
  return pairs;
}

std::string to_text(const Events& events) {
  constexpr const char* kNames[] = {"read",    "write",   "load",  "store",
                                    "update",  "fence",   "spawn", "join",
                                    "acquire", "release", "free",  "allocate"};
  std::string text;
  for (std::size_t i = 0; i < events.size(); ++i) {
    const RaceEvent& e = events[i];
    text += std::to_string(i) + ": T" + std::to_string(e.thread) + " " +
            kNames[static_cast<int>(e.does)];
    if (e.does == Does::kSpawn || e.does == Does::kJoin) {
      text += " T" + std::to_string(e.other);
    }
    if (e.address != 0) {
      text +=
          " " + std::to_string(e.address % 4096) + "+" + std::to_string(e.size);
    }
    if (is_atomic(e) || e.does == Does::kFence) {
      text += " order " + std::to_string(e.order);
    }
    text += "\n";
  }
  return text;
}

}  // namespace plumb::oracle
