// SPDX-License-Identifier: Apache-2.0
// Which variables a piece of a CSP# model reads, and which it surely writes.
#include "csp/cells.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "csp/tree.h"

namespace plumb::csp {

namespace {

// Larger indices become "any element", so that an analysis ends.
constexpr std::size_t kLargestIndex = 12;

std::size_t size_of(const Expression& expression) {
  std::size_t size = 0;
  visit(expression, [&](const Expression&) { ++size; });
  return size;
}

ExprPtr number(std::int64_t value) {
  auto made = std::make_shared<Expression>();
  made->number = value;
  return made;
}

ExprPtr joined(Operator op, ExprPtr left, ExprPtr right) {
  if (left->kind == ExprKind::kInteger && right->kind == ExprKind::kInteger) {
    return number(op == Operator::kAdd ? left->number + right->number
                                       : left->number * right->number);
  }
  auto made = std::make_shared<Expression>();
  made->kind = ExprKind::kBinary;
  made->op = op;
  made->children = {std::move(left), std::move(right)};
  return made;
}

Cell scalar(std::int64_t variable) {
  const ExprPtr zero = number(0);
  return {static_cast<std::uint32_t>(variable), zero, key(*zero)};
}

}  // namespace

bool Cells::add(const Cell& cell) {
  auto& of_variable = cells_[cell.variable];
  if (of_variable.contains("")) return false;
  if (cell.index == nullptr || of_variable.size() >= kMostOfOne) {
    if (of_variable.contains(cell.text)) return false;
    of_variable.clear();
    of_variable.emplace("", nullptr);
    return true;
  }
  return of_variable.emplace(cell.text, cell.index).second;
}

bool Cells::add(const Cells& other) {
  bool more = false;
  other.for_each([&](const Cell& cell) { more |= add(cell); });
  return more;
}

void Cells::remove(const Cell& cell) {
  const auto found = cells_.find(cell.variable);
  if (found == cells_.end()) return;
  found->second.erase(cell.text);
  if (found->second.empty()) cells_.erase(found);
}

bool Cells::contains(const Cell& cell) const {
  const auto found = cells_.find(cell.variable);
  return found != cells_.end() && found->second.contains(cell.text);
}

void Cells::for_each(const std::function<void(const Cell&)>& use) const {
  for (const auto& [variable, indices] : cells_) {
    for (const auto& [text, index] : indices) use({variable, index, text});
  }
}

void Cells::keep_common(const Cells& other) {
  std::vector<Cell> gone;
  for_each([&](const Cell& cell) {
    if (!other.contains(cell)) gone.push_back(cell);
  });
  for (const Cell& cell : gone) remove(cell);
}

bool CellFinder::is_over_holes(const Expression& expression) const {
  bool is_closed = true;
  visit(expression, [&](const Expression& e) {
    is_closed &= e.kind == ExprKind::kInteger || e.kind == ExprKind::kBinary ||
                 e.kind == ExprKind::kUnary ||
                 (e.kind == ExprKind::kBound && e.number < holes_);
  });
  return is_closed;
}

// The element of a variable that has one dimension or several.
Cell CellFinder::cell_of(const Expression& element) const {
  const Expression& array = *element.children[0];
  Cell cell{static_cast<std::uint32_t>(array.number), nullptr, ""};
  const Variable& variable = module_.variables[cell.variable];
  // An array that was put where none is declared lies in one cell.
  if (variable.dimensions.empty()) return scalar(array.number);
  const std::size_t given = element.children.size() - 1;
  if (given != 1 && given != variable.dimensions.size()) return cell;
  ExprPtr index;
  for (std::size_t i = 0; i < given; ++i) {
    const ExprPtr& next = element.children[i + 1];
    if (!is_over_holes(*next)) return cell;
    if (index != nullptr) {
      index =
          joined(Operator::kMultiply, index, number(variable.dimensions[i]));
    }
    index = index == nullptr ? next : joined(Operator::kAdd, index, next);
  }
  if (index == nullptr || size_of(*index) > kLargestIndex) return cell;
  cell.text = key(*index);
  cell.index = std::move(index);
  return cell;
}

void CellFinder::read(const Cell& cell, Footprint& found) const {
  if (cell.index != nullptr && found.writes.contains(cell)) return;
  found.reads.add(cell);
}

void CellFinder::look(const Expression& e, Footprint& found) const {
  if (e.kind == ExprKind::kGlobal) {
    const auto number = static_cast<std::size_t>(e.number);
    const bool is_array = !module_.variables[number].dimensions.empty();
    read(is_array ? Cell{static_cast<std::uint32_t>(number), nullptr, ""}
                  : scalar(e.number),
         found);
    return;
  }
  if (e.kind == ExprKind::kAssign) {
    assign(e, found);
    return;
  }
  const bool is_element =
      e.kind == ExprKind::kElement && e.children[0]->kind == ExprKind::kGlobal;
  for (std::size_t i = is_element ? 1 : 0; i < e.children.size(); ++i) {
    if (e.children[i] == nullptr) continue;
    // It may not be evaluated at all, and in which order is not our business:
    // what it writes does not count.
    Footprint inside{{}, found.writes};
    look(*e.children[i], inside);
    found.reads.add(inside.reads);
  }
  if (is_element) read(cell_of(e), found);
  look(e.indices, found);
  if (e.block != nullptr) look(*e.block, found);
}

void CellFinder::look(const std::vector<Index>& indices,
                      Footprint& found) const {
  const auto read_only = [&](const ExprPtr& expression) {
    if (expression == nullptr) return;
    Footprint inside{{}, found.writes};
    look(*expression, inside);
    found.reads.add(inside.reads);
  };
  for (const Index& index : indices) {
    for (const ExprPtr& value : index.values) read_only(value);
    read_only(index.low);
    read_only(index.high);
  }
}

void CellFinder::assign(const Expression& e, Footprint& found) const {
  const Expression& place = *e.children[0];
  const bool is_element = place.kind == ExprKind::kElement &&
                          place.children[0]->kind == ExprKind::kGlobal;
  if (is_element) {
    for (std::size_t i = 1; i < place.children.size(); ++i) {
      look(*place.children[i], found);
    }
  } else if (place.kind != ExprKind::kGlobal) {
    look(place, found);  // a local, a field of an object
  }
  look(*e.children[1], found);
  if (is_element) {
    const Cell cell = cell_of(place);
    const bool is_array = !module_.variables[cell.variable].dimensions.empty();
    if (!is_array) {
      read(cell, found);
    } else if (cell.index != nullptr) {
      found.writes.add(cell);
    }
  } else if (place.kind == ExprKind::kGlobal &&
             module_.variables[static_cast<std::size_t>(place.number)]
                 .dimensions.empty()) {
    found.writes.add(scalar(place.number));
  }
}

void CellFinder::look(const Statement& s, Footprint& found) const {
  switch (s.kind) {
    case StatementKind::kBlock:
      for (const StatementPtr& child : s.children) look(*child, found);
      return;
    case StatementKind::kDeclare:
    case StatementKind::kExpression:
      if (s.expression != nullptr) look(*s.expression, found);
      return;
    case StatementKind::kIf: {
      look(*s.expression, found);
      Footprint then{{}, found.writes}, otherwise{{}, found.writes};
      look(*s.children[0], then);
      if (s.children.size() > 1) look(*s.children[1], otherwise);
      found.reads.add(then.reads);
      found.reads.add(otherwise.reads);
      then.writes.keep_common(otherwise.writes);
      found.writes = std::move(then.writes);
      return;
    }
    case StatementKind::kWhile: {
      look(*s.expression, found);
      Footprint once{{}, found.writes};
      for (const StatementPtr& child : s.children) look(*child, once);
      found.reads.add(once.reads);
      return;
    }
  }
}

namespace {

ExprPtr replaced(const ExprPtr& tree, const std::vector<ExprPtr>& holes,
                 bool& known) {
  if (tree->kind == ExprKind::kBound) {
    const ExprPtr& hole = holes[static_cast<std::size_t>(tree->number)];
    known &= hole != nullptr;
    return hole == nullptr ? tree : hole;
  }
  return with_children(*tree, [&](const ExprPtr& child) {
    return replaced(child, holes, known);
  });
}

}  // namespace

Cell substituted(const Cell& cell, const std::vector<ExprPtr>& holes) {
  if (cell.index == nullptr) return cell;
  bool known = true;
  const ExprPtr index = replaced(cell.index, holes, known);
  if (!known || size_of(*index) > kLargestIndex) {
    return {cell.variable, nullptr, ""};
  }
  return {cell.variable, index, key(*index)};
}

}  // namespace plumb::csp
