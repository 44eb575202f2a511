// SPDX-License-Identifier: Apache-2.0
// What all searches of plain states have in common.
#pragma once

#include <optional>
#include <utility>

#include "explore/explorer.h"
#include "lts/path.h"
#include "verify/outcome.h"

namespace plumb::verify {

// Ends a search at the first fault, and passes all else on to `Inner`.
template <typename Inner>
class StopAtFault : public explore::Visitor {
 public:
  explicit StopAtFault(Inner& inner) : inner_(inner) {}

  bool on_state(explore::StateId from, const lts::Successors& out) {
    return inner_.on_state(from, out);
  }
  bool on_transition(explore::StateId from, const lts::Label& label,
                     explore::StateId to, bool is_new) {
    return inner_.on_transition(from, label, to, is_new);
  }
  bool on_fault(explore::StateId from, const lts::Label& label,
                lts::StateView after) {
    from_ = from;
    label_ = label;
    after_.assign(after.begin(), after.end());
    return false;
  }

  bool found_fault() const { return from_ != explore::kNoState; }
  // The run that ends with the fault.  Requires: found_fault().
  lts::Path path(const explore::Explorer& explorer) const {
    lts::Path path = explorer.path_to(from_);
    path.labels.push_back(label_);
    path.states.push_back(after_);
    return path;
  }

 private:
  Inner& inner_;
  explore::StateId from_ = explore::kNoState;
  lts::Label label_;
  lts::StateBytes after_;
};

// A violation by a fault; aborts if `path` is not a run of the system.
void report_fault(const lts::System& system, lts::Path path, Outcome& outcome);

// The figures of a search that held `more_bytes` beside the explorer's.
void fill_statistics(const explore::Explorer& explorer, std::size_t more_bytes,
                     double seconds, Outcome& outcome);

// Names the bounds that cut the search.
void fill_bounds(const explore::Explorer& explorer, Outcome& outcome);

// The answer when nothing bad was found: holds only if all was explored but
// what lies beyond the user's own bounds.
void conclude(const explore::Explorer& explorer, Outcome& outcome);

}  // namespace plumb::verify
