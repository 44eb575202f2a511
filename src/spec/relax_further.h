// SPDX-License-Identifier: Apache-2.0
// Which further operations are enough to pay what is late, and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "base/flat_table.h"
#include "spec/relax.h"
#include "spec/relax_classes.h"
#include "spec/relax_debts.h"
#include "spec/specification.h"

namespace plumb::spec {

// What has to be executed, and on what.  The early operations are left out,
// because they never decide.  Let k operations of a class be late, and k
// early.  Further operations may have any argument and result, so let pi have
// the early ones first, by their age, and then the further ones, in the order
// in which pi' has them.  The i-th further one then stands at the place k + i
// of pi, counted from here, and in pi' at i plus the number of late ones
// before it, so at most k places, which is at most the factor, from there.
// The early ones are in time because in_time() has said so, and when the last
// late one is executed, k places or more have gone by.
struct Owed {
  State base;
  Debts late;
};

// How many further operations may be called that are in no class, or in one
// without debts.  (Those of classes with debts use up places, so there are
// never many of them.)
struct Helpers {
  static constexpr std::size_t kAnyNumber = SIZE_MAX;

  std::size_t with_argument = kAnyNumber;
  std::size_t without = kAnyNumber;

  // Takes one away; false if none is left.
  static bool use(std::size_t& left) {
    if (left == kAnyNumber) return true;
    if (left == 0) return false;
    --left;
    return true;
  }
  auto operator<=>(const Helpers&) const = default;
};

// An argument of a further operation.  One that is free is not counted.
struct Choice {
  Value argument;
  bool is_free = false;
};

// The plain name of a built-in object, "queue" of "blocking_queue(3)"; "" of
// any other.
std::string_view built_in_name(const Specification& object);

class Further {
 public:
  // Requires: all outlive this.
  Further(const Specification& base, const Classes& classes,
          const Relaxation& relaxation);

  // Enough for what is late, with the arguments below; as many as there are if
  // nothing is known, or if there are only finitely many states.
  Helpers helpers(const Owed& owed) const;

  // Appends the arguments that are worth trying where these calls may still
  // take effect between further operations.
  void append_arguments(const Owed& owed, std::span<const Call> pending,
                        std::uint16_t code, std::vector<Choice>& choices) const;

  // Those of these calls, all of which may still take effect, that can be of
  // use; equal ones for those of which only the number matters.
  std::vector<Call> useful(const Owed& owed,
                           std::span<const Call> pending) const;

  const Classes& classes() const { return classes_; }

 private:
  enum class Kind : std::uint8_t {
    kContainer,      // queue, stack, deque, bag: values are only moved
    kPriorityQueue,  // ... and compared by size
    kSet,
    kRegister,
    kMap,
    kOther,
  };
  // Values that no class tells apart.
  using Cells = std::vector<std::vector<Value>>;

  static Kind kind_of(const Specification& base);
  void sort_into_cells(std::span<const Value> values, Cells& cells) const;
  bool may_be_refused(const Owed& owed) const;
  bool takes_anything(const Owed& owed) const;
  std::vector<Call> useful_puts(const Owed& owed,
                                std::span<const Call> pending) const;
  std::vector<Call> useful_writes(const Owed& owed,
                                  std::span<const Call> pending) const;
  bool takes(const Debt& debt) const {
    return base_.operations()[debt.code].takes;
  }

  const Specification& base_;
  const Classes& classes_;
  const Relaxation& relaxation_;
  Kind kind_;
  // By code: the arguments; of pairs, all second items.
  std::vector<FlatSet<Value>> domain_;
  std::vector<Cells> cells_;
};

// Which numbers a counting object (counter, snzi) need stop at.
class Stops {
 public:
  // Nothing of objects of another kind.
  static std::optional<Stops> of(const Specification& base,
                                 const Classes& classes, const Owed& owed);

  // A further operation leads from one number to the next: how far may as
  // many of them as needed go at once?  False: there is no use in going there.
  bool settle(const State& from, State& to) const;

 private:
  std::vector<std::int64_t> numbers_;  // ascending
};

}  // namespace plumb::spec
