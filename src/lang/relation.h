// SPDX-License-Identifier: Apache-2.0
// What a user says the states of an object stand for, as a relation.
#pragma once

#include <memory>

#include "lang/ast.h"
#include "lang/compile.h"
#include "lang/program.h"
#include "lts/abstraction.h"

namespace plumb::lang {

// Evaluates the relation of `object` on states of `whole`, its program.  Each
// way through its choices gives an abstract state; one that blocks gives none.
// Throws InputError.  Requires: the object has a relation.
std::shared_ptr<const lts::Abstraction> make_relation(
    const Object& object, const Surroundings& around, const Program& whole);

}  // namespace plumb::lang
