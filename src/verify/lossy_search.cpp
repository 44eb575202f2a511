// SPDX-License-Identifier: Apache-2.0
#include "verify/lossy_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "explore/bit_table.h"
#include "explore/fingerprint_table.h"
#include "explore/shared_store.h"
#include "verify/words.h"

namespace plumb::verify {

using explore::FingerprintSet;

namespace {

// A permutation of all words that leaves no pattern: the end of splitmix64.
std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
  word = (word ^ word >> 27) * 0x94D049BB133111EB;
  return word ^ word >> 31;
}

std::unique_ptr<FingerprintSet> make(const LossyTable& table) {
  if (table.kind == Options::Store::kBitstate) {
    return std::make_unique<explore::BitTable>(table.bytes);
  }
  return std::make_unique<explore::FingerprintTable>(table.bits);
}

}  // namespace

LossySearch::LossySearch(const lts::System& system, const lts::System& reduced,
                         Tagging& moves, const SearchLimits& limits,
                         Budget& budget, const LossyTable& table)
    : system_(system),
      reduced_(reduced),
      moves_(moves),
      limits_(limits),
      budget_(budget),
      salt_(mixed(table.salt + 0x9E3779B97F4A7C15)),
      known_(make(table)),
      follower_(moves),
      steps_(reduced, follower_, limits.manner()) {
  if (symmetry() != nullptr) moves.set_values(symmetry()->values());
}

// States with different hashes differ here for each set, and a state differs
// here for different sets.
std::uint64_t LossySearch::fingerprint(std::uint64_t hash, Tag set) const {
  return mixed(hash ^ mixed(salt_ + set));
}

LossySearch::End LossySearch::run() {
  if (!start()) return end_;
  while (!queue_.empty()) {
    if (expanded_ == next_level_ && !next_level()) return end_;
    if (!expand()) return end_;
    ++expanded_;
  }
  if (is_last_) return end_;
  // The last moves may have been cut short.
  const bool is_spent = budget_.limit() != Limit::kNone;
  return end_ = is_spent ? End::kLimit : End::kComplete;
}

bool LossySearch::next_level() {
  if (is_last_) return false;
  omission_ += known_->known_share();
  ++depth_;
  next_level_ = reached_;
  return true;
}

bool LossySearch::note(std::uint64_t pair, End end) {
  failed_at_ = pair;
  return stop(end);
}

bool LossySearch::start() {
  const PairSteps::First first = steps_.first();
  const std::uint64_t hash = explore::SharedStore::hash(first.state);
  const auto answer = known_->insert(fingerprint(hash, first.set));
  if (answer == FingerprintSet::Answer::kFull || !log_.add({0, 0})) {
    return stop(End::kLimit);
  }
  represented_ = 1;
  if (limits_.watch != nullptr &&
      limits_.watch->is_goal(first.state, first.set)) {
    return note(0, End::kFound);
  }
  return keep(first.state, first.set);
}

// In stages, each for all transitions, so that what the next stage needs has
// come from memory by then.
bool LossySearch::expand() {
  if (budget_.spent()) return stop(End::kLimit);
  if (limits_.transitions != 0 && transitions_ >= limits_.transitions) {
    return stop(End::kTransitions);
  }
  const explore::StateQueue::Entry pair = queue_.pop();
  const auto result = steps_.expand(pair.state, pair.tag);
  const lts::Successors& successors = steps_.successors();
  cut_ |= steps_.cut();
  transitions_ += successors.size();
  left_out_ += successors.left_out;
  joined_ += steps_.joined();
  if (result != PairSteps::Result::kFine) {
    if (result != PairSteps::Result::kFound) failed_ = steps_.failed();
    note(expanded_, end_of(result));
    // What the watch looks for may be in another pair of the level, and nearer.
    is_last_ = result == PairSteps::Result::kEmpty && limits_.faults_last &&
               limits_.watch != nullptr;
    return is_last_;
  }
  if (steps_.has_fault() && !is_last_) {
    is_last_ = true;
    failed_ = steps_.failed();
    note(expanded_, End::kFault);
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    known_->prefetch(fingerprint(steps_.hash(i), steps_.set(i)));
  }
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (steps_.is_followed(i) && !reach(i)) return false;
  }
  return true;
}

bool LossySearch::reach(std::size_t transition) {
  const Tag set = steps_.set(transition);
  switch (known_->insert(fingerprint(steps_.hash(transition), set))) {
    case FingerprintSet::Answer::kKnown:
      return true;
    case FingerprintSet::Answer::kFull:
      return stop(End::kLimit);
    case FingerprintSet::Answer::kNew:
      break;
  }
  is_full_ = limits_.states != 0 && reached_ == limits_.states;
  if (is_full_ || !log_.add({expanded_, transition})) return stop(End::kLimit);
  represented_ += steps_.orbit(transition);
  if (!keep(steps_.state(transition), set)) return false;
  return limits_.watch == nullptr ||
         !limits_.watch->is_goal(steps_.state(transition), set) ||
         note(reached_ - 1, End::kFound);
}

bool LossySearch::keep(lts::StateView state, Tag set) {
  if (!queue_.push(state, set)) return stop(End::kLimit);
  state_bytes_ += state.size();
  ++reached_;
  return true;
}

double LossySearch::omission() const {
  return std::min(1.0, omission_ + known_->known_share());
}

std::string LossySearch::meaning() const {
  const double probability = omission();
  if (probability >= 1) {
    return "no violation found, but the table was too small to say how likely "
           "it is that one was overlooked";
  }
  return "no violation found; one was overlooked with a probability of at "
         "most " +
         rounded_up(probability);
}

lts::Path LossySearch::path() const {
  // What was found is shown, even if the time is over: see ExactMoves.
  const Budget spent = std::exchange(budget_, Budget::deaf());
  std::vector<std::uint64_t> taken;
  for (std::uint64_t pair = failed_at_; pair != 0;) {
    const explore::ParentLog::Entry entry = log_[pair];
    taken.push_back(entry.transition);
    pair = entry.parent;
  }
  std::ranges::reverse(taken);
  PairSteps::Manner manner = limits_.manner();
  manner.watch = nullptr;
  PairSteps steps(reduced_, follower_, manner);
  const PairSteps::First first = steps.first();
  lts::StateBytes state = first.state;
  Tag set = first.set;
  std::vector<FoldedStep> folded;
  for (const std::uint64_t transition : taken) {
    if (steps.expand(state, set) != PairSteps::Result::kFine ||
        transition >= steps.size()) {
      fail("a transition of the search cannot be taken again");
    }
    folded.push_back(steps.folded(transition));
    const lts::StateView next = steps.state(transition);
    state.assign(next.begin(), next.end());
    set = steps.set(transition);
  }
  if (end_ != End::kFound) folded.push_back(failed_);
  budget_ = spent;
  return unfold(system_, symmetry(), first.renaming, folded);
}

std::string LossySearch::limit() const {
  const std::string reason =
      budget_.limit() != Limit::kNone ? budget_.describe_limit()
      : is_full_ ? "the limit of " + with_commas(limits_.states) +
                       " states was reached"
                 : "there is no more memory";
  return reason + " after " + with_commas(reached_) +
         (reached_ == 1 ? " state" : " states");
}

void LossySearch::add_to(Statistics& statistics) const {
  statistics.states = reached_;
  statistics.transitions = transitions_;
  statistics.pairs = reached_;
  statistics.sets = moves_.size();
  statistics.specification_states = moves_.origin_states();
  statistics.depth = depth_;
  statistics.represented = represented_;
  statistics.left_out = left_out_;
  statistics.joined = joined_;
  statistics.store_bytes = known_->bytes() + queue_.peak_bytes() + log_.bytes();
  statistics.state_bytes = reached_ == 0 ? 0 : state_bytes_ / reached_;
}

std::string rounded_up(double probability) {
  if (probability <= 0) return "0";
  int exponent = static_cast<int>(std::floor(std::log10(probability)));
  double digits = std::ceil(probability / std::pow(10.0, exponent - 1));
  if (digits >= 100) {
    digits /= 10;
    ++exponent;
  }
  if (exponent < -3) return fmt::format("{:.1f}e{}", digits / 10, exponent);
  return fmt::format("{:.{}f}", digits * std::pow(10.0, exponent - 1),
                     std::max(0, 1 - exponent));
}

}  // namespace plumb::verify
