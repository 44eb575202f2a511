// SPDX-License-Identifier: Apache-2.0
// The deciders of src/check against the oracle.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "check/condition.h"
#include "check/decide.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::testing {

// The answer of one decider, with no limit on its work.
check::Verdict answer_of(check::Decider decider,
                         const history::History& history,
                         const spec::Specification& object,
                         const check::Condition& condition);

// Which decider says something else than `expected`?  Nothing if all agree; a
// special decider may also say that it does not know.
std::optional<std::string> dissenter(const history::History& history,
                                     const spec::Specification& object,
                                     const check::Condition& condition,
                                     bool expected);

// What to print when a decider and the oracle do not agree: the history, cut
// down as far as they still do not agree, as a picture.
std::string explain_dissent(const history::History& history,
                            const spec::Specification& object,
                            const check::Condition& condition);

// The oracle for one object and one condition; remembers its answers.  A
// condition sees nothing of a history but its calls and the order that must be
// kept, so these two are what an answer is remembered for.
class RememberingOracle {
 public:
  RememberingOracle(const spec::Specification& object,
                    const check::Condition& condition)
      : object_(object), condition_(condition) {}

  bool holds(const history::History& history);

 private:
  const spec::Specification& object_;
  const check::Condition& condition_;
  std::unordered_map<std::string, bool> answers_;
};

// Every way to give each operation of `object` a factor from 0 to `largest`, as
// conditions like `base`.
std::vector<check::Condition> with_all_factors(
    const check::Condition& base, const spec::Specification& object,
    std::uint32_t largest);

}  // namespace plumb::testing
