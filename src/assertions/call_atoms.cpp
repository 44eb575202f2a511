// SPDX-License-Identifier: Apache-2.0
#include "assertions/call_atoms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

namespace plumb::assertions {
namespace {

// Between the parentheses, at commas that are not inside a list or text.
std::vector<std::string> arguments_of(const std::string& atom) {
  std::vector<std::string> all(1);
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 4; i + 1 < atom.size(); ++i) {
    const char c = atom[i];
    if (c == '"') quoted = !quoted;
    if (!quoted && (c == '[' || c == '(')) ++depth;
    if (!quoted && (c == ']' || c == ')')) --depth;
    if (c == ',' && depth == 0 && !quoted) {
      all.emplace_back();
    } else {
      all.back() += c;
    }
  }
  return all;
}

std::optional<std::uint16_t> process_of(const std::string& text,
                                        std::size_t processes) {
  std::uint16_t number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || rest != end || number >= processes) {
    return std::nullopt;
  }
  return number;
}

// Formulas lose their white space when they are read.
std::string without_space(std::string text) {
  std::erase_if(text, [](unsigned char c) { return std::isspace(c) != 0; });
  return text;
}

}  // namespace

Proposition call_atom(const std::string& atom, const lts::System& system,
                      const Place& place) {
  const bool begins = atom.starts_with("inv(");
  if ((!begins && !atom.starts_with("res(")) || !atom.ends_with(')')) {
    throw InputError(place, fmt::format("'{}' is not an event", atom),
                     "write inv(read) or res(read)");
  }
  const std::vector<std::string> arguments = arguments_of(atom);
  const auto operations = system.operations();
  const auto is_operation = [&](const std::string& word) {
    return std::ranges::find(operations, word) != operations.end();
  };
  const auto name = std::ranges::find_if(arguments, is_operation);
  const auto before = name - arguments.begin();
  const auto after = arguments.end() - name - 1;
  if (name == arguments.end()) {
    const std::string& word = arguments[arguments.size() > 1 ? 1 : 0];
    const std::string near =
        nearest(word, {operations.begin(), operations.end()});
    throw InputError(
        place, fmt::format("'{}' names no operation of the model", atom),
        near.empty() ? "" : fmt::format("did you mean '{}'?", near));
  }
  std::optional<std::uint16_t> process;
  if (before == 1) process = process_of(arguments[0], system.processes());
  if (before > 1 || after > 1 || (before == 1 && !process)) {
    throw InputError(
        place, fmt::format("'{}' is no call", atom),
        fmt::format("a process from 0 to {} may stand before the operation, "
                    "one value after it",
                    system.processes() - 1));
  }
  const auto operation =
      std::ranges::find(operations, *name) - operations.begin();
  std::optional<std::string> value;
  if (after == 1) value = arguments.back();
  const auto kind = begins ? lts::LabelKind::kInvoke : lts::LabelKind::kReturn;
  return {nullptr, [=](const lts::Label& label) {
            return label.kind == kind && label.operation == operation &&
                   (!process || label.process == *process) &&
                   (!value || without_space(label.value.to_string()) == *value);
          }};
}

}  // namespace plumb::assertions
