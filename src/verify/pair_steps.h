// SPDX-License-Identifier: Apache-2.0
// The transitions of a pair (state, set of configurations), for one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "explore/shared_store.h"
#include "explore/tagging.h"
#include "explore/watch.h"
#include "lts/symmetry.h"
#include "lts/system.h"
#include "verify/follower.h"
#include "verify/unfold.h"

namespace plumb::verify {

using explore::kBeyond;
using explore::kCutByTags;
using explore::kFailed;

// Takes one pair at a time; what it says is valid until the next one.
class PairSteps {
 public:
  enum class Result : std::uint8_t {
    kFine,
    kFound,  // what the watch looks for
    kEmpty,  // after some label the machine has no configuration left
    kFault,  // some label is a fault
  };
  // A label of a transition.
  struct Place {
    std::size_t transition = 0, label = 0;
  };

  struct Manner {
    const explore::Watch* watch = nullptr;  // null: nothing is looked for
    // Else states are taken as they come.
    bool uses_symmetry = true;
    // A fault is no failure: it is passed over, see has_fault().
    bool passes_faults = false;
    // A label without a configuration leaves the transitions before it.
    bool one_by_one = false;
  };

  // All must last.
  PairSteps(const lts::System& system, Follower& follower,
            const Manner& manner);

  // All transitions, unless one fails: see failure().
  Result expand(lts::StateView state, Tag set);
  const Place& failure() const { return failure_; }
  // Was a fault passed over?  The first one is the failure.
  bool has_fault() const { return has_fault_; }

  // In canonical form, if the system has symmetries.
  std::size_t size() const { return targets_.size(); }
  lts::StateView state(std::size_t i) const {
    return symmetry_ == nullptr ? successors_.state(i)
                                : lts::StateView(targets_[i].state);
  }
  Tag set(std::size_t i) const { return targets_[i].set; }
  // Else a bound of Tagging keeps it from being followed, or it is a fault, and
  // it has no hash and, in canonical form, no state.
  bool is_followed(std::size_t i) const { return targets_[i].set != kBeyond; }
  // Of state(i).
  std::uint64_t hash(std::size_t i) const { return targets_[i].hash; }
  // How many states of the system state(i) stands for.
  double orbit(std::size_t i) const;

  // Of the system, also if a transition fails.
  const lts::Successors& successors() const { return successors_; }
  // Successors::cut, and kCutByTags if some transition is not followed.
  std::uint64_t cut() const {
    return successors_.cut | (is_beyond_ ? kCutByTags : 0);
  }
  // Transition i, and the one that failed up to its failure, for unfold().
  FoldedStep folded(std::size_t i);
  // Transition i, but to the same set by other names; nothing if `set` is
  // another one.  Where numbers of configurations were given out in another
  // order, another set of those that differ in names was the canonical one.
  std::optional<FoldedStep> folded_to(std::size_t i, Tag set);
  FoldedStep failed() const;
  // Steps beyond the first of each transition.
  std::uint64_t joined() const { return joined_; }

  // The pair in canonical form.
  struct First {
    lts::StateBytes state;
    Tag set;
    lts::Renaming renaming;  // from the initial state of the system
  };
  First first();

 private:
  struct Target {
    Tag set;
    ClassId number;  // of the first label
    std::uint64_t hash = 0;
    lts::Canonical how;
    lts::StateBytes state;  // kept from pair to pair for its memory
  };
  // So that `targets_` keeps the memory of its states.
  class Targets {
   public:
    void clear() { size_ = 0; }
    Target& add() {
      if (size_ == all_.size()) all_.emplace_back();
      return all_[size_++];
    }
    void keep_first(std::size_t count) { size_ = count; }
    std::size_t size() const { return size_; }
    Target& operator[](std::size_t i) { return all_[i]; }
    const Target& operator[](std::size_t i) const { return all_[i]; }

   private:
    std::vector<Target> all_;
    std::size_t size_ = 0;
  };

  bool follow(std::size_t transition, Tag set);
  void canonicalize(std::size_t transition);

  const lts::System& system_;
  const lts::Symmetry* symmetry_;
  const Manner manner_;
  Tagging& moves_;
  Tag from_ = kFailed;  // the set of the pair
  Follower& follower_;
  lts::Successors successors_;
  Targets targets_;
  Place failure_;
  std::uint64_t joined_ = 0;
  bool is_beyond_ = false;
  bool has_fault_ = false;
};

}  // namespace plumb::verify
