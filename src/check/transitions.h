// SPDX-License-Identifier: Apache-2.0
// A specification as a graph over small numbers, built as it is explored.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "base/flat_table.h"
#include "spec/specification.h"

namespace plumb::check {

using StateId = std::uint32_t;
using LabelId = std::uint32_t;  // a call with what its caller saw

// States and labels are interned; every (state, label) is asked of the
// specification once.
class Transitions {
 public:
  explicit Transitions(const spec::Specification& object);
  Transitions(const Transitions&) = delete;  // the index points into states_

  StateId initial() const { return 0; }
  LabelId label(const spec::Call& call, std::optional<Value> observed);

  // Valid until the next call.
  std::span<const StateId> next(StateId state, LabelId label);

  // Does an operation with this label leave every state as it is?
  bool changes_nothing(LabelId label) const {
    return labels_[label].changes_nothing;
  }
  bool may_end(StateId state) const { return object_.may_end(states_[state]); }
  // ... where these calls are pending?
  bool may_end(StateId state, std::span<const LabelId> pending) const;
  std::size_t size() const { return states_.size(); }  // states so far
  const spec::State& state(StateId id) const { return states_[id]; }
  const spec::Specification& object() const { return object_; }

 private:
  struct Label {
    spec::Call call;
    std::optional<Value> observed;
    bool changes_nothing = false;

    friend bool operator==(const Label&, const Label&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const Label& label) {
      return H::combine(std::move(h), label.call.code, label.call.argument,
                        label.observed.has_value(),
                        label.observed.value_or(Value()));
    }
  };
  // Looks at the states by id, so that the index holds four bytes for each.
  struct StateHash {
    using is_transparent = void;
    const Transitions* owner;
    std::size_t operator()(const spec::State& state) const;
    std::size_t operator()(StateId id) const {
      return (*this)(owner->states_[id]);
    }
  };
  struct StateEqual {
    using is_transparent = void;
    const Transitions* owner;
    const spec::State& get(const spec::State& state) const { return state; }
    const spec::State& get(StateId id) const { return owner->states_[id]; }
    bool operator()(const auto& a, const auto& b) const {
      return get(a) == get(b);
    }
  };
  // Successors of one (state, label): none, one (kept here) or a run in more_.
  struct Successors {
    std::uint32_t count = 0;
    std::uint32_t first = 0;  // the only successor, or an index into more_
  };

  StateId intern(spec::State&& state);
  Successors explore(StateId state, LabelId label);

  const spec::Specification& object_;
  std::deque<spec::State> states_;
  FlatSet<StateId, StateHash, StateEqual> index_;
  std::vector<Label> labels_;
  FlatMap<Label, LabelId> label_ids_;
  FlatMap<std::uint64_t, Successors> known_;
  std::vector<StateId> more_;
  std::vector<spec::State> scratch_;
  StateId single_ = 0;
};

}  // namespace plumb::check
