// SPDX-License-Identifier: Apache-2.0
#include "harness/shrink.h"

#include <algorithm>
#include <cassert>
#include <set>
#include <utility>

namespace plumb::harness {

namespace {

using sched::ThreadId;

// How many events each thread has done: a down-closed set of events.
using Counts = std::vector<std::uint32_t>;

// The events by thread, each with how far the others must be.
class Threads {
 public:
  explicit Threads(const EventOrder& order);

  std::size_t size() const { return events_.size(); }
  ThreadId name(std::size_t thread) const { return names_[thread]; }
  std::size_t events() const { return all_; }

  bool has_more(const Counts& done, std::size_t thread) const {
    return done[thread] < events_[thread].size();
  }
  // Can the next event of `thread` come now?  Requires: has_more().
  bool is_ready(const Counts& done, std::size_t thread) const;
  // Is a switch away from `thread` now a preemption?
  bool is_preempted(const Counts& done, std::size_t thread) const;
  // `thread` does all that it can.
  void run(Counts& done, std::size_t thread) const;

 private:
  struct Node {
    Counts needed;
    bool waits = false;
  };
  std::vector<ThreadId> names_;  // ascending
  std::vector<std::vector<Node>> events_;
  std::size_t all_ = 0;
};

Threads::Threads(const EventOrder& order) : all_(order.thread.size()) {
  assert(order.before.size() == all_);
  names_ = order.thread;
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  events_.resize(names_.size());
  std::vector<std::pair<std::size_t, std::uint32_t>> places;  // by event
  for (const ThreadId thread : order.thread) {
    const auto column = static_cast<std::size_t>(
        std::lower_bound(names_.begin(), names_.end(), thread) -
        names_.begin());
    events_[column].emplace_back().needed.resize(names_.size());
    places.emplace_back(column,
                        static_cast<std::uint32_t>(events_[column].size()));
  }
  for (std::size_t event = 0; event < all_; ++event) {
    const auto [column, position] = places[event];
    Node& node = events_[column][position - 1];
    node.waits = !order.waits.empty() && order.waits[event];
    for (const EventNumber other : order.before[event]) {
      std::uint32_t& needed = node.needed[places[other].first];
      needed = std::max(needed, places[other].second);
    }
  }
}

bool Threads::is_ready(const Counts& done, std::size_t thread) const {
  const Counts& needed = events_[thread][done[thread]].needed;
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (needed[i] > done[i]) return false;
  }
  return true;
}

bool Threads::is_preempted(const Counts& done, std::size_t thread) const {
  return has_more(done, thread) && !events_[thread][done[thread]].waits;
}

void Threads::run(Counts& done, std::size_t thread) const {
  while (has_more(done, thread) && is_ready(done, thread)) ++done[thread];
}

// Where a run can be after a number of switches.
struct State {
  Counts done;
  std::size_t thread = 0;  // who ran last
  std::size_t parent = 0;  // in the level before
  std::uint32_t preemptions = 0;
  std::size_t total = 0;  // of done
};

// A thread that runs may as well go on until its next event needs an event of
// another thread: what it does early was allowed, takes no switch of its own
// any more, and holds nobody up.  So an order is a word of threads, each of
// which goes on as far as it can, and sets of events that were reached before
// with as few switches need not be followed again.  Words are tried by their
// length.
class SwitchSearch {
 public:
  SwitchSearch(const Threads& threads, std::size_t widest)
      : threads_(threads), widest_(widest) {}

  std::optional<std::vector<ThreadId>> search(std::optional<ThreadId> first);

 private:
  using Level = std::vector<State>;

  void add(Level& level, const State& from, std::size_t parent,
           std::size_t thread);
  // Keeps the best of each state, and the most promising of all.
  void tidy(Level& level);
  std::optional<std::size_t> finished(const Level& level) const;
  std::vector<ThreadId> unwind(std::size_t last) const;

  const Threads& threads_;
  const std::size_t widest_;
  std::vector<Level> levels_;
  std::set<std::pair<Counts, std::size_t>> seen_;  // done, who ran last
};

void SwitchSearch::add(Level& level, const State& from, std::size_t parent,
                       std::size_t thread) {
  if (!threads_.has_more(from.done, thread) ||
      !threads_.is_ready(from.done, thread)) {
    return;
  }
  State next{from.done, thread, parent, from.preemptions, from.total};
  threads_.run(next.done, thread);
  next.total += next.done[thread] - from.done[thread];
  level.push_back(std::move(next));
}

void SwitchSearch::tidy(Level& level) {
  std::stable_sort(level.begin(), level.end(),
                   [](const State& a, const State& b) {
                     if (a.total != b.total) return a.total > b.total;
                     return a.preemptions < b.preemptions;
                   });
  Level kept;
  for (State& state : level) {
    if (kept.size() == widest_) break;
    const bool is_new = seen_.emplace(state.done, state.thread).second;
    if (is_new) kept.push_back(std::move(state));
  }
  level = std::move(kept);
}

std::optional<std::size_t> SwitchSearch::finished(const Level& level) const {
  // Those that did the most come first.
  if (level.empty() || level[0].total < threads_.events()) return std::nullopt;
  return 0;
}

std::vector<ThreadId> SwitchSearch::unwind(std::size_t last) const {
  std::vector<const State*> path;
  for (std::size_t i = levels_.size(); i-- > 0;) {
    path.push_back(&levels_[i][last]);
    last = path.back()->parent;
  }
  std::vector<ThreadId> order;
  std::size_t done = 0;
  for (auto state = path.rbegin(); state != path.rend(); ++state) {
    order.insert(order.end(), (*state)->total - done,
                 threads_.name((*state)->thread));
    done = (*state)->total;
  }
  return order;
}

std::optional<std::vector<ThreadId>> SwitchSearch::search(
    std::optional<ThreadId> first) {
  State start;
  start.done.resize(threads_.size());
  start.thread = threads_.size();
  Level level;
  if (threads_.events() == 0) return std::vector<ThreadId>{};
  for (std::size_t t = 0; t < threads_.size(); ++t) {
    if (!first || threads_.name(t) == *first) add(level, start, 0, t);
  }
  if (level.empty()) {
    for (std::size_t t = 0; t < threads_.size(); ++t) add(level, start, 0, t);
  }
  while (!level.empty()) {
    tidy(level);
    levels_.push_back(std::move(level));
    const Level& last = levels_.back();
    if (const auto found = finished(last)) return unwind(*found);
    level.clear();
    for (std::size_t i = 0; i < last.size(); ++i) {
      State from = last[i];
      from.preemptions += threads_.is_preempted(from.done, from.thread);
      for (std::size_t t = 0; t < threads_.size(); ++t) {
        if (t != from.thread) add(level, from, i, t);
      }
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::vector<ThreadId>> fewest_switches(
    const EventOrder& order, std::optional<ThreadId> first,
    std::size_t widest) {
  const Threads threads(order);
  return SwitchSearch(threads, widest).search(first);
}

std::size_t count_switches(std::span<const ThreadId> threads) {
  std::size_t count = 0;
  for (std::size_t i = 1; i < threads.size(); ++i) {
    count += threads[i] != threads[i - 1];
  }
  return count;
}

namespace {

// Where a call stands: the lists of a program are its threads, then what comes
// after, then what comes before, so that the threads shrink first.
struct CallPlace {
  std::size_t list = 0;
  std::size_t position = 0;
};

std::vector<int>& list_of(Program& program, std::size_t list) {
  if (list < program.threads.size()) return program.threads[list];
  return list == program.threads.size() ? program.after : program.before;
}

std::vector<CallPlace> places_of(Program& program) {
  std::vector<CallPlace> places;
  for (std::size_t list = 0; list < program.threads.size() + 2; ++list) {
    for (std::size_t i = 0; i < list_of(program, list).size(); ++i) {
      places.push_back({list, i});
    }
  }
  return places;
}

void erase(Program& program, const CallPlace& place) {
  std::vector<int>& calls = list_of(program, place.list);
  calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(place.position));
}

// [ZellerHildebrandt02] takes away halves, quarters, ... first; programs have
// a dozen calls, and threads are the parts that they are made of.
class ProgramShrinker {
 public:
  ProgramShrinker(const Program& program,
                  const std::function<bool(const Program&)>& still_violated)
      : program_(program), still_violated_(still_violated) {}

  Program shrink() {
    while (drop_thread() || drop_calls(1) || drop_calls(2)) {
    }
    return program_;
  }

 private:
  bool accept(Program smaller) {
    if (places_of(smaller).empty() || !still_violated_(smaller)) return false;
    program_ = std::move(smaller);
    return true;
  }

  bool drop_thread() {
    for (std::size_t t = program_.threads.size(); t-- > 0;) {
      if (program_.threads[t].empty()) continue;
      Program smaller = program_;
      smaller.threads[t].clear();
      if (accept(std::move(smaller))) return true;
    }
    return false;
  }

  bool drop_calls(std::size_t count) {
    const std::vector<CallPlace> places = places_of(program_);
    // From the back: places in front of one that is gone stay what they are.
    for (std::size_t i = places.size(); i-- > 0;) {
      Program smaller = program_;
      erase(smaller, places[i]);
      if (count == 1) {
        if (accept(std::move(smaller))) return true;
        continue;
      }
      for (std::size_t j = i; j-- > 0;) {
        Program smallest = smaller;
        erase(smallest, places[j]);
        if (accept(std::move(smallest))) return true;
      }
    }
    return false;
  }

  Program program_;
  const std::function<bool(const Program&)>& still_violated_;
};

}  // namespace

Program shrink_program(
    const Program& program,
    const std::function<bool(const Program&)>& still_violated) {
  return ProgramShrinker(program, still_violated).shrink();
}

}  // namespace plumb::harness
