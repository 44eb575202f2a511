// SPDX-License-Identifier: Apache-2.0
// Which numbers arithmetic can give.
#include <algorithm>
#include <cstdlib>

#include "lang/layout.h"

namespace plumb::lang {
namespace {

constexpr std::int64_t kSmallestInt = -INT32_MAX;
constexpr std::int64_t kLargestInt = INT32_MAX;

Range range_of(std::int64_t low, std::int64_t high) {
  return {
      static_cast<std::int32_t>(std::clamp(low, kSmallestInt, kLargestInt)),
      static_cast<std::int32_t>(std::clamp(high, kSmallestInt, kLargestInt)),
      false};
}

Range product(const Range& x, const Range& y) {
  const std::int64_t corners[] = {
      std::int64_t{x.low} * y.low, std::int64_t{x.low} * y.high,
      std::int64_t{x.high} * y.low, std::int64_t{x.high} * y.high};
  return range_of(*std::min_element(std::begin(corners), std::end(corners)),
                  *std::max_element(std::begin(corners), std::end(corners)));
}

Range remainder(const Range& x, const Range& y) {
  const std::int64_t most =
      std::max(std::abs(std::int64_t{y.low}), std::abs(std::int64_t{y.high}));
  const std::int64_t high = std::max<std::int64_t>(most - 1, 0);
  return range_of(x.low < 0 ? -high : 0, x.high > 0 ? high : 0);
}

Range quotient(const Range& x) {
  const std::int64_t most =
      std::max(std::abs(std::int64_t{x.low}), std::abs(std::int64_t{x.high}));
  return range_of(x.low >= 0 ? 0 : -most, most);
}

}  // namespace

Range result_range(Operator op, const Range& x, const Range& y) {
  switch (op) {
    case Operator::kAdd:
      return range_of(std::int64_t{x.low} + y.low,
                      std::int64_t{x.high} + y.high);
    case Operator::kSubtract:
      return range_of(std::int64_t{x.low} - y.high,
                      std::int64_t{x.high} - y.low);
    case Operator::kMultiply:
      return product(x, y);
    case Operator::kDivide:
      // A negative divisor may turn the sign.
      return y.low > 0 ? quotient(x)
                       : range_of(-quotient(x).high, quotient(x).high);
    default:
      return remainder(x, y);
  }
}

}  // namespace plumb::lang
