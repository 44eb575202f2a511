// SPDX-License-Identifier: Apache-2.0
// One pass over the states of a system, and what came of it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "base/budget.h"
#include "explore/explorer.h"
#include "lts/path.h"
#include "verify/outcome.h"
#include "verify/safe_search.h"

namespace plumb::assertions {

// A path ends in an error of the model: the answer is `unknown`.
void report_model_fault(const lts::System& system, lts::Path path,
                        verify::Outcome& outcome);

// Passes all on to `Inner`, and ends the search after the level of the first
// fault: a state of that level may have the answer, and is nearer than the
// fault.
template <typename Inner>
class FaultLast : public explore::Visitor {
 public:
  FaultLast(Inner& inner, const explore::Explorer& explorer, bool depth_first)
      : inner_(inner), explorer_(explorer), depth_first_(depth_first) {}

  bool on_state(explore::StateId from, const lts::Successors& out) {
    if (found() && explorer_.depth() > level_) return false;
    return inner_.on_state(from, out);
  }
  bool on_transition(explore::StateId from, const lts::Label& label,
                     explore::StateId to, bool is_new) {
    return inner_.on_transition(from, label, to, is_new);
  }
  bool on_fault(explore::StateId from, const lts::Label& label,
                lts::StateView after) {
    if (found()) return true;
    from_ = from;
    label_ = label;
    after_.assign(after.begin(), after.end());
    level_ = explorer_.depth();
    return !depth_first_;
  }

  bool found() const { return from_ != explore::kNoState; }
  // The run that ends with the fault.  Requires: found().
  lts::Path path() const {
    lts::Path path = explorer_.path_to(from_);
    path.labels.push_back(label_);
    path.states.push_back(after_);
    return path;
  }

 private:
  Inner& inner_;
  const explore::Explorer& explorer_;
  const bool depth_first_;
  explore::StateId from_ = explore::kNoState;
  lts::Label label_;
  lts::StateBytes after_;
  std::uint64_t level_ = 0;  // of the state that the fault is a step of
};

inline explore::ExpanderOptions expander_options(
    const verify::Options& options) {
  return {options.threads, options.states_alone, options.log};
}
inline explore::SearchOptions search_options(bool depth_first,
                                             const verify::Options& options) {
  return {depth_first, options.state_limit, expander_options(options)};
}

class Pass {
 public:
  Pass(const lts::System& system, bool depth_first,
       const verify::Options& options, Budget& budget)
      : system_(system),
        depth_first_(depth_first),
        explorer_(system, search_options(depth_first, options), budget) {}

  // A visitor that has its answer ends the search by itself.  Returns false if
  // there was a fault; then the outcome says so, until something else is
  // decided.
  template <typename V>
  bool run(V& visitor) {
    FaultLast<V> last(visitor, explorer_, depth_first_);
    explorer_.run(last);
    if (!last.found()) return true;
    report_model_fault(system_, last.path(), outcome_);
    decided_ = true;
    return false;
  }

  const lts::System& system() const { return system_; }
  const explore::Explorer& explorer() const { return explorer_; }
  verify::Outcome& outcome() { return outcome_; }
  // Both abort if the path is not a run of the system.
  void decide(check::Answer answer, std::string reason, lts::Path path);
  void decide(check::Answer answer, std::string reason, lts::Lasso lasso);
  // A clause that says why nothing is known.
  void give_up(std::string reason);
  // Without an answer so far, all is well if all was explored.
  verify::Outcome finish(std::size_t more_bytes, std::string method);

 private:
  const lts::System& system_;
  const bool depth_first_;
  const Budget::Clock::time_point start_ = Budget::Clock::now();
  explore::Explorer explorer_;
  verify::Outcome outcome_;
  bool decided_ = false;
};

}  // namespace plumb::assertions
