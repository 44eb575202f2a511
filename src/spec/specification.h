// SPDX-License-Identifier: Apache-2.0
// A sequential object: what it does when one operation runs at a time.
#pragma once

#include <absl/container/inlined_vector.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"

namespace plumb::spec {

// States are values: equality and a hash, nothing else is asked of them.  A
// specification must give equal words to states that behave equally (a set
// sorts its members), or searches do needless work.
using State = absl::InlinedVector<Value, 6>;

// What the argument of an operation looks like.
enum class Argument : std::uint8_t {
  kNone,      // ignored: `deq`
  kValue,     // any value: `enq v`
  kPriority,  // a number, or a list that begins with one: `insert [2, "x"]`
  kPair,      // a list of two: `cas [old, new]`, `put [key, value]`
};

// What the caller sees when an operation returns.
enum class Result : std::uint8_t {
  kNone,     // nothing; what a completion carries is not compared
  kValue,    // any value, null included
  kBoolean,  // true or false
  kSuccess,  // true or false, where anything that is no boolean means true
  kInteger,
};

struct Signature {
  std::string_view name;
  Argument argument = Argument::kNone;
  Result result = Result::kNone;
  // It takes something out, and null says that it found nothing.  Such an
  // operation is then in no class of quasi-linearizability.
  bool takes = false;
  // It never changes the state.
  bool reads_only = false;
  // For `plumb specs`: what the result means, "" when there is none.
  std::string_view meaning = "";
};

// An operation that has been asked for: `code` indexes operations().
struct Call {
  std::uint16_t code = 0;
  Value argument;

  friend bool operator==(const Call&, const Call&) = default;
};

struct Outcome {
  Value result;
  State next;
};

class Specification {
 public:
  virtual ~Specification() = default;

  // As the user wrote it: "queue", "blocking_queue(3)".
  virtual std::string name() const = 0;
  virtual std::span<const Signature> operations() const = 0;
  virtual State initial() const = 0;

  // Appends every possible outcome of `call` in `state`: one if the object is
  // deterministic there, several if it is not, none if the call blocks.  An
  // operation with Result::kNone gives null.
  virtual void apply(const State& state, const Call& call,
                     std::vector<Outcome>& outcomes) const = 0;

  // Appends the states that `call` can lead to when the caller sees
  // `observed`, or anything if that is unknown.  Override it where knowing
  // the result saves work.
  virtual void step(const State& state, const Call& call,
                    std::optional<Value> observed,
                    std::vector<State>& next) const;

  // Does `call` leave every state as it is when the caller sees `observed`?
  // A read does; so does a take that found nothing.  (So null must not be
  // put into a container whose takes say null for that.)
  virtual bool changes_nothing(const Call& call, Value observed) const;

  // Are arguments any values at all, if only they have the form that the
  // signature asks for?
  virtual bool takes_any_value() const { return false; }

  // May a history end here?  Only relaxed objects ever say no: a debt is open
  // that nothing can pay any more.
  virtual bool may_end(const State&) const { return true; }
  // The same, where these calls are pending: they may still take effect,
  // between operations that pay.
  virtual bool may_end_with(const State& state, std::span<const Call>) const {
    return may_end(state);
  }

  // If the object is a product of independent parts (a map: its keys): the
  // part that `call` concerns.  Nothing if it is one whole.
  virtual std::optional<Value> part(const Call&) const { return {}; }

  // Are those parts objects of their own (a map's keys), so that even relaxed
  // conditions are asked of each part alone?  A set's members are not.
  virtual bool parts_are_objects() const { return false; }

  // Does operation `code` take out items that have an order of turns?  Then
  // overtake() tells what a take may give that is not next.
  virtual bool has_turns(std::uint16_t /*code*/) const { return false; }
  // Appends what `call` can do in `state` if it gives an item although 1 to
  // `furthest` others should be given before it; nothing that apply() gives
  // as well.  Requires: has_turns(call.code).
  virtual void overtake(const State& state, const Call& call,
                        std::size_t furthest,
                        std::vector<Outcome>& outcomes) const;

  // Those of `values` that every operation treats alike: whatever they are
  // exchanged for each other in, calls do the same by other names.  Values of
  // operations may be lists of them.  None unless an object says otherwise.
  virtual std::vector<Value> interchangeable(std::span<const Value>) const {
    return {};
  }
  // `state` with to[i] for each from[i]; these are the same values in
  // another order, and interchangeable.
  virtual State renamed(const State& state, std::span<const Value> from,
                        std::span<const Value> to) const;

  // For people: "[1, 2, 3]", oldest first, say.
  virtual std::string describe(const State& state) const;
};

using SpecificationPtr = std::shared_ptr<const Specification>;

// `value` with to[i] for from[i], also inside lists.
Value renamed(Value value, std::span<const Value> from,
              std::span<const Value> to);

// The index of the operation called `name`.
std::optional<std::uint16_t> find_operation(const Specification& object,
                                            std::string_view name);

}  // namespace plumb::spec
