// SPDX-License-Identifier: Apache-2.0
// Judges whether what the calls of an execution gave keeps to the condition.
#pragma once

#include <absl/container/flat_hash_set.h>
#include <absl/functional/function_ref.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "check/condition.h"
#include "check/verdict.h"
#include "harness/call_trace.h"
#include "harness/case.h"
#include "harness/explainer.h"
#include "harness/realizations.h"
#include "harness/row_table.h"
#include "harness/state_graphs.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::harness {

struct Judgement {
  check::Answer answer = check::Answer::kHolds;
  // kUnknown: which limit was reached, as a clause.
  std::string reason;
  // kViolated: an order of the ends, as CallTrace numbers them, whose history
  // is violated.  The last ends of pending calls are missing.
  std::vector<std::uint8_t> ends;
};

// Judges the executions of all programs of one test.  Most executions are like
// one that was judged before, and most of their histories are, too: both are
// looked up first.
class Judge {
 public:
  // How much work and memory before it does things differently.
  struct Limits {
    // Realizations of one execution that are judged, and counted, one by one.
    std::uint64_t realizations = 500;
    std::size_t bytes = std::size_t{256} << 20;  // of what is remembered
  };

  // Throws InputError if the calls of the test or the factors of the condition
  // do not fit the specification.
  Judge(const test::Case& test, spec::SpecificationPtr object,
        check::Condition condition);
  Judge(std::vector<spec::Call> calls, spec::SpecificationPtr object,
        check::Condition condition);
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  void set_limits(const Limits& limits) { limits_ = limits; }

  // Judges all histories that the order of the execution admits.  The result
  // is valid until the next call.
  // Throws InputError if a result is not of the kind that the specification
  // has for the operation.
  const Judgement& judge(const CallTrace& trace, Budget& budget);

  // Judges the one history in which the ends happened as `ends` has them.
  // Does not look at CallTrace::before.
  const Judgement& judge_history(const CallTrace& trace,
                                 const std::vector<std::uint8_t>& ends,
                                 Budget& budget);

  // Is there an order that explains the calls and has, before each call, those
  // in its mask?  Requires: none is pending, and the condition is real time's.
  check::Answer judge_order(const CallTrace& trace,
                            const std::array<CallMask, kMaxCalls>& before);

  // That history, for people.  Calls before and after the threads are of
  // process 0.
  history::History history_of(const CallTrace& trace,
                              std::span<const std::uint8_t> ends) const;

  // Distinct histories so far, and how many of them are violated.  For each
  // execution those with most order are counted: see realizations.h.
  std::uint64_t histories() const { return counted_.size(); }
  std::uint64_t violated_histories() const { return violated_; }
  // False: there were executions with more than could be counted.
  bool counted_all() const { return counted_all_; }
  std::uint64_t judged() const { return judged_; }  // executions

  const spec::Specification& object() const { return *object_; }
  // A call of the test, as the object has it; what its caller saw.  Throws as
  // judge() does.
  const spec::Call& call(std::uint16_t number) const { return calls_[number]; }
  Value seen_result(std::uint16_t call, Value given) const;
  const check::Condition& condition() const { return condition_; }

 private:
  // What cached numbers mean; from kFirstViolated on, they index judgements_.
  enum Number : std::uint32_t { kNew, kHolds, kFirstViolated };

  void load(const CallTrace& trace);
  void start_row(const CallTrace& trace);
  void add_solo(const std::vector<SoloCall>& calls);
  void see(const std::vector<SoloCall>& from, std::vector<SeenCall>& to) const;
  const Judgement& answer_of(std::uint32_t number);
  std::uint32_t number_of(check::Answer answer, std::vector<std::uint8_t> ends);
  check::Answer not_known(std::string reason);
  check::Answer unless_limited(absl::FunctionRef<check::Answer()> work);
  void forget_if_full();

  check::Answer judge_all(const CallTrace& trace, Overlap& worst,
                          Budget& budget);
  check::Answer judge_at_once(const CallTrace& trace, Overlap& worst,
                              Budget& budget);
  check::Answer judge_overlap(const CallTrace& trace, const Overlap& overlap,
                              const std::vector<std::uint8_t>* ends,
                              Budget& budget);
  bool depends_on_the_last_quiet_moment(const CallTrace& trace) const;
  bool is_explained(const Overlap& overlap);
  check::Answer decide(const CallTrace& trace,
                       std::span<const std::uint8_t> ends, Budget& budget);

  const std::vector<spec::Call> calls_;  // by number
  std::vector<spec::Result> kinds_;      // of their results
  Place place_;                          // of the test
  const spec::SpecificationPtr object_;
  const check::Condition condition_;
  Limits limits_;

  StateGraphs graphs_;
  Explainer explainer_;
  // Of the trace that is judged.
  SeenCalls seen_;
  Needs needs_;
  bool loaded_ = false;

  Row row_;
  std::size_t shared_ = 0;  // of row_: what does not depend on the order
  RowTable traces_, histories_;
  std::vector<Judgement> judgements_;  // the violated ones
  Judgement holds_, unknown_;
  Judgement single_;  // of judge_history(), if violated

  absl::flat_hash_set<std::pair<std::uint64_t, std::uint64_t>> counted_;
  std::uint64_t violated_ = 0;
  std::uint64_t judged_ = 0;
  bool counted_all_ = true;
};

}  // namespace plumb::harness
