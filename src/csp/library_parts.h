// SPDX-License-Identifier: Apache-2.0
// The parts that csp/library.cpp puts together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "csp/datum.h"
#include "csp/fault.h"
#include "csp/library.h"

namespace plumb::csp {

using Arguments = std::span<const Datum>;

extern const ClassInfo kSetClass, kListClass, kQueueClass, kStackClass,
    kHashTableClass, kEntryListClass;
std::span<const StaticInfo> array_functions();
std::span<const StaticInfo> math_functions();

// What a method got, as it needs it; else RuntimeFault.
inline std::int32_t number_of(const Datum& argument) {
  if (!argument.is_plain()) {
    throw RuntimeFault{FaultKind::kType,
                       argument.text() + " where a number is needed"};
  }
  return argument.number();
}

inline const Datum::Contents& contents_of(const Datum& argument, ClassId id) {
  if (!argument.is_object() || argument.class_id() != id) {
    throw RuntimeFault{FaultKind::kType, argument.text() + " where a " +
                                             std::string(class_info(id).name) +
                                             " is needed"};
  }
  return argument.contents();
}

// Throws RuntimeFault if there is no such element among `size`.
std::size_t checked_index(std::int32_t index, std::size_t size);

inline Datum nothing() {
  return Datum();
}  // of methods that return nothing

}  // namespace plumb::csp
