// SPDX-License-Identifier: Apache-2.0
// Properties that single states have or have not.
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assertions/assertions.h"
#include "assertions/names.h"
#include "assertions/pass.h"
#include "explore/side_table.h"

namespace plumb::assertions {
namespace {

using check::Answer;
using explore::kNoState;
using explore::StateId;
using lts::Label;
using lts::LabelKind;

bool is_stuck(const lts::Successors& out) {
  return out.size() == 0 && out.cut == 0;
}

bool is_depth_first(const Options& options) {
  return options.order == Options::Order::kDepthFirst;
}

lts::Path path_over(const explore::Explorer& explorer, StateId from,
                    const Label& label, lts::StateView to) {
  lts::Path path = explorer.path_to(from);
  path.labels.push_back(label);
  path.states.emplace_back(to.begin(), to.end());
  return path;
}

// The end of a process and a deadlock may be the same state, reached in two
// ways.  Each state keeps whether it was reached other than by kTerminate; one
// that was first reached so, later otherwise, also the later way.
class DeadlockVisitor : public explore::Visitor {
 public:
  DeadlockVisitor(const explore::Explorer& explorer, bool termination_counts)
      : explorer_(explorer), termination_counts_(termination_counts) {}

  bool on_state(StateId from, const lts::Successors& out) {
    if (ends_.empty() && !ends_.push_back(kNot)) return false;
    // A stuck state of this level is nearer than what a step of it leads to.
    if (found() && explorer_.depth() > level_) return false;
    if (!is_stuck(out)) {
      if (ends_[from] == kMayBe) ends_[from] = kNot;
      return true;
    }
    if (ends_[from] == kMayBe) {
      ends_[from] = kEnd;
      return true;
    }
    stuck_ = from;
    return false;
  }
  bool on_transition(StateId from, const Label& label, StateId to,
                     bool is_new) {
    const bool terminates =
        label.kind == LabelKind::kTerminate && !termination_counts_;
    if (is_new) return ends_.push_back(terminates ? kMayBe : kNot);
    if (terminates || ends_[to] == kNot) return true;
    // Not expanded yet, or an end of which this is another way.
    const bool is_end = ends_[to] == kEnd;
    ends_[to] = kNot;
    other_ways_.try_emplace(to, from, label);
    if (is_end && !found()) {
      stuck_ = to;
      level_ = explorer_.depth();
    }
    return true;
  }

  bool found() const { return stuck_ != kNoState; }
  lts::Path path() const {
    const auto way = other_ways_.find(stuck_);
    if (way == other_ways_.end()) return explorer_.path_to(stuck_);
    const auto& [from, label] = way->second;
    return path_over(explorer_, from, label, explorer_.state(stuck_));
  }
  std::size_t bytes() const { return ends_.bytes(); }

 private:
  // kMayBe: reached by kTerminate only, not expanded yet.
  enum Ends : std::uint8_t { kNot, kMayBe, kEnd };

  const explore::Explorer& explorer_;
  const bool termination_counts_;
  explore::SideTable<Ends> ends_;
  absl::flat_hash_map<StateId, std::pair<StateId, Label>> other_ways_;
  StateId stuck_ = kNoState;
  std::uint64_t level_ = 0;  // of the state whose step leads there
};

Outcome look_for_stuck(const lts::System& system, bool termination_counts,
                       const Options& options, Budget& budget) {
  Pass pass(system, is_depth_first(options), options, budget);
  DeadlockVisitor visitor(pass.explorer(), termination_counts);
  pass.run(visitor);
  if (visitor.found()) {
    lts::Path path = visitor.path();
    const bool terminated =
        path.size() != 0 && path.labels.back().kind == LabelKind::kTerminate;
    pass.decide(Answer::kViolated,
                terminated ? "the process may terminate"
                           : "no step is possible in the last state",
                std::move(path));
  }
  return pass.finish(visitor.bytes(), "all states");
}

// Looks at the names of the steps of each state.
class NameVisitor : public explore::Visitor {
 public:
  bool on_state(StateId from, const lts::Successors& out) {
    steps_.clear();
    for (std::size_t i = 0; i < out.size(); ++i) {
      const Label& label = out.label(i);
      if (is_visible(label)) steps_.push_back({name_of(label), i});
    }
    for (std::size_t i = 1; i < steps_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (steps_[i].first != steps_[j].first) continue;
        if (std::ranges::equal(out.state(steps_[i].second),
                               out.state(steps_[j].second))) {
          continue;
        }
        from_ = from;
        label_ = out.label(steps_[j].second);
        const lts::StateView to = out.state(steps_[j].second);
        to_.assign(to.begin(), to.end());
        return false;
      }
    }
    return true;
  }

  bool found() const { return from_ != kNoState; }
  const Label& label() const { return label_; }
  lts::Path path(const explore::Explorer& explorer) const {
    return path_over(explorer, from_, label_, to_);
  }

 private:
  std::vector<std::pair<Label, std::size_t>> steps_;
  StateId from_ = kNoState;
  Label label_;
  lts::StateBytes to_;
};

// Finds the first state that satisfies a predicate, or the best one of all.
class ReachVisitor : public explore::Visitor {
 public:
  ReachVisitor(const explore::Explorer& explorer,
               const StatePredicate& predicate,
               const std::optional<Extreme>& extreme)
      : explorer_(explorer), predicate_(predicate), extreme_(extreme) {}

  bool on_state(StateId from, const lts::Successors&) {
    return from != 0 || look(0);
  }
  bool on_transition(StateId, const Label&, StateId to, bool is_new) {
    return !is_new || look(to);
  }
  StateId found() const { return found_; }
  std::int64_t best() const { return best_; }

 private:
  bool look(StateId state) {
    const lts::StateView bytes = explorer_.state(state);
    if (!predicate_(bytes)) return true;
    if (!extreme_) {
      found_ = state;
      return false;
    }
    const std::int64_t value = extreme_->measure(bytes);
    const bool better = found_ == kNoState ||
                        (extreme_->greatest ? value > best_ : value < best_);
    if (better) {
      found_ = state;
      best_ = value;
    }
    return true;
  }

  const explore::Explorer& explorer_;
  const StatePredicate& predicate_;
  const std::optional<Extreme>& extreme_;
  StateId found_ = kNoState;
  std::int64_t best_ = 0;
};

}  // namespace

Outcome deadlock_free(const lts::System& system, const Options& options,
                      Budget& budget) {
  return look_for_stuck(system, false, options, budget);
}

Outcome nonterminating(const lts::System& system, const Options& options,
                       Budget& budget) {
  return look_for_stuck(system, true, options, budget);
}

Outcome deterministic(const lts::System& system, const Options& options,
                      Budget& budget) {
  Pass pass(system, is_depth_first(options), options, budget);
  NameVisitor visitor;
  pass.run(visitor);
  if (visitor.found()) {
    pass.decide(Answer::kViolated, "", visitor.path(pass.explorer()));
    pass.outcome().failure = {verify::EventFailure::Kind::kAmbiguous,
                              {name_of(visitor.label())}};
  }
  return pass.finish(0, "all states");
}

Outcome reaches(const lts::System& system, const StatePredicate& predicate,
                const std::optional<Extreme>& extreme, const Options& options,
                Budget& budget) {
  Pass pass(system, is_depth_first(options), options, budget);
  ReachVisitor visitor(pass.explorer(), predicate, extreme);
  const bool no_fault = pass.run(visitor);
  const bool found = visitor.found() != kNoState;
  if (found && !extreme) {
    pass.decide(Answer::kHolds, "", pass.explorer().path_to(visitor.found()));
  }
  Outcome outcome = pass.finish(0, "all states");
  if (found && extreme) {
    const bool is_all = outcome.answer == Answer::kHolds;
    outcome.details.push_back(fmt::format(
        "the {} value {} {}", extreme->greatest ? "greatest" : "least",
        is_all ? "is" : "so far is", visitor.best()));
    if (no_fault) outcome.path = pass.explorer().path_to(visitor.found());
  } else if (!found && outcome.answer == Answer::kHolds) {
    outcome.answer = Answer::kViolated;
    outcome.reason = "no reachable state satisfies the condition";
  }
  return outcome;
}

}  // namespace plumb::assertions
