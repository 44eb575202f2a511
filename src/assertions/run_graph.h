// SPDX-License-Identifier: Apache-2.0
// The graph of a system, with what a formula sees of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "assertions/atoms.h"
#include "assertions/names.h"
#include "assertions/pass.h"
#include "explore/rows.h"
#include "explore/side_table.h"
#include "explore/watch.h"
#include "ltl/formula.h"
#include "verify/shared_numbers.h"

namespace plumb::assertions {

// What a search writes down for it: of each transition the number of its
// label, and where a run stays for ever.
class RunSteps final : public explore::Watch {
 public:
  static constexpr std::uint32_t kStays = 0;  // as a number

  std::optional<std::uint32_t> kept(const lts::Label& label) const override {
    return numbers_.number({label}) + 1;
  }
  std::optional<std::uint32_t> stays(
      const lts::Successors& out) const override {
    const bool is_stuck = out.size() == 0 && out.cut == 0;
    return is_stuck ? std::optional<std::uint32_t>(kStays) : std::nullopt;
  }
  // By number, less one.  Not during a search.
  std::vector<lts::Label> labels() const;

 private:
  struct Key {
    lts::Label label;

    std::size_t hash() const { return LabelHash()(label); }
    friend bool operator==(const Key&, const Key&) = default;
  };

  mutable verify::SharedNumbers<Key> numbers_;
};

// LIMIT: 2^32 - 2 transitions; beyond that it counts as out of memory.
class RunGraph {
 public:
  using StateId = explore::StateId;

  explicit RunGraph(const Atoms& atoms) : atoms_(atoms) {}

  // Of all that was expanded so far.  Returns false if there is no more room.
  bool build(const Pass& pass, const explore::Rows& rows,
             const RunSteps& steps);

  bool is_stuck(StateId state) const { return stuck_[state]; }
  std::uint64_t row_begin(StateId state) const { return starts_[state]; }
  std::uint64_t row_end(StateId state) const { return starts_[state + 1]; }
  StateId target(std::uint64_t step) const { return steps_[step].target; }
  const lts::Label& label(std::uint64_t step) const {
    return labels_[steps_[step].number];
  }
  ltl::Letter letter(StateId state) const { return letters_[state]; }
  // Of a step's target, just after that step.
  ltl::Letter letter_after(std::uint64_t step) const {
    return letters_[steps_[step].target] | step_letters_[steps_[step].number];
  }
  std::size_t bytes() const {
    return starts_.bytes() + steps_.bytes() + letters_.bytes() + stuck_.bytes();
  }

 private:
  bool add_row(StateId state, const explore::Rows& rows);

  const Atoms& atoms_;
  explore::SideTable<std::uint64_t> starts_;       // by state, and the end
  explore::SideTable<explore::Rows::Step> steps_;  // with numbers of labels
  explore::SideTable<ltl::Letter> letters_;        // by state
  explore::SideTable<bool> stuck_;                 // by state
  std::vector<lts::Label> labels_;
  std::vector<ltl::Letter> step_letters_;  // by label
};

}  // namespace plumb::assertions
