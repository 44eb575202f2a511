// SPDX-License-Identifier: Apache-2.0
// Looks for orders that explain small histories.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/transitions.h"
#include "harness/realizations.h"
#include "harness/state_graphs.h"

namespace plumb::harness {

// Calls in the words of a graph of states.
struct LabelledCalls {
  LabelledCalls(const SeenCalls& calls, check::Transitions& transitions);

  std::vector<check::LabelId> first, threads, after;
  // May be pending: the last of `first` or of `after`, and these threads'.
  bool first_is_pending, after_is_pending;
  CallMask pending;
};

// All states in which `states` can be after a call, each once.
void follow(check::Transitions& transitions, check::LabelId label,
            std::vector<check::StateId>& states);

// The search of check::decide(), made for many small histories: it starts at
// once, but only tries.
class Explainer {
 public:
  // Is there certainly an order that explains this history?  `also`: what must
  // precede each call besides.  False says nothing: it may have given up, and
  // does not try all that pending calls could do.
  bool explains(const SeenCalls& calls, const Overlap& overlap,
                const std::array<CallMask, kMaxCalls>* also,
                check::Transitions& transitions);
  // Has it given up, when it said false?
  bool gave_up() const { return steps_left_ == 0; }

 private:
  bool extend(CallMask taken, check::StateId state);
  bool may_take(std::size_t call, CallMask taken) const;
  bool ends_well(CallMask taken, check::StateId state);

  check::Transitions* transitions_ = nullptr;
  const LabelledCalls* labels_ = nullptr;
  const Overlap* overlap_ = nullptr;
  const std::array<CallMask, kMaxCalls>* also_ = nullptr;
  absl::flat_hash_set<std::uint64_t> visited_;  // calls taken, and the state
  std::size_t steps_left_ = 0;
};

}  // namespace plumb::harness
