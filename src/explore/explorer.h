// SPDX-License-Identifier: Apache-2.0
// All states that a system can reach, and how.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "explore/expander.h"
#include "explore/expansion.h"
#include "explore/side_table.h"
#include "explore/state_store.h"
#include "lts/path.h"
#include "lts/system.h"

namespace plumb::explore {

struct SearchOptions {
  // Last found, first expanded: reaches deep states early, on long paths.
  bool depth_first = false;
  std::uint64_t state_limit = 0;  // 0: none
  // Several threads expand states breadth-first only.  Ids, paths and all that
  // a visitor is told do not depend on them.
  ExpanderOptions expander = {};
};

enum class SearchEnd : std::uint8_t {
  kComplete,   // all reachable states were expanded
  kStopped,    // the visitor had seen enough
  kTruncated,  // a limit was reached; see why_truncated()
};

// What a search tells while it runs; a visitor hides the functions that it
// wants.  They are called directly, not through a table, and end the search
// by returning false.
struct Visitor {
  // The state `from` was expanded; its transitions follow, in order.
  bool on_state(StateId /*from*/, const lts::Successors&) { return true; }
  // A transition that is no fault.  `is_new`: this search had not seen the
  // state `to` before.
  bool on_transition(StateId /*from*/, const lts::Label&, StateId /*to*/,
                     bool /*is_new*/) {
    return true;
  }
  // A fault, which nothing follows: `after` is not among the states.
  bool on_fault(StateId /*from*/, const lts::Label&, lts::StateView /*after*/) {
    return true;
  }
};

// Breadth-first, ids are in order of depth, and the path to each state is a
// shortest one.
class Explorer {
 public:
  Explorer(const lts::System& system, const SearchOptions& options,
           Budget& budget);

  // Expands each reachable state once.  Call it once only.
  template <typename V>
  SearchEnd run(V&& visitor);
  SearchEnd run() { return run(Visitor()); }

  const lts::System& system() const { return system_; }
  // Ids are below it.
  std::size_t states() const { return store_.size(); }
  lts::StateView state(StateId id) const { return store_[id]; }
  // Its id, or kNoState.
  StateId find(lts::StateView state) const { return store_.find(state); }
  std::uint64_t transitions() const { return transitions_; }
  bool complete() const { return end_ == SearchEnd::kComplete; }
  std::uint64_t faults() const { return faults_; }
  // Breadth-first: how far the farthest state expanded is from the initial
  // one.  Depth-first: 0.
  std::uint64_t depth() const { return depth_; }
  // Bounds that kept a step from being taken, as in Successors::cut.
  std::uint64_t cut() const { return cut_; }
  // Transitions that reductions left out.
  std::uint64_t left_out() const { return left_out_; }
  // "the time limit of 5 s was reached", as a clause.
  std::string why_truncated() const;
  // Memory held: states and parents.
  std::size_t bytes() const { return store_.bytes() + parents_.bytes(); }
  // Of a state, on average.
  double bytes_of_state() const {
    return static_cast<double>(store_.state_bytes()) /
           static_cast<double>(std::max<std::size_t>(store_.size(), 1));
  }

  // The way by which `state` was found.
  lts::Path path_to(StateId state) const;

 private:
  // Several states are kept whose successors are known but not yet looked up,
  // so that what the look-ups need comes from memory in the meantime.
  static constexpr std::size_t kAhead = 16;
  static constexpr std::size_t kMatchAhead = 6;

  template <typename V>
  SearchEnd breadth_first(V& visitor);
  template <typename V>
  SearchEnd depth_first(V& visitor);
  // Returns false if the search is to end; then end_ says why.
  template <typename V>
  bool look_up(Expansion& expanded, V& visitor);

  void expand(StateId state, Expansion& out) {
    expander_.expand(state, store_, out);
    for (const std::uint64_t hash : out.hashes) store_.prefetch(hash);
  }
  // Hands out states that are expanded soon.
  void look_ahead(std::uint64_t expanded) {
    ahead_ = std::max(ahead_, expanded);
    if (!expander_.wants(store_.size() - ahead_, 0)) return;
    const std::uint64_t end =
        std::min<std::uint64_t>(store_.size(), ahead_ + expander_.room());
    for (; ahead_ < end; ++ahead_) {
      expander_.hand_out(static_cast<StateId>(ahead_), store_, 0);
    }
    expander_.begin();
  }
  void prefetch_matches(const Expansion& expanded) const {
    for (const std::uint64_t hash : expanded.hashes) {
      store_.prefetch_match(hash);
    }
  }
  bool add_initial();
  bool end(SearchEnd why) {
    end_ = why;
    return false;
  }
  // Notes the depth of the states that are expanded from now on.
  void count_level(std::uint64_t expanded) {
    if (expanded < level_end_) return;
    level_end_ = store_.size();
    ++depth_;
  }

  const lts::System& system_;
  const SearchOptions options_;
  Budget& budget_;
  StateStore store_;
  SideTable<StateId> parents_;
  std::vector<StateId> to_expand_;  // depth-first only
  std::vector<Expansion> ring_;
  Expander expander_;
  std::uint64_t ahead_ = 0;  // states below were handed out or expanded
  std::uint64_t transitions_ = 0, faults_ = 0, depth_ = 0, cut_ = 0;
  std::uint64_t left_out_ = 0;
  std::uint64_t level_end_ = 1;
  SearchEnd end_ = SearchEnd::kTruncated;
};

// What follows a breadth-first or depth-first order is the same.
template <typename V>
bool Explorer::look_up(Expansion& expanded, V& visitor) {
  const std::size_t before = store_.size();
  const lts::Successors& out = expanded.successors;
  cut_ |= out.cut;
  left_out_ += out.left_out;
  transitions_ += out.size();
  if (!visitor.on_state(expanded.state, out)) return end(SearchEnd::kStopped);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const lts::Label& label = out.label(i);
    if (label.kind == lts::LabelKind::kFault) {
      ++faults_;
      if (!visitor.on_fault(expanded.state, label, out.state(i))) {
        return end(SearchEnd::kStopped);
      }
      continue;
    }
    StateStore::Inserted found{expanded.target(i), false};
    if (found.id == kNoState) {
      found = store_.insert(out.state(i), expanded.hashes[i]);
      if (found.id == kNoState) return end(SearchEnd::kTruncated);
      expanded.set_target(i, found.id);
    }
    const auto [to, is_new] = found;
    if (is_new) {
      if (!parents_.push_back(expanded.state)) {
        return end(SearchEnd::kTruncated);
      }
      if (options_.depth_first) to_expand_.push_back(to);
    }
    if (!visitor.on_transition(expanded.state, label, to, is_new)) {
      return end(SearchEnd::kStopped);
    }
  }
  expander_.finish(expanded, before, store_);
  return true;
}

// Ids are given in the order in which states are found, which is the order in
// which they are expanded: the store is the queue.
template <typename V>
SearchEnd Explorer::breadth_first(V& visitor) {
  ring_.resize(kAhead);
  std::uint64_t expanded = 0, matched = 0, done = 0;
  while (true) {
    look_ahead(expanded);
    const std::size_t most = expander_.is_replaying() ? 1 : kAhead;
    while (expanded < store_.size() && expanded - done < most) {
      if (budget_.spent()) return end_;
      expand(static_cast<StateId>(expanded), ring_[expanded % kAhead]);
      ++expanded;
    }
    if (done == expanded) return end_ = SearchEnd::kComplete;
    while (matched < std::min(expanded, done + kMatchAhead)) {
      prefetch_matches(ring_[matched++ % kAhead]);
    }
    count_level(done);
    if (!look_up(ring_[done % kAhead], visitor)) return end_;
    ++done;
  }
}

template <typename V>
SearchEnd Explorer::depth_first(V& visitor) {
  ring_.resize(1);
  to_expand_ = {0};
  while (!to_expand_.empty()) {
    if (budget_.spent()) return end_;
    const StateId next = to_expand_.back();
    to_expand_.pop_back();
    expand(next, ring_[0]);
    prefetch_matches(ring_[0]);
    if (!look_up(ring_[0], visitor)) return end_;
  }
  return end_ = SearchEnd::kComplete;
}

template <typename V>
SearchEnd Explorer::run(V&& visitor) {
  if (!add_initial()) return end_;
  return options_.depth_first ? depth_first(visitor) : breadth_first(visitor);
}

}  // namespace plumb::explore
