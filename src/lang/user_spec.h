// SPDX-License-Identifier: Apache-2.0
// Specifications that users write, and those that forget some results.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/constants.h"
#include "spec/specification.h"

namespace plumb::lang {

// A `spec` of a model: each operation runs as one step, with all its choices.
// `constants` has values for its parameters too; `name` is for people.
// Throws InputError; so do its apply() and step() if the specification itself
// goes wrong: a fault, or a container that is too small.  (To leave such an
// outcome out would make objects look wrong that are not.)
spec::SpecificationPtr make_user_spec(std::shared_ptr<const Source> source,
                                      const Object& object,
                                      const ConstantValues& constants,
                                      std::string name);

// The state of such a specification whose variables lie in `bytes`, one behind
// the other in the order in which they are declared.
spec::State pack_variables(std::span<const std::uint8_t> bytes);

// `object`, but those operations that `forget` names have no result.
spec::SpecificationPtr forget_results(spec::SpecificationPtr object,
                                      const std::vector<bool>& forget);

}  // namespace plumb::lang
