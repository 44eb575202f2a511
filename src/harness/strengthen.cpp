// SPDX-License-Identifier: Apache-2.0
#include "harness/strengthen.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>

#include "harness/audit.h"
#include "harness/ordered_code.h"
#include "runtime/audit_log.h"

namespace plumb::harness {

namespace {

using check::Answer;
using runtime::Ordered;

// Explores with what runtime::set_other_orders() says.
using Trial = std::function<Answer()>;

constexpr std::uint64_t kMostExecutions = 50'000;  // of a trial
constexpr std::size_t kLargestSet = 3;
constexpr std::size_t kMostSets = 3;  // are told

// What is stronger than `order` and makes sense there, weakest first.
std::vector<int> stronger(Ordered what, int order) {
  std::vector<int> out;
  if (what == Ordered::kUpdate) {
    if (order == __ATOMIC_RELAXED) out = {__ATOMIC_ACQUIRE, __ATOMIC_RELEASE};
    if (order < __ATOMIC_ACQ_REL) out.push_back(__ATOMIC_ACQ_REL);
  } else if (order == __ATOMIC_RELAXED) {
    out = {what == Ordered::kStore ? __ATOMIC_RELEASE : __ATOMIC_ACQUIRE};
  }
  out.push_back(__ATOMIC_SEQ_CST);
  return out;
}

class Trials {
 public:
  Trials(const Trial& explore, Budget& budget)
      : explore_(explore), budget_(budget) {}
  ~Trials() { runtime::set_other_orders(nullptr, 0); }
  Trials(const Trials&) = delete;
  Trials& operator=(const Trials&) = delete;

  Remedies find() {
    Remedies out;
    Answer strongest = Answer::kUnknown;
    // With other orders, executions come to other places.
    for (std::size_t known = 0; known != orders_met();) {
      known = orders_met();
      if (known > runtime::WeakOrders::kMost) return out;
      candidates_ = lines_of_orders(runtime::weak_orders);
      strongest =
          answer_for(std::vector<int>(candidates_.size(), __ATOMIC_SEQ_CST));
    }
    out.none_helps = strongest == Answer::kViolated;
    if (strongest != Answer::kHolds) return out;
    // One set without any that it could do without; then the smallest, if there
    // is time.
    std::vector<int> needed(candidates_.size(), __ATOMIC_SEQ_CST);
    const std::size_t most = leave_out(needed);
    for (std::size_t size = 1; size <= most && sets_.empty(); ++size) {
      std::vector<int> orders = as_written();
      if (size <= kLargestSet) try_sets(orders, 0, size);
    }
    if (sets_.empty()) sets_.push_back(needed);
    for (std::vector<int>& orders : sets_) {
      weaken(orders);
      out.sets.push_back(in_words(orders));
    }
    return out;
  }

 private:
  static std::size_t orders_met() { return runtime::weak_orders.count; }

  std::vector<int> as_written() const {
    std::vector<int> out;
    for (const OrderedLine& one : candidates_) out.push_back(one.order);
    return out;
  }

  bool holds(const std::vector<int>& orders) {
    return answer_for(orders) == Answer::kHolds;
  }

  Answer answer_for(const std::vector<int>& orders) {
    if (budget_.spent_now()) return Answer::kUnknown;
    set_orders(candidates_, orders);
    return explore_();
  }

  // All sets with `left` more of the candidates from `from` on.
  void try_sets(std::vector<int>& orders, std::size_t from, std::size_t left) {
    if (sets_.size() == kMostSets || budget_.spent_now()) return;
    if (left == 0) {
      if (holds(orders)) sets_.push_back(orders);
      return;
    }
    for (std::size_t i = from; i + left <= orders.size(); ++i) {
      const int before = orders[i];
      orders[i] = __ATOMIC_SEQ_CST;
      try_sets(orders, i + 1, left - 1);
      orders[i] = before;
    }
  }

  // Leaves those as written that are not needed; returns how many are.
  std::size_t leave_out(std::vector<int>& orders) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      std::vector<int> fewer = orders;
      fewer[i] = candidates_[i].order;
      if (holds(fewer)) {
        orders = fewer;
      } else {
        ++count;
      }
    }
    return count;
  }

  // No stronger than is needed, one after another.
  void weaken(std::vector<int>& orders) {
    for (std::size_t i = 0; i < orders.size(); ++i) {
      if (orders[i] == candidates_[i].order) continue;
      for (const int order :
           stronger(candidates_[i].what, candidates_[i].order)) {
        std::vector<int> weaker = orders;
        weaker[i] = order;
        if (order != __ATOMIC_SEQ_CST && !holds(weaker)) continue;
        orders = weaker;
        break;
      }
    }
  }

  Remedy in_words(const std::vector<int>& orders) const {
    Remedy out;
    for (std::size_t i = 0; i < orders.size(); ++i) {
      if (orders[i] == candidates_[i].order) continue;
      out.push_back(change_in_words(candidates_[i], orders[i]));
    }
    return out;
  }

  std::vector<OrderedLine> candidates_;
  const Trial& explore_;
  Budget& budget_;
  std::vector<std::vector<int>> sets_;  // orders, by candidate
};

}  // namespace

Remedies find_remedies(Question question, Budget::Clock::time_point end) {
  const auto longest = Budget::Clock::now() + std::chrono::seconds(5);
  Budget budget(std::min(longest, end), SIZE_MAX);
  question.settings.executions = kMostExecutions;
  // Of this program, not of all.
  runtime::forget_weak_orders();
  explore(question, budget);
  if (runtime::weak_orders.count == 0) return {};
  // The code stays what it is: an audit takes longer than a small search.
  question.audit_first = runtime::unseen_count() != 0 || audit_makes_events();
  const Trial trial = [&] {
    question.memory.reset();
    const Answer answer = explore(question, budget).answer;
    if (answer != Answer::kHolds) return answer;
    question.memory = sched::MemoryModel::kRc11;
    return explore(question, budget).answer;
  };
  return Trials(trial, budget).find();
}

}  // namespace plumb::harness
