// SPDX-License-Identifier: Apache-2.0
// A decider straight from the definition, and what feeds and compares it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "check/special.h"
#include "history/history.h"
#include "spec/catalogue.h"
#include "spec/specification.h"
#include "support/histories.h"

namespace plumb::check::special_test {

using history::History;
using history::Operation;
using Random = std::mt19937;
using Indices = std::vector<std::uint32_t>;

inline std::uint32_t below(Random& random, std::uint32_t bound) {
  return static_cast<std::uint32_t>(random() % bound);
}
inline bool chance(Random& random, std::uint32_t percent) {
  return below(random, 100) < percent;
}

// Does some order of the operations keep real time and agree with the object?
// Tries them all; what was tried before from the same operations and the same
// state is not tried again.
class Definition {
 public:
  Definition(const History& history, const spec::Specification& object)
      : operations_(history.operations), object_(object) {}

  bool holds() { return extend(0, object_.initial()); }

 private:
  bool minimal(std::size_t i, std::uint32_t done) const {
    for (std::size_t j = 0; j < operations_.size(); ++j) {
      if ((done >> j & 1) == 0 &&
          history::precedes(operations_[j], operations_[i])) {
        return false;
      }
    }
    return true;
  }

  bool complete(std::uint32_t done) const {
    for (std::size_t j = 0; j < operations_.size(); ++j) {
      if ((done >> j & 1) == 0 && !operations_[j].pending()) return false;
    }
    return true;
  }

  bool extend(std::uint32_t done, const spec::State& state) {
    if (complete(done)) return true;
    std::vector<std::uint64_t> words;
    for (const Value value : state) words.push_back(value.word());
    if (!seen_.emplace(done, words).second) return false;
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if ((done >> i & 1) != 0 || !minimal(i, done)) continue;
      std::vector<spec::Outcome> outcomes;
      object_.apply(state, operations_[i].call(), outcomes);
      for (const spec::Outcome& outcome : outcomes) {
        if (!operations_[i].pending() &&
            outcome.result != operations_[i].result) {
          continue;
        }
        if (extend(done | std::uint32_t{1} << i, outcome.next)) return true;
      }
    }
    return false;
  }

  const std::vector<Operation>& operations_;
  const spec::Specification& object_;
  std::set<std::pair<std::uint32_t, std::vector<std::uint64_t>>> seen_;
};

inline History only(const History& history, const Indices& kept) {
  History part;
  part.processes = history.processes;
  for (const std::uint32_t i : kept) {
    part.operations.push_back(history.operations[i]);
  }
  return part;
}

// Is `order` what it claims to be?  Says what is wrong if not.
inline std::string witness_error(const History& history,
                                 const spec::Specification& object,
                                 const Indices& order) {
  std::vector<bool> placed(history.size());
  history::Moment latest = 0;  // invocation so far
  std::vector<spec::State> states = {object.initial()};
  for (const std::uint32_t i : order) {
    if (i >= history.size() || placed[i]) return "twice, or no operation";
    placed[i] = true;
    const Operation& operation = history.operations[i];
    latest = std::max(latest, operation.invoked);
    if (operation.returned < latest) return "real time is not kept";
    std::vector<spec::State> next;
    for (const spec::State& state : states) {
      object.step(state, operation.call(), operation.observed(), next);
    }
    if (next.empty())
      return "the object refuses operation " + std::to_string(i);
    if (operation.pending()) {
      states = std::move(next);
    } else {
      states.assign(1, next.front());
    }
  }
  for (std::size_t i = 0; i < history.size(); ++i) {
    if (!placed[i] && !history.operations[i].pending()) return "one is missing";
  }
  return "";
}

// Compares a special decider with the definition on one history after the
// other, and counts those that it decided.
class Comparison {
 public:
  explicit Comparison(std::string_view object)
      : object_(spec::make(object)), choice_(special_decider_for(*object_)) {}

  const spec::Specification& object() const { return *object_; }
  int decided() const { return decided_; }
  int violated() const { return violated_; }
  int total() const { return total_; }

  void judge(const History& history, Random& random) {
    ++total_;
    Budget budget;
    const SpecialOptions options{.want_order = true,
                                 .blocking = choice_.blocking};
    const auto verdict = choice_.decide(history, options, budget);
    if (!verdict) return;
    ++decided_;
    SCOPED_TRACE(testing::picture(history, *object_));
    const bool holds = Definition(history, *object_).holds();
    ASSERT_EQ(verdict->answer, holds ? Answer::kHolds : Answer::kViolated);
    Budget again;
    const auto bare =
        choice_.decide(history, {.blocking = choice_.blocking}, again);
    ASSERT_TRUE(bare.has_value());
    ASSERT_EQ(bare->answer, verdict->answer);
    if (holds) {
      ASSERT_EQ(witness_error(history, *object_, verdict->order), "");
      return;
    }
    ++violated_;
    judge_core(history, verdict->core, random);
  }

 private:
  // It is violated alone, and with any of the others.
  void judge_core(const History& history, const Indices& core, Random& random) {
    ASSERT_FALSE(core.empty());
    ASSERT_TRUE(std::is_sorted(core.begin(), core.end()));
    ASSERT_LT(core.back(), history.size());
    ASSERT_FALSE(Definition(only(history, core), *object_).holds());
    Indices more;
    for (std::uint32_t i = 0; i < history.size(); ++i) {
      if (std::binary_search(core.begin(), core.end(), i) ||
          chance(random, 50)) {
        more.push_back(i);
      }
    }
    ASSERT_FALSE(Definition(only(history, more), *object_).holds());
  }

  spec::SpecificationPtr object_;
  SpecialChoice choice_;
  int decided_ = 0, violated_ = 0, total_ = 0;
};

// How random histories look.
struct Look {
  std::uint32_t operations = 7;  // at most
  std::uint32_t processes = 3;
  std::uint32_t percent_pending = 0;  // of the histories
  std::uint32_t percent_changed = 50;
  std::uint32_t coarse = 1;  // this many moments become one
};

using NextCall = std::function<spec::Call(Random&)>;
// Changes a history that holds, at random.
using Change = std::function<void(History&, Random&)>;

// Runs the object with overlapping calls, each with a moment of effect.
class Simulation {
 public:
  Simulation(const spec::Specification& object, const Look& look,
             Random& random)
      : object_(object), look_(look), random_(random) {}

  History run(const NextCall& next_call) {
    const std::uint32_t size = 1 + below(random_, look_.operations);
    const bool leave_pending = chance(random_, look_.percent_pending);
    running_.assign(look_.processes, kIdle);
    effected_.assign(look_.processes, false);
    state_ = object_.initial();
    for (std::uint32_t p = 0; p < look_.processes; ++p) {
      history_.processes.push_back(Value::integer(p));
    }
    std::uint32_t stuck = 0;
    while (stuck < 50) {
      const std::uint32_t p = below(random_, look_.processes);
      const bool ended = history_.size() == size;
      if (ended && leave_pending && chance(random_, 15)) break;
      stuck = step(p, size, next_call) ? 0 : stuck + 1;
    }
    for (Operation& operation : history_.operations) {
      if (operation.pending()) operation.result = Value();
    }
    make_coarse();
    return history_;
  }

 private:
  static constexpr std::uint32_t kIdle = ~std::uint32_t{0};

  bool step(std::uint32_t p, std::uint32_t size, const NextCall& next_call) {
    if (running_[p] == kIdle) {
      if (history_.size() == size) return false;
      running_[p] = static_cast<std::uint32_t>(history_.size());
      effected_[p] = false;
      const spec::Call call = next_call(random_);
      Operation operation;
      operation.argument = call.argument;
      operation.code = call.code;
      operation.invoked = now_++;
      operation.process = p;
      history_.operations.push_back(operation);
      return true;
    }
    Operation& operation = history_.operations[running_[p]];
    if (!effected_[p]) {
      std::vector<spec::Outcome> outcomes;
      object_.apply(state_, operation.call(), outcomes);
      if (outcomes.empty()) return false;
      const auto choice =
          below(random_, static_cast<std::uint32_t>(outcomes.size()));
      operation.result = outcomes[choice].result;
      state_ = outcomes[choice].next;
      effected_[p] = true;
      return true;
    }
    operation.returned = now_++;
    running_[p] = kIdle;
    return true;
  }

  void make_coarse() {
    for (Operation& operation : history_.operations) {
      operation.invoked /= look_.coarse;
      if (!operation.pending()) operation.returned /= look_.coarse;
    }
  }

  const spec::Specification& object_;
  const Look look_;
  Random& random_;
  History history_;
  std::vector<std::uint32_t> running_;
  std::vector<bool> effected_;
  spec::State state_;
  history::Moment now_ = 0;
};

// Compares on `rounds` random histories for each of a few looks.
inline void compare_at_random(Comparison& comparison, std::uint32_t seed,
                              int rounds,
                              const std::function<NextCall()>& calls,
                              const Change& change) {
  Random random(seed);
  for (int round = 0; round < rounds; ++round) {
    Look look;
    look.processes = 2 + below(random, 3);
    look.percent_pending = chance(random, 40) ? 100 : 0;
    look.coarse = chance(random, 30) ? 2 + below(random, 3) : 1;
    History history =
        Simulation(comparison.object(), look, random).run(calls());
    if (chance(random, look.percent_changed)) change(history, random);
    if (chance(random, 10)) {  // as if cut out of a larger one
      for (Operation& operation : history.operations) {
        operation.invoked *= 9;
        if (!operation.pending()) operation.returned *= 9;
      }
    }
    comparison.judge(history, random);
    if (::testing::Test::HasFatalFailure()) {
      ADD_FAILURE() << "in round " << round;
      return;
    }
  }
}

// Calls `visit` with every way in which `size` operations can overlap, the
// operations in the order of their invocations; all of them return, unless
// `pending`, when each may also stay pending.
inline void for_every_overlap(
    std::size_t size, bool pending,
    const std::function<void(const History&)>& visit) {
  History history;
  std::function<void(history::Moment)> extend = [&](history::Moment now) {
    std::vector<std::size_t> running;
    for (std::size_t i = 0; i < history.size(); ++i) {
      if (history.operations[i].pending()) running.push_back(i);
    }
    if (history.size() == size && (running.empty() || pending)) visit(history);
    if (history.size() < size) {
      Operation operation;
      operation.invoked = now;
      operation.process = static_cast<std::uint32_t>(history.size());
      history.operations.push_back(operation);
      extend(now + 1);
      history.operations.pop_back();
    }
    for (const std::size_t i : running) {
      history.operations[i].returned = now;
      extend(now + 1);
      history.operations[i].returned = history::kNever;
    }
  };
  for (std::size_t i = 0; i < size; ++i) {
    history.processes.push_back(Value::integer(static_cast<std::int64_t>(i)));
  }
  extend(0);
}

}  // namespace plumb::check::special_test
