// SPDX-License-Identifier: Apache-2.0
// How the specification machine follows the steps of a system.
#pragma once

#include <cstdint>

#include "lts/system.h"
#include "verify/configuration_sets.h"
#include "verify/label_classes.h"
#include "verify/move_cache.h"

namespace plumb::verify {

// Beside a state of the system, a search keeps the set of all configurations
// that the specification machine may be in.  Subclasses say which hidden moves
// the machine makes, and when.
class SetMoves {
 public:
  // Of labels that leave every set as it is.
  static constexpr ClassId kStill = UINT32_MAX;

  virtual ~SetMoves() = default;
  SetMoves(const SetMoves&) = delete;

  SetId initial() const { return initial_; }

  // The set after a step of the system, remembered.  kEmptySet: the machine
  // cannot follow.  Requires: `set` is not empty.
  SetId after(SetId set, const lts::Label& label) {
    return after(set, label, number(label));
  }

  // The same in parts, for searches: number() for all steps of a state, then
  // prefetch() for all, then after().
  virtual ClassId number(const lts::Label& label) = 0;
  void prefetch(SetId set, ClassId number) const {
    if (number != kStill) cache_.prefetch(set, number);
  }
  SetId after(SetId set, const lts::Label& label, ClassId number) {
    if (number == kStill) return set;
    const SetId known = cache_.find(set, number);
    if (known != MoveCache::kUnknown) return known;
    const SetId next = move(set, label);
    cache_.add(set, number, next);
    return next;
  }

  // Can the machine follow from `other` whatever it can follow from `set`?
  // May say no where it can.
  virtual bool is_harder(SetId set, SetId other) = 0;

  const ConfigurationSets& sets() const { return sets_; }
  Configurations& configurations() const { return configurations_; }

 protected:
  explicit SetMoves(Configurations& configurations)
      : configurations_(configurations) {
    ConfigurationList first = {configurations.initial()};
    initial_ = sets_.intern(first);
  }

  virtual SetId move(SetId set, const lts::Label& label) = 0;

  Configurations& configurations_;
  ConfigurationSets sets_;
  LabelClasses classes_;

 private:
  MoveCache cache_;
  SetId initial_;
};

}  // namespace plumb::verify
