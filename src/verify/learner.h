// SPDX-License-Identifier: Apache-2.0
// Finds linearization points by learning from runs that fail.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "lts/path.h"
#include "lts/system.h"
#include "spec/specification.h"
#include "verify/candidates.h"
#include "verify/configurations.h"
#include "verify/policy.h"

namespace plumb::verify {

// A guess, and a search that either confirms it or gives a run that it does
// not explain, in turns [SolarLezamaEtAl06].  The next guess explains all runs
// so far with as few points as possible: it begins with every step of every
// call as a possible point, and leaves out the unlikely ones as long as all
// runs are still explained.  That costs next to nothing, as runs are short.
// The search stops early where the guess is wrong, so that all guesses
// together cost little more than the last one.
class Learner {
 public:
  static constexpr std::uint64_t kMoves = 1'500'000;  // about a second
  struct Limits {
    std::uint64_t transitions = 1'000'000;  // of all searches together
    std::uint64_t transitions_each = 300'000;
    std::size_t searches = 100;
  };
  enum class End : std::uint8_t {
    kPassed,    // the policy explains the system, as far as it was explored
    kNone,      // no policy was found
    kViolated,  // the system is wrong: a fault, or a history that is
  };

  // All must last.  `moves`: how many steps of runs may be tried in all.
  Learner(SpecificationGraph& graph, const spec::Specification& object,
          Budget& budget, std::uint64_t moves = kMoves);

  const Policy& policy() const { return policy_; }
  Configurations& configurations(std::size_t processes);
  // The next guess is this one.
  void adopt(Policy policy) { policy_ = std::move(policy); }

  // Looks for a policy that explains `system`, beginning with the present one.
  // `reduced`: the same with fewer states and steps, or the same.
  End learn(const lts::System& system, const lts::System& reduced,
            const Limits& limits);
  // The present policy fails on this run of `system`, whose calls have an
  // order: guesses again.  Returns false if no policy explains all runs.
  bool learn_from(const lts::System& system, const lts::Path& path);

 private:
  bool explains(const Policy& policy);
  bool explains(const Policy& policy, const Run& run);
  bool is_spent() { return moves_left_ == 0 || budget_.spent(); }
  void leave_out(std::vector<Candidate>& points);
  Policy with_certain_points(const std::vector<Candidate>& points);

  SpecificationGraph& graph_;
  const spec::Specification& object_;
  Budget& budget_;
  std::map<std::size_t, std::unique_ptr<Configurations>> configurations_;
  Policy policy_;
  std::vector<Run> runs_;                // those that failed
  std::vector<std::size_t> last_first_;  // runs_ by when they failed last
  std::uint64_t moves_left_;
};

}  // namespace plumb::verify
