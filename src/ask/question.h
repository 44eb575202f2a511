// SPDX-License-Identifier: Apache-2.0
// A question about a model: what is asked, and how the answer is looked for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "assertions/assertions.h"
#include "check/condition.h"
#include "check/relaxation.h"
#include "lts/reduction.h"
#include "verify/outcome.h"
#include "verify/progress.h"

namespace plumb::ask {

enum class Property : std::uint8_t {
  // Of an object with its clients.
  kCondition,  // Question::condition
  kSafe,       // no fault
  kProgress,   // Question::progress
  // Of a specification: it does nothing that another one does not.
  kComparison,
  // Of a process with events, as PAT asks them.
  kDeadlockFree,
  kDivergenceFree,
  kDeterministic,
  kNonterminating,
  kReaches,
  kRefines,  // Question::semantics
  // Of all runs of either, with Question::fairness.
  kSatisfies,
};

// How a condition is shown to hold.
enum class Proof : std::uint8_t {
  kSearch,    // by looking at all runs
  kMarks,     // operations take effect where the model says so
  kRelation,  // the states are related to those of the specification
};

// Reductions, searches and stores change no verdict, only what it costs.
struct Question {
  Property property = Property::kCondition;
  check::Condition condition = {};
  Proof proof = Proof::kSearch;
  verify::Progress progress = verify::Progress::kDeadlockFree;
  assertions::Semantics semantics = assertions::Semantics::kTraces;
  // Nothing: the model does not say, so that all runs count.
  std::optional<assertions::Fairness> fairness = std::nullopt;
  // Instead of what the model says.
  std::optional<std::size_t> processes = std::nullopt;

  check::Construction construction = check::Construction::kExact;
  lts::Reductions reductions = {};
  verify::Options search = {};
  bool pat_counts = false;  // CSP# only: search and count as PAT does
  bool keep_dead = false;   // ... keep what is never read again

  // Is it about histories and faults only, which most reductions keep?
  bool is_of_histories() const {
    return (property == Property::kCondition && proof != Proof::kRelation) ||
           property == Property::kSafe;
  }
};

}  // namespace plumb::ask
