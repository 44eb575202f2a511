// SPDX-License-Identifier: Apache-2.0
// States of a CSP# process that differ only in the names of indices.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "csp/symmetry_plan.h"
#include "csp/valuation.h"
#include "lts/symmetry.h"
#include "lts/system.h"

namespace plumb::csp {

// Renaming::processes renames the names of the plan, set by set.  A renamed
// state has the components of ||| and [*] in the order of their bytes: what
// stands there in another order takes the same steps.
class NameSymmetry final : public lts::Symmetry {
 public:
  explicit NameSymmetry(SymmetryPlan plan);

  lts::Canonical canonicalize(lts::StateBytes& state) const override;
  lts::StateBytes rename(lts::StateView state,
                         const lts::Renaming& renaming) const override;
  std::span<const Value> values() const override { return {}; }
  double order() const override;

  const SymmetryPlan& plan() const { return plan_; }
  // The text of an event, "push.0.3" or "c[1]!2", by other names.
  std::string renamed(std::string_view event, lts::Permutation names) const;
  // Gives smaller names to those that events of a run show first.
  lts::Permutation by_first_use(std::span<const lts::Label> labels) const;
  // Does no renaming change the event?
  bool keeps(std::string_view event) const;
  // How many states are renamings of this one, if all renamings that leave it
  // as it is are made of exchanges that do, or of turns of one ring; else more
  // than there are.
  double orbit(lts::StateView state) const;

 private:
  using Names = std::array<std::uint8_t, lts::Permutation::kMost>;
  struct Scratch;

  Scratch& scratch() const;
  void rename_values(lts::Permutation names, const Valuation& from,
                     Valuation& to) const;
  void rename_channels(lts::Permutation names, const Valuation& from,
                       Valuation& to) const;
  // Of the state that the scratch holds.
  void write(lts::Permutation names, Scratch& work, lts::StateBytes& out) const;
  void sort_by_colours(Scratch& work, Names& order) const;
  // Puts names with equal colours in the order that gives the least state.
  void break_ties(Scratch& work, Names& order, lts::StateBytes& best) const;
  struct Group {
    std::size_t begin = 0;            // in the order of names
    std::vector<std::uint8_t> kinds;  // see twins()
    std::vector<std::uint8_t> names;
    const NameSet* ring = nullptr;    // then:
    std::vector<std::size_t> starts;  // which of its names can come first
  };
  std::vector<Group> groups(Scratch& work, const Names& order) const;
  // Of a ring: those with which its colours are least.
  static std::vector<std::size_t> starts(const Scratch& work,
                                         const NameSet& ring);
  static bool is_open(const Group& group);
  static bool for_each_order(std::span<const Group> groups, Names& order,
                             std::size_t& tries,
                             const std::function<void()>& use);
  std::vector<std::uint8_t> twins(Scratch& work, const Names& order,
                                  std::size_t begin, std::size_t end) const;

  SymmetryPlan plan_;
  std::uint64_t id_;
  bool has_channels_ = false;
  std::vector<std::uint8_t> set_of_name_;
};

// The name that a permutation gives; values outside of the set stay.
Datum renamed(const Datum& datum, SetNumber set, const SymmetryPlan& plan,
              lts::Permutation names);

}  // namespace plumb::csp
