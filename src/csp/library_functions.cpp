// SPDX-License-Identifier: Apache-2.0
// PAT's static functions: arrays and arithmetic.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>

#include "csp/library_parts.h"

namespace plumb::csp {

namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();

std::span<const Datum> array_of(const Datum& argument) {
  if (!argument.is_array()) {
    throw RuntimeFault{FaultKind::kType,
                       argument.text() + " where an array is needed"};
  }
  return argument.items();
}

Datum array_length(Arguments arguments) {
  return Datum::integer(
      static_cast<std::int32_t>(array_of(arguments[0]).size()));
}

Datum is_array_empty(Arguments arguments) {
  return Datum::boolean(array_of(arguments[0]).empty());
}

template <typename Better>
Datum best_of(Arguments arguments, Better better) {
  const auto items = array_of(arguments[0]);
  if (items.empty()) {
    throw RuntimeFault{FaultKind::kEmpty, "the array has no elements"};
  }
  std::int32_t best = number_of(items[0]);
  for (const Datum& item : items) best = better(best, number_of(item));
  return Datum::integer(best);
}

Datum array_max(Arguments arguments) {
  return best_of(arguments, [](auto a, auto b) { return std::max(a, b); });
}

Datum array_min(Arguments arguments) {
  return best_of(arguments, [](auto a, auto b) { return std::min(a, b); });
}

// C# converts a real number that is too large to one that nobody would want.
Datum narrow(std::int64_t number) {
  if (number < kLeast || number > kMost) {
    throw RuntimeFault{FaultKind::kOverflow, ""};
  }
  return Datum::integer(static_cast<std::int32_t>(number));
}

// The quotient of a negative power is cut off: 0, but for 1 and -1.
Datum negative_power(std::int32_t base, std::int32_t exponent) {
  if (base == 0) {
    throw RuntimeFault{FaultKind::kDivision, "0 to a negative power"};
  }
  if (base == 1) return Datum::integer(1);
  if (base == -1) return Datum::integer(exponent % 2 == 0 ? 1 : -1);
  return Datum::integer(0);
}

Datum power(Arguments arguments) {
  const std::int32_t base = number_of(arguments[0]);
  const std::int32_t exponent = number_of(arguments[1]);
  if (exponent < 0) return negative_power(base, exponent);
  if (base >= -1 && base <= 1) {
    if (exponent == 0) return Datum::integer(1);
    return Datum::integer(exponent % 2 == 0 ? base * base : base);
  }
  std::int64_t result = 1;
  for (std::int32_t i = 0; i < exponent; ++i) {
    result = narrow(result * base).number();
  }
  return narrow(result);
}

Datum square_root(Arguments arguments) {
  const std::int64_t number = number_of(arguments[0]);
  if (number < 0) {
    throw RuntimeFault{FaultKind::kArgument,
                       "the root of " + std::to_string(number)};
  }
  std::int64_t low = 0, high = 46'341;  // its square is beyond 32 bits
  while (high - low > 1) {
    const std::int64_t middle = (low + high) / 2;
    (middle * middle <= number ? low : high) = middle;
  }
  return narrow(low);
}

Datum absolute(Arguments arguments) {
  const std::int64_t number = number_of(arguments[0]);
  return narrow(number < 0 ? -number : number);
}

Datum maximum(Arguments arguments) {
  return Datum::integer(
      std::max(number_of(arguments[0]), number_of(arguments[1])));
}

Datum minimum(Arguments arguments) {
  return Datum::integer(
      std::min(number_of(arguments[0]), number_of(arguments[1])));
}

constexpr StaticInfo kArrayFunctions[] = {
    {"ArrayLength", "PAT.Lib.Array", 1, array_length},
    {"IsArrayEmpty", "PAT.Lib.Array", 1, is_array_empty},
    {"ArrayMax", "PAT.Lib.Array", 1, array_max},
    {"ArrayMin", "PAT.Lib.Array", 1, array_min},
    {"amax", "PAT.Lib.Example", 1, array_max},
};

// All on whole numbers: Sqrt gives the whole part.
constexpr StaticInfo kMathFunctions[] = {
    {"Pow", "PAT.Math", 2, power},    {"Sqrt", "PAT.Math", 1, square_root},
    {"Abs", "PAT.Math", 1, absolute}, {"Max", "PAT.Math", 2, maximum},
    {"Min", "PAT.Math", 2, minimum},
};

}  // namespace

std::span<const StaticInfo> array_functions() {
  return kArrayFunctions;
}
std::span<const StaticInfo> math_functions() {
  return kMathFunctions;
}

}  // namespace plumb::csp
