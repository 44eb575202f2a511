// SPDX-License-Identifier: Apache-2.0
// Judges an object while it is used: event by event, keeping no history.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/budget.h"
#include "base/flat_table.h"
#include "check/verdict.h"
#include "spec/specification.h"

namespace plumb::check {

// All that is kept is the set of *configurations*: what state the object can be
// in, and which of the operations in flight have taken effect then.  An
// operation takes effect as late as possible, just before one of those that
// return [Lowe17]: that is complete, for what comes later can be put off.
//
// Of an operation that only reads, no configuration says when it took effect,
// but all that it can have seen on the way to that state; so readers cost
// little.
//
// The answer is exact after every event: violated iff no order explains what
// was seen so far, whatever follows.
class Monitor {
 public:
  using Slot = std::uint8_t;
  // LIMIT: so many operations in flight at a time, and those given up for
  // which it is open whether they took effect; and so many configurations.
  static constexpr std::size_t kMostInFlight = 64;
  static constexpr std::size_t kMostConfigurations = 200'000;

  // `object` and `budget` outlive it.
  Monitor(const spec::Specification& object, Budget& budget,
          std::size_t most_configurations = kMostConfigurations);

  // Forgets all it saw: the object is in `state` now.
  void begin_with(spec::State state);
  // The state that the object is in, if nothing is open.
  std::optional<spec::State> only_state() const;

  // Nothing once the answer is not kHolds, or if that makes it unknown.
  std::optional<Slot> invoked(const spec::Call& call);
  // Each ends what invoked() gave the slot for.
  void returned(Slot slot, Value result);
  void failed(Slot slot);   // it did not happen
  void gave_up(Slot slot);  // nobody will ever know

  // kHolds: of all that was seen so far.
  Answer answer() const { return answer_; }
  const std::string& reason() const { return reason_; }  // of kUnknown
  std::size_t configurations() const;

 private:
  // Results by slot, sorted; of one that reads, all that it can have seen.
  using Results = absl::InlinedVector<std::pair<Slot, Value>, 4>;
  struct Key {
    spec::State state;
    std::uint64_t done = 0;  // operations that took effect
    Results results;         // of those

    friend bool operator==(const Key&, const Key&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Key& key) {
      for (const auto& [slot, value] : key.results) {
        h = H::combine(std::move(h), slot, value);
      }
      return H::combine(std::move(h), key.state, key.done);
    }
  };
  // By key: what readers can have seen, none contained in another.
  using Configurations = FlatMap<Key, absl::InlinedVector<Results, 1>>;
  struct Configuration {
    Key key;
    Results views;
  };

  static std::uint64_t bit(Slot slot) { return std::uint64_t{1} << slot; }
  bool reads(Slot slot) const { return (readers_ & bit(slot)) != 0; }
  bool add(Configurations& to, Key key, Results views);
  void look(const spec::State& state, Slot reader, Results& views);
  template <typename Ends>
  void expand(std::vector<Configuration> work, std::uint64_t movers,
              const Ends& ends);
  void replace(Configurations next);
  void forget(Slot slot);
  void tidy_ghosts();

  const spec::Specification& object_;
  Budget& budget_;
  const std::size_t most_configurations_;
  std::vector<spec::Call> calls_;  // by slot
  std::uint64_t in_flight_ = 0;    // those that take slots
  std::uint64_t readers_ = 0;
  std::uint64_t ghosts_ = 0;  // given up
  Configurations configurations_;
  Answer answer_ = Answer::kHolds;
  std::string reason_;
  std::vector<spec::Outcome> outcomes_;
};

}  // namespace plumb::check
