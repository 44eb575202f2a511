// SPDX-License-Identifier: Apache-2.0
#include "harness/realizations.h"

#include <bit>
#include <cassert>
#include <cstddef>

namespace plumb::harness {

namespace {

using check::Order;

// Bits 0, 2, 4, ... moved together: first ends become calls.
constexpr CallMask calls_of_first_ends(std::uint64_t ends) {
  ends &= 0x5555555555555555;
  ends = (ends | ends >> 1) & 0x3333333333333333;
  ends = (ends | ends >> 2) & 0x0F0F0F0F0F0F0F0F;
  ends = (ends | ends >> 4) & 0x00FF00FF00FF00FF;
  ends = (ends | ends >> 8) & 0x0000FFFF0000FFFF;
  return static_cast<CallMask>(ends | ends >> 16);
}

// Only the sets needs.of[] matter.  Let D be what has happened so far, closed
// under "happens before".
//
// Real time.  A return that can happen is best taken at once: earlier returns
// only add to the order.  After that, the next return `a` must wait for the
// invocations need(a) = of[a] - D, which is not empty.  Any other invocation
// that comes before it may be put off until after it, which again only adds to
// the order: nothing in the past of `a` waits for it, for then it would be in
// of[a].  If need(b) is a proper part of need(a), `b` can return before the
// rest of need(a) is invoked.  So it is enough to let all of one minimal
// need(a) be invoked, then all return that can, and to go on.  It respects
// the whole order: if `b` returns before `c` is invoked and `c` is in need(a),
// then of[b] is a part of of[a] without `c`, so `b` has returned or need(a) is
// not minimal.
//
// No history is found twice, and each is maximal.  Take two minimal sets
// need(a) and need(b), an `i` in the first only and a `j` in the second only.
// With the first, `a` precedes `j`, and `b` does not precede `i`, since it
// waits for `j`.  With the second it is the other way round.  Whatever
// follows, neither order contains the other.
//
// Quiescence.  A quiescent moment cuts the calls in two; a call belongs to the
// first part with all that it needs.  The least sets closed in this way are
// disjoint: each is the closure of any of its members.  So one after another
// of the minimal ones, in every order, gives the most quiescent moments, and
// two of them in either order do not contain each other.  Whatever needs a
// pending call follows the last quiescent moment.
class Walker {
 public:
  Walker(const Needs& needs, std::uint64_t most,
         absl::FunctionRef<bool(const Overlap&)> visit)
      : needs_(needs), left_(most), visit_(visit) {
    overlap_.size = needs.size;
    overlap_.judged = all_calls(needs.size);
  }

  Walk walk_real_time(CallMask invoked, CallMask returned) {
    const MinimalSets next = next_needs(needs_, invoked, returned);
    if (next.empty()) {
      invoke(all_calls(needs_.size) & ~invoked, returned);
      return leaf();
    }
    for (const CallMask need : next) {
      invoke(need, returned);
      const Walk walk =
          walk_real_time(invoked | need, returning(needs_, invoked | need));
      if (walk != Walk::kComplete) return walk;
    }
    return Walk::kComplete;
  }

  Walk walk_quiescent(CallMask done) {
    const MinimalSets next = next_busy_periods(needs_, done);
    if (next.empty()) {
      overlap_.judged = done;
      return leaf();
    }
    for (const CallMask busy : next) {
      invoke(busy, done);
      const Walk walk = walk_quiescent(done | busy);
      if (walk != Walk::kComplete) return walk;
    }
    return Walk::kComplete;
  }

  Walk walk_program() {
    overlap_.preceding = needs_.program;
    return leaf();
  }

 private:
  void invoke(CallMask calls, CallMask returned) {
    for_each_call(calls,
                  [&](std::size_t i) { overlap_.preceding[i] = returned; });
  }

  Walk leaf() {
    if (left_-- == 0) return Walk::kTooMany;
    return visit_(overlap_) ? Walk::kComplete : Walk::kStopped;
  }

  const Needs& needs_;
  std::uint64_t left_;
  absl::FunctionRef<bool(const Overlap&)> visit_;
  Overlap overlap_;
};

// What must have come to its end when nothing of `call` is under way.
CallMask closure(const Needs& needs, std::size_t call, CallMask done) {
  CallMask closed = 0;
  for (CallMask left = mask_of(call); left != 0;) {
    const auto a = static_cast<std::size_t>(std::countr_zero(left));
    closed |= mask_of(a);
    left = (left | needs.of[a]) & ~(closed | done);
  }
  return closed;
}

bool is_quiescent(Order order) {
  return order == Order::kQuiescent || order == Order::kQuiescentAndProgram;
}

// Appends `ends` in an order that keeps that of the trace.
void append_in_order(const CallTrace& trace, std::uint64_t ends,
                     std::vector<std::uint8_t>& out) {
  while (ends != 0) {
    std::uint64_t left = ends;
    while (true) {
      assert(left != 0);  // the order has no cycle
      const auto end = static_cast<std::size_t>(std::countr_zero(left));
      left &= left - 1;
      if ((trace.before[end] & ends) != 0) continue;
      out.push_back(static_cast<std::uint8_t>(end));
      ends &= ~(std::uint64_t{1} << end);
      break;
    }
  }
}

std::uint64_t first_ends(CallMask calls) {
  std::uint64_t out = 0;
  for_each_call(calls, [&](std::size_t i) { out |= first_end(i); });
  return out;
}
std::uint64_t last_ends(CallMask calls) {
  return first_ends(calls) << 1;
}

// Of those in `left`: the calls that come first, all of whose predecessors
// have been done.
CallMask next_group(const Overlap& overlap, CallMask left, CallMask done) {
  CallMask group = 0;
  for_each_call(left, [&](std::size_t i) {
    if (contains(done, overlap.preceding[i])) group |= mask_of(i);
  });
  return group;
}

}  // namespace

Needs needs_of(const CallTrace& trace) {
  assert(trace.size <= kMaxCalls);
  Needs needs;
  needs.size = trace.size;
  needs.pending = trace.pending;
  for (std::size_t i = 0; i < trace.size; ++i) {
    needs.of[i] =
        trace.is_pending(i)
            ? 0
            : calls_of_first_ends(trace.before[2 * i + 1]) | mask_of(i);
  }
  needs.program = program_order_of(trace);
  return needs;
}

std::array<CallMask, kMaxCalls> program_order_of(const CallTrace& trace) {
  std::array<CallMask, kMaxCalls> out;
  for (std::size_t i = 0; i < trace.size; ++i) {
    const bool follows = i > 0 && trace.thread[i] == trace.thread[i - 1];
    out[i] = follows ? out[i - 1] | mask_of(i - 1) : 0;
  }
  return out;
}

MinimalSets next_needs(const Needs& needs, CallMask invoked,
                       CallMask returned) {
  MinimalSets next;
  for_each_call(all_calls(needs.size) & ~(needs.pending | returned),
                [&](std::size_t a) { next.add(needs.of[a] & ~invoked); });
  return next;
}

CallMask returning(const Needs& needs, CallMask invoked) {
  CallMask out = 0;
  for_each_call(invoked & ~needs.pending, [&](std::size_t a) {
    if (contains(invoked, needs.of[a])) out |= mask_of(a);
  });
  return out;
}

MinimalSets next_busy_periods(const Needs& needs, CallMask done) {
  MinimalSets next;
  for_each_call(all_calls(needs.size) & ~done, [&](std::size_t a) {
    const CallMask closed = closure(needs, a, done);
    if ((closed & needs.pending) == 0) next.add(closed);
  });
  return next;
}

Walk for_each_realization(const Needs& needs, Order order, std::uint64_t most,
                          absl::FunctionRef<bool(const Overlap&)> visit) {
  Walker walker(needs, most, visit);
  switch (order) {
    case Order::kRealTime:
      return walker.walk_real_time(0, 0);
    case Order::kProgram:
      return walker.walk_program();
    case Order::kQuiescent:
    case Order::kQuiescentAndProgram:
      return walker.walk_quiescent(0);
  }
  return Walk::kComplete;
}

Overlap overlap_of(const CallTrace& trace,
                   const std::vector<std::uint8_t>& ends, Order order) {
  Overlap overlap;
  overlap.size = trace.size;
  overlap.judged = all_calls(trace.size);
  if (order == Order::kProgram) {
    overlap.preceding = program_order_of(trace);
    return overlap;
  }
  CallMask invoked = 0, returned = 0, cut = 0;
  for (const std::uint8_t end : ends) {
    const std::size_t i = end / 2;
    if (end % 2 == 1) {
      returned |= mask_of(i);
      if (invoked == returned) cut = returned;
    } else {
      invoked |= mask_of(i);
      overlap.preceding[i] = is_quiescent(order) ? cut : returned;
    }
  }
  if (is_quiescent(order)) overlap.judged = cut;
  return overlap;
}

std::vector<std::uint8_t> ends_of(const CallTrace& trace,
                                  const Overlap& overlap, Order order) {
  const CallMask all = all_calls(trace.size);
  const CallMask returning = all & ~trace.pending;
  std::vector<std::uint8_t> out;
  if (order == Order::kProgram) {
    append_in_order(trace, first_ends(all) | last_ends(returning), out);
    return out;
  }
  CallMask done = 0, returned = 0;
  while (done != overlap.judged) {
    CallMask group = next_group(overlap, overlap.judged & ~done, returned);
    if (is_quiescent(order)) {
      append_in_order(trace, first_ends(group) | last_ends(group), out);
      done |= group;
      returned = done;
      continue;
    }
    append_in_order(trace, first_ends(group), out);
    done |= group;
    // Those that nobody in flight waits for have returned: all that precede
    // somebody who is still to come.
    CallMask now = returning & done;
    for_each_call(all & ~done,
                  [&](std::size_t i) { now &= overlap.preceding[i]; });
    assert(done == all || now != returned);
    append_in_order(trace, last_ends(now & ~returned), out);
    returned = now;
  }
  const CallMask rest = all & ~done;
  append_in_order(trace, first_ends(rest) | last_ends(rest & returning), out);
  return out;
}

}  // namespace plumb::harness
