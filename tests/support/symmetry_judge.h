// SPDX-License-Identifier: Apache-2.0
// Does a symmetry keep its promises?  Straight from what it promises.
#pragma once

#include <cstddef>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "lang/model.h"
#include "lts/reduction.h"
#include "lts/symmetry.h"
#include "lts/system.h"
#include "spec/specification.h"

namespace plumb::lang {

struct Found {
  std::unique_ptr<lts::Symmetry> symmetry;  // may be null
  std::vector<std::string> notes;
  // For each process a number; interchangeable ones have the same.
  std::vector<std::size_t> groups;
};

// The symmetry of a compiled model.
Found find_in(const Model& model, bool processes, bool values);

lts::Renaming random_renaming(const lts::Symmetry& symmetry,
                              const std::vector<std::size_t>& groups,
                              std::mt19937& random);

struct Judgement {
  std::size_t states = 0;
  std::size_t moved = 0;      // the canonical form was another state
  std::size_t different = 0;  // a renaming had another canonical form
  std::size_t twins = 0;
  std::string wrong;  // the first promise that was not kept
};

// Walks at random, `walks` times `length` steps, and looks at each state with
// a random renaming: do its steps commute with it, is the canonical form one
// of the state's renamings, are twins twins, ...
Judgement judge(const lts::System& system, const Found& found,
                std::size_t walks, std::size_t length, std::mt19937& random);

// The same for a specification: "" or what is wrong.  `choices` are calls.
std::string judge(const spec::Specification& object,
                  const std::vector<spec::Call>& choices,
                  const std::vector<Value>& values, std::mt19937& random);

}  // namespace plumb::lang
