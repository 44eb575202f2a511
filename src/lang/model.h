// SPDX-License-Identifier: Apache-2.0
// From a tree to what can be explored: one system for each check.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "lts/system.h"
#include "spec/specification.h"

namespace plumb::lang {

// Values of constants that the command line gave: --set N=4.
using Settings = std::map<std::string, std::int64_t>;

// A check, ready to run.
struct Model {
  std::shared_ptr<const lts::System> system;
  // What the object implements; null if nothing.  Label::value is what its
  // operations take and give.  Where an operation of the object returns
  // nothing, so does that of this specification, whatever was declared.
  spec::SpecificationPtr specification;
  // For each operation of the system: its index in the specification.
  std::vector<std::uint16_t> codes;
  bool has_marks = false;

  // "3 processes, values 1..2, any number of operations, at most 6 cells".
  std::string bounds;
};

// Throws InputError: a constant that is out of range, a setting that names no
// constant, an operation that the specification does not have, ...
Model compile(const Module& module, const Check& check,
              const Settings& settings);

}  // namespace plumb::lang
