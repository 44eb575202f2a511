// SPDX-License-Identifier: Apache-2.0
#include "verify/pair_search.h"

#include <fmt/format.h>

#include <algorithm>

#include "verify/words.h"

namespace plumb::verify {

using explore::StateStore;
using lts::LabelKind;

PairSearch::PairSearch(const lts::System& system, SetMoves& moves,
                       const SearchLimits& limits, Budget& budget)
    : system_(system),
      moves_(moves),
      limits_(limits),
      budget_(budget),
      store_(limits.states == 0 || limits.states > explore::kNoState
                 ? explore::kNoState
                 : static_cast<explore::StateId>(limits.states)) {}

PairSearch::End PairSearch::run() {
  const lts::StateBytes first = system_.initial();
  const auto [state, is_new] = store_.insert(first);
  if (state == explore::kNoState ||
      pairs_.add(state, moves_.initial(), kNoPair) == kNoPair) {
    return end_ = End::kLimit;
  }
  end_ = limits_.order == Options::Order::kBreadthFirst ? breadth_first()
                                                        : depth_first();
  // The last moves may have been cut short.
  const bool is_spent = budget_.limit() != Limit::kNone;
  if (end_ == End::kComplete && is_spent) end_ = End::kLimit;
  return end_;
}

PairSearch::End PairSearch::breadth_first() {
  next_level_ = 1;
  for (PairId pair = 0; pair < pairs_.size(); ++pair) {
    if (pair == next_level_) {
      ++depth_;
      next_level_ = static_cast<PairId>(pairs_.size());
    }
    if (!expand(pair)) return end_;
  }
  return End::kComplete;
}

PairSearch::End PairSearch::depth_first() {
  struct Entry {
    PairId pair;
    std::uint32_t depth;
  };
  next_level_ = kNoPair;
  std::vector<Entry> stack = {{0, 0}};
  while (!stack.empty()) {
    const Entry entry = stack.back();
    stack.pop_back();
    depth_ = std::max<std::uint64_t>(depth_, entry.depth);
    reached_.clear();
    if (!expand(entry.pair)) return end_;
    for (auto each = reached_.rbegin(); each != reached_.rend(); ++each) {
      stack.push_back({*each, entry.depth + 1});
    }
  }
  return End::kComplete;
}

// In stages, each for all transitions, so that what the next stage needs has
// come from memory by then.
bool PairSearch::expand(PairId pair) {
  if (budget_.spent()) return stop(End::kLimit);
  if (limits_.transitions != 0 && transitions_ >= limits_.transitions) {
    return stop(End::kTransitions);
  }
  system_.successors(store_[pairs_.state(pair)], successors_);
  cut_ |= successors_.cut;
  transitions_ += successors_.size();
  const bool is_first = pairs_.next(pair) == kNoPair;
  if (is_first) system_transitions_ += successors_.size();
  if (!follow(pair) || !insert()) return false;
  for (const Target& target : targets_) {
    if (!reach(pair, target)) return false;
  }
  return true;
}

bool PairSearch::follow(PairId pair) {
  const SetId set = pairs_.set(pair);
  targets_.clear();
  for (std::size_t i = 0; i < successors_.size(); ++i) {
    const lts::Label& label = successors_.label(i);
    if (label.kind == LabelKind::kFault) return fail_at(pair, i, End::kFault);
    const ClassId number = moves_.number(label);
    moves_.prefetch(set, number);
    const std::uint64_t hash = StateStore::hash(successors_.state(i));
    store_.prefetch(hash);
    targets_.push_back({set, number, hash, {}});
  }
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    Target& target = targets_[i];
    target.set = moves_.after(set, successors_.label(i), target.number);
    if (target.set == kEmptySet) return fail_at(pair, i, End::kEmpty);
  }
  return true;
}

bool PairSearch::insert() {
  for (const Target& target : targets_) store_.prefetch_match(target.hash);
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    Target& target = targets_[i];
    target.inserted = store_.insert(successors_.state(i), target.hash);
    if (target.inserted.id == explore::kNoState) return stop(End::kLimit);
    if (!target.inserted.is_new) pairs_.prefetch(target.inserted.id);
  }
  return true;
}

bool PairSearch::reach(PairId from, const Target& target) {
  if (!target.inserted.is_new && is_known(from, target)) return true;
  const PairId pair = pairs_.add(target.inserted.id, target.set, from);
  if (pair == kNoPair) return stop(End::kLimit);
  if (limits_.order == Options::Order::kDepthFirst) reached_.push_back(pair);
  return true;
}

// Is there a pair of that state already that makes a new one needless?
bool PairSearch::is_known(PairId from, const Target& target) {
  for (PairId pair = pairs_.first(target.inserted.id); pair != kNoPair;
       pair = pairs_.next(pair)) {
    const SetId set = pairs_.set(pair);
    if (moves_.is_harder(set, target.set)) return true;
    if (pair >= next_level_ && moves_.is_harder(target.set, set)) {
      pairs_.replace(pair, target.set, from);
      return true;
    }
  }
  return false;
}

lts::Path PairSearch::path() const {
  std::vector<PairId> chain;
  for (PairId pair = failed_; pair != kNoPair; pair = pairs_.parent(pair)) {
    chain.push_back(pair);
  }
  std::ranges::reverse(chain);
  lts::Path path;
  lts::Successors successors;
  path.states.push_back(system_.initial());
  for (std::size_t i = 0; i < chain.size(); ++i) {
    system_.successors(path.states.back(), successors);
    const std::size_t step =
        i + 1 < chain.size() ? step_between(chain[i], chain[i + 1], successors)
                             : failed_step_;
    const lts::StateView next = successors.state(step);
    path.labels.push_back(successors.label(step));
    path.states.emplace_back(next.begin(), next.end());
  }
  return path;
}

// Which of the transitions of `from` leads to `to`?  There is one.
std::size_t PairSearch::step_between(PairId from, PairId to,
                                     lts::Successors& successors) const {
  const lts::StateView state = store_[pairs_.state(to)];
  for (std::size_t i = 0; i < successors.size(); ++i) {
    if (std::ranges::equal(successors.state(i), state) &&
        moves_.after(pairs_.set(from), successors.label(i)) == pairs_.set(to)) {
      return i;
    }
  }
  fail("a step of the search cannot be found again");
}

std::string PairSearch::limit() const {
  const std::string reason =
      budget_.limit() != Limit::kNone ? budget_.describe_limit()
      : store_.full() && limits_.states != 0 && store_.size() == limits_.states
          ? "the limit of " + with_commas(limits_.states) +
                " states was reached"
      : store_.full() ? store_.why_full()
                      : "there is no more memory";
  return reason + " after " + with_commas(store_.size()) +
         (store_.size() == 1 ? " state" : " states");
}

void PairSearch::add_to(Statistics& statistics) const {
  statistics.states = store_.size();
  statistics.transitions = system_transitions_;
  statistics.pairs = pairs_.size();
  statistics.sets = moves_.sets().size() - 1;  // not the empty one
  statistics.specification_states = moves_.configurations().graph().size();
  statistics.depth = depth_;
  statistics.store_bytes = store_.bytes() + pairs_.bytes();
  statistics.state_bytes =
      store_.size() == 0 ? 0 : store_.state_bytes() / store_.size();
}

}  // namespace plumb::verify
