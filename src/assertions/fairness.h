// SPDX-License-Identifier: Apache-2.0
// Who is to be treated fairly, and whether a run does.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "assertions/assertions.h"
#include "assertions/names.h"
#include "base/flat_table.h"
#include "lts/path.h"
#include "lts/system.h"

namespace plumb::assertions {

constexpr bool is_weak(Fairness fairness) {
  return fairness == Fairness::kWeakEvent || fairness == Fairness::kWeakProcess;
}
constexpr bool is_strong(Fairness fairness) {
  return fairness == Fairness::kStrongEvent ||
         fairness == Fairness::kStrongProcess;
}
constexpr bool is_of_processes(Fairness fairness) {
  return fairness == Fairness::kWeakProcess ||
         fairness == Fairness::kStrongProcess;
}

// Processes or events, whichever the kind of fairness is about, as numbers:
// its parties.  A step is one of each party that takes part in it.
class Parties {
 public:
  Parties(const lts::System& system, Fairness fairness)
      : system_(system), fairness_(fairness) {}

  // Calls use(party) for each party of the step.
  template <typename F>
  void of(const lts::Label& label, F use) {
    if (is_of_processes(fairness_)) {
      for (auto actors = system_.actors(label); actors != 0;
           actors &= actors - 1) {
        const int party = std::countr_zero(actors);
        if (static_cast<std::size_t>(party) >= count_) {
          count_ = static_cast<std::size_t>(party) + 1;
        }
        use(static_cast<std::uint32_t>(party));
      }
    } else if (is_weak(fairness_) || is_strong(fairness_)) {
      use(event(label));
    }
  }
  // One more than the largest number so far.
  std::size_t count() const { return count_; }

 private:
  std::uint32_t event(const lts::Label& label);

  const lts::System& system_;
  const Fairness fairness_;
  FlatMap<lts::Label, std::uint32_t, LabelHash> events_;
  std::size_t count_ = 0;
};

// Looks at each step of the cycle anew.  Requires: the lasso is a run.
bool is_fair(const lts::Lasso& lasso, const lts::System& system,
             Fairness fairness);

}  // namespace plumb::assertions
