// SPDX-License-Identifier: Apache-2.0
// A `spec` as a specification of histories: nothing but they bound its values.
#pragma once

#include <memory>
#include <string>

#include "lang/ast.h"
#include "lang/constants.h"
#include "spec/specification.h"

namespace plumb::lang {

// Numbers have 64 bits, capacities are no bounds, a `value` is anything that a
// history has.  `object` is one of `module`; `constants` has values for its
// parameters too; `name` is for people.
//
// Throws InputError; so do apply() and step() if the specification itself goes
// wrong.  (To leave such an outcome out would make histories look wrong that
// are not.)
spec::SpecificationPtr make_history_spec(std::shared_ptr<const Module> module,
                                         const Object& object,
                                         ConstantValues constants,
                                         std::string name);

}  // namespace plumb::lang
