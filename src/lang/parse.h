// SPDX-License-Identifier: Apache-2.0
// From the text of a model to a tree with types.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/input_error.h"
#include "lang/ast.h"

namespace plumb::lang {

// What came of reading a model.  With errors, in the order of their places,
// the tree must not be compiled.
struct Reading {
  std::unique_ptr<Module> module;
  std::vector<InputError> errors;  // at most kMostErrors
};

inline constexpr std::size_t kMostErrors = 20;

// Parses, resolves names and checks types.  Throws nothing.
Reading read_model(std::string name, std::string text);

// A check that no line of the model has: what would stand between `check` and
// `;` of one.  `name` is what its text is called in messages.  The objects that
// it speaks of are those of `module`, which must last.  Throws InputError.
// Requires: the model was read without errors.
Check read_check(const Module& module, std::string name,
                 const std::string& text);

// The check in one line, without `check` and without what it expects;
// `property`, if it is not empty, stands in place of its own.
std::string text_of(const Check& check, const std::string& property = "");

// The same model in the house layout, comments kept.  Only its tokens are
// looked at, so a model with type errors can be formatted; throws InputError
// if it does not parse.
std::string format_model(const std::string& name, const std::string& text);

}  // namespace plumb::lang
