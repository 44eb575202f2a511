// SPDX-License-Identifier: Apache-2.0
// What the built-in objects share: their shape, and how results are met.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "spec/catalogue.h"
#include "spec/specification.h"

namespace plumb::spec {

// The arguments of all calls have the form that the signature asks for; it is
// the readers' task to see to that.
class BuiltIn : public Specification {
 public:
  std::string name() const final;
  std::span<const Signature> operations() const final { return operations_; }
  bool takes_any_value() const final { return true; }
  // All of them that answer false were refused: a failed cas, a put into a
  // full container, the removal of what is not there.
  bool changes_nothing(const Call& call, Value observed) const final {
    return observed == Value::boolean(false) ||
           Specification::changes_nothing(call, observed);
  }

 protected:
  // `operations` are those of the plain object.  In a bounded one the puts
  // tell whether there was room; in a blocking one the takes never say that
  // they found nothing.
  BuiltIn(std::string_view name, std::span<const Signature> operations,
          const Shape& shape);

  // What a put returns when `size` values are inside: nothing to see if there
  // is no bound.
  Value put_result(std::size_t size) const {
    if (!shape_.capacity) return Value();
    return Value::boolean(size < *shape_.capacity);
  }
  static bool took_effect(Value put_result) {
    return put_result != Value::boolean(false);
  }

  bool blocking() const { return shape_.blocking; }
  // What a take returns when there is nothing to take: null, or it blocks.
  std::optional<Value> found_nothing() const {
    return blocking() ? std::nullopt : std::optional(Value());
  }

 private:
  std::string_view name_;
  Shape shape_;
  std::vector<Signature> operations_;
};

// Appends an outcome that leaves `state` as it is, and returns its state for
// changing it.  In place: g++ 12 warns, wrongly, when an outcome whose state
// may be empty is made first and then moved.
inline State& append(std::vector<Outcome>& outcomes, Value result,
                     const State& state) {
  Outcome& outcome = outcomes.emplace_back();
  outcome.result = result;
  outcome.next = state;
  return outcome.next;
}

// What takes give that pass by items of a line: see overtake().  The line is
// the state from its front, or from its back.
void overtake_in_line(const State& state, bool from_back, std::size_t furthest,
                      std::vector<Outcome>& outcomes);

// The order of the values of a state that stands for a set of them: by their
// words.
inline bool by_word(Value a, Value b) {
  return a.word() < b.word();
}
// Such a state by other names.
State renamed_members(State state, std::span<const Value> from,
                      std::span<const Value> to);

// An object with at most one outcome per call.  `Object` gives
//
//   std::optional<Value> result(const State&, const Call&) const
//     what the caller sees; nothing if the call blocks;
//   void change(State&, const Call&, Value result) const
//     what the call does to the state, knowing its result.
//
// The two are apart because step() is the inner loop of the searches: a call
// whose result does not fit must not cost a copy of the state.
template <typename Object>
class Deterministic : public BuiltIn {
 public:
  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const final {
    const std::optional<Value> seen = object().result(state, call);
    if (!seen) return;
    object().change(append(outcomes, *seen, state), call, *seen);
  }

  void step(const State& state, const Call& call, std::optional<Value> observed,
            std::vector<State>& next) const final {
    const std::optional<Value> seen = object().result(state, call);
    if (!seen || (observed && *observed != *seen)) return;
    next.push_back(state);
    object().change(next.back(), call, *seen);
  }

 protected:
  using BuiltIn::BuiltIn;

 private:
  const Object& object() const { return static_cast<const Object&>(*this); }
};

// For people: the values between brackets, as in "{1, 2}".
std::string bracketed(std::span<const Value> values, char open, char close);
// The same with braces, in the order of `compare`.
std::string in_braces(const State& values);

}  // namespace plumb::spec
