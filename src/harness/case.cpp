// SPDX-License-Identifier: Apache-2.0
#include "harness/case.h"

#include <fmt/format.h>

namespace plumb::test {

Place Case::place() const {
  Place out;
  out.source = file.empty() ? fmt::format("test '{}'", name) : file;
  out.line = line > 0 ? static_cast<std::size_t>(line) : 0;
  return out;
}

void Case::complain(const std::string& what, const std::string& hint) {
  if (!error) error.emplace(place(), what, hint);
}

void Case::complain(const DeclaredOperation& of, const std::string& what,
                    const std::string& hint) {
  Place where = place();
  if (of.line > 0) {
    where.source = of.file;
    where.line = static_cast<std::size_t>(of.line);
  }
  if (!error) error.emplace(where, what, hint);
}

std::string Case::describe(int call) const {
  const DeclaredCall& one = calls[static_cast<std::size_t>(call)];
  std::string inner;
  if (one.argument) {
    inner = one.argument->to_string();
    // Several arguments are a list: cas(1, 2), not cas([1, 2]).
    if (one.argument->is_list() && inner.size() >= 2) {
      inner = inner.substr(1, inner.size() - 2);
    }
  }
  return fmt::format("{}({})",
                     operations[static_cast<std::size_t>(one.operation)].name,
                     inner);
}

}  // namespace plumb::test
