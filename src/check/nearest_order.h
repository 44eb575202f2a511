// SPDX-License-Identifier: Apache-2.0
// For an order of operations, the legal one that is nearest to it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "check/classes.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// An operation at its place in two orders.
struct PlacedOperation {
  // Its index in the history; nothing: it could still follow.
  std::optional<std::uint32_t> index;
  history::Operation operation;
  std::int32_t in_class = Classes::kNone;
  // Among the operations of its class; of no class: the same.
  std::uint32_t kept = 0, legal = 0;

  std::uint32_t distance() const {
    return kept > legal ? kept - legal : legal - kept;
  }
};

// pi and pi': the same operations in two orders.
struct TwoOrders {
  std::vector<PlacedOperation> operations;
  std::vector<std::uint32_t> kept;   // pi: as the history has it
  std::vector<std::uint32_t> legal;  // pi': as the object accepts it
};

struct NearestQuestion {
  const history::History& history;
  const spec::Specification& object;
  const Classes& classes;
  // By class: how far an operation may be from its place, at most; at least
  // what its factor says.
  std::vector<std::uint32_t> most;
  std::vector<std::uint32_t> pi;  // indexes the history

  // Is the order between classes free?
  bool literal = false;
  // May operations of the classes follow that nobody has called yet?  With
  // these arguments, by code.
  bool open = true;
  std::vector<std::vector<Value>> arguments;
};

// A pi' in which no operation is further than `most` from its place, and few
// are further than the factor of their class (as few as can be, if that is up
// to three).  Nothing if there is
// none, or if the budget does not last.
std::optional<TwoOrders> nearest_legal_order(const NearestQuestion& question,
                                             Budget& budget);

}  // namespace plumb::check
