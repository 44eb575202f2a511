// SPDX-License-Identifier: Apache-2.0
// From the text of a CSP# model to its tree.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/input_error.h"
#include "csp/ast.h"

namespace plumb::csp {

// The text of a file that a model includes, by the path that it is given
// there; none if it cannot be read.
using Loader =
    std::function<std::optional<std::string>(const std::string& path)>;

// What came of reading a model: with errors, in the order of their places,
// there is no module.
struct ReadResult {
  std::shared_ptr<const Module> module;
  std::vector<InputError> errors;  // at most kMostErrors
};

inline constexpr std::size_t kMostErrors = 20;

// Parses, includes, resolves names; Module::warnings has the traps that the
// model may have run into.  Throws nothing.  `loader` may be empty.
ReadResult read_module(std::string name, std::string text,
                       const Loader& loader);

}  // namespace plumb::csp
