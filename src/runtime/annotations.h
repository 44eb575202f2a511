// SPDX-License-Identifier: Apache-2.0
// What code says about its own data races (AnnotateIgnoreReadsBegin and kin).
#pragma once

#include <cstdint>

namespace plumb::runtime {

// Has anything been said in this execution?
extern bool is_annotated __attribute__((visibility("hidden")));
// Is a race of this access none?  Then it is an event.
bool is_race_allowed(std::uintptr_t address, std::uint32_t size, bool writes);
void forget_annotations();  // an execution begins

}  // namespace plumb::runtime
