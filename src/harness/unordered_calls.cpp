// SPDX-License-Identifier: Apache-2.0
#include "harness/unordered_calls.h"

#include <array>
#include <cstddef>
#include <vector>

namespace plumb::harness {

namespace {

using check::Answer;
using CallOrder = std::array<CallMask, kMaxCalls>;  // by call: what precedes it

const std::vector<std::uint8_t> kNoEnds;
constexpr const char* kNotDecided =
    "whether calls that threads see in different orders can be explained was "
    "not decided";

void close_transitively(CallOrder& order, std::size_t size) {
  for (std::size_t middle = 0; middle < size; ++middle) {
    for (std::size_t i = 0; i < size; ++i) {
      if ((order[i] & mask_of(middle)) != 0) order[i] |= order[middle];
    }
  }
}

// Walks orders with ever more pairs, of which each can be enforced by itself;
// whether all of them can at once is asked only of those that nothing explains.
class UnorderedCalls {
 public:
  UnorderedCalls(const CallPairs& pairs, const sched::ExecutionGraph& graph,
                 sched::MemoryModel model, const CallTrace& calls, Judge& judge,
                 Budget& budget)
      : pairs_(pairs),
        graph_(graph),
        model_(model),
        calls_(calls),
        judge_(judge),
        budget_(budget) {}

  Judgement answer() {
    CallOrder order = program_order_of(calls_);
    for (std::size_t i = 0; i < pairs_.size; ++i) order[i] |= pairs_.before[i];
    close_transitively(order, pairs_.size);
    CallOrder kept_apart = {};
    // First what the graph orders itself: it has no more than the others.
    if (judge_order(order)) walk(order, kept_apart);
    if (found_ == Answer::kUnknown) return {found_, kNotDecided, {}};
    return {found_, "", found_ == Answer::kViolated ? ends() : kNoEnds};
  }

 private:
  // Returns false if there is nothing more to be found.
  bool judge_order(const CallOrder& order) {
    const Answer answer = judge_.judge_order(calls_, order);
    if (answer == Answer::kHolds) return true;
    if (answer == Answer::kViolated &&
        graph_.allows_all(model_, edges_of(order))) {
      found_ = answer;
      worst_ = order;
      return false;
    }
    found_ = Answer::kUnknown;
    return true;
  }

  std::vector<sched::ExecutionGraph::OutsideEdge> edges_of(
      const CallOrder& order) const {
    std::vector<sched::ExecutionGraph::OutsideEdge> edges;
    for (std::size_t b = 0; b < pairs_.size; ++b) {
      for_each_call(order[b] & ~pairs_.before[b], [&](std::size_t a) {
        if (calls_.thread[a] == calls_.thread[b]) return;
        edges.push_back({pairs_.last[a], pairs_.first[b]});
      });
    }
    return edges;
  }

  // With `a` before `b` and what follows of that; false: that cannot be.
  bool add(CallOrder& order, const CallOrder& kept_apart, std::size_t a,
           std::size_t b) const {
    const CallOrder old = order;
    order[b] |= mask_of(a);
    close_transitively(order, pairs_.size);
    for (std::size_t i = 0; i < pairs_.size; ++i) {
      if ((order[i] & mask_of(i)) != 0) return false;
      bool can_be = true;
      for_each_call(order[i] & ~old[i], [&](std::size_t j) {
        can_be &= (pairs_.allowed[j] & mask_of(i)) != 0 &&
                  (kept_apart[i] & mask_of(j)) == 0;
      });
      if (!can_be) return false;
    }
    return true;
  }

  bool walk(const CallOrder& order, CallOrder kept_apart) {
    if (budget_.spent_now() || ++steps_ > kMostTried) {
      found_ = Answer::kUnknown;
      return false;
    }
    for (std::size_t b = 0; b < pairs_.size; ++b) {
      for (std::size_t a = 0; a < pairs_.size; ++a) {
        const bool is_open =
            a != b && ((order[b] | kept_apart[b]) & mask_of(a)) == 0;
        CallOrder more = order;
        if (!is_open || !add(more, kept_apart, a, b)) continue;
        if (!walk(more, kept_apart)) return false;
        kept_apart[b] |= mask_of(a);
        return walk(order, kept_apart);
      }
    }
    return judge_order(order);
  }

  // One time in which all this came to be.
  std::vector<std::uint8_t> ends() const {
    CallTrace trace = calls_;
    for (std::size_t i = 0; i < pairs_.size; ++i) {
      trace.before[2 * i] = trace.before[2 * i + 1] = 0;
      for_each_call(worst_[i],
                    [&](std::size_t a) { trace.before[2 * i] |= last_end(a); });
      for_each_call(pairs_.begun[i], [&](std::size_t a) {
        trace.before[2 * i + 1] |= first_end(a);
      });
    }
    close_order(trace);
    return ends_of(trace, {}, check::Order::kProgram);
  }

  static constexpr std::size_t kMostTried = 20'000;

  const CallPairs& pairs_;
  const sched::ExecutionGraph& graph_;
  const sched::MemoryModel model_;
  const CallTrace& calls_;
  Judge& judge_;
  Budget& budget_;
  Answer found_ = Answer::kHolds;
  CallOrder worst_ = {};
  std::size_t steps_ = 0;
};

}  // namespace

// LIMIT: conditions other than real time's, and calls that touch nothing that
// threads share.
Judgement judge_graph(const ProgramRun& run,
                      const sched::GraphScheduler& search,
                      sched::MemoryModel model, CallTrace& calls, Judge& judge,
                      Budget& budget) {
  const CallPairs pairs = pairs_of(run, search, model);
  if (order_by_pairs(pairs, calls)) return judge.judge(calls, budget);
  const bool is_known = judge.condition().order == check::Order::kRealTime &&
                        model != sched::MemoryModel::kSc &&
                        pairs.all_are_seen && calls.pending == 0;
  if (!is_known) return {Answer::kUnknown, kNotDecided, {}};
  return UnorderedCalls(pairs, search.graph(), model, calls, judge, budget)
      .answer();
}

}  // namespace plumb::harness
