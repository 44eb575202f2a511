// SPDX-License-Identifier: Apache-2.0
#include "report/explanation.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::report {

std::string longest_order_text(const history::History& history,
                               const spec::Specification& object,
                               const check::Explanation& why) {
  if (why.obstacles.empty()) return "";
  const auto name_of = [&](std::uint32_t i) {
    return check::describe(history.operations[i], object);
  };
  std::string out;
  if (why.order.empty()) {
    out += "\n  Nothing can come first";
  } else {
    out += "\n  This order explains the most of it:\n\n";
    for (const std::uint32_t i : why.order) {
      out += fmt::format("    {}\n", name_of(i));
    }
    out += "\n  Nothing can come next";
  }
  out += fmt::format(", with the {} at {}:\n\n", object.name(), why.state);
  std::size_t width = 0;
  for (const auto& obstacle : why.obstacles) {
    width = std::max(width, name_of(obstacle.operation).size());
  }
  for (const auto& obstacle : why.obstacles) {
    out += fmt::format("    {:<{}}   {}\n", name_of(obstacle.operation), width,
                       obstacle.reason);
  }
  return out;
}

}  // namespace plumb::report
