// SPDX-License-Identifier: Apache-2.0
// From a tree to what can be explored: one system for each check.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/value.h"
#include "lang/ast.h"
#include "lts/abstraction.h"
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
  // Operations of the specification that take something out, where those of
  // the object do not say what.
  std::vector<std::uint16_t> silent_takes;
  bool has_marks = false;
  // For each operation of the specification: the arguments that clients may
  // pass, {null} if it takes none; nothing if no client may call it.  (Without
  // a specification: for each operation of the system.)
  std::vector<std::vector<Value>> arguments;
  // What the object's `relation` says; null if it has none.
  std::shared_ptr<const lts::Abstraction> abstraction;
  // At most this many operations in a busy period; 0: any number.
  std::uint32_t busy = 0;

  // "3 processes, values 1..2, any number of operations, at most 6 cells".
  std::string bounds;
};

// `processes`: so many instead of those of the check.  Throws InputError: a
// constant that is out of range, a setting that names no constant, an operation
// that the specification does not have, ...
Model compile(const Module& module, const Check& check,
              const Settings& settings,
              std::optional<std::size_t> processes = std::nullopt);

}  // namespace plumb::lang
