// SPDX-License-Identifier: Apache-2.0
// Deciders of linearizability that are faster than the general search.
#pragma once

#include <optional>

#include "base/budget.h"
#include "check/verdict.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

struct SpecialOptions {
  bool want_order = false;  // fill Verdict::order
  bool blocking = false;    // a take never returns null: it waits
};

// Each answers whether `history`, whose operations carry the codes of the
// unbounded object of that name in spec/catalogue.h, is linearizable; nothing
// if the history is of a kind that it cannot judge, and then the general
// search must.  Distinct values take nearly linear time.  Every take of a
// blocking container is known to have found something.
//
// The moments of `history` need not be distinct: quiescent consistency widens
// all operations of a busy period to the same interval.  They are below twice
// the number of operations of the history that they come from, and the
// operations are in the order of their invocations.
//
// The core of a violation cannot be explained by itself, nor together with any
// others of the operations of the history as they are, pending ones included.
// A value that stays in the core stays because no take returned it: were the
// results of the other takes not known, one of them might have taken it.
using SpecialDecider = std::optional<Verdict> (*)(const history::History&,
                                                  const SpecialOptions&,
                                                  Budget&);

std::optional<Verdict> decide_queue(const history::History& history,
                                    const SpecialOptions& options,
                                    Budget& budget);
std::optional<Verdict> decide_stack(const history::History& history,
                                    const SpecialOptions& options,
                                    Budget& budget);
// Only of a deque that is used like one of these two.
std::optional<Verdict> decide_deque(const history::History& history,
                                    const SpecialOptions& options,
                                    Budget& budget);
std::optional<Verdict> decide_priority_queue(const history::History& history,
                                             const SpecialOptions& options,
                                             Budget& budget);
std::optional<Verdict> decide_set(const history::History& history,
                                  const SpecialOptions& options,
                                  Budget& budget);
std::optional<Verdict> decide_register(const history::History& history,
                                       const SpecialOptions& options,
                                       Budget& budget);

// The special decider for `object`, if there is one.
struct SpecialChoice {
  SpecialDecider decide = nullptr;
  bool blocking = false;
};
SpecialChoice special_decider_for(const spec::Specification& object);

}  // namespace plumb::check
