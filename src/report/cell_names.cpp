// SPDX-License-Identifier: Apache-2.0
#include "report/cell_names.h"

#include <cctype>

namespace plumb::report {

namespace {

// Larger than any number of cells; what is larger is no name of a cell.
constexpr std::size_t kMostCells = 1 << 16;

}  // namespace

std::uint32_t CellNames::name_of(std::size_t number) {
  while (names_.size() < number) names_.push_back(++last_);
  return names_[number - 1];
}

std::string CellNames::translated(const std::string& text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    out += text[at];
    if (text[at++] != '#') continue;
    std::size_t number = 0;
    const std::size_t begin = at;
    while (at < text.size() && number < kMostCells &&
           std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      number = number * 10 + static_cast<std::size_t>(text[at++] - '0');
    }
    out += number == 0 || number >= kMostCells
               ? text.substr(begin, at - begin)
               : std::to_string(name_of(number));
  }
  return out;
}

std::vector<lts::Variable> CellNames::translated(
    std::vector<lts::Variable> variables) {
  for (lts::Variable& variable : variables) {
    variable.name = translated(variable.name);
    variable.value = translated(variable.value);
  }
  return variables;
}

void CellNames::step(const lts::StepText& text) {
  if (!text.names) return;
  std::vector<std::uint32_t> after;
  for (const std::uint32_t number : *text.names) {
    after.push_back(number == 0 ? 0 : name_of(number));
  }
  names_ = std::move(after);
}

}  // namespace plumb::report
