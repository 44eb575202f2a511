// SPDX-License-Identifier: Apache-2.0
//
// Which order?  If the history without the takes that found nothing is
// linearizable, one without errors.  Else the best of some that are likely to
// be good (rank_orders.cpp), and of a short history the best of all: that no
// take is among more than the first K is what out_of_order(take=K) says, which
// the general search decides.
#include "check/rank_errors.h"

#include <algorithm>
#include <utility>

#include "check/condition.h"
#include "check/decide.h"
#include "check/rank_orders.h"
#include "check/rank_replay.h"

namespace plumb::check {
namespace {

using history::History;
using history::Moment;
using history::Operation;

class Measuring {
 public:
  Measuring(const History& history, const spec::Specification& object,
            Budget& budget)
      : history_(history),
        object_(object),
        container_(*container_of(object)),
        elements_(history, container_),
        budget_(budget) {}

  std::optional<RankErrors> run(ErrorOrder order);

 private:
  struct Best {
    ContainerOrder order;
    Replayed errors;
  };

  void consider(ContainerOrder order);
  void bound();
  void find_best();
  void search();
  bool is_exact() const;
  Verdict judge(const Condition& condition, Budget& budget) const;
  ContainerOrder order_of(const Verdict& verdict) const;
  void count_empty_takes(const Best& best);

  const History& history_;
  const spec::Specification& object_;
  const Container container_;
  const Elements elements_;
  Budget& budget_;
  // What can be explained with errors: `stripped_[i]` is operation
  // `origin_[i]`.
  History stripped_;
  std::vector<std::uint32_t> origin_;
  std::optional<Best> best_;
  RankErrors out_;
};

void Measuring::consider(ContainerOrder order) {
  if (!keeps_real_time(history_, order.operations)) return;
  auto errors = replay(history_, container_, order);
  if (!errors) return;
  const auto quality = [](const Replayed& one) {
    return std::pair(one.maximum, one.sum);
  };
  if (best_ && quality(best_->errors) <= quality(*errors)) return;
  best_ = {std::move(order), std::move(*errors)};
}

void Measuring::bound() {
  for (const std::uint32_t least :
       certain_errors(elements_, container_, budget_)) {
    out_.least_maximum = std::max(out_.least_maximum, least);
    out_.least_sum += least;
  }
}

Verdict Measuring::judge(const Condition& condition, Budget& budget) const {
  return decide(stripped_, object_, condition, {.want_order = true}, budget);
}

ContainerOrder Measuring::order_of(const Verdict& verdict) const {
  ContainerOrder out;
  for (const std::uint32_t i : verdict.order) {
    out.operations.push_back(origin_[i]);
  }
  return out;
}

void Measuring::find_best() {
  const bool exact = is_exact();
  if (exact) {
    constexpr std::uint64_t kSteps = 1'000'000;
    Budget part = budget_.with_steps(kSteps + 100 * history_.size());
    const Verdict verdict = judge({}, part);
    if (verdict.answer == Answer::kHolds) consider(order_of(verdict));
    if (verdict.answer == Answer::kViolated) {
      out_.least_maximum = std::max(out_.least_maximum, 1u);
      out_.least_sum = std::max<std::uint64_t>(out_.least_sum, 1);
    }
  }
  if (best_ && best_->errors.maximum == 0) return;
  for (ContainerOrder& one : promising_orders(elements_, container_, budget_)) {
    consider(std::move(one));
  }
  if (best_ && exact) search();
}

// Does the object itself ask for nothing but the right order?  One with a
// capacity speaks of puts as well.
bool Measuring::is_exact() const {
  const auto operations = object_.operations();
  return elements_.not_known == 0 &&
         std::none_of(operations.begin(), operations.end(),
                      [](const spec::Signature& one) {
                        return !one.takes && one.result != spec::Result::kNone;
                      });
}

// Tries to show an order with a smaller maximum, or that there is none.
void Measuring::search() {
  constexpr std::size_t kLongest = 2000;
  constexpr std::uint64_t kSteps = 300'000;
  const bool guesses =
      std::any_of(stripped_.operations.begin(), stripped_.operations.end(),
                  [&](const Operation& o) {
                    return container_.takes(o.code) && o.pending();
                  });
  if (stripped_.size() > kLongest || guesses) return;
  while (best_->errors.maximum > out_.least_maximum) {
    const std::uint32_t wanted = best_->errors.maximum - 1;
    Condition condition;
    for (const std::string& name : names_of_takes(object_)) {
      condition.out_of_order[name] = wanted;
    }
    Budget part = budget_.with_steps(kSteps);
    const Verdict verdict = judge(condition, part);
    if (verdict.answer == Answer::kViolated) {
      out_.least_maximum = best_->errors.maximum;
      // One has that many before it.
      out_.least_sum =
          std::max<std::uint64_t>(out_.least_sum, out_.least_maximum);
    }
    if (verdict.answer != Answer::kHolds) return;
    consider(order_of(verdict));
    if (best_->errors.maximum > wanted) return;
  }
}

// Each where the fewest are inside.
void Measuring::count_empty_takes(const Best& best) {
  if (elements_.empty_takes.empty()) return;
  const auto& operations = best.order.operations;
  const std::size_t count = operations.size();
  // The moments at which they take effect at the earliest, and the fewest
  // inside in each run of gaps whose length is a power of two.  Gap i lies
  // before operation i.
  std::vector<Moment> at(count);
  std::vector<std::vector<std::uint32_t>> least(1);
  least[0].push_back(static_cast<std::uint32_t>(container_.initially.size()));
  Moment now = 0;
  for (std::size_t i = 0; i < count; ++i) {
    now = std::max(now, history_.operations[operations[i]].invoked);
    at[i] = now;
    least[0].push_back(best.errors.inside[i]);
  }
  for (std::size_t size = 1; 2 * size <= count + 1; size *= 2) {
    const auto& before = least.back();
    std::vector<std::uint32_t> next;
    for (std::size_t i = 0; i + 2 * size <= count + 1; ++i) {
      next.push_back(std::min(before[i], before[i + size]));
    }
    least.push_back(std::move(next));
  }
  for (const std::uint32_t i : elements_.empty_takes) {
    const Operation& o = history_.operations[i];
    const auto first = static_cast<std::size_t>(
        std::lower_bound(at.begin(), at.end(), o.invoked) - at.begin());
    const auto last = static_cast<std::size_t>(
        std::upper_bound(at.begin(), at.end(), o.returned) - at.begin());
    std::size_t level = 0;
    while ((std::size_t{2} << level) <= last - first + 1) ++level;
    const std::uint32_t fewest =
        std::min(least[level][first],
                 least[level][last + 1 - (std::size_t{1} << level)]);
    if (fewest > 0) ++out_.wrongly_empty;
    out_.most_inside = std::max(out_.most_inside, fewest);
  }
}

std::optional<RankErrors> Measuring::run(ErrorOrder order) {
  out_.order = order;
  out_.empty = elements_.empty_takes.size();
  out_.never_put = elements_.never_put;
  out_.not_known = elements_.not_known;
  std::vector<bool> left_out(history_.size());
  for (const std::uint32_t i : elements_.empty_takes) left_out[i] = true;
  for (const std::uint32_t i : elements_.never_put) left_out[i] = true;
  stripped_.processes = history_.processes;
  for (std::uint32_t i = 0; i < history_.size(); ++i) {
    if (left_out[i]) continue;
    stripped_.operations.push_back(history_.operations[i]);
    origin_.push_back(i);
  }
  bound();
  if (order == ErrorOrder::kInvoked) {
    consider(order_by_invocation(elements_));
  } else if (order == ErrorOrder::kReturned) {
    consider(order_by_return(elements_));
  } else {
    find_best();
  }
  if (!best_ || budget_.limit() != Limit::kNone) return std::nullopt;
  count_empty_takes(*best_);
  out_.takes = std::move(best_->errors.takes);
  out_.sequence = std::move(best_->order.operations);
  out_.left = best_->errors.left;
  out_.most_delayed = best_->errors.most_delayed;
  return std::move(out_);
}

}  // namespace

std::uint32_t RankErrors::maximum() const {
  std::uint32_t out = 0;
  for (const TakeError& one : takes) out = std::max(out, one.rank);
  return out;
}

std::uint64_t RankErrors::sum() const {
  std::uint64_t out = 0;
  for (const TakeError& one : takes) out += one.rank;
  return out;
}

bool has_rank_errors(const spec::Specification& object) {
  return container_of(object).has_value();
}

std::vector<std::string> names_of_takes(const spec::Specification& object) {
  std::vector<std::string> out;
  for (const spec::Signature& one : object.operations()) {
    if (one.takes) out.emplace_back(one.name);
  }
  return out;
}

std::optional<RankErrors> measure_errors(const History& history,
                                         const spec::Specification& object,
                                         ErrorOrder order, Budget& budget) {
  return Measuring(history, object, budget).run(order);
}

}  // namespace plumb::check
