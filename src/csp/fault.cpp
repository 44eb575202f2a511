// SPDX-License-Identifier: Apache-2.0
// Words for what goes wrong when a model runs.
#include "csp/fault.h"

namespace plumb::csp {

std::string_view words(FaultKind kind) {
  switch (kind) {
    case FaultKind::kIndex:
      return "index out of bounds";
    case FaultKind::kRange:
      return "value outside of the variable's range";
    case FaultKind::kDivision:
      return "division by zero";
    case FaultKind::kOverflow:
      return "number too large for 32 bits";
    case FaultKind::kLoop:
      return "loop without an end in sight";
    case FaultKind::kType:
      return "value of the wrong kind";
    case FaultKind::kEmpty:
      return "nothing there to take or look at";
    case FaultKind::kKey:
      return "no such key";
    case FaultKind::kMemory:
      return "out of memory";
    case FaultKind::kArgument:
      return "argument that the method cannot take";
  }
  return "";
}

std::string RuntimeFault::message() const {
  std::string message(words(kind));
  if (!detail.empty()) message += ": " + detail;
  return message;
}

}  // namespace plumb::csp
