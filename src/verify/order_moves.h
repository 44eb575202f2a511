// SPDX-License-Identifier: Apache-2.0
// Follows a system for orders that are weaker than real time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/budget.h"
#include "check/condition.h"
#include "verify/busy_records.h"
#include "verify/outcome.h"
#include "verify/set_moves.h"

namespace plumb::verify {

// Beside a state of the system there is one record: see BusyRecord.
//
// Quiescent consistency judges a history when nothing is pending, and asks
// that the operations of each busy period, the stretch between two such
// moments, can be put into some order [DerrickEtAl14, Def. 3].  So all that
// matters of the past is which states the specification may be in at the last
// such moment, what has returned since, and what is pending.  When the last
// pending operation returns, the set of states is replaced by all those that
// some order leads to; none means that no order explains the history.  That
// is the largest coupled simulation there is.  With program order as well, the
// operations of each process keep their order.
//
// Sequential consistency [Lamport79] keeps the order of each process and no
// other, so that all that has returned since the beginning stays in the
// record.  It is judged at every return, of the operations that have returned
// and of some of those that are pending, whatever these will give.
//
// Which reductions of a system are sound?  Those of lts::Reductions, since
// they keep enough of every run:
// - Let R be a run of the whole system that ends at a quiescent moment.  The
//   reduced system has a run R' with the same operations and results of each
//   process, in the same order, in which `a` returns before `b` is invoked
//   wherever that is so in R.  A quiescent moment splits the operations into
//   those before and those after it, and all of the first return before all of
//   the second are invoked: so R' is quiescent there too.  What R' may permute
//   R may permute as well, and if R is wrong, so is R'.  Nor does R' have
//   longer busy periods, so that it keeps their bound if R does.
// - Let R be a run after which the operations that returned, with some of the
//   pending ones, have no sequential order.  Let everybody who has taken the
//   last step of his operation return: an order of what has returned then
//   would have been one before.  R' has the same operations that have
//   returned, in the same order of each process; of the pending ones it may
//   lack some that have taken no step, which leaves fewer choices.  So R' is
//   wrong too.
// - A run of the reduced system is one of the whole system, so that no other
//   violations appear.
//
// Comparing: with the same operations returned and pending, fewer states of
// the specification explain less.
class OrderMoves : public SetMoves {
 public:
  // Requires: `order` is not real time.  All must last.  As with ExactMoves,
  // moves are meaningless once the budget is spent, except that no set becomes
  // empty by that.
  OrderMoves(BusyRecords& records, check::Order order, Busy busy,
             Budget& budget);

  std::optional<std::uint32_t> point(const lts::Label& label) const override;
  std::string course() const override;

 protected:
  SetId move(SetId set, const lts::Label& label) override;
  bool compare(SetId set, SetId other) override;
  // The states of the specification after the operations of a record, at the
  // end of a busy period.  Nothing if the budget is spent.
  virtual std::optional<SetId> objects_after(const BusyRecord& record);

  BusyRecords& records_;

 private:
  bool is_quiescent_order() const { return order_ != check::Order::kProgram; }
  SetId invoked(BusyRecord record, const lts::Label& label);
  SetId returned(SetId set, const lts::Label& label);
  // Nothing if the budget is spent.
  std::optional<bool> has_order(const BusyRecord& record);
  SetId keep(const BusyRecord& record);

  check::Order order_;
  Busy busy_;
  Budget& budget_;
};

}  // namespace plumb::verify
