// SPDX-License-Identifier: Apache-2.0
// Cartesian partial order reduction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lang/footprint.h"
#include "lang/persistent.h"
#include "lang/program_system.h"
#include "lts/reduction.h"

namespace plumb::lang {

// Cartesian vectors [GuetaEtAl07], as adapted to refinement in [LiuEtAl13,
// Definition 8 and Algorithm A.1]: for each process a sequence of steps from
// the same state, where two steps of different processes may depend on each
// other only if both are the last of their sequences.  The transitions of a
// state are these sequences.
//   Why this suffices: of a run, take the first process that completes its
// sequence.  All steps that the others took before are independent of it, so it
// can be run first, in one piece; what remains of the run is shorter.  If
// nobody completes a sequence, nobody outside sees anything, for a step that is
// seen ends a sequence: invocations, returns, faults, and marks if they matter.
// With tight calls an invocation goes with what follows, since it may be put
// off; a process that may call this or that has a sequence for each.
//
// We differ from the paper in what it does not have:
// - Somebody who waits counts as having a sequence of one step, the one that he
//   cannot take: whoever ends his waiting ends a sequence thereby.
// - While a bound keeps somebody from going on, everybody else's sequence is
//   one step, for each of them may make room.  A step that makes a cell ends a
//   sequence: the others, who make none before theirs ends, cannot need it.
// - A step with several outcomes ends a sequence, and each outcome is a
//   transition.
// - A sequence that goes round in circles for ever is dropped, as in the paper,
//   but no step of another sequence may depend on any step of it; the paper
//   allows its last one.  Then it is sound to drop it: the others need nothing
//   of it, and it comes to no end, no fault and no bound by itself.
class CartesianVectors {
 public:
  // `whole` and `persistent` must last.  `persistent`, or null: a call takes
  // such steps along with its invocation.
  CartesianVectors(const ProgramSystem& whole, const lts::Reductions& wanted,
                   const PersistentSets* persistent);

  void successors(lts::StateView state, lts::Successors& out) const;

 private:
  // The sequence of a process.
  struct Part;
  struct Scratch;

  static Scratch& scratch();
  void begin(Part& part, lts::Successors& out) const;
  void begin_calls(lts::StateView state, std::size_t process,
                   lts::Successors& out) const;
  bool goes_on_alone(Part& part) const;
  void extend(Part& part) const;
  // Adds the step whose outcomes are Scratch::steps.
  void take(Part& part) const;
  void add_locations(lts::StateView state, std::size_t process,
                     std::vector<Location>& out) const;
  // A transition: the steps of `part`, `more` of them, and the return if that
  // follows at once.
  void fork(Part& part, std::span<const lts::Label> more,
            lts::StateView state) const;
  void add_to(lts::Successors& out, const Part& part) const;
  void add_collected(std::span<const lts::Label> labels, lts::StateView state,
                     lts::Successors& out) const;
  std::uint32_t rest_at(lts::StateView state, std::size_t process) const;
  bool returns_at_once(const lts::Label& label, lts::StateView next) const;
  bool is_seen(const lts::Label& label) const;

  const ProgramSystem& whole_;
  const Program& program_;
  const PersistentSets* persistent_;
  Footprints footprints_;
  bool tight_;
  bool keep_marks_;
  // Names of cells must last from step to step, to tell which ones meet.
  ProgramSystem::Names names_;
};

}  // namespace plumb::lang
