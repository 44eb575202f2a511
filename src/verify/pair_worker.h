// SPDX-License-Identifier: Apache-2.0
// What one thread does in a search of pairs: expands pairs and keeps new ones.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.h"
#include "explore/rows.h"
#include "explore/tagging.h"
#include "explore/watch.h"
#include "lts/system.h"
#include "verify/pair_steps.h"
#include "verify/pair_store.h"

namespace plumb::verify {

// Pairs to expand, given out in portions to whoever asks.
class PairQueue {
 public:
  explicit PairQueue(const std::vector<PairRange>& ranges);

  std::size_t size() const { return starts_.back(); }
  // The next pairs; empty if there are none.
  PairRange next();
  // All that were not given out.
  std::vector<PairRange> rest() const;

 private:
  static constexpr std::size_t kPortion = 64;

  const std::vector<PairRange>& ranges_;
  std::vector<std::size_t> starts_;  // of each range; then the end of all
  std::atomic<std::size_t> given_ = 0;
};

class PairWorker {
 public:
  enum class Stop : std::uint8_t {
    kNone,
    kBudget,
    kFull,         // there is no more room for pairs
    kTransitions,  // the limit on transitions
  };
  struct Failure {
    PairId pair = kNoPair;
    PairSteps::Result what{};
  };
  struct Count {
    std::uint64_t transitions = 0;
    std::uint64_t system_transitions = 0;  // those of each state once
    std::uint64_t cut = 0;
    std::uint64_t left_out = 0, joined = 0;
    double represented = 0;

    void add(const Count& other);
  };

  struct Beside {
    PairSteps::Manner manner;
    explore::Rows* rows = nullptr;  // get what the watch keeps; null: none
  };

  // All must last.
  PairWorker(std::size_t thread, const lts::System& system, Follower& follower,
             PairStore& pairs, const Budget& budget, const Beside& beside);

  struct Order {
    std::uint64_t transitions = 0;  // no more than that many; 0: any number
    bool finish = false;            // go on after a failure
    Budget::Clock::time_point pause_at;
  };
  // Expands pairs of the queue until it is empty or `stop` is set, by this
  // worker or another.
  void work(PairQueue& queue, std::atomic<bool>& stop, const Order& order);
  // Those that it got but did not expand, because of a limit.
  const PairRange& rest() const { return rest_; }
  // Expands one pair.  Returns false if there is a failure or a reason to
  // stop.  `reached`, if there is one, gets the pairs that are new.
  bool expand(PairId pair, std::vector<PairId>* reached = nullptr);
  // Writes the row of a pair that was expanded by another search.  Returns
  // false if there is a reason to stop.
  bool write_row_again(PairId pair);

  PairSteps& steps() { return stages_[0].steps; }
  Stop stopped() const { return stopped_; }
  // Of all failures the first one, in an order of states.
  const std::optional<Failure>& failure() const { return failure_; }
  const Count& count() const { return count_; }
  Count& count() { return count_; }
  const Budget& budget() const { return budget_; }

 private:
  // A pair on its way: begin() expands it and asks for the groups of the table
  // that its transitions lead to, look() asks for the states that are there,
  // finish() keeps those that are new.  Memory needs as long as some pairs
  // take, so that three of them are under way at a time where a level is large.
  struct Stage {
    PairSteps steps;
    PairId pair = kNoPair;
    PairSteps::Result result{};
  };
  static constexpr std::size_t kStages = 3;
  static constexpr std::size_t kLarge = 1024;

  // The pairs of rest_, which loses those that are finished.  Returns false if
  // there is a reason to stop.
  bool work_through(const Order& order, bool is_large);
  void begin(Stage& stage, PairId pair);
  void look(const Stage& stage) const;
  bool finish(Stage& stage, std::vector<PairId>* reached);
  bool is_spent();
  bool keep(Stage& stage, std::vector<PairId>* reached);
  // Is a pair that was reached what the watch looks for?
  bool is_goal(const PairSteps& steps, std::size_t transition) const {
    return manner_.watch != nullptr &&
           manner_.watch->is_goal(steps.state(transition),
                                  steps.set(transition));
  }
  void add_to_row(const PairSteps& steps, std::size_t transition,
                  explore::StateId target);
  bool write_row(const PairSteps& steps, PairId from);
  void count_steps(const Stage& stage);
  void note_failure(PairId pair, PairSteps::Result what);
  bool stop(Stop why) {
    stopped_ = why;
    return false;
  }

  const std::size_t thread_;
  Tagging& moves_;
  PairStore& pairs_;
  Budget budget_;
  const PairSteps::Manner manner_;
  explore::Rows* const rows_;
  std::array<Stage, kStages> stages_;
  std::uint64_t begun_ = 0;  // transitions of pairs that are not finished
  bool finishes_ = false;    // see Order::finish
  lts::StateBytes buffer_;
  std::vector<explore::Rows::Step> row_;
  PairRange rest_;
  Stop stopped_ = Stop::kNone;
  std::optional<Failure> failure_;
  Count count_;
  // That it found: states, and pairs of states that were known.
  std::uint64_t states_ = 0, more_pairs_ = 0;
};

// Does `a` come before `b`, whatever the ids are?
bool comes_before(const PairWorker::Failure& a, const PairWorker::Failure& b,
                  const PairStore& pairs);

}  // namespace plumb::verify
