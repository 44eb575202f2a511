// SPDX-License-Identifier: Apache-2.0
// Which operations may have taken effect by some moment, as small numbers.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/flat_table.h"
#include "check/flight_plan.h"
#include "check/transitions.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// A frontier is a set of operations with every one that precedes a member: a
// downset of real time, that is what can have taken effect at some moment.
// Its completed members are all that returned before the first return that is
// missing, and some of those in flight there.  So with at most w in flight at
// a time there are at most 2^(w-1) frontiers of each size, and one is named by
// the missing return and a bit for each operation in flight.  Of pending
// operations that are equal those invoked first go first; how many of each
// kind are in is the rest of the name.
class Frontiers {
 public:
  using Id = std::uint32_t;

  // When may an operation be left for later because an equal one that returns
  // earlier can go first?  In an order of all operations: if that one can be
  // next as well.  In an order of some of them, where it decides how early
  // others can come: if it was also invoked earlier.
  enum class Equals : std::uint8_t { kByReturn, kByBoth };

  struct Step {
    std::uint32_t operation;  // index in the history
    Id next;
  };

  // Of some operations, in the order of their invocations.
  Frontiers(const history::History& history,
            const std::vector<std::uint32_t>& operations,
            const spec::Specification& object, Equals equals);

  // LIMIT: at most 64 completed operations are in flight at a time.  If not,
  // nothing else may be asked.
  bool fit() const { return plan_.slots <= 64; }

  Id root() const { return 0; }
  // What can come next: the pending ones, then those that return late, last
  // the one that returns first.  Valid until the next call.
  std::span<const Step> steps(Id id);

  // The latest invocation of a member; 0 if there is none.
  history::Moment latest(Id id) const { return nodes_[id].latest; }
  // The first return of a completed operation that is no member, and how many
  // return before it.
  history::Moment missing(Id id) const {
    return complete(id) ? history::kNever : plan_.returned[treated(id)];
  }
  std::uint32_t treated(Id id) const { return nodes_[id].name.treated; }
  // Is everything in that returned?
  bool complete(Id id) const { return treated(id) == plan_.firm.size(); }

 private:
  struct Name {
    std::uint32_t treated = 0;
    std::uint32_t used = 0;  // indexes used_
    std::uint64_t in_flight = 0;

    friend bool operator==(const Name&, const Name&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Name& name) {
      return H::combine(std::move(h), name.treated, name.used, name.in_flight);
    }
  };
  static constexpr std::uint32_t kNotYet = UINT32_MAX;
  struct Node {
    Name name;
    history::Moment latest = 0;
    std::uint32_t first_step = kNotYet;
    std::uint32_t steps = 0;
  };
  using Counts = std::vector<std::uint32_t>;  // by kind of pending operations

  Id intern(Name name, history::Moment latest);
  void find_steps(Id id);
  void add_pending_steps(Id id);
  bool is_in(const Name& name, std::uint32_t k) const {
    return (name.in_flight >> plan_.firm[k].slot & 1) != 0;
  }
  bool equal_goes_first(const Name& name, std::uint32_t k) const;
  std::uint32_t used_after(std::uint32_t used, std::size_t kind);
  std::span<const std::uint32_t> in_flight(const Name& name) const {
    const std::uint32_t g = plan_.group[name.treated];
    return {&plan_.in_flight[plan_.group_start[g]],
            plan_.group_start[g + 1] - plan_.group_start[g]};
  }

  std::vector<std::uint32_t> operations_;
  Transitions labels_;
  FlightPlan plan_;
  Equals equals_;
  // The pending operations of each kind, as indices into plan_.pending.
  std::vector<std::vector<std::uint32_t>> kinds_;
  std::vector<Counts> used_;
  FlatMap<Counts, std::uint32_t> used_ids_;
  std::vector<Node> nodes_;
  FlatMap<Name, Id> ids_;
  std::vector<Step> steps_;
};

}  // namespace plumb::check
