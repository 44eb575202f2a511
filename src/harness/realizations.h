// SPDX-License-Identifier: Apache-2.0
// The hardest histories that the order of one execution admits.
#pragma once

#include <absl/functional/function_ref.h>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/condition.h"
#include "harness/call_trace.h"

namespace plumb::harness {

using CallMask = std::uint32_t;

// All that histories depend on: which calls were certainly invoked when
// another one returned.
struct Needs {
  std::uint32_t size = 0;
  CallMask pending = 0;
  // By call, itself included; 0 for one that is pending.
  std::array<CallMask, kMaxCalls> of;
  // By call: those of its thread that come before it.
  std::array<CallMask, kMaxCalls> program;
};

Needs needs_of(const CallTrace& trace);
std::array<CallMask, kMaxCalls> program_order_of(const CallTrace& trace);

// A history, as far as a condition looks at it.
struct Overlap {
  std::uint32_t size = 0;
  // Of quiescent orders: the calls that a quiescent moment follows.  All of
  // them, else.
  CallMask judged = 0;
  // By call that is judged: those that come before it, in the order of the
  // condition; for kQuiescentAndProgram, as far as it is quiescent.
  std::array<CallMask, kMaxCalls> preceding;
};

// The history in which the ends of `trace` happened as `ends` has them; the
// last ends of pending calls are missing there.
Overlap overlap_of(const CallTrace& trace,
                   const std::vector<std::uint8_t>& ends, check::Order order);

constexpr CallMask mask_of(std::size_t call) {
  return CallMask{1} << call;
}
constexpr CallMask all_calls(std::uint32_t size) {
  return size == kMaxCalls ? ~CallMask{0} : mask_of(size) - 1;
}
constexpr bool contains(CallMask whole, CallMask part) {
  return (part & ~whole) == 0;
}
template <typename Use>
void for_each_call(CallMask mask, Use&& use) {
  for (; mask != 0; mask &= mask - 1) {
    use(static_cast<std::size_t>(std::countr_zero(mask)));
  }
}

// Distinct sets of calls, none of which contains another one.
class MinimalSets {
 public:
  void add(CallMask set) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < size_; ++i) {
      if (contains(set, sets_[i])) return;
      if (!contains(sets_[i], set)) sets_[kept++] = sets_[i];
    }
    sets_[kept++] = set;
    size_ = kept;
  }
  bool empty() const { return size_ == 0; }
  const CallMask* begin() const { return sets_.data(); }
  const CallMask* end() const { return sets_.data() + size_; }

 private:
  std::array<CallMask, kMaxCalls> sets_;
  std::size_t size_ = 0;
};

// What can come next, see realizations.cpp.  Real time: the calls to be invoked
// so that some of those which are under way or not yet invoked return.
MinimalSets next_needs(const Needs& needs, CallMask invoked, CallMask returned);
// ... and all that can return once these are invoked.
CallMask returning(const Needs& needs, CallMask invoked);
// Quiescence: the next calls that overlap; none if a pending call is always
// among them.
MinimalSets next_busy_periods(const Needs& needs, CallMask done);

enum class Walk : std::uint8_t {
  kComplete,
  kStopped,  // by visit() == false
  kTooMany,  // there are more than `most`
};

// Visits, each once, the histories with a most comprehensive order among all
// that the trace admits.  The others need not be judged: what explains a
// history explains those with less order.
Walk for_each_realization(const Needs& needs, check::Order order,
                          std::uint64_t most,
                          absl::FunctionRef<bool(const Overlap&)> visit);

// An order of the ends of `trace` that has this history, without the last ends
// of pending calls.
// Requires: `overlap` is a realization of the trace for `order`.
std::vector<std::uint8_t> ends_of(const CallTrace& trace,
                                  const Overlap& overlap, check::Order order);

}  // namespace plumb::harness
