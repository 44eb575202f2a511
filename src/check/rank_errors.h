// SPDX-License-Identifier: Apache-2.0
// Rank errors and delays: how far from its turn each take of a container was.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// Which order of the history they are counted in; each keeps real time.
enum class ErrorOrder : std::uint8_t {
  kBest,      // the smallest maximum that was found, then the smallest sum
  kInvoked,   // each operation takes effect when it is invoked ...
  kReturned,  // ... or when it returns; a put not after the take of its value
};

// One that took something out [WilliamsSandersDementiev21].
struct TakeError {
  std::uint32_t operation = 0;  // index in the history
  // So many that were inside should have been taken before it.
  std::uint32_t rank = 0;
  // So often, while what it took was inside, another was taken out of turn in
  // its place.
  std::uint32_t delay = 0;

  friend bool operator==(const TakeError&, const TakeError&) = default;
};

struct RankErrors {
  ErrorOrder order = ErrorOrder::kBest;
  std::vector<TakeError> takes;  // in the order that was chosen
  // That order: operations that put something in or took something out.
  std::vector<std::uint32_t> sequence;
  // No order of the history has a smaller maximum, or sum, of ranks than this.
  std::uint32_t least_maximum = 0;
  std::uint64_t least_sum = 0;

  // Takes that found nothing; those of them that should have found something,
  // and the fewest that were inside for the worst of these.
  std::size_t empty = 0, wrongly_empty = 0;
  std::uint32_t most_inside = 0;
  // What was never taken, and the largest delay of it.
  std::size_t left = 0;
  std::uint32_t most_delayed = 0;
  // Takes of what nobody had put in by then, or not that often: these have no
  // rank.
  std::vector<std::uint32_t> never_put;
  // Takes that returned, but with what is not known.
  std::size_t not_known = 0;

  std::uint32_t maximum() const;
  std::uint64_t sum() const;
};

// Can it be asked of `object`?  Of queues, stacks, deques and priority queues,
// with or without a capacity, values in them at first, and waiting.
bool has_rank_errors(const spec::Specification& object);

// The takes of such an object: "deq", or "pop_front" and "pop_back".
std::vector<std::string> names_of_takes(const spec::Specification& object);

// Nothing if the budget did not last.  Requires: has_rank_errors(object).
// LIMIT: a take that never returned is counted nowhere, whether or not it took
// something; which value it took is guessed.
std::optional<RankErrors> measure_errors(const history::History& history,
                                         const spec::Specification& object,
                                         ErrorOrder order, Budget& budget);

}  // namespace plumb::check
