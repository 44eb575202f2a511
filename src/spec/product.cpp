// SPDX-License-Identifier: Apache-2.0
#include "spec/product.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace plumb::spec {
namespace {

// State: for each key that is not in the part's initial state, in the order of
// the keys' words, the key, the size of its part's state, and that state.  It
// is flat, and not a list of lists, because lists are pooled for ever and a
// search passes through many states.
class Product final : public Specification {
 public:
  explicit Product(SpecificationPtr part)
      : part_(std::move(part)), part_initial_(part_->initial()) {
    for (Signature operation : part_->operations()) {
      operation.argument = Argument::kPair;
      operations_.push_back(operation);
    }
  }

  std::string name() const override { return part_->name() + " per key"; }
  std::span<const Signature> operations() const override { return operations_; }
  State initial() const override { return {}; }

  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override {
    const Slot slot = find(state, key_of(call));
    const std::size_t before = outcomes.size();
    part_->apply(state_of(state, slot), part_call(call), outcomes);
    for (std::size_t i = before; i < outcomes.size(); ++i) {
      put(state, slot, key_of(call), outcomes[i].next);
    }
  }

  void step(const State& state, const Call& call, std::optional<Value> observed,
            std::vector<State>& next) const override {
    const Slot slot = find(state, key_of(call));
    const std::size_t before = next.size();
    part_->step(state_of(state, slot), part_call(call), observed, next);
    for (std::size_t i = before; i < next.size(); ++i) {
      put(state, slot, key_of(call), next[i]);
    }
  }

  bool has_turns(std::uint16_t code) const override {
    return part_->has_turns(code);
  }
  void overtake(const State& state, const Call& call, std::size_t furthest,
                std::vector<Outcome>& outcomes) const override {
    const Slot slot = find(state, key_of(call));
    const std::size_t before = outcomes.size();
    part_->overtake(state_of(state, slot), part_call(call), furthest, outcomes);
    for (std::size_t i = before; i < outcomes.size(); ++i) {
      put(state, slot, key_of(call), outcomes[i].next);
    }
  }

  bool changes_nothing(const Call& call, Value observed) const override {
    return part_->changes_nothing(part_call(call), observed);
  }

  bool may_end(const State& state) const override {
    return all_parts(
        state, [&](Value, const State& one) { return part_->may_end(one); });
  }
  bool may_end_with(const State& state,
                    std::span<const Call> pending) const override {
    return all_parts(state, [&](Value key, const State& one) {
      std::vector<Call> own;
      for (const Call& call : pending) {
        if (key_of(call) == key) own.push_back(part_call(call));
      }
      return part_->may_end_with(one, own);
    });
  }

  bool parts_are_objects() const override { return true; }

  std::optional<Value> part(const Call& call) const override {
    return key_of(call);
  }

  std::string describe(const State& state) const override {
    std::vector<std::pair<Value, std::string>> parts;
    for (std::size_t at = 0; at < state.size();) {
      const Slot slot = slot_at(state, at);
      parts.emplace_back(state[at], part_->describe(state_of(state, slot)));
      at = slot.last;
    }
    std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
      return compare(a.first, b.first) < 0;
    });
    std::string text = "{";
    for (const auto& [key, described] : parts) {
      if (text.size() > 1) text += ", ";
      text += key.to_string() + ": " + described;
    }
    return text + "}";
  }

 private:
  // What the state says of one key: state[first..last); nothing at all, at
  // the place where it would have to be, if the key is absent.
  struct Slot {
    std::size_t first;
    std::size_t last;

    bool absent() const { return first == last; }
  };
  static constexpr std::size_t kHead = 2;  // the key and the size

  static Value key_of(const Call& call) { return call.argument.items()[0]; }
  static Call part_call(const Call& call) {
    return {call.code, call.argument.items()[1]};
  }

  // Requires: a key stands at `at`.
  static Slot slot_at(const State& state, std::size_t at) {
    const auto size = static_cast<std::size_t>(state[at + 1].as_integer());
    return {at, at + kHead + size};
  }

  static Slot find(const State& state, Value key) {
    std::size_t at = 0;
    while (at < state.size() && state[at].word() < key.word()) {
      at = slot_at(state, at).last;
    }
    if (at < state.size() && state[at] == key) return slot_at(state, at);
    return {at, at};
  }

  // Of the keys that are present; the initial state is taken for granted.
  template <typename Claim>
  bool all_parts(const State& state, Claim holds) const {
    for (std::size_t at = 0; at < state.size();) {
      const Slot slot = slot_at(state, at);
      if (!holds(state[at], state_of(state, slot))) return false;
      at = slot.last;
    }
    return true;
  }

  State state_of(const State& state, const Slot& slot) const {
    if (slot.absent()) return part_initial_;
    return State(state.data() + slot.first + kHead, state.data() + slot.last);
  }

  // Turns `part`, a state of the part, into `state` with `part` in that slot.
  void put(const State& state, const Slot& slot, Value key, State& part) const {
    State whole(state.data(), state.data() + slot.first);
    if (part != part_initial_) {
      whole.push_back(key);
      whole.push_back(Value::integer(static_cast<std::int64_t>(part.size())));
      whole.insert(whole.end(), part.begin(), part.end());
    }
    whole.insert(whole.end(), state.data() + slot.last,
                 state.data() + state.size());
    part.swap(whole);
  }

  SpecificationPtr part_;
  State part_initial_;
  std::vector<Signature> operations_;
};

}  // namespace

SpecificationPtr product_of(SpecificationPtr part) {
  return std::make_shared<Product>(std::move(part));
}

}  // namespace plumb::spec
