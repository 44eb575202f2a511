// SPDX-License-Identifier: Apache-2.0
// Code as a specification: a model class, or the object when it runs alone.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/value.h"
#include "harness/case.h"
#include "spec/specification.h"

namespace plumb::harness {

// The model of a test.  Its states are the objects that sequences of calls
// lead to; those that the class's operator== calls equal are one state.  A
// call that says plumb::blocks() has no outcome; one that asks plumb::choose()
// has one for each choice.  Only the calls of the test have outcomes.
//
// An operation without argument that gives null is taken to have found
// nothing: it is then in no class of quasi-linearizability.
//
// apply() throws InputError if a call of the model throws, and LimitError if
// there are too many states.  One thread may use it at a time.
// Requires: `test` has a model, and outlives the result.
spec::SpecificationPtr model_specification(const test::Case& test);

// Makes these calls of the test one after another on a new object, and tells
// what each gave.  The first that blocks has nothing, and is the last.
// Returns nothing if something went wrong: a crash, or a limit.
using RunSerially =
    std::function<std::optional<std::vector<std::optional<Value>>>(
        std::span<const int> calls)>;

// The object itself when its calls run one after another, as in
// [BurckhardtEtAl10]. Each sequence of calls is a state of its own, and is run
// once.
//
// apply() throws LimitError if `run` gives nothing, or if it gives different
// results for the same calls.
// Requires: `test` outlives the result.
spec::SpecificationPtr serial_specification(const test::Case& test,
                                            RunSerially run);

// plumb_choose() of code that is not explored: what a model is to try next.
// 0 if no model runs.
std::uint32_t choose_in_model(std::uint32_t bound);

}  // namespace plumb::harness
