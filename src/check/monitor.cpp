// SPDX-License-Identifier: Apache-2.0
#include "check/monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "spec/initial.h"

namespace plumb::check {
namespace {

using Entry = std::pair<Monitor::Slot, Value>;

bool comes_before(const Entry& a, const Entry& b) {
  return a.first != b.first ? a.first < b.first
                            : a.second.word() < b.second.word();
}

void insert(auto& results, const Entry& entry) {
  const auto at =
      std::lower_bound(results.begin(), results.end(), entry, comes_before);
  if (at == results.end() || *at != entry) results.insert(at, entry);
}

void erase(auto& results, Monitor::Slot slot) {
  results.erase(
      std::remove_if(results.begin(), results.end(),
                     [&](const Entry& entry) { return entry.first == slot; }),
      results.end());
}

// Did `slot` see, or can it have seen, what is `observed`?
bool has(const auto& results, Monitor::Slot slot, Value observed) {
  const bool any = observed == spec::unknown_result();
  return std::any_of(results.begin(), results.end(), [&](const Entry& entry) {
    return entry.first == slot && (any || entry.second == observed);
  });
}

// Calls `use` with each slot of a set.
void for_each_slot(std::uint64_t slots, const auto& use) {
  for (; slots != 0; slots &= slots - 1) {
    use(static_cast<Monitor::Slot>(std::countr_zero(slots)));
  }
}

}  // namespace

Monitor::Monitor(const spec::Specification& object, Budget& budget,
                 std::size_t most_configurations)
    : object_(object),
      budget_(budget),
      most_configurations_(most_configurations),
      calls_(kMostInFlight) {
  begin_with(object.initial());
}

void Monitor::begin_with(spec::State state) {
  in_flight_ = readers_ = ghosts_ = 0;
  answer_ = Answer::kHolds;
  reason_.clear();
  configurations_.clear();
  configurations_[{std::move(state), 0, {}}].emplace_back();
}

std::optional<spec::State> Monitor::only_state() const {
  if (answer_ != Answer::kHolds || in_flight_ != 0 ||
      configurations_.size() != 1) {
    return std::nullopt;
  }
  return configurations_.begin()->first.state;
}

std::size_t Monitor::configurations() const {
  std::size_t count = 0;
  for (const auto& [key, views] : configurations_) count += views.size();
  return count;
}

// Returns whether it says something new: else there is one with the same key
// whose readers can have seen all that.
bool Monitor::add(Configurations& to, Key key, Results views) {
  auto& known = to[std::move(key)];
  for (const Results& other : known) {
    if (std::includes(other.begin(), other.end(), views.begin(), views.end(),
                      comes_before)) {
      return false;
    }
  }
  known.erase(std::remove_if(known.begin(), known.end(),
                             [&](const Results& other) {
                               return std::includes(views.begin(), views.end(),
                                                    other.begin(), other.end(),
                                                    comes_before);
                             }),
              known.end());
  known.push_back(std::move(views));
  return true;
}

// What `reader` sees in `state` is what it can have seen.
void Monitor::look(const spec::State& state, Slot reader, Results& views) {
  outcomes_.clear();
  object_.apply(state, calls_[reader], outcomes_);
  for (const spec::Outcome& one : outcomes_) {
    insert(views, {reader, one.result});
  }
}

std::optional<Monitor::Slot> Monitor::invoked(const spec::Call& call) {
  if (answer_ != Answer::kHolds) return std::nullopt;
  if (in_flight_ == ~std::uint64_t{0}) {
    answer_ = Answer::kUnknown;
    reason_ = fmt::format(
        "more than {} operations are in flight, or were given "
        "up without a trace",
        kMostInFlight);
    return std::nullopt;
  }
  const auto slot = static_cast<Slot>(std::countr_one(in_flight_));
  in_flight_ |= bit(slot);
  calls_[slot] = call;
  if (!object_.operations()[call.code].reads_only) return slot;
  readers_ |= bit(slot);
  Configurations next;
  for (auto& [key, all] : configurations_) {
    for (Results& views : all) {
      look(key.state, slot, views);
      add(next, key, std::move(views));
    }
  }
  configurations_ = std::move(next);
  return slot;
}

// Lets operations of `movers` take effect in every order, from each of `work`
// on.  `ends` is asked of each configuration on the way: true if nothing
// further on matters.
template <typename Ends>
void Monitor::expand(std::vector<Configuration> work, std::uint64_t movers,
                     const Ends& ends) {
  Configurations visited;
  std::size_t count = 0;
  while (!work.empty()) {
    const Configuration now = std::move(work.back());
    work.pop_back();
    if (budget_.spent() || ++count > most_configurations_) {
      answer_ = Answer::kUnknown;
      reason_ = budget_.limit() != Limit::kNone
                    ? budget_.describe_limit()
                    : fmt::format("more than {} configurations are possible",
                                  most_configurations_);
      return;
    }
    if (ends(now)) continue;
    for_each_slot(movers & ~now.key.done, [&](Slot slot) {
      std::vector<spec::Outcome> outcomes;
      object_.apply(now.key.state, calls_[slot], outcomes);
      for (spec::Outcome& one : outcomes) {
        Configuration next{
            {std::move(one.next), now.key.done | bit(slot), now.key.results},
            now.views};
        if ((ghosts_ & bit(slot)) == 0) {
          insert(next.key.results, {slot, one.result});
        }
        for_each_slot(readers_, [&](Slot reader) {
          look(next.key.state, reader, next.views);
        });
        if (add(visited, next.key, next.views)) work.push_back(std::move(next));
      }
    });
  }
}

void Monitor::replace(Configurations next) {
  if (answer_ != Answer::kHolds) return;
  configurations_ = std::move(next);
  if (configurations_.empty()) {
    answer_ = Answer::kViolated;
  } else if (configurations_.size() > most_configurations_) {
    answer_ = Answer::kUnknown;
    reason_ = fmt::format("more than {} configurations are possible",
                          most_configurations_);
  }
}

void Monitor::returned(Slot slot, Value result) {
  if (answer_ != Answer::kHolds) return;
  const bool is_reader = reads(slot);
  const bool says_nothing =
      object_.operations()[calls_[slot].code].result == spec::Result::kNone;
  Configurations next;
  const auto keep = [&](Key key, Results views) {
    key.done &= ~bit(slot);
    erase(key.results, slot);
    erase(views, slot);
    add(next, std::move(key), std::move(views));
  };
  std::vector<Configuration> work;
  for (auto& [key, all] : configurations_) {
    for (Results& views : all) {
      if (is_reader ? has(views, slot, result)
                    : (key.done & bit(slot)) != 0 &&
                          (says_nothing || has(key.results, slot, result))) {
        keep(key, std::move(views));
      } else if (is_reader || (key.done & bit(slot)) == 0) {
        work.push_back({key, std::move(views)});
      }
    }
  }
  const std::uint64_t movers = in_flight_ & ~readers_ & ~bit(slot);
  expand(std::move(work), movers, [&](const Configuration& now) {
    if (is_reader) {
      if (!has(now.views, slot, result)) return false;
      keep(now.key, now.views);
      return true;
    }
    std::vector<spec::State> after;
    object_.step(now.key.state, calls_[slot],
                 says_nothing || result == spec::unknown_result()
                     ? std::nullopt
                     : std::optional(result),
                 after);
    for (spec::State& state : after) {
      Configuration made = now;
      made.key.state = std::move(state);
      for_each_slot(readers_, [&](Slot reader) {
        look(made.key.state, reader, made.views);
      });
      keep(std::move(made.key), std::move(made.views));
    }
    return false;
  });
  forget(slot);
  replace(std::move(next));
  tidy_ghosts();
}

void Monitor::failed(Slot slot) {
  if (answer_ != Answer::kHolds) return;
  Configurations next;
  for (auto& [key, all] : configurations_) {
    if ((key.done & bit(slot)) != 0) continue;
    for (Results& views : all) {
      erase(views, slot);
      add(next, key, std::move(views));
    }
  }
  forget(slot);
  replace(std::move(next));
}

// What only read has left no trace.  Of the others, the result matters no more.
void Monitor::gave_up(Slot slot) {
  if (answer_ != Answer::kHolds) return;
  const bool is_reader = reads(slot);
  Configurations next;
  for (auto& [key, all] : configurations_) {
    for (Results& views : all) {
      Key made = key;
      erase(made.results, slot);
      erase(views, slot);
      add(next, std::move(made), std::move(views));
    }
  }
  if (is_reader) {
    forget(slot);
  } else {
    ghosts_ |= bit(slot);
  }
  replace(std::move(next));
  tidy_ghosts();
}

void Monitor::forget(Slot slot) {
  in_flight_ &= ~bit(slot);
  readers_ &= ~bit(slot);
  ghosts_ &= ~bit(slot);
}

// One that has taken effect in every configuration is over.
void Monitor::tidy_ghosts() {
  std::uint64_t over = ghosts_;
  for (const auto& [key, all] : configurations_) over &= key.done;
  if (over == 0 || answer_ != Answer::kHolds) return;
  Configurations next;
  for (auto& [key, all] : configurations_) {
    for (Results& views : all) {
      Key made = key;
      made.done &= ~over;
      add(next, std::move(made), std::move(views));
    }
  }
  for_each_slot(over, [&](Slot slot) { forget(slot); });
  configurations_ = std::move(next);
}

}  // namespace plumb::check
