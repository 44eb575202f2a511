// SPDX-License-Identifier: Apache-2.0
// Quasi-linearizability where classes keep their places.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "check/condition.h"
#include "oracle/definition.h"
#include "oracle/judged.h"
#include "spec/specification.h"

namespace plumb::oracle {

// By operation code; 0 where none is given.
using Factors = std::vector<std::uint32_t>;
Factors factors_of(const spec::Specification& object,
                   const check::Condition& condition);

// What a take whose result nobody saw finds.
enum class Finds : std::uint8_t { kAnything, kSomething, kNothing };

// An operation at its place in `pi`, and whether it is in the class of its
// name.  One that is not keeps its place.
struct Placed {
  const history::Operation* operation;
  bool in_class;
  Finds finds = Finds::kAnything;  // if it is pending
};

// Appends the states after `placed` if it finds what it must find: the result
// that the caller saw or, if it is pending, what `finds` says.
void run(const spec::Specification& object, const spec::State& state,
         const Placed& placed, std::vector<spec::State>& next);

// Operations with a factor are in a class, except takes that found nothing.
// For a pending take with a factor, both are tried.
bool some_reading(
    const Judged& all, const Sequence& sequence,
    const spec::Specification& object, const Factors& factors,
    const std::function<bool(const std::vector<Placed>&)>& accepts);

// There is a sequence `pi` that keeps the order, and a legal permutation of it
// with the same pattern of classes in which no operation is further than the
// factor of its class from its place among the operations of that class.
//
// Open: the same for `pi` followed by some further operations, with any
// arguments and results.  They stand at the end of `pi` for every order: what
// is judged is what the object could still do.  Pending operations in no class
// may stand between them; another one need not, since a further one can do the
// same.
//
// How many are needed?  Let `d` be a class with factor q.  An operation of the
// history that is late is executed at most q places of `d` after its own, so
// within the first q further operations of `d`; if the further ones are used
// in their order, which for anonymous ones is the best order, nothing of `d`
// is late or early after that.  Beside them there may be helpers, which are not
// displaced: they bring the object into a state in which a late operation can
// run.  All of them are tried, until no new state is met; only that a
// container holds no more than it does with one item for each late operation,
// or than it has room for, and that a counter counts no further than the
// history saw, with the factors on top.  tests/oracle/bound_test.cpp looks
// whether more would help.
//
// Which arguments?  Those that occur in the history, and one that does not,
// which stands for all others: who puts it in does not disturb anybody.  (For
// priorities: one worse and one better than all others.)  Null means that
// there is no value, so it is an argument only where the history has it as
// one, and in pairs, where a `cas` may expect it.
bool holds_in_place(const Judged& all, const spec::Specification& object,
                    const Factors& factors, bool closed,
                    const Further& further);

}  // namespace plumb::oracle
