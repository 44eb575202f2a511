// SPDX-License-Identifier: Apache-2.0
// The built-in objects by name.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "spec/specification.h"

namespace plumb::spec {

// What stands in parentheses after a name and before it: `blocking_queue(3)`.
struct Shape {
  std::optional<std::uint32_t> capacity;
  bool blocking = false;
};

struct Entry {
  std::string_view name;
  std::string_view summary;  // for `plumb specs`
  bool can_be_bounded;
  bool can_block;
  SpecificationPtr (*make)(const Shape&);
};

// All of them, in the order of the manual.
std::span<const Entry> catalogue();

// A specification by what the user wrote, taken apart.
struct Named {
  const Entry* entry;
  Shape shape;
};

// Throws InputError if there is no such object, with what may have been meant.
Named parse_name(std::string_view text);
SpecificationPtr make(std::string_view text);

}  // namespace plumb::spec
