// SPDX-License-Identifier: Apache-2.0
// Why a violated history is violated, cut down to what matters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "check/condition.h"
#include "check/verdict.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// Why an operation cannot come next.
struct Obstacle {
  std::uint32_t operation;
  std::string reason;
};

// Operations are meant by their index in the history that was judged.
struct Explanation {
  // The shortest prefix of the history that is violated ends when this
  // operation returns, at this moment (for quiescent orders: when its busy
  // period ends).
  std::uint32_t last = 0;
  history::Moment until = 0;
  bool is_shortest = true;  // false: a limit was reached while looking

  // Operations of that prefix that cannot be explained together, whatever
  // results the others had and whether they happened or not.  None can be
  // left out, unless a limit was reached.
  std::vector<std::uint32_t> culprits;
  bool is_minimal = true;
  // There were too many others to ask for each what it could have done: the
  // culprits cannot be explained when the others are left out.
  bool others_left_out = false;
  // Nor can they be explained with any of the others as these were: so the
  // decider has shown it, and nothing was tried after that.
  bool is_proof = false;

  // The longest order that explains a beginning of that, the state after it
  // in words, and why none of the culprits left over can come next.
  std::vector<std::uint32_t> order;
  std::string state;
  std::vector<Obstacle> obstacles;
};

// What the longest order is made of: the culprits alone, if they cannot be
// explained by themselves, which is easier to read; or always with what the
// others could have done, which says more where the object is relaxed.
enum class LongestOrder : std::uint8_t { kOfCulprits, kWithOthers };

// Requires: `verdict` is what decide() said of this, and it is kViolated.
Explanation explain(const history::History& history,
                    const spec::Specification& object,
                    const Condition& condition, const Verdict& verdict,
                    Budget& budget,
                    LongestOrder longest = LongestOrder::kOfCulprits);

// "enq(1)", "deq() -> 2", "deq(), pending".
std::string describe(const history::Operation& operation,
                     const spec::Specification& object);

}  // namespace plumb::check
