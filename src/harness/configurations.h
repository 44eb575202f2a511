// SPDX-License-Identifier: Apache-2.0
// Sets of configurations of a specification, followed along an execution.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "harness/judge.h"
#include "harness/row_table.h"
#include "harness/run_program.h"
#include "sched/states.h"
#include "spec/specification.h"

namespace plumb::harness {

// A configuration is a state of the object and, of calls that are under way,
// which took effect and with what result: one way to explain what has returned
// so far.  Which of them are possible decides whether what comes next can be
// explained (the subset construction, as for models); if there are none, no
// order explains the calls [HerlihyWing90], and none will.
//
// Sets change where calls return, and there as little as is needed: a call that
// need not have taken effect may as well do so later.
class Configurations {
 public:
  using Set = std::uint32_t;
  static constexpr Set kNone = 0;

  // Requires: the judge outlives this, and its condition is linearizability of
  // the object itself.
  explicit Configurations(const Judge& judge) : judge_(judge) {}

  // Calls that are under way, by thread.
  struct Open {
    std::uint8_t thread = 0;
    std::uint16_t call = 0;
  };
  // A call of `thread`, one of the open ones, returns.
  struct Return {
    Set from = kNone;
    std::span<const Open> open;
    std::uint8_t thread = 0;
    Value result;
  };

  // After the calls before the threads, which are the same in all executions
  // that give the same results.
  Set after(const std::vector<ProgramRun::Record>& before);
  // Nothing if it is not known yet: that is asked while executions run, when no
  // specification can.
  std::optional<Set> known_after(
      const std::vector<ProgramRun::Record>& before) const;
  std::optional<Set> known_after(const Return& what) const;
  Set after(const Return& what);
  // Can the calls after the threads give what they gave?
  bool explains(Set set, const std::vector<ProgramRun::Record>& after);

  // The same for equal sets.
  const sched::Fingerprint& fingerprint(Set set) const {
    return sets_[set].fingerprint;
  }

 private:
  using StateId = std::uint32_t;
  // The state, then for each call that took effect its thread and result.
  using Configuration = std::vector<std::uint32_t>;
  struct Members {
    std::vector<Configuration> all;  // in order
    sched::Fingerprint fingerprint;
  };
  struct Taken {
    std::uint32_t result = 0;
    StateId next = 0;
  };
  using Row = std::vector<std::uint64_t>;

  void follow(const std::vector<ProgramRun::Record>& calls,
              std::vector<spec::State>& now) const;
  StateId intern(const spec::State& state);
  std::uint32_t number_of(Value result);
  const std::vector<Taken>& taken(StateId state, std::uint16_t call);
  Set intern(std::vector<Configuration> members);
  void advance(const Return& what, const Configuration& from,
               std::vector<Configuration>& out,
               absl::flat_hash_set<Configuration>& seen);
  Value seen_result(const Return& what) const;
  std::optional<Set> find(const Row& row) const;
  static void make_row(const Return& what, Row& row);
  static void make_row(const std::vector<ProgramRun::Record>& before, Row& row);

  const Judge& judge_;
  std::vector<spec::State> states_;
  absl::flat_hash_map<spec::State, StateId> state_ids_;
  absl::flat_hash_map<std::uint64_t, std::uint32_t> results_;  // by word
  std::vector<Value> values_;                                  // of these
  absl::flat_hash_map<std::uint64_t, std::vector<Taken>> taken_;
  std::vector<Members> sets_ = std::vector<Members>(1);
  absl::flat_hash_map<std::vector<Configuration>, Set> set_ids_;
  absl::flat_hash_map<Row, Set> known_;
  mutable Row row_;
};

}  // namespace plumb::harness
