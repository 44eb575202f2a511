// SPDX-License-Identifier: Apache-2.0
// Arrays of which each process uses its own element only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "csp/ast.h"

namespace plumb::csp {

// For each definition that uses the array, directly or through others: the
// slot of the parameter that is the index.
struct Owners {
  std::map<std::uint32_t, std::int64_t> slots;
};

// None unless for certain each element is used by one sequential process:
// all uses are a[i] with a parameter i that is passed on unchanged from where
// the processes are put side by side, which is one place in the model; no
// assertion reads the array.
std::optional<Owners> owners_of(const Module& module, std::int64_t variable);

}  // namespace plumb::csp
