// SPDX-License-Identifier: Apache-2.0
//
// A queue whose values repeat.  An order of it is an order of its puts and one
// of its takes: the i-th take gets what the i-th put brought.  So we walk
// along both at once.  A case is a frontier A of the puts and a frontier B of
// the takes, with as many puts in A as takes in B that got something; what is
// inside, and how the puts in A lie between the takes in B, is not kept.
//
// Next come a put and the take that gets its value, e and d, if d does not
// precede e nor anything in A; or a take that found nothing, x, if all of A
// and B can be before x, and x before all other puts: x precedes nothing in A,
// and no put outside of A precedes x or anything in B.  When all takes that
// returned are in B the history is explained: the puts left over stay.
//
// Why that is enough.  Let puts e1, e2, .. and takes d1, d2, .. be in orders
// that keep real time, and let no d_i precede an e_j with j <= i.  Put e_i at
// the latest invocation of e_1 .. e_i, and d_i at the latest of those and of
// d_1 .. d_i.  Nothing is put behind its return: e_i not, as its order keeps
// real time; d_i not behind an e_j as just said, and not behind a d_j.  And
// e_i comes before d_i, if at the same moment puts come first.  A take that
// found nothing divides the history in two, as the conditions say.
// (That each is necessary is plain.)
//
// quasi(deq=K) is decided in the same way: the i-th put and the i-th take need
// not be of the same value, and the window of those that have not met yet (see
// slot_windows.h) is a part of the case.  A take that found nothing is in no
// class, and sees as many slots behind it as puts.  When all takes that
// returned are in B and the window is not empty, further takes may come, unless
// the history is judged alone.  Of pending puts none can be left out then: a
// slot more can bring others nearer to their places.
//
// There are at most n * 2^(p-1) * 2^(t-1) cases for n operations and at most p
// puts and t takes in flight at a time: linear in n.

#include <algorithm>
#include <utility>

#include "base/flat_table.h"
#include "check/frontiers.h"
#include "check/slot_windows.h"
#include "check/special_repeated.h"
#include "spec/catalogue.h"

namespace plumb::check {

namespace {

using history::History;
using history::Moment;
using history::Operation;

class TwoFrontiers {
 public:
  TwoFrontiers(const History& history, const std::vector<std::uint32_t>& puts,
               const std::vector<std::uint32_t>& takes,
               const spec::Specification& object, const QuasiQueue& quasi)
      : history_(history),
        puts_(history, puts, object, Frontiers::Equals::kByBoth),
        takes_(history, takes, object, Frontiers::Equals::kByBoth),
        all_puts_(puts),
        quasi_(quasi),
        windows_(quasi.factor) {}

  std::optional<Verdict> run(const SpecialOptions& options, Budget& budget) {
    if (!puts_.fit() || !takes_.fit()) return std::nullopt;
    const std::size_t most = most_cases(history_);
    arrive({.put = kNone, .take = kNone});
    while (!todo_.empty()) {
      if (budget.spent()) return stopped(budget);
      if (cases_.size() > most) return std::nullopt;
      const std::uint32_t at = todo_.back();
      todo_.pop_back();
      if (explained(cases_[at])) {
        Verdict verdict;
        verdict.answer = Answer::kHolds;
        verdict.steps = cases_.size();
        if (options.want_order) verdict.order = order_to(at);
        return verdict;
      }
      expand(at);
    }
    Verdict verdict = violated_up_to(farthest_, history_);
    verdict.steps = cases_.size();
    return verdict;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Case {
    Frontiers::Id puts = 0;
    Frontiers::Id takes = 0;
    std::uint32_t before = kNone;  // the case it came from
    // What came last.  No put: the take found nothing; no take: a further one.
    std::uint32_t put = kNone;
    std::uint32_t take = kNone;
    SlotWindows::Id window = SlotWindows::kEmpty;
  };
  using Key = std::pair<std::uint64_t, SlotWindows::Id>;

  bool explained(const Case& at) const {
    return takes_.complete(at.takes) && at.window == SlotWindows::kEmpty;
  }

  void arrive(const Case& next) {
    const Key key((std::uint64_t{next.puts} << 32) | next.takes, next.window);
    if (!seen_.insert(key).second) return;
    farthest_ = std::max(farthest_, takes_.missing(next.takes));
    todo_.push_back(static_cast<std::uint32_t>(cases_.size()));
    cases_.push_back(next);
  }

  // The one that returns first is tried first: it is pushed last.  But before
  // all else what makes the window small.
  void expand(std::uint32_t at) {
    const Case from = cases_[at];
    const auto puts = puts_.steps(from.puts);
    found_.clear();
    for (const Frontiers::Step& take : takes_.steps(from.takes)) {
      const Operation& d = history_.operations[take.operation];
      if (!d.pending() && d.result.is_null()) {
        if (finds_nothing(from, d)) {
          found_.push_back(
              {from.puts, take.next, at, kNone, take.operation, from.window});
        }
        continue;
      }
      for (const Frontiers::Step& put : puts) {
        if (puts_.latest(put.next) > d.returned) continue;
        meet(from, {put.next, take.next, at, put.operation, take.operation});
      }
    }
    if (takes_.complete(from.takes) && !quasi_.closed) {
      for (const Frontiers::Step& put : puts) {
        meet(from, {put.next, from.takes, at, put.operation, kNone});
      }
    }
    if (quasi_.factor > 0) {
      std::stable_sort(
          found_.begin(), found_.end(), [&](const Case& a, const Case& b) {
            return windows_.size(a.window) > windows_.size(b.window);
          });
    }
    for (const Case& next : found_) arrive(next);
  }

  // Adds `next`, with all that its window can be.
  void meet(const Case& from, Case next) {
    const Value value = history_.operations[next.put].argument;
    Value taken;
    auto taker = SlotWindows::Taker::kFurther;
    if (next.take != kNone) {
      const Operation& d = history_.operations[next.take];
      taken = d.result;
      taker = d.pending() ? SlotWindows::Taker::kUnknown
                          : SlotWindows::Taker::kKnown;
    }
    if (quasi_.factor == 0) {
      const bool fits = taker != SlotWindows::Taker::kKnown || taken == value;
      if (fits) found_.push_back(next);
      return;
    }
    next_windows_.clear();
    windows_.after(from.window, value, taker, taken, next_windows_);
    for (const SlotWindows::Id window : next_windows_) {
      next.window = window;
      found_.push_back(next);
    }
  }

  bool finds_nothing(const Case& from, const Operation& x) const {
    return puts_.latest(from.puts) <= x.returned &&
           std::max(takes_.latest(from.takes), x.invoked) <=
               puts_.missing(from.puts);
  }

  // Both orders, and moments that grow along each; merged by these.
  struct Placed {
    std::uint32_t operation;
    Moment moment;
  };

  std::vector<std::uint32_t> order_to(std::uint32_t last) const {
    std::vector<std::uint32_t> path;
    for (; cases_[last].before != kNone; last = cases_[last].before) {
      path.push_back(last);
    }
    std::reverse(path.begin(), path.end());
    std::vector<std::uint32_t> order;
    std::vector<Placed> puts, takes;
    std::vector<bool> is_put(history_.size());
    Moment put_at = 0, take_at = 0;
    for (const std::uint32_t one : path) {
      const Case& to = cases_[one];
      take_at =
          std::max({take_at, puts_.latest(to.puts), takes_.latest(to.takes)});
      if (to.put == kNone) {
        merge(puts, takes, order);
        order.push_back(to.take);
        put_at = take_at;
        continue;
      }
      is_put[to.put] = true;
      put_at = std::max(put_at, puts_.latest(to.puts));
      puts.push_back({to.put, put_at});
      if (to.take != kNone) takes.push_back({to.take, take_at});
    }
    place_the_rest(is_put, put_at, puts);
    merge(puts, takes, order);
    return order;
  }

  // The puts of values that stay, in the order of their returns.
  void place_the_rest(const std::vector<bool>& is_put, Moment put_at,
                      std::vector<Placed>& puts) const {
    std::vector<std::uint32_t> rest;
    for (const std::uint32_t i : all_puts_) {
      if (!is_put[i] && !history_.operations[i].pending()) rest.push_back(i);
    }
    std::stable_sort(rest.begin(), rest.end(),
                     [&](std::uint32_t a, std::uint32_t b) {
                       return history_.operations[a].returned <
                              history_.operations[b].returned;
                     });
    for (const std::uint32_t i : rest) {
      put_at = std::max(put_at, history_.operations[i].invoked);
      puts.push_back({i, put_at});
    }
  }

  // Empties both lists into `order`.  At equal moments puts come first.
  static void merge(std::vector<Placed>& puts, std::vector<Placed>& takes,
                    std::vector<std::uint32_t>& order) {
    auto put = puts.begin();
    for (const Placed& take : takes) {
      for (; put != puts.end() && put->moment <= take.moment; ++put) {
        order.push_back(put->operation);
      }
      order.push_back(take.operation);
    }
    for (; put != puts.end(); ++put) order.push_back(put->operation);
    puts.clear();
    takes.clear();
  }

  const History& history_;
  Frontiers puts_;
  Frontiers takes_;
  const std::vector<std::uint32_t>& all_puts_;
  const QuasiQueue quasi_;
  SlotWindows windows_;
  std::vector<Case> cases_;
  std::vector<std::uint32_t> todo_;  // indices into cases_
  FlatSet<Key> seen_;
  std::vector<Case> found_;                    // scratch
  std::vector<SlotWindows::Id> next_windows_;  // scratch
  Moment farthest_ = 0;
};

}  // namespace

std::optional<Verdict> decide_repeated_queue(const History& history,
                                             const ContainerCodes& codes,
                                             const SpecialOptions& options,
                                             Budget& budget) {
  const RepeatedValues values(history, codes, options.blocking);
  if (values.has_null()) return std::nullopt;
  if (!values.core().empty()) return violated_by(values.core());
  const auto object = spec::make("queue");
  return TwoFrontiers(history, values.puts(), values.takes(), *object, {})
      .run(options, budget);
}

std::optional<Verdict> decide_quasi_queue(const History& history,
                                          const QuasiQueue& quasi,
                                          const SpecialOptions& options,
                                          Budget& budget) {
  static const ContainerCodes codes({"queue", "enq", "deq"});
  const RepeatedValues values(history, codes, options.blocking);
  if (values.has_null()) return std::nullopt;
  if (!values.core().empty()) return violated_by(values.core());
  std::vector<std::uint32_t> puts;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    if (history.operations[i].code == codes.add) puts.push_back(i);
  }
  const auto object = spec::make("queue");
  return TwoFrontiers(history, puts, values.takes(), *object, quasi)
      .run(options, budget);
}

}  // namespace plumb::check
