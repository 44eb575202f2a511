// SPDX-License-Identifier: Apache-2.0
// Terms and values as far as names stand in them: renamed, and coloured.
#pragma once

#include <absl/container/inlined_vector.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "csp/symmetry_plan.h"
#include "csp/valuation.h"
#include "lts/symmetry.h"
#include "lts/system.h"

namespace plumb::csp {

// Writes terms by other names; see NameSymmetry.
class TermRenamer {
 public:
  // Requires: the plan outlives it.
  TermRenamer(const SymmetryPlan& plan, lts::Permutation names)
      : plan_(plan), names_(names) {}

  // Reads one term.
  void write(const std::uint8_t*& at, lts::StateBytes& out) const;

 private:
  struct Part {
    std::size_t begin = 0, end = 0;  // of `out`
    std::uint64_t count = 1;
  };
  using Parts = absl::InlinedVector<Part, 8>;

  void write_operands(const Node& frame, NodeId id, const std::uint8_t*& at,
                      lts::StateBytes& out) const;
  void write_parts(std::uint64_t count, const std::uint8_t*& at,
                   lts::StateBytes& out, Parts& parts) const;
  void write_copies(const std::uint8_t*& at, lts::StateBytes& out) const;
  // Where a component of an indexed || stands by its new names.
  std::size_t moved(const SymmetryPlan::ComponentsPlan& components,
                    std::size_t at) const;

  const SymmetryPlan& plan_;
  lts::Permutation names_;
};

// A number for each name that says where it stands in a state, the same in
// all renamings of the state.  Names with different colours are not exchanged
// by any renaming that leaves the state as it is.
class Colours {
 public:
  // Requires: it outlives this.
  explicit Colours(const SymmetryPlan& plan) : plan_(plan) {}

  void make(const Valuation& values, lts::StateView term);
  std::uint64_t operator[](std::size_t name) const { return colours_[name]; }

 private:
  using Numbers = std::array<std::uint64_t, lts::Permutation::kMost>;

  void look_at_variable(std::size_t variable, const Valuation& values);
  void look_at_channel(std::size_t channel, const Valuation& values);
  void look_at_term(const std::uint8_t*& at, std::uint64_t path);
  void look_at_operands(const Node& frame, NodeId id, const std::uint8_t*& at,
                        std::uint64_t path);
  // Returns a number for the node and its holes.
  std::uint64_t look_at_holes(const Node& node, NodeId id,
                              const std::uint8_t*& at, std::uint64_t path);
  int name_in(const Datum& datum, SetNumber set) const;
  // What a value is, whatever names are.
  std::uint64_t number_of(const Datum& datum, int name);
  std::size_t count_colours() const;

  const SymmetryPlan& plan_;
  Numbers colours_{}, sums_{};
  bool names_meet_ = false;
  lts::StateBytes bytes_;
};

}  // namespace plumb::csp
