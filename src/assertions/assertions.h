// SPDX-License-Identifier: Apache-2.0
// Assertions about transition systems whose steps are events.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "ltl/formula.h"
#include "lts/system.h"
#include "verify/outcome.h"

// A run takes visible steps (kEvent, kTerminate; kInvoke and kReturn of models
// with calls) and internal ones.  A state without steps is stuck, unless a
// bound cuts its steps off.
//
// Searches are breadth-first, so that a path that is shown is a shortest one.
// Options::order may ask the first five for depth-first search.  Options used
// besides: state_limit; log; threads, which expand states for breadth-first
// searches, while one does all the rest: no outcome depends on them.  Where
// steps of a reduced system are several at once, nothing here applies.
//
// A fault is an error of the model: a search that meets one before it has its
// answer ends with `unknown`, the fault as its reason and the path to it.
namespace plumb::assertions {

using verify::Options;
using verify::Outcome;

// No stuck state, but for those that are reached by kTerminate only.
Outcome deadlock_free(const lts::System&, const Options&, Budget&);
// No stuck state at all.
Outcome nonterminating(const lts::System&, const Options&, Budget&);
// No cycle of internal steps; the evidence is a lasso.
Outcome divergence_free(const lts::System&, const Options&, Budget&);
// No state with two visible steps of the same name to different states.  That
// is a question about states, as PAT asks it, not about what a process may
// refuse: a choice between internal steps is no violation, and two steps to
// states that behave alike are one.
Outcome deterministic(const lts::System&, const Options&, Budget&);

using StatePredicate = std::function<bool(lts::StateView)>;

// What to look for among the states that satisfy a predicate.
struct Extreme {
  bool greatest = false;  // else the least value
  std::function<std::int64_t(lts::StateView)> measure;
};

// Some state satisfies the predicate: `holds`, with a path to it.  With an
// extreme, all states are looked at; the path leads to a nearest one of those
// with the best value, which is Outcome::details[0] in words, and unknown means
// that there may be better ones.
Outcome reaches(const lts::System&, const StatePredicate&,
                const std::optional<Extreme>&, const Options&, Budget&);

// What an atom of a formula means: just one of the two is there.  Whatever the
// functions throw passes through.
struct Proposition {
  StatePredicate in_state;
  // Of the step that led to a state, so that it is true just after it; false
  // in the initial state.
  std::function<bool(const lts::Label&)> at_step;
};

// Which runs a formula is about [SunEtAl09].  "Always" and "again and again"
// are from some point on.  A process takes part in a step if System::actors()
// says so; an event is all visible steps of one name, or one internal edge.
enum class Fairness : std::uint8_t {
  kNone,
  kWeakEvent,      // an event that is always enabled happens again and again
  kStrongEvent,    // ... that is enabled again and again ...
  kWeakProcess,    // a process that can always step does so again and again
  kStrongProcess,  // ... that can step again and again ...
  kStrongGlobal,   // a step that is possible again and again, in the same
                   // state, is taken again and again
};

struct Temporal {
  ltl::FormulaPtr formula;
  std::vector<Proposition> atoms;  // of the formula, by their number
  Fairness fairness = Fairness::kNone;
};

// Does each infinite run satisfy the formula?  A run that comes to a stuck
// state stays there for ever, without steps.  What is decided by a finite part
// of a run gets a shortest path, else a lasso.
Outcome satisfies(const lts::System&, const Temporal&, const Options&, Budget&);

enum class Semantics : std::uint8_t {
  kTraces,
  kFailures,  // and traces
  kFailuresDivergences,
};

// Has the specification each trace, failure, divergence of the implementation?
// Steps are compared by name; the end of a process is a step like any other.
Outcome refines(const lts::System& implementation,
                const lts::System& specification, Semantics, const Options&,
                Budget&);

// Traces as PAT compares them, last found, first expanded: Statistics::states
// and ::transitions are what PAT prints.  The path is not a shortest one.
Outcome pat_refines(const lts::System& implementation,
                    const lts::System& specification, const Options&, Budget&);

}  // namespace plumb::assertions
