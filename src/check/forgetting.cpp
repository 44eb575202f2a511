// SPDX-License-Identifier: Apache-2.0
//
// Let H be the history of a container whose values are distinct, and let some
// of it be left out: pairs of a put and the take of its value, and takes that
// found nothing.  If H is linearizable, so is the rest.  When is it the other
// way round as well, whatever follows?  Let m be the first invocation of what
// is in flight now (given up does not count), so that whatever follows m begins
// after all that ended before m.  Let n be the first invocation of what is in
// flight now or ended after m: what was invoked before n ended before m, and
// what the answer says of it does not rest on what takes in flight may take.
//
// Queue.  H is violated iff [HenzingerSezginVafeiadis13] (1) a value is taken
// that was not put before, or twice; (2) b is put after a was (the one returned
// before the other was invoked), and taken before a is, or a never; (3) a take
// finds nothing, though at every moment of it some value was inside for
// certain.  The pair of `a` goes if it ended before n, and no value that is
// inside was put before `a` was invoked.  (1) A second take of `a` has no put
// then.  (2) With `a` as the earlier one, all has happened already, and was
// judged.  With `a` as the later one and b the earlier: either b has been
// taken, and it was judged, or b is inside, and was not put before `a`.  (3)
// Takes that find nothing and begin after n begin after `a` was gone; the
// others were judged for good.  A take E that found nothing goes if it ended
// before m: what is inside now was inside from its put on, which was judged.
// But one that was given up may have taken some value before E; then E stays as
// long as such a value is inside.
//
// Stack and priority queue.  A gap is the time between two events; which values
// are inside for certain at a gap before m (the put has returned, the take was
// not invoked) is known for good, if no take was given up; what was invoked
// before n was judged by such gaps alone.
//
// Takes that found nothing and ended before n go, and so do the pairs of a
// priority queue that did: each value by itself needs a gap of its take at
// which nothing smaller is inside for certain [GibbonsBrunoPhillips02], so such
// a pair has been judged, and the others that it stands in the way of as well.
//
// Values of a stack can be eliminated, in any order, as soon as put and take
// both have a gap at which none of those left is inside for certain, and H is
// linearizable iff all can [LeeMathur25].  The pair of `a` goes if it ended
// before n, and there are gaps p of its put and q of its take, before m, at
// which the same values S are inside.  For let the rest have been eliminated.
// `a` is inside only from p to q, where all of S are; so the same order does
// with `a` in H up to the last of S, and then `a` is next.  (Sets of values are
// compared by 128 random bits.)
//
// Not so where values repeat or, but for a queue, a take was given up.
#include "check/forgetting.h"

#include <algorithm>
#include <array>
#include <limits>
#include <random>

#include "base/flat_table.h"

namespace plumb::check {
namespace {

constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();

struct Item {
  std::uint32_t put = kNone, take = kNone;  // operations
  bool repeated = false;                    // put or taken twice

  bool pair() const { return !repeated && put != kNone && take != kNone; }
};

class Forgetting {
 public:
  Forgetting(const Container& container,
             const std::vector<KeptOperation>& operations,
             const std::vector<KeptEvent>& events);

  std::vector<bool> run() &&;

 private:
  // Two sums without carry of the random numbers of a set.
  using Hash = std::array<std::uint64_t, 2>;

  void gather();
  void forget_in_queue();
  void forget_in_stack();
  void forget_in_priority_queue();
  void forget_empty_takes();
  void go(const Item& item) { goes_[item.put] = goes_[item.take] = true; }
  bool returned_before(std::uint32_t operation, std::uint32_t event) const {
    return operations_[operation].returned() &&
           operations_[operation].ended < event;
  }
  // The gaps between put and take: from the first on, before the second.
  std::uint32_t put_end(const Item& item) const;
  std::uint32_t take_begin(const Item& item) const;
  std::vector<Hash> inside() const;

  const Container& container_;
  const std::vector<KeptOperation>& operations_;
  const std::vector<KeptEvent>& events_;
  std::vector<bool> goes_;

  FlatMap<Value, Item> items_;
  std::uint32_t in_flight_since_ = 0;  // m
  std::uint32_t judged_before_ = 0;    // n
  bool repeated_ = false;
  bool lost_take_ = false;  // one was given up
};

Forgetting::Forgetting(const Container& container,
                       const std::vector<KeptOperation>& operations,
                       const std::vector<KeptEvent>& events)
    : container_(container),
      operations_(operations),
      events_(events),
      goes_(operations.size()) {}

void Forgetting::gather() {
  in_flight_since_ = static_cast<std::uint32_t>(events_.size());
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    const KeptOperation& kept = operations_[i];
    if (kept.open()) {
      in_flight_since_ = std::min(in_flight_since_, kept.invoked);
    }
    if (kept.end == KeptOperation::End::kFailed) {
      goes_[i] = true;
    } else if (!container_.takes(kept.operation.code)) {
      Item& item = items_[kept.operation.argument];
      item.repeated |= item.put != kNone;
      item.put = i;
    } else if (kept.end == KeptOperation::End::kGivenUp) {
      lost_take_ = true;
    } else if (kept.returned() && !kept.operation.result.is_null()) {
      Item& item = items_[kept.operation.result];
      item.repeated |= item.take != kNone;
      item.take = i;
    }
  }
  judged_before_ = in_flight_since_;
  for (const KeptOperation& kept : operations_) {
    if (kept.returned() && kept.ended >= in_flight_since_) {
      judged_before_ = std::min(judged_before_, kept.invoked);
    }
  }
  for (const auto& [value, item] : items_) repeated_ |= item.repeated;
}

void Forgetting::forget_in_queue() {
  // Of what is inside: the first beginning and the first end of a put.
  std::uint32_t first_begun = kNone, first_put = kNone;
  for (const auto& [value, item] : items_) {
    const bool inside = item.repeated || item.take == kNone;
    if (!inside || item.put == kNone) continue;
    const KeptOperation& put = operations_[item.put];
    first_begun = std::min(first_begun, put.invoked);
    if (item.repeated) {
      first_put = first_begun = 0;  // nobody knows which is inside
    } else if (put.returned()) {
      first_put = std::min(first_put, put.ended);
    }
  }
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    const KeptOperation& kept = operations_[i];
    if (kept.returned() && container_.takes(kept.operation.code) &&
        kept.operation.result.is_null()) {
      goes_[i] = kept.ended < in_flight_since_ &&
                 (!lost_take_ || kept.ended < first_begun);
    }
  }
  for (const auto& [value, item] : items_) {
    if (!item.pair()) continue;
    const KeptOperation& put = operations_[item.put];
    if (!returned_before(item.take, judged_before_) || put.open() ||
        (put.returned() && put.ended >= judged_before_) ||
        put.invoked >= first_put) {
      continue;
    }
    go(item);
  }
}

void Forgetting::forget_empty_takes() {
  for (std::uint32_t i = 0; i < operations_.size(); ++i) {
    const KeptOperation& kept = operations_[i];
    if (container_.takes(kept.operation.code) &&
        kept.operation.result.is_null() && returned_before(i, judged_before_)) {
      goes_[i] = true;
    }
  }
}

void Forgetting::forget_in_priority_queue() {
  forget_empty_takes();
  for (const auto& [value, item] : items_) {
    if (item.pair() && returned_before(item.put, judged_before_) &&
        returned_before(item.take, judged_before_)) {
      go(item);
    }
  }
}

std::uint32_t Forgetting::put_end(const Item& item) const {
  std::uint32_t end = kNone;
  for (const std::uint32_t i : {item.put, item.take}) {
    if (i != kNone && operations_[i].returned()) {
      end = std::min(end, operations_[i].ended);
    }
  }
  return end;
}

std::uint32_t Forgetting::take_begin(const Item& item) const {
  if (item.take == kNone) return kNone;
  return std::max(operations_[item.take].invoked,
                  operations_[item.put].invoked);
}

// By gap, which is named by the event before it.
std::vector<Forgetting::Hash> Forgetting::inside() const {
  std::mt19937_64 random(events_.size());
  std::vector<Hash> at(events_.size() + 1);
  const auto change = [&](std::uint32_t gap, const Hash& by) {
    gap = std::min(gap, static_cast<std::uint32_t>(events_.size()));
    for (std::size_t k = 0; k < by.size(); ++k) at[gap][k] ^= by[k];
  };
  for (const auto& [value, item] : items_) {
    if (item.put == kNone) continue;
    const Hash name = {random(), random()};
    const std::uint32_t from = put_end(item), to = take_begin(item);
    if (from >= to) continue;
    change(from, name);
    change(to, name);
  }
  for (std::size_t i = 1; i < at.size(); ++i) {
    for (std::size_t k = 0; k < at[i].size(); ++k) at[i][k] ^= at[i - 1][k];
  }
  return at;
}

// Values that go at the same time are no obstacle for each other: whatever is
// taken out of both of two equal sets leaves them equal.
void Forgetting::forget_in_stack() {
  constexpr std::uint32_t kMostGaps = 64;  // that are looked at
  forget_empty_takes();
  const std::vector<Hash> at = inside();
  for (const auto& [value, item] : items_) {
    if (!item.pair() || !returned_before(item.put, judged_before_) ||
        !returned_before(item.take, judged_before_)) {
      continue;
    }
    const KeptOperation& put = operations_[item.put];
    const KeptOperation& take = operations_[item.take];
    const std::uint32_t end = put_end(item), begin = take_begin(item);
    if (begin < end) {
      go(item);  // they overlap, and share a gap
      continue;
    }
    const std::uint32_t first_put =
        std::max(put.invoked, end - std::min(end, kMostGaps));
    const std::uint32_t last_take = std::min(take.ended, begin + kMostGaps);
    bool same = false;
    for (std::uint32_t p = end; p-- > first_put && !same;) {
      for (std::uint32_t q = begin; q < last_take && !same; ++q) {
        same = at[p] == at[q];
      }
    }
    if (same) go(item);
  }
}

std::vector<bool> Forgetting::run() && {
  gather();
  if (container_.kind == Container::Kind::kQueue) {
    forget_in_queue();
  } else if (!repeated_ && !lost_take_) {
    if (container_.kind == Container::Kind::kStack) {
      forget_in_stack();
    } else {
      forget_in_priority_queue();
    }
  }
  return std::move(goes_);
}

}  // namespace

std::vector<bool> forgettable(const Container& container,
                              const std::vector<KeptOperation>& operations,
                              const std::vector<KeptEvent>& events) {
  return Forgetting(container, operations, events).run();
}

}  // namespace plumb::check
