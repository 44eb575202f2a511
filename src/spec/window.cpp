// SPDX-License-Identifier: Apache-2.0
//
// The exact object, and for each class how many of its operations were called
// since it last had no debts.  A class that can have r more before its window
// is full lets no debt wait for longer than r places, which is to say: it
// makes debts older.
#include "spec/window.h"

#include <algorithm>
#include <utility>

#include "spec/relax_liveness.h"
#include "spec/relax_parts.h"
#include "spec/relax_results.h"
#include "spec/relaxed.h"

namespace plumb::spec {

namespace {

// State: one number for each class, then the exact object's state.
class Window final : public Specification {
 public:
  Window(SpecificationPtr base, const Relaxation& relaxation)
      : base_(std::move(base)),
        exact_(*base_, relaxation),
        by_any_(*base_, exact_.classes(), exact_.relaxation(),
                Payment::By::kAny),
        hopes_(*base_, by_any_, relaxation.budget) {
    std::vector<bool> relaxed;
    for (std::uint16_t code = 0; code < operations().size(); ++code) {
      relaxed.push_back(exact_.classes().relaxes(code));
    }
    results_ = possible_results(*base_, relaxation, relaxed);
  }

  std::string name() const override { return base_->name(); }
  std::span<const Signature> operations() const override {
    return exact_.operations();
  }
  State initial() const override {
    return joined(Counts(exact_.classes().size()), exact_.initial());
  }

  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override {
    if (!exact_.classes().relaxes(call.code)) {
      std::vector<Outcome> direct;
      base_->apply(base_of(inner(state)), call, direct);
      std::vector<Value> seen;
      for (const Outcome& outcome : direct) {
        if (std::ranges::find(seen, outcome.result) != seen.end()) continue;
        seen.push_back(outcome.result);
        append(state, call, outcome.result, outcomes);
      }
      return;
    }
    for (const Value result : results_[call.code]) {
      append(state, call, result, outcomes);
    }
  }

  bool may_end(const State& state) const override {
    return exact_.may_end(inner(state));
  }
  bool may_end_with(const State& state,
                    std::span<const Call> pending) const override {
    return exact_.may_end_with(inner(state), pending);
  }
  bool changes_nothing(const Call& call, Value observed) const override {
    return exact_.changes_nothing(call, observed);
  }
  std::vector<Value> interchangeable(
      std::span<const Value> values) const override {
    return exact_.interchangeable(values);
  }
  State renamed(const State& state, std::span<const Value> from,
                std::span<const Value> to) const override {
    return joined(counts(state), exact_.renamed(inner(state), from, to));
  }
  std::string describe(const State& state) const override {
    return exact_.describe(inner(state));
  }

 private:
  using Counts = std::vector<std::uint32_t>;

  static State joined(const Counts& counts, const State& exact) {
    State state;
    for (const std::uint32_t count : counts) {
      state.push_back(Value::integer(count));
    }
    state.insert(state.end(), exact.begin(), exact.end());
    return state;
  }
  Counts counts(const State& state) const {
    Counts out;
    for (std::size_t i = 0; i < exact_.classes().size(); ++i) {
      out.push_back(static_cast<std::uint32_t>(state[i].as_integer()));
    }
    return out;
  }
  State inner(const State& state) const {
    return State(state.data() + exact_.classes().size(),
                 state.data() + state.size());
  }

  void append(const State& state, const Call& call, Value result,
              std::vector<Outcome>& outcomes) const {
    std::vector<State> next;
    exact_.step(inner(state), call, result, next);
    const ClassIndex one =
        exact_.classes().of(call.code, call.argument, result);
    for (const State& after : next) {
      if (auto kept = within_window(counts(state), one, after)) {
        outcomes.push_back({result, std::move(*kept)});
      }
    }
  }

  // `after` with its debts made older; nothing if they cannot be paid then.
  std::optional<State> within_window(Counts so_far, ClassIndex one,
                                     const State& after) const {
    Unpacked unpacked = unpack(after);
    if (one != Classes::kNone) {
      const std::uint32_t factor = exact_.classes().factor(one);
      const std::uint32_t left = 2 * factor + 1 - ++so_far[one];
      bool has_debts = false;
      for (Debts* debts : {&unpacked.early, &unpacked.late}) {
        for (Debt& debt : *debts) {
          if (debt.one != one) continue;
          has_debts = true;
          if (left <= factor) debt.age = std::max(debt.age, factor + 1 - left);
        }
        if (!in_time(*debts, one, factor)) return std::nullopt;
      }
      if (!has_debts) so_far[one] = 0;
    }
    if (!hopes_.alive({unpacked.base, unpacked.late}, {})) return std::nullopt;
    return joined(so_far, pack(unpacked));
  }

  SpecificationPtr base_;
  Relaxed exact_;
  Payment by_any_;
  mutable Liveness hopes_;                   // whatever happens
  std::vector<std::vector<Value>> results_;  // by code, of relaxed ones
};

}  // namespace

SpecificationPtr window_for_models(SpecificationPtr base,
                                   Relaxation relaxation) {
  relaxation.closed = false;
  if (base->parts_are_objects()) {
    return relax_parts(base, relaxation, [&](const Relaxation& own) {
      return std::make_shared<Window>(base, own);
    });
  }
  return std::make_shared<Window>(std::move(base), relaxation);
}

}  // namespace plumb::spec
