// SPDX-License-Identifier: Apache-2.0
// Every condition decided by enumeration, straight from its definition.
#pragma once

#include <cstdint>

#include "check/condition.h"
#include "history/history.h"
#include "oracle/judged.h"
#include "spec/specification.h"

// Slow on purpose, and without a thought shared with src/check: nothing here
// but the definitions, so that the deciders can be compared with it.
namespace plumb::oracle {

// What may still happen after a history that is judged open.
struct Further {
  // Operations of every kind, or, as in relax(S, Q), those of the relaxed
  // classes only?  It matters for a value that was taken out too early: with
  // every kind, somebody could still put it in.
  bool any_operation = false;
  // How much larger the object may become than is known to suffice: see
  // in_place.h.
  std::uint32_t more = 0;
};

bool holds(const history::History& history, const spec::Specification& object,
           const check::Condition& condition, const Further& further = {});

// The same, with the order already made explicit: what the condition says
// about it matters only for whether keys are judged one by one.
bool holds(const Judged& judged, const spec::Specification& object,
           const check::Condition& condition, const Further& further = {});

}  // namespace plumb::oracle
