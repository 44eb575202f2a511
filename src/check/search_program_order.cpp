// SPDX-License-Identifier: Apache-2.0
//
// Sequential consistency [Lamport79]: one order that keeps the order of each
// process.  A configuration is a position in each process and the state; each
// is visited once, so that the cost is at most the product of the lengths
// times the number of states [GibbonsKorach97: NP-complete in general].
// Operations are tried in the order in which they returned, since a history
// that is nearly linearizable is then explained almost without backtracking.
// What must come first in every explanation is waited for (ForcedOrder).
#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <utility>

#include "base/flat_table.h"
#include "check/forced_order.h"
#include "check/search.h"
#include "check/transitions.h"

namespace plumb::check {

namespace {

using history::History;
using history::Operation;

class ProgramOrderSearch {
 public:
  ProgramOrderSearch(const History& history, Transitions& transitions,
                     bool keep_real_time, const SearchOptions& options,
                     Budget& budget);

  Verdict run();

 private:
  // positions[p] operations of process p are behind us.
  using Positions = absl::InlinedVector<std::uint32_t, 8>;
  struct Configuration {
    StateId state = 0;
    Positions positions;

    friend bool operator==(const Configuration&,
                           const Configuration&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Configuration& at) {
      return H::combine(std::move(h), at.state, at.positions);
    }
  };
  struct Frame {
    Configuration at;
    std::size_t placed_before;
    std::vector<Configuration> left;            // to try, last first
    std::vector<std::uint32_t> left_operation;  // kSkipped: none was placed
  };
  static constexpr std::uint32_t kSkipped = UINT32_MAX;

  void arrive(Configuration at);
  void list_choices(Frame& frame);
  void place_what_changes_nothing(Configuration& at);
  bool at_end(const Configuration& at) const;
  bool may_end(const Configuration& at);
  bool eligible(const Configuration& at, std::size_t process) const;
  std::uint32_t head(const Configuration& at, std::size_t process) const {
    return chains_[process][at.positions[process]];
  }
  bool exhausted(const Configuration& at, std::size_t process) const {
    return at.positions[process] == chains_[process].size();
  }

  const History& history_;
  Transitions& transitions_;
  const SearchOptions& options_;
  Budget& budget_;
  bool keep_real_time_;

  std::vector<std::vector<std::uint32_t>> chains_;  // operations by process
  std::vector<LabelId> labels_;                     // by operation

  std::vector<Frame> stack_;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> longest_;
  FlatSet<Configuration> visited_;
  bool explained_ = false;
  // It would be if calls of one process could take effect in any order.
  bool is_doubtful_ = false;
  std::uint64_t steps_ = 0;
};

ProgramOrderSearch::ProgramOrderSearch(const History& history,
                                       Transitions& transitions,
                                       bool keep_real_time,
                                       const SearchOptions& options,
                                       Budget& budget)
    : history_(history),
      transitions_(transitions),
      options_(options),
      budget_(budget),
      keep_real_time_(keep_real_time),
      chains_(history.processes.size()) {
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (o.process >= chains_.size()) chains_.resize(o.process + 1);
    chains_[o.process].push_back(i);
    labels_.push_back(transitions.label(o.call(), o.observed()));
  }
}

Verdict ProgramOrderSearch::run() {
  Verdict verdict;
  arrive({.state = transitions_.initial(),
          .positions = Positions(chains_.size(), 0)});
  while (!explained_ && !stack_.empty()) {
    if (budget_.spent()) {
      verdict.reason = budget_.describe_limit();
      verdict.steps = steps_;
      return verdict;
    }
    Frame& frame = stack_.back();
    order_.resize(frame.placed_before);
    if (frame.left.empty()) {
      stack_.pop_back();
      continue;
    }
    Configuration next = std::move(frame.left.back());
    const std::uint32_t placed = frame.left_operation.back();
    frame.left.pop_back();
    frame.left_operation.pop_back();
    if (placed != kSkipped) order_.push_back(placed);
    arrive(std::move(next));
  }
  verdict.steps = steps_;
  if (explained_) {
    verdict.answer = Answer::kHolds;
    if (options_.want_order) verdict.order = std::move(order_);
    return verdict;
  }
  if (is_doubtful_) {
    verdict.reason =
        "a process went on after calls that never returned, and several of "
        "these may have to take effect between operations that follow";
    return verdict;
  }
  verdict.answer = Answer::kViolated;
  for (std::uint32_t i = 0; i < history_.size(); ++i) {
    if (history_.operations[i].certain()) verdict.core.push_back(i);
  }
  if (options_.want_longest) verdict.order = std::move(longest_);
  return verdict;
}

void ProgramOrderSearch::arrive(Configuration at) {
  ++steps_;
  place_what_changes_nothing(at);
  if (options_.want_longest && order_.size() > longest_.size()) {
    longest_ = order_;
  }
  explained_ = at_end(at) && may_end(at);
  if (explained_ || !visited_.insert(at).second) return;
  Frame frame{.at = std::move(at),
              .placed_before = order_.size(),
              .left = {},
              .left_operation = {}};
  list_choices(frame);
  stack_.push_back(std::move(frame));
}

// Of what has not returned, the next of each process may still take effect.
// LIMIT: what a process did after that may, too, but in this order: where only
// any order is known to do, nothing is.
bool ProgramOrderSearch::may_end(const Configuration& at) {
  std::vector<LabelId> next, all;
  for (std::size_t p = 0; p < chains_.size(); ++p) {
    if (!exhausted(at, p)) next.push_back(labels_[head(at, p)]);
    for (std::size_t i = at.positions[p]; i < chains_[p].size(); ++i) {
      all.push_back(labels_[chains_[p][i]]);
    }
  }
  if (transitions_.may_end(at.state, next)) return true;
  is_doubtful_ |=
      all.size() > next.size() && transitions_.may_end(at.state, all);
  return false;
}

// Is everything behind us that returned?
bool ProgramOrderSearch::at_end(const Configuration& at) const {
  for (std::size_t p = 0; p < chains_.size(); ++p) {
    for (std::size_t i = at.positions[p]; i < chains_[p].size(); ++i) {
      if (history_.operations[chains_[p][i]].certain()) return false;
    }
  }
  return true;
}

// Must nothing that is still ahead precede the next operation of `process`?
bool ProgramOrderSearch::eligible(const Configuration& at,
                                  std::size_t process) const {
  if (options_.forced != nullptr) {
    const auto required = options_.forced->required(head(at, process));
    for (std::size_t p = 0; p < chains_.size(); ++p) {
      if (at.positions[p] < required[p]) return false;
    }
  }
  if (!keep_real_time_) return true;
  const Operation& next = history_.operations[head(at, process)];
  for (std::size_t p = 0; p < chains_.size(); ++p) {
    if (exhausted(at, p)) continue;
    if (precedes(history_.operations[head(at, p)], next)) return false;
  }
  return true;
}

void ProgramOrderSearch::place_what_changes_nothing(Configuration& at) {
  bool moved = true;
  while (moved) {
    moved = false;
    for (std::size_t p = 0; p < chains_.size(); ++p) {
      while (!exhausted(at, p) && eligible(at, p)) {
        const std::uint32_t i = head(at, p);
        if (!history_.operations[i].certain()) break;
        if (!transitions_.changes_nothing(labels_[i]) ||
            transitions_.next(at.state, labels_[i]).empty()) {
          break;
        }
        order_.push_back(i);
        ++at.positions[p];
        moved = true;
      }
    }
  }
}

void ProgramOrderSearch::list_choices(Frame& frame) {
  const Configuration& at = frame.at;
  absl::InlinedVector<std::size_t, 8> processes;
  for (std::size_t p = 0; p < chains_.size(); ++p) {
    if (!exhausted(at, p) && eligible(at, p)) processes.push_back(p);
  }
  // Last first: what returned earliest is tried first, the pending ones last.
  std::sort(processes.begin(), processes.end(),
            [&](std::size_t a, std::size_t b) {
              const Operation& x = history_.operations[head(at, a)];
              const Operation& y = history_.operations[head(at, b)];
              return std::pair(x.returned, x.invoked) >
                     std::pair(y.returned, y.invoked);
            });
  for (const std::size_t p : processes) {
    const std::uint32_t i = head(at, p);
    if (!history_.operations[i].certain()) {
      Configuration skipped = at;
      ++skipped.positions[p];
      frame.left.push_back(std::move(skipped));
      frame.left_operation.push_back(kSkipped);
    }
    for (const StateId state : transitions_.next(at.state, labels_[i])) {
      Configuration next = at;
      next.state = state;
      ++next.positions[p];
      frame.left.push_back(std::move(next));
      frame.left_operation.push_back(i);
    }
  }
}

}  // namespace

Verdict search_program_order(const History& history,
                             const spec::Specification& object,
                             bool keep_real_time, const SearchOptions& options,
                             Budget& budget) {
  Transitions transitions(object);
  return ProgramOrderSearch(history, transitions, keep_real_time, options,
                            budget)
      .run();
}

}  // namespace plumb::check
