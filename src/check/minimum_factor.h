// SPDX-License-Identifier: Apache-2.0
// The smallest factors under which a history holds.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "check/condition.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// One of the maps of a Condition.
using Relaxed = Factors Condition::*;

// What "the smallest factors" means for a condition: those of its relaxation
// after [HenzingerEtAl13] if it has one, else quasi factors.  Throws InputError
// if it has several.
Relaxed relaxed_by(const Condition& condition);

struct MinimumFactors {
  Relaxed kind = &Condition::factors;
  // Those with which the history holds and of which none can be made smaller
  // without making another larger; operations with factor 0 are left out.
  // A single empty one: it holds without any.
  std::vector<Factors> minimal;
  // All factors whose sum is up to this were tried.
  std::uint32_t tried_up_to = 0;
  // Are there certainly no others, however large?
  bool complete = false;
  std::string reason;  // the limit that was reached, if one was
};

// Asks for `condition` with factors on `operations` (all of the object that can
// have them if empty) in place of its own, by increasing sum up to
// `largest_sum`.
MinimumFactors minimum_factors(const history::History& history,
                               const spec::Specification& object,
                               const Condition& condition,
                               const std::vector<std::string>& operations,
                               std::uint32_t largest_sum, Budget& budget);

}  // namespace plumb::check
