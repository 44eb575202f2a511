// SPDX-License-Identifier: Apache-2.0
// Follows a system along the states that a user's relation relates it to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/flat_table.h"
#include "verify/configurations.h"
#include "verify/order_moves.h"
#include "verify/related_system.h"
#include "verify/set_moves.h"

namespace plumb::verify {

// What labels of a RelatedSystem say, as states of the specification.
class RelatedStates {
 public:
  explicit RelatedStates(SpecificationGraph& graph) : graph_(graph) {}

  // Sorted.  Null if the relation could not be evaluated.  Valid until the
  // next call.
  const std::vector<AbstractId>* of(const lts::Label& label);

 private:
  SpecificationGraph& graph_;
  FlatMap<Value, std::vector<AbstractId>> known_;
};

// Coupled simulation [DerrickEtAl14, Def. 6].  There the relation R^H between
// abstract and concrete states depends on the history H since the last
// quiescent moment.  The user gives it for the empty H alone, and it is
// continued in the only way that counts: an abstract state is related to a
// state with history H if it was related to the quiescent state that the run
// was in when H began.  So invocations, internal steps and returns to
// non-quiescent states keep what is related, and their obligations hold; what
// is left is to show that at a return to quiescence every abstract state that
// is related has an order of H leading to one that is related to the new
// state.
//
// The sets here are those of OrderMoves, with what is related in place of what
// can be reached: more of that is harder.
class CoupledMoves final : public OrderMoves {
 public:
  // All must last.  `system` relates returns.
  CoupledMoves(BusyRecords& records, const RelatedSystem& system, Busy busy,
               Budget& budget);

  std::string course() const override;

 private:
  SetId move(SetId set, const lts::Label& label) override;
  bool compare(SetId set, SetId other) override;
  std::optional<SetId> objects_after(const BusyRecord& record) override;

  const RelatedSystem& system_;
  RelatedStates states_;
  const std::vector<AbstractId>* related_ = nullptr;  // of the present label
};

// Forward simulation by the specification machine.  A step of the system is
// matched by the same step of the machine, if it is an invocation or a return,
// and by effects of pending operations, such that the object is then in a
// state that the new state is related to.
//
// The relation does not say whose operation has taken effect.  So all ways to
// match are followed at once, and a step that leaves none fails; in other
// words, this is a forward simulation by sets of configurations.  A machine
// that follows every run shows that the system is linearizable.
class ForwardMoves final : public SetMoves {
 public:
  // All must last.  `system` relates all steps.
  ForwardMoves(Configurations& configurations, const RelatedSystem& system,
               Budget& budget);

  std::optional<std::uint32_t> point(const lts::Label& label) const override;
  std::string course() const override { return "forward simulation"; }

 private:
  SetId move(SetId set, const lts::Label& label) override;
  // Fewer configurations can follow less.
  bool compare(SetId set, SetId other) override {
    return sets_.is_subset(set, other);
  }
  // All that comes from `members` by effects, these included.
  void close(ConfigurationList& members);

  Configurations& configurations_;
  const RelatedSystem& system_;
  Budget& budget_;
  RelatedStates states_;
};

}  // namespace plumb::verify
