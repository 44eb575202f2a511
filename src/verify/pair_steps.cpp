// SPDX-License-Identifier: Apache-2.0
#include "verify/pair_steps.h"

namespace plumb::verify {

using explore::SharedStore;
using lts::LabelKind;

PairSteps::PairSteps(const lts::System& system, Follower& follower,
                     const Manner& manner)
    : system_(system),
      symmetry_(manner.uses_symmetry ? system.symmetry() : nullptr),
      manner_(manner),
      moves_(follower.moves()),
      follower_(follower) {}

// In stages, each for all transitions, so that what the next stage needs has
// come from memory by then.
PairSteps::Result PairSteps::expand(lts::StateView state, Tag set) {
  system_.successors(state, successors_);
  from_ = set;
  targets_.clear();
  joined_ = 0;
  is_beyond_ = has_fault_ = false;
  if (manner_.watch != nullptr &&
      manner_.watch->is_found(state, set, successors_)) {
    return Result::kFound;
  }
  const std::size_t count = successors_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const auto labels = successors_.labels(i);
    joined_ += labels.size() - 1;
    Target& target = targets_.add();
    if (labels.back().kind == LabelKind::kFault) {
      if (!has_fault_) failure_ = {i, labels.size() - 1};
      if (!manner_.passes_faults) return Result::kFault;
      has_fault_ = true;
      target.set = kBeyond;
      continue;
    }
    target.set = set;
    target.number = follower_.number(labels.front());
    follower_.prefetch(set, target.number);
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_followed(i)) continue;  // a fault
    if (!follow(i, set)) {
      if (manner_.one_by_one) targets_.keep_first(i);
      return Result::kEmpty;
    }
    if (!is_followed(i)) {
      is_beyond_ = true;
    } else if (symmetry_ != nullptr) {
      canonicalize(i);
    } else {
      targets_[i].hash = SharedStore::hash(successors_.state(i));
    }
  }
  return Result::kFine;
}

bool PairSteps::follow(std::size_t transition, Tag set) {
  const auto labels = successors_.labels(transition);
  ClassId number = targets_[transition].number;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (i > 0) number = follower_.number(labels[i]);
    set = follower_.after(set, labels[i], number);
    if (set == kFailed) {
      failure_ = {transition, i};
      return false;
    }
    if (set == kBeyond) break;
  }
  targets_[transition].set = set;
  return true;
}

void PairSteps::canonicalize(std::size_t transition) {
  Target& target = targets_[transition];
  const lts::StateView state = successors_.state(transition);
  target.state.assign(state.begin(), state.end());
  target.how = symmetry_->canonicalize(target.state);
  target.set = follower_.canonical(target.set, target.how);
  target.hash = SharedStore::hash(target.state);
}

double PairSteps::orbit(std::size_t i) const {
  if (symmetry_ == nullptr) return 1;
  return lts::orbit_size(*symmetry_, targets_[i].how);
}

FoldedStep PairSteps::folded(std::size_t i) {
  const auto labels = successors_.labels(i);
  const lts::StateView after = successors_.state(i);
  FoldedStep step;
  step.labels.assign(labels.begin(), labels.end());
  step.after.assign(after.begin(), after.end());
  if (symmetry_ == nullptr) return step;
  Tag set = from_;
  for (const lts::Label& label : labels) set = moves_.after(set, label);
  step.renaming = moves_.canonical(set, targets_[i].how).renaming;
  return step;
}

std::optional<FoldedStep> PairSteps::folded_to(std::size_t i, Tag set) {
  if (targets_[i].set == set) return folded(i);
  if (symmetry_ == nullptr) return std::nullopt;
  lts::Canonical how = targets_[i].how;
  how.renaming = {};
  const auto settled = moves_.canonical(set, how);
  if (settled.tag != targets_[i].set) return std::nullopt;
  FoldedStep step = folded(i);
  step.renaming = step.renaming.then(settled.renaming.inverse());
  return step;
}

FoldedStep PairSteps::failed() const {
  const auto labels =
      successors_.labels(failure_.transition).first(failure_.label + 1);
  FoldedStep step;
  step.labels.assign(labels.begin(), labels.end());
  step.is_whole = false;
  return step;
}

PairSteps::First PairSteps::first() {
  First first{system_.initial(), moves_.initial(), {}};
  if (symmetry_ == nullptr) return first;
  const lts::Canonical how = symmetry_->canonicalize(first.state);
  const auto settled = moves_.canonical(first.set, how);
  first.set = settled.tag;
  first.renaming = settled.renaming;
  return first;
}

}  // namespace plumb::verify
