// SPDX-License-Identifier: Apache-2.0
// Specifications by what the user wrote, also those of a file.
#pragma once

#include <string>
#include <string_view>

#include "spec/specification.h"

namespace plumb::lang {

// Does it name a file: "bank.plumb", "bank.plumb:bank", "bank.plumb:bank(3)"?
bool names_file(std::string_view text);

// A built-in object, which may hold something from the beginning (register(0),
// queue[1, 2], map{"x": 0}); or a `spec` of a file, for histories: numbers have
// 64 bits, capacities are no bounds, a `value` is anything that a history has.
// The name of the specification may be left out if the file has only one.  A
// path that is relative is looked for in `folder` first, if that is given.
//
// Throws InputError; so do apply() and step() if the specification itself goes
// wrong.
spec::SpecificationPtr open_specification(std::string_view text,
                                          const std::string& folder = "");

// The file of such a specification; "" if it names none.
std::string specification_file(std::string_view text,
                               const std::string& folder = "");

}  // namespace plumb::lang
