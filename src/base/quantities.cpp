// SPDX-License-Identifier: Apache-2.0
#include "base/quantities.h"

#include <fmt/format.h>

#include <cstdlib>
#include <initializer_list>
#include <utility>

#include "base/input_error.h"

namespace plumb {

namespace {

struct Quantity {
  double number;
  std::string unit;
};

Quantity parse_quantity(const std::string& text) {
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  return {end == text.c_str() ? -1 : number, end};
}

double factor_of(const std::string& unit,
                 std::initializer_list<std::pair<const char*, double>> units) {
  for (const auto& [name, factor] : units) {
    if (unit == name) return factor;
  }
  return -1;
}

constexpr double kLargest = 1e15;  // more is a slip, and would overflow

}  // namespace

double parse_seconds(const std::string& text) {
  const auto [number, unit] = parse_quantity(text);
  const double factor = factor_of(
      unit,
      {{"", 1}, {"s", 1}, {"ms", 1e-3}, {"m", 60}, {"min", 60}, {"h", 3600}});
  if (!(number >= 0 && number < kLargest) || factor < 0) {
    throw InputError(fmt::format("'{}' is no time", text),
                     "write 60s, 5m, 1h or 500ms");
  }
  return number * factor;
}

std::size_t parse_bytes(const std::string& text) {
  const auto [number, unit] = parse_quantity(text);
  const double factor = factor_of(unit, {{"", 1},
                                         {"K", 1 << 10},
                                         {"M", 1 << 20},
                                         {"G", 1 << 30},
                                         {"T", 1099511627776.0}});
  if (!(number >= 0 && number < kLargest) || factor < 0 ||
      number * factor > 1e18) {
    throw InputError(fmt::format("'{}' is no amount of memory", text),
                     "write 4G, 500M or a number of bytes");
  }
  return static_cast<std::size_t>(number * factor);
}

}  // namespace plumb
