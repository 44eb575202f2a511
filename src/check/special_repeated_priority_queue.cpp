// SPDX-License-Identifier: Apache-2.0
//
// A priority queue whose values repeat.  What is inside does not depend on the
// order in which it came and went: the frontier of the operations that have
// taken effect says it all, except for pending takes, of which nobody saw what
// they took.  So a case is a frontier and what pending takes took, as a bag.
// There are at most n * 2^(w-1) frontiers with w operations in flight at a
// time.  The search is depth-first, and the one bag that there is follows it.

#include <algorithm>
#include <utility>

#include "base/flat_table.h"
#include "check/frontiers.h"
#include "check/special_common.h"
#include "check/special_repeated.h"
#include "spec/catalogue.h"

namespace plumb::check {

namespace {

using history::History;
using history::Moment;
using history::Operation;
using Number = std::uint32_t;

// How many of each value are inside; values of equal priority make a rank.
class Bag {
 public:
  Bag(const History& history, const std::vector<Number>& puts) {
    std::vector<Value> values;
    for (const Number i : puts) {
      const Value value = history.operations[i].argument;
      if (numbers_.try_emplace(value, 0).second) values.push_back(value);
    }
    std::sort(values.begin(), values.end(), [](Value a, Value b) {
      return compare(priority_of(a), priority_of(b)) < 0;
    });
    for (Number i = 0; i < values.size(); ++i) {
      const bool same = i > 0 && compare(priority_of(values[i - 1]),
                                         priority_of(values[i])) == 0;
      if (!same) firsts_.push_back(i);
      numbers_[values[i]] = i;
      rank_.push_back(static_cast<Number>(firsts_.size()) - 1);
    }
    firsts_.push_back(static_cast<Number>(values.size()));
    counts_.resize(values.size());
    for (std::size_t size = firsts_.size(); size > 1;) {
      size = (size + 63) / 64;
      words_.emplace_back(size);
    }
    of_rank_.resize(firsts_.size());
  }

  Number number(Value value) const { return numbers_.find(value)->second; }
  bool has(Number value) const { return counts_[value] > 0; }
  Number rank(Number value) const { return rank_[value]; }
  // The values of a rank.
  Number first(Number rank) const { return firsts_[rank]; }
  Number end(Number rank) const { return firsts_[rank + 1]; }

  void add(Number value) {
    ++counts_[value];
    if (++of_rank_[rank_[value]] == 1) mark(rank_[value]);
  }
  void remove(Number value) {
    --counts_[value];
    if (--of_rank_[rank_[value]] == 0) unmark(rank_[value]);
  }

  // The smallest rank of which something is inside.
  std::optional<Number> least() const {
    if (words_.empty() || words_.back()[0] == 0) return std::nullopt;
    std::size_t at = 0;
    for (auto words = words_.rbegin(); words != words_.rend(); ++words) {
      at = at * 64 + static_cast<std::size_t>(__builtin_ctzll((*words)[at]));
    }
    return static_cast<Number>(at);
  }

 private:
  void mark(std::size_t at) {
    for (auto& words : words_) {
      words[at / 64] |= std::uint64_t{1} << at % 64;
      at /= 64;
    }
  }
  void unmark(std::size_t at) {
    for (auto& words : words_) {
      words[at / 64] &= ~(std::uint64_t{1} << at % 64);
      if (words[at / 64] != 0) return;
      at /= 64;
    }
  }

  FlatMap<Value, Number> numbers_;
  std::vector<Number> rank_;     // by value
  std::vector<Number> counts_;   // by value
  std::vector<Number> firsts_;   // by rank, and one past the last value
  std::vector<Number> of_rank_;  // how many are inside
  // Which ranks are inside, and which words of the level below are not zero.
  std::vector<std::vector<std::uint64_t>> words_;
};

class OneFrontier {
 public:
  OneFrontier(const History& history, const ContainerCodes& codes,
              const RepeatedValues& values, const spec::Specification& object)
      : history_(history),
        codes_(codes),
        frontiers_(history, values.all(), object, Frontiers::Equals::kByReturn),
        bag_(history, values.puts()) {
    bags_.emplace_back();
    bag_ids_.emplace(bags_.front(), 0);
  }

  std::optional<Verdict> run(const SpecialOptions& options, Budget& budget) {
    if (!frontiers_.fit()) return std::nullopt;
    const std::size_t most = most_cases(history_);
    arrive({.frontier = frontiers_.root()});
    while (!path_.empty() && !frontiers_.complete(path_.back().frontier)) {
      if (budget.spent()) return stopped(budget);
      if (seen_.size() > most) return std::nullopt;
      if (!advance()) retreat();
    }
    Verdict verdict;
    if (path_.empty()) {
      verdict = violated_up_to(farthest_, history_);
    } else {
      verdict.answer = Answer::kHolds;
      if (options.want_order) verdict.order = order();
    }
    verdict.steps = seen_.size();
    return verdict;
  }

 private:
  static constexpr Number kNone = UINT32_MAX;
  using Taken = std::vector<Number>;  // values, sorted

  struct Frame {
    Frontiers::Id frontier = 0;
    Number taken = 0;           // by pending takes: indexes bags_
    Number operation = kNone;   // that came last
    Number value = kNone;       // that it put or took
    std::uint32_t tried = 0;    // steps, from the last one
    Number next_value = kNone;  // of a pending take that is being tried
  };

  bool arrive(const Frame& next) {
    const std::uint64_t key = (std::uint64_t{next.frontier} << 32) | next.taken;
    if (!seen_.insert(key).second) return false;
    farthest_ = std::max(farthest_, frontiers_.missing(next.frontier));
    if (next.value != kNone) {
      if (is_put(next.operation)) {
        bag_.add(next.value);
      } else {
        bag_.remove(next.value);
      }
    }
    path_.push_back(next);
    return true;
  }

  void retreat() {
    const Frame& last = path_.back();
    if (last.value != kNone) {
      if (is_put(last.operation)) {
        bag_.remove(last.value);
      } else {
        bag_.add(last.value);
      }
    }
    path_.pop_back();
  }

  bool is_put(Number operation) const {
    return history_.operations[operation].code == codes_.add;
  }

  // Goes one step further; false if there is nowhere left to go.
  bool advance() {
    const auto steps = frontiers_.steps(path_.back().frontier);
    while (path_.back().tried < steps.size()) {
      Frame& frame = path_.back();
      const Frontiers::Step step = steps[steps.size() - 1 - frame.tried];
      const Operation& o = history_.operations[step.operation];
      if (o.pending() && o.code != codes_.add) {
        if (try_pending_take(step)) return true;
        continue;
      }
      ++frame.tried;
      Frame next{.frontier = step.next,
                 .taken = frame.taken,
                 .operation = step.operation};
      if (o.code == codes_.add) {
        next.value = bag_.number(o.argument);
      } else if (o.result.is_null() ? bag_.least().has_value()
                                    : !is_least(o.result, next.value)) {
        continue;
      }
      if (arrive(next)) return true;
    }
    return false;
  }

  bool is_least(Value result, Number& value) const {
    value = bag_.number(result);
    return bag_.has(value) && bag_.rank(value) == bag_.least();
  }

  // It took any of the least values; one after the other is tried.
  bool try_pending_take(const Frontiers::Step& step) {
    Frame& frame = path_.back();
    const auto rank = bag_.least();
    if (rank && frame.next_value == kNone) frame.next_value = bag_.first(*rank);
    while (rank && frame.next_value < bag_.end(*rank)) {
      const Number value = frame.next_value++;
      if (!bag_.has(value)) continue;
      const Frame next{.frontier = step.next,
                       .taken = taken_after(frame.taken, value),
                       .operation = step.operation,
                       .value = value};
      if (arrive(next)) return true;
    }
    frame.next_value = kNone;
    ++frame.tried;
    return false;
  }

  Number taken_after(Number taken, Number value) {
    Taken bag = bags_[taken];
    bag.insert(std::lower_bound(bag.begin(), bag.end(), value), value);
    const auto [entry, is_new] =
        bag_ids_.try_emplace(bag, static_cast<Number>(bags_.size()));
    if (is_new) bags_.push_back(std::move(bag));
    return entry->second;
  }

  std::vector<Number> order() const {
    std::vector<Number> out;
    for (const Frame& frame : path_) {
      if (frame.operation != kNone) out.push_back(frame.operation);
    }
    return out;
  }

  const History& history_;
  const ContainerCodes& codes_;
  Frontiers frontiers_;
  Bag bag_;
  std::vector<Taken> bags_;
  FlatMap<Taken, Number> bag_ids_;
  std::vector<Frame> path_;
  FlatSet<std::uint64_t> seen_;
  Moment farthest_ = 0;
};

}  // namespace

std::optional<Verdict> decide_repeated_priority_queue(
    const History& history, const ContainerCodes& codes,
    const SpecialOptions& options, Budget& budget) {
  const RepeatedValues values(history, codes, options.blocking);
  if (values.has_null()) return std::nullopt;
  if (!values.core().empty()) return violated_by(values.core());
  const auto object = spec::make("priority_queue");
  return OneFrontier(history, codes, values, *object).run(options, budget);
}

}  // namespace plumb::check
