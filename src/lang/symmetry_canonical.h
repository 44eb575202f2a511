// SPDX-License-Identifier: Apache-2.0
// Canonical forms of the states of a compiled object.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "lang/symmetry_keys.h"
#include "lts/symmetry.h"

namespace plumb::lang {

// Processes and values are what [IpDill96] calls scalarsets.  Sorts processes
// by their keys and names values in the order in which they are found.  Where
// keys are equal and the processes are not twins, all arrangements of these are
// tried if they are few, and the least form wins.
class ProgramSymmetry final : public lts::Symmetry {
 public:
  // `groups`: for each process, a number; those with the same one are
  // interchangeable.
  ProgramSymmetry(SymmetryPlan plan, std::vector<std::uint8_t> groups);

  lts::Canonical canonicalize(lts::StateBytes& state) const override;
  lts::StateBytes rename(lts::StateView state,
                         const lts::Renaming& renaming) const override;
  std::span<const Value> values() const override { return values_; }
  double order() const override;

  const std::vector<std::uint8_t>& groups() const { return group_of_; }
  // Does every renaming leave this state as it is?
  bool keeps(lts::StateView state) const;
  // Which values occur in it, by their indexes.
  std::uint16_t values_in(lts::StateView state) const;

 private:
  static constexpr std::size_t kMost = lts::Permutation::kMost;

  // Processes in the order of their new names, group by group: place k, which
  // is called place_[k], gets process order[k].
  using Order = std::array<std::uint8_t, kMost>;
  struct Range {
    std::uint8_t begin, end;
  };
  struct Form {
    lts::StateBytes bytes;
    lts::Renaming renaming;
    std::uint8_t used_values = 0;
  };
  struct Work;  // of one thread

  void look_at_regions();
  // Can the bytes of frames be compared as they are?
  bool is_plain(lts::StateView state) const;
  lts::Canonical sort_plain(lts::StateBytes& state, Work& work) const;
  int compare_plain(lts::StateView state, std::size_t p, std::size_t q) const;
  template <typename Compare>
  lts::Canonical sort_plain_by(const Compare& compare, lts::StateBytes& state,
                               Work& work) const;
  template <typename Compare>
  bool sort(Order& order, const Compare& compare) const;
  lts::Permutation permutation(const Order& order) const;
  // Bit k: what is at places k and k + 1, in one group, is equal.
  template <typename Compare>
  std::uint16_t find_ties(const Order& order, const Compare& compare) const;
  // Bit p instead of bit k where places k and k + 1 are called p and p + 1.
  std::uint16_t twins_of(std::uint16_t ties) const;

  void make_form(lts::StateView state, const Order& order, Work& work,
                 Form& form) const;
  void break_ties(lts::StateView state, const Order& order, std::uint16_t ties,
                  Work& work) const;
  void try_arrangements(lts::StateView state, Order order, std::uint16_t ties,
                        Work& work) const;
  // Leaves of `ties` what is not more than that.
  std::uint16_t find_twins(std::uint16_t ties, Work& work) const;

  // In place.
  void apply(lts::StateBytes& state, const lts::Renaming& renaming,
             Work& work) const;
  void rename_parts(lts::StateBytes& state, const lts::Renaming& renaming,
                    Work& work) const;
  void move_frames(std::uint8_t* state, lts::Permutation processes,
                   Work& work) const;
  void name_values(const lts::StateBytes& state, Work& work, Form& form) const;
  template <typename See>
  void see_values(const lts::StateBytes& state, const Work& work, bool sorted,
                  const See& see) const;
  void find_structures(lts::StateView state, Work& work) const;

  SymmetryPlan plan_;
  std::vector<std::uint8_t> group_of_;  // for each process
  std::vector<Value> values_;
  std::vector<Range> groups_;  // of places, with two processes or more
  Order place_{};
  bool plain_ = true;  // only frames can have names
  bool cells_have_names_ = false;
  bool values_order_cells_ = false;
  bool values_are_sorted_ = false;  // there are sets or maps of them
  enum RestFlag : std::uint8_t { kHasNames = 1, kHasReferences = 2 };
  std::vector<std::uint8_t> rest_flags_;
};

}  // namespace plumb::lang
