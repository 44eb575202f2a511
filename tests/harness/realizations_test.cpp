// SPDX-License-Identifier: Apache-2.0
#include "harness/realizations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "support/random_histories.h"
#include "support/random_traces.h"

namespace plumb::harness {
namespace {

using check::Order;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

using Masks = std::vector<CallMask>;

// By call, those that precede it; then the calls that are judged.
Masks masks_of(const Overlap& overlap) {
  Masks out;
  for (std::uint32_t i = 0; i < overlap.size; ++i) {
    const bool judged = (overlap.judged >> i & 1) != 0;
    out.push_back(judged ? overlap.preceding[i] : 0);
  }
  out.push_back(overlap.judged);
  return out;
}

std::vector<Masks> realizations(const CallTrace& trace, Order order) {
  std::vector<Masks> out;
  const Walk walk = for_each_realization(needs_of(trace), order, 1'000'000,
                                         [&](const Overlap& overlap) {
                                           out.push_back(masks_of(overlap));
                                           return true;
                                         });
  EXPECT_EQ(walk, Walk::kComplete);
  return out;
}

// From the definitions, without a thought shared with realizations.cpp.
Masks masks_by_definition(const CallTrace& trace,
                          const std::vector<std::uint8_t>& ends, Order order) {
  const auto place = [&](std::size_t end) {
    return std::find(ends.begin(), ends.end(), end) - ends.begin();
  };
  const auto quiet_at = [&](std::ptrdiff_t moment) {
    for (std::size_t i = 0; i < trace.size; ++i) {
      if (place(2 * i) < moment && place(2 * i + 1) >= moment) return false;
    }
    return true;
  };
  Masks out(trace.size + 1);
  for (std::size_t b = 0; b < trace.size; ++b) {
    bool judged = order == Order::kRealTime;
    const auto size = static_cast<std::ptrdiff_t>(ends.size());
    for (std::ptrdiff_t m = place(2 * b) + 1; !judged && m <= size; ++m) {
      judged = quiet_at(m);
    }
    if (!judged) continue;
    out[trace.size] |= 1u << b;
    for (std::size_t a = 0; a < trace.size; ++a) {
      bool precedes = false;
      for (std::ptrdiff_t m = place(2 * a + 1) + 1; m <= place(2 * b); ++m) {
        precedes |= order == Order::kRealTime || quiet_at(m);
      }
      if (precedes && !trace.is_pending(a)) out[b] |= 1u << a;
    }
  }
  return out;
}

bool has_less_order(const Masks& a, const Masks& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if ((a[i] & ~b[i]) != 0) return false;
  }
  return a != b;
}

std::set<Masks> maximal_by_definition(const CallTrace& trace, Order order) {
  std::set<Masks> all;
  testing::for_each_order(trace, [&](const std::vector<std::uint8_t>& ends) {
    all.insert(masks_by_definition(trace, ends, order));
  });
  std::set<Masks> out;
  for (const Masks& one : all) {
    const auto contains_it = [&](const Masks& other) {
      return has_less_order(one, other);
    };
    if (std::none_of(all.begin(), all.end(), contains_it)) out.insert(one);
  }
  return out;
}

// Calls by thread: {2, 1} is two of the first thread and one of the second.
CallTrace trace_of(const std::vector<int>& threads) {
  CallTrace trace;
  trace.before.fill(0);
  for (std::size_t t = 0; t < threads.size(); ++t) {
    for (int k = 0; k < threads[t]; ++k) {
      trace.call[trace.size] = 0;
      trace.thread[trace.size++] = static_cast<std::uint8_t>(t + 1);
    }
  }
  close_order(trace);
  return trace;
}

TEST(Realizations, OfCallsThatDoNotMeetAreAllOrders) {
  EXPECT_THAT(realizations(trace_of({1, 1}), Order::kRealTime),
              UnorderedElementsAre(ElementsAre(0, 1, 3), ElementsAre(2, 0, 3)));
  EXPECT_THAT(realizations(trace_of({1, 1, 1}), Order::kRealTime), SizeIs(6));
  EXPECT_THAT(realizations(trace_of({2, 2}), Order::kRealTime), SizeIs(6));
  EXPECT_THAT(realizations(trace_of({4, 4}), Order::kRealTime), SizeIs(70));
  EXPECT_THAT(realizations(trace_of({2, 2}), Order::kQuiescent), SizeIs(6));
}

TEST(Realizations, CallsThatSeeEachOthersBeginningOverlap) {
  CallTrace trace = trace_of({1, 1});
  trace.before[3] |= first_end(0);
  trace.before[1] |= first_end(1);
  for (const Order order : {Order::kRealTime, Order::kQuiescent}) {
    EXPECT_THAT(realizations(trace, order), ElementsAre(ElementsAre(0, 0, 3)));
  }
}

TEST(Realizations, WhoSawAnotherBeginMayNotHaveReturnedBefore) {
  CallTrace trace = trace_of({1, 1});
  trace.before[1] |= first_end(1);
  EXPECT_THAT(realizations(trace, Order::kRealTime),
              ElementsAre(ElementsAre(2, 0, 3)))
      << "call 1 can have returned before call 0 was invoked";
}

TEST(Realizations, APendingCallPrecedesNobodyAndIsInvokedLate) {
  CallTrace trace = trace_of({1, 1});
  trace.pending = 1;
  EXPECT_THAT(realizations(trace, Order::kRealTime),
              ElementsAre(ElementsAre(2, 0, 3)));
  EXPECT_THAT(realizations(trace, Order::kQuiescent),
              ElementsAre(ElementsAre(0, 0, 2)))
      << "only call 1 is judged";
}

TEST(Realizations, OfProgramOrderThereIsOne) {
  EXPECT_THAT(realizations(trace_of({2, 2}), Order::kProgram),
              ElementsAre(ElementsAre(0, 1, 0, 4, 15)));
}

TEST(Realizations, OfNoCallsThereIsOne) {
  for (const Order order : {Order::kRealTime, Order::kProgram,
                            Order::kQuiescent, Order::kQuiescentAndProgram}) {
    EXPECT_THAT(realizations(trace_of({}), order), SizeIs(1));
  }
}

TEST(Realizations, EndWhenThereAreTooManyOrTheVisitorHasEnough) {
  const Needs needs = needs_of(trace_of({1, 1, 1}));
  int visits = 0;
  const auto count = [&](const Overlap&) { return ++visits < 3; };
  EXPECT_EQ(for_each_realization(needs, Order::kRealTime, 100, count),
            Walk::kStopped);
  EXPECT_EQ(visits, 3);
  visits = -100;
  EXPECT_EQ(for_each_realization(needs, Order::kRealTime, 5, count),
            Walk::kTooMany);
  EXPECT_EQ(for_each_realization(needs, Order::kRealTime, 6, count),
            Walk::kComplete);
}

TEST(Realizations, TakeThirtyTwoCalls) {
  CallTrace trace = trace_of({16, 16});
  for (std::size_t i = 0; i < 16; ++i) {
    // Each call of one thread overlaps one of the other.
    trace.before[2 * i + 1] |= first_end(16 + i);
    trace.before[2 * (16 + i) + 1] |= first_end(i);
  }
  close_order(trace);
  EXPECT_THAT(realizations(trace, Order::kRealTime), SizeIs(1));
  EXPECT_THAT(realizations(trace, Order::kQuiescent), SizeIs(1));
}

bool keeps_the_order(const CallTrace& trace,
                     const std::vector<std::uint8_t>& ends) {
  std::uint64_t left = 0;
  for (const std::uint8_t end : ends) left |= std::uint64_t{1} << end;
  for (const std::uint8_t end : ends) {
    if ((trace.before[end] & left) != 0) return false;
    left &= ~(std::uint64_t{1} << end);
  }
  return true;
}

// What is wrong with the realizations of a trace, or "".
std::string fault_of(const CallTrace& trace, Order order) {
  const auto expected = maximal_by_definition(trace, order);
  const auto found = realizations(trace, order);
  if (std::set<Masks>(found.begin(), found.end()) != expected) return "others";
  if (found.size() != expected.size()) return "some are found twice";
  std::string fault;
  for_each_realization(
      needs_of(trace), order, 1'000'000, [&](const Overlap& overlap) {
        const auto ends = ends_of(trace, overlap, order);
        if (!keeps_the_order(trace, ends)) fault = "the ends are out of order";
        const Masks masks = masks_of(overlap);
        if (masks_by_definition(trace, ends, order) != masks) {
          fault = "the ends give another history";
        }
        if (masks_of(overlap_of(trace, ends, order)) != masks) {
          fault = "the ends are read as another history";
        }
        return true;
      });
  return fault;
}

TEST(Realizations, AreTheMaximalOnesOfAllOrders) {
  std::mt19937 random(20);
  for (int round = 0; round < 1500; ++round) {
    testing::TraceShape shape;
    shape.calls = 1 + testing::below(random, 4);
    shape.threads = 1 + testing::below(random, 4);
    shape.variables = 1 + testing::below(random, 3);
    shape.pending = round % 2 == 0 ? 0 : 20;
    const CallTrace trace = testing::random_trace(random, shape);
    for (const Order order : {Order::kRealTime, Order::kQuiescent}) {
      ASSERT_EQ(fault_of(trace, order), "") << "round " << round << "\n"
                                            << testing::describe(trace);
    }
  }
}

}  // namespace
}  // namespace plumb::harness
