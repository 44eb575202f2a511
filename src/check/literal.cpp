// SPDX-License-Identifier: Apache-2.0
//
// pi and pi' are built together, turn by turn: one operation for pi, one for
// pi'.  A configuration is which operations each has, the class index of
// those that only one of them has, and the state that pi' has reached.
#include "check/literal.h"

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/flat_table.h"
#include "check/transitions.h"

namespace plumb::check {

namespace {

using history::History;
using history::Operation;

constexpr std::uint32_t kAbsent = UINT32_MAX;

class LiteralSearch {
 public:
  LiteralSearch(const History& history, const spec::Specification& object,
                const Condition& condition, Budget& budget);

  Verdict run(bool want_order);

 private:
  // Where an operation stands among those of its class, in pi and in pi'.
  struct Indices {
    std::uint32_t kept = kAbsent;   // in pi, which keeps the order
    std::uint32_t legal = kAbsent;  // in pi', which is legal
  };
  enum class Turn : std::uint8_t { kKept, kLegal };

  // Returns whether both orders can be completed.  The recursion is as deep
  // as the history is long; see kDeepest.
  bool extend();
  bool extend_kept();
  bool extend_legal();
  bool try_legal(std::uint32_t i);
  bool finished() const;
  bool minimal(std::uint32_t i) const;
  bool in_class(const Operation& o) const {
    return !(signatures_[o.code].takes && !o.pending() && o.result.is_null());
  }
  bool near_enough(std::uint32_t i) const;
  bool some_out_of_reach() const;
  bool seen();

  const History& history_;
  Transitions transitions_;
  std::span<const spec::Signature> signatures_;
  Order order_;
  Budget& budget_;
  std::vector<std::uint32_t> factors_;  // by code
  std::vector<LabelId> labels_;         // by operation

  Turn turn_ = Turn::kKept;
  StateId state_ = 0;
  std::vector<Indices> indices_;              // by operation
  std::vector<std::uint32_t> kept_in_class_;  // sizes, by code
  std::vector<std::uint32_t> legal_in_class_;
  std::vector<std::uint32_t> kept_;  // pi so far
  FlatSet<std::vector<std::uint32_t>> visited_;
  std::uint64_t steps_ = 0;
  bool out_of_budget_ = false;
};

// LIMIT: longer histories are not judged literally; the recursion would run
// out of stack, and the search out of time long before.
constexpr std::size_t kDeepest = 5000;

LiteralSearch::LiteralSearch(const History& history,
                             const spec::Specification& object,
                             const Condition& condition, Budget& budget)
    : history_(history),
      transitions_(object),
      signatures_(object.operations()),
      order_(condition.order),
      budget_(budget),
      factors_(signatures_.size()),
      indices_(history.size()),
      kept_in_class_(signatures_.size()),
      legal_in_class_(signatures_.size()) {
  for (std::size_t code = 0; code < signatures_.size(); ++code) {
    const auto found =
        condition.factors.find(std::string(signatures_[code].name));
    if (found != condition.factors.end()) factors_[code] = found->second;
  }
  for (const Operation& o : history.operations) {
    labels_.push_back(transitions_.label(o.call(), o.observed()));
  }
}

Verdict LiteralSearch::run(bool want_order) {
  Verdict verdict;
  if (history_.size() > kDeepest) {
    verdict.reason = "the literal reading is limited to 5000 operations";
    return verdict;
  }
  const bool found = extend();
  verdict.steps = steps_;
  if (out_of_budget_) {
    verdict.reason = budget_.describe_limit();
  } else if (found) {
    verdict.answer = Answer::kHolds;
    if (want_order) verdict.order = kept_;
  } else {
    verdict.answer = Answer::kViolated;
    for (std::uint32_t i = 0; i < history_.size(); ++i) {
      if (!history_.operations[i].pending()) verdict.core.push_back(i);
    }
  }
  return verdict;
}

bool LiteralSearch::extend() {
  ++steps_;
  if (budget_.spent()) {
    out_of_budget_ = true;
    return false;
  }
  if (turn_ == Turn::kKept && finished()) return true;
  if (some_out_of_reach() || seen()) return false;
  return turn_ == Turn::kKept ? extend_kept() : extend_legal();
}

// Do both have the same operations, and all that returned?
bool LiteralSearch::finished() const {
  for (std::uint32_t i = 0; i < history_.size(); ++i) {
    const bool kept = indices_[i].kept != kAbsent;
    const bool legal = indices_[i].legal != kAbsent;
    if (kept != legal) return false;
    if (!kept && !history_.operations[i].pending()) return false;
  }
  return true;
}

bool LiteralSearch::minimal(std::uint32_t i) const {
  const Operation& o = history_.operations[i];
  for (std::uint32_t j = 0; j < history_.size(); ++j) {
    const Operation& other = history_.operations[j];
    if (j == i || indices_[j].kept != kAbsent) continue;
    if (order_ != Order::kProgram && precedes(other, o)) return false;
    // A pending operation that was passed over did not take effect.
    const bool program_order =
        order_ == Order::kProgram || order_ == Order::kQuiescentAndProgram;
    if (program_order && other.process == o.process && j < i &&
        !other.pending()) {
      return false;
    }
  }
  if (order_ == Order::kProgram || order_ == Order::kQuiescentAndProgram) {
    for (std::uint32_t j = i + 1; j < history_.size(); ++j) {
      if (history_.operations[j].process == o.process &&
          indices_[j].kept != kAbsent) {
        return false;
      }
    }
  }
  return true;
}

bool LiteralSearch::extend_kept() {
  for (std::uint32_t i = 0; i < history_.size(); ++i) {
    if (indices_[i].kept != kAbsent || !minimal(i)) continue;
    const Operation& o = history_.operations[i];
    const bool counted = in_class(o);
    indices_[i].kept = counted ? kept_in_class_[o.code]++ : 0;
    kept_.push_back(i);
    turn_ = Turn::kLegal;
    if (near_enough(i) && extend()) return true;
    turn_ = Turn::kKept;
    kept_.pop_back();
    if (counted) --kept_in_class_[o.code];
    indices_[i].kept = kAbsent;
    if (out_of_budget_) return false;
  }
  return false;
}

// First what pi already has, oldest first: orders that differ little.
bool LiteralSearch::extend_legal() {
  const std::vector<std::uint32_t> kept = kept_;
  for (const std::uint32_t i : kept) {
    if (indices_[i].legal == kAbsent && try_legal(i)) return true;
    if (out_of_budget_) return false;
  }
  for (std::uint32_t i = 0; i < history_.size(); ++i) {
    const Indices& indices = indices_[i];
    if (indices.legal != kAbsent || indices.kept != kAbsent) continue;
    if (try_legal(i)) return true;
    if (out_of_budget_) return false;
  }
  return false;
}

bool LiteralSearch::try_legal(std::uint32_t i) {
  const Operation& o = history_.operations[i];
  const bool counted = in_class(o);
  const StateId before = state_;
  const auto found = transitions_.next(before, labels_[i]);
  const std::vector<StateId> next(found.begin(), found.end());
  for (const StateId after : next) {
    // A pending take that finds nothing might as well not have happened.
    if (o.pending() && signatures_[o.code].takes && after == before) continue;
    indices_[i].legal = counted ? legal_in_class_[o.code]++ : 0;
    state_ = after;
    turn_ = Turn::kKept;
    if (near_enough(i) && extend()) return true;
    turn_ = Turn::kLegal;
    state_ = before;
    if (counted) --legal_in_class_[o.code];
    indices_[i].legal = kAbsent;
    if (out_of_budget_) return false;
  }
  return false;
}

// Once both have operation i: is it within its factor?
bool LiteralSearch::near_enough(std::uint32_t i) const {
  const auto [kept, legal] = indices_[i];
  if (kept == kAbsent || legal == kAbsent) return true;
  const Operation& o = history_.operations[i];
  if (!in_class(o)) return true;
  return std::max(kept, legal) - std::min(kept, legal) <= factors_[o.code];
}

// Will some operation that one of the two has come too late in the other?
bool LiteralSearch::some_out_of_reach() const {
  for (std::uint32_t i = 0; i < history_.size(); ++i) {
    const auto [kept, legal] = indices_[i];
    const Operation& o = history_.operations[i];
    if ((kept == kAbsent) == (legal == kAbsent) || !in_class(o)) continue;
    const std::uint32_t here = kept == kAbsent ? legal : kept;
    const std::uint32_t there =
        kept == kAbsent ? kept_in_class_[o.code] : legal_in_class_[o.code];
    if (there > here + factors_[o.code]) return true;
  }
  return false;
}

bool LiteralSearch::seen() {
  std::vector<std::uint32_t> key{state_, static_cast<std::uint32_t>(turn_)};
  for (const auto& [kept, legal] : indices_) {
    // Of an operation that both have, the indices no longer matter.
    const bool settled = kept != kAbsent && legal != kAbsent;
    key.push_back(settled ? kAbsent - 1 : kept);
    key.push_back(settled ? kAbsent - 1 : legal);
  }
  return !visited_.insert(std::move(key)).second;
}

}  // namespace

Verdict decide_literally(const History& history,
                         const spec::Specification& object,
                         const Condition& condition, bool want_order,
                         Budget& budget) {
  return LiteralSearch(history, object, condition, budget).run(want_order);
}

}  // namespace plumb::check
