// SPDX-License-Identifier: Apache-2.0
// Which variables a piece of a CSP# model reads, and which it surely writes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "csp/ast.h"

namespace plumb::csp {

// One element of a variable: the index is an expression over holes, null if it
// may be any element, or all of them.
struct Cell {
  std::uint32_t variable = 0;
  ExprPtr index;
  std::string text;  // of the index: equal for equal ones
};

// Cells, few for each variable: many become "any element".  (Of cells that
// are surely written, "any element" means that nothing is known.)
class Cells {
 public:
  static constexpr std::size_t kMostOfOne = 8;

  // Returns whether there is more now.
  bool add(const Cell& cell);
  bool add(const Cells& other);
  void remove(const Cell& cell);
  bool contains(const Cell& cell) const;
  const std::map<std::uint32_t, std::map<std::string, ExprPtr>>& all() const {
    return cells_;
  }
  void for_each(const std::function<void(const Cell&)>& use) const;
  void keep_common(const Cells& other);

 private:
  // By variable, and by the text of the index; "" stands for any element.
  std::map<std::uint32_t, std::map<std::string, ExprPtr>> cells_;
};

// Reads before writes, and what is written in any case.
struct Footprint {
  Cells reads, writes;
};

// Finds cells in trees whose bound slots are holes.
class CellFinder {
 public:
  // Slots from `holes` on are no holes: nothing is known of them.
  CellFinder(const Module& module, std::uint32_t holes)
      : module_(module), holes_(holes) {}

  void look(const Expression& expression, Footprint& found) const;
  // Of a block: its programs in order.
  void look(const Statement& statement, Footprint& found) const;
  // Of a kElement of a kGlobal.
  Cell cell_of(const Expression& element) const;
  // Has it the same value as long as the holes have?
  bool is_over_holes(const Expression& expression) const;

 private:
  void look(const std::vector<Index>& indices, Footprint& found) const;
  void read(const Cell& cell, Footprint& found) const;
  void assign(const Expression& assignment, Footprint& found) const;

  const Module& module_;
  std::uint32_t holes_;
};

// The cell with other expressions for its holes; any element if one of them is
// null, or if it becomes too large.
Cell substituted(const Cell& cell, const std::vector<ExprPtr>& holes);

}  // namespace plumb::csp
