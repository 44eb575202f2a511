// SPDX-License-Identifier: Apache-2.0
// The relaxed object that a condition means for a history, or for a model.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "check/condition.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// Requires: the condition's factors fit `object`, which outlives the result.
//
// Which arguments operations may have that may be guessed:
// further_arguments.h.  What takes long in the object ends with `budget`, by a
// LimitError.
spec::SpecificationPtr relaxed_object(const history::History& history,
                                      const spec::Specification& object,
                                      const Condition& condition,
                                      const Budget& budget);

// What the clients of a model may do.
struct Universe {
  // By operation code of the specification: the arguments that they may pass;
  // {null} for an operation without argument, none if they never call it.
  std::vector<std::vector<Value>> arguments;
  // What they were seen to get although nobody passes it: see add_results().
  std::vector<Value> results = {};
  // The largest number that they are taken to be told by built-in objects.
  // Whoever says so asks again where that is not enough; otherwise numbers
  // without end are an error.
  std::optional<std::int64_t> largest_number = {};
};

// Where operations with arguments are relaxed, somebody could still put in what
// the object gave although no client has that value.  True if `history` has
// such values that were not known, or larger numbers; then the question is to
// be asked again.
bool add_results(const history::History& history,
                 const spec::Specification& base, const Condition& condition,
                 Universe& universe);

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
                                          Construction construction,
                                          const Budget& budget = Budget());

}  // namespace plumb::check
