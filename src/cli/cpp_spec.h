// SPDX-License-Identifier: Apache-2.0
// Specifications written in C++ (plumb/spec.h): built, and asked as a process.
#pragma once

#include <string>
#include <string_view>

#include "spec/specification.h"

namespace plumb::cli {

// Does it name a file in C++?
bool names_cpp_spec(std::string_view text);

// Throws InputError if the file cannot be built, or specifies nothing.
spec::SpecificationPtr open_cpp_spec(const std::string& file);

}  // namespace plumb::cli
