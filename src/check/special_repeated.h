// SPDX-License-Identifier: Apache-2.0
// What the deciders of containers with repeated values share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "check/special.h"
#include "check/special_collection.h"
#include "check/verdict.h"
#include "history/history.h"

namespace plumb::check {

// Each is for histories in which values repeat, and answers nothing where the
// general search must (see special.h): if null was put, if too many operations
// are in flight at a time, or if there are too many cases.
std::optional<Verdict> decide_repeated_queue(const history::History& history,
                                             const ContainerCodes& codes,
                                             const SpecialOptions& options,
                                             Budget& budget);
std::optional<Verdict> decide_repeated_stack(const history::History& history,
                                             const ContainerCodes& codes,
                                             const SpecialOptions& options,
                                             Budget& budget);
std::optional<Verdict> decide_repeated_priority_queue(
    const history::History& history, const ContainerCodes& codes,
    const SpecialOptions& options, Budget& budget);

// quasi(deq=factor) of a queue, whether or not values repeat.
struct QuasiQueue {
  std::uint32_t factor = 0;
  bool closed = false;  // judge the history alone
};
std::optional<Verdict> decide_quasi_queue(const history::History& history,
                                          const QuasiQueue& quasi,
                                          const SpecialOptions& options,
                                          Budget& budget);

// The operations that such a decider must look at, and what is wrong without
// any look at the order.
class RepeatedValues {
 public:
  RepeatedValues(const history::History& history, const ContainerCodes& codes,
                 bool blocking);

  // Was null put?
  bool has_null() const { return has_null_; }
  // More completed takes returned a value than it was put, or a take that
  // waits returned nothing.  Empty if nothing is wrong.
  const std::vector<std::uint32_t>& core() const { return core_; }

  // By their invocations.  Of the pending puts of a value, as many as there
  // are completed takes of it: one that is never taken, or taken by a pending
  // take, can be left out of every explanation together with that take.
  const std::vector<std::uint32_t>& puts() const { return puts_; }
  const std::vector<std::uint32_t>& takes() const { return takes_; }
  std::vector<std::uint32_t> all() const;

 private:
  std::vector<std::uint32_t> puts_;
  std::vector<std::uint32_t> takes_;
  std::vector<std::uint32_t> core_;
  bool has_null_ = false;
};

// LIMIT: how many cases such a decider looks at before it gives up.
inline std::size_t most_cases(const history::History& history) {
  return 4'000'000 + 40 * history.size();
}

// The verdict on a history of which no explanation gets past the moment
// `farthest`: all that returned and was invoked by then cannot be explained,
// nor with any of the others.
//
// For let there be an explanation of these operations and some others, each
// of which takes effect at a moment of its interval.  Its part up to
// `farthest` has only operations invoked by then, and all that returned by
// then; so the decider would have come across it, and got past.
Verdict violated_up_to(history::Moment farthest,
                       const history::History& history);

}  // namespace plumb::check
