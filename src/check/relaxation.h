// SPDX-License-Identifier: Apache-2.0
// The relaxed object that a condition means for a history, or for a model.
#pragma once

#include <cstdint>
#include <vector>

#include "check/condition.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// Requires: the condition's factors fit `object`, which outlives the result.
//
// The operations that may be guessed have the arguments that the history
// mentions, and others that it does not, one for each range that classes tell
// apart: every other unmentioned value would behave in the same way as one of
// these.  (Where values are ordered, a mentioned one serves.)
spec::SpecificationPtr relaxed_object(const history::History& history,
                                      const spec::Specification& object,
                                      const Condition& condition);

// What the clients of a model may do.
struct Universe {
  // By operation code of the specification: the arguments that they may pass;
  // {null} for an operation without argument, none if they never call it.
  std::vector<std::vector<Value>> arguments;
};

enum class Construction : std::uint8_t {
  kExact,
  kWindow,  // that of [AdhikariEtAl15], for comparison: see spec/window.h
};

// The object that a model must be linearizable to (or whatever else the
// condition's order says) to satisfy the condition; `base` itself if that
// relaxes nothing.  What could still be put right, and by whom, is as with
// histories: see spec/relax.h.  Keeps `base` alive.
//
// Throws InputError, without a place, if that cannot be done.
spec::SpecificationPtr relaxed_for_models(spec::SpecificationPtr base,
                                          const Condition& condition,
                                          const Universe& universe,
                                          Construction construction);

}  // namespace plumb::check
