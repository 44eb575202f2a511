// SPDX-License-Identifier: Apache-2.0
// relax(S, Q): the object that is off by at most Q, as an object of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "spec/specification.h"

namespace plumb::spec {

// The values from `lowest` to `highest`.  A list counts as its first item.
struct Range {
  Value lowest;
  Value highest;

  bool contains(Value value) const;
};

// Some of the operations of one name: those with such arguments and results.
struct ClassMember {
  std::uint16_t code = 0;
  std::optional<Range> argument;  // nothing: any
  std::optional<Range> result;

  bool is_whole() const { return !argument && !result; }
};

// Operations that swap places with each other and share one numbering.
struct RelaxedClass {
  std::uint32_t factor = 0;  // how many places one of them may move
  std::vector<ClassMember> members;
};

struct Relaxation {
  // No operation with a known result is in two of them; a take that found
  // nothing is in none.  What is in no class keeps its place.
  std::vector<RelaxedClass> classes;

  // By operation code: the arguments that an operation may have which nobody
  // has invoked yet: one that is guessed, or one that could still come.  An
  // operation without argument has the single argument null.  Looked at: the
  // codes of classes; of models, and where parts are objects, all.  In the
  // order of compare().  They must stand for all that there are: see
  // check/further_arguments.h.
  std::vector<std::vector<Value>> arguments;

  // Of models: operations of built-in objects that tell a number are taken to
  // tell none larger than this, if that is said.
  std::optional<std::int64_t> largest_number;

  // Must every debt be paid when a history ends?  Otherwise it is enough that
  // further operations of the relaxed classes could still pay it.
  bool closed = false;

  // Ends what takes long; its steps are not looked at.
  Budget budget = {};
};

// Quasi-linearizability [AfekKorlandYanovsky10, Def. 4], read in place, is
// linearizability of this object: see relax.cpp.
// If the parts of `base` are objects of their own (a map's keys), each is
// relaxed on its own; then `arguments` name all keys that there are.
// Requires: `base` outlives the result.
SpecificationPtr relax(const Specification& base, Relaxation relaxation);

// The same for models, where the arguments of `relaxation` are all that there
// are: apply() gives every result that a caller could see, and states in which
// debts are open that nothing at all could pay are dropped at once.  In those
// that are kept, may_end() tells whether a history may end there: a sequence
// of calls and results is quasi-linearizable iff it leads to a state of which
// that is true, and an object is so iff that can be said of each beginning of
// each of its runs.  Some of the others can be paid if operations of other
// classes come first.  `closed` is not looked at.  Keeps `base` alive; several
// threads may use the result.
//
// If the parts of `base` are objects of their own (a map's keys), each is
// relaxed on its own.
//
// Throws InputError if the results of `base` are too many to be listed; so do
// apply() and step() if it takes too long to tell whether debts can be paid.
//
// Where `base` itself goes wrong (throws InputError) on an operation that
// nobody has invoked, that operation is not possible.
SpecificationPtr relax_for_models(SpecificationPtr base, Relaxation relaxation);

}  // namespace plumb::spec
