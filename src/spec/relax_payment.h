// SPDX-License-Identifier: Apache-2.0
// What further operations can do for the debts of a relaxed object.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "spec/relax.h"
#include "spec/relax_classes.h"
#include "spec/relax_debts.h"
#include "spec/specification.h"

namespace plumb::spec {

// Appends the outcomes of a call that nobody has made; none where the object
// goes wrong.
void apply_if_possible(const Specification& object, const State& state,
                       const Call& call, std::vector<Outcome>& outcomes);

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
  bool use(const Signature& signature) {
    std::size_t& left =
        signature.argument == Argument::kNone ? without : with_argument;
    if (left == kAnyNumber) return true;
    if (left == 0) return false;
    --left;
    return true;
  }
  auto operator<=>(const Helpers&) const = default;
};

class Payment {
 public:
  enum class By { kRelaxed, kAny };
  enum class Arguments { kUseful, kAll };

  // Further operations are those of relaxed classes, or any.  Where objects
  // only compare values, the useful arguments are enough.
  // Requires: all outlive this.
  Payment(const Specification& base, const Classes& classes,
          const Relaxation& relaxation, By by, Arguments arguments)
      : base_(base),
        classes_(classes),
        relaxation_(relaxation),
        by_(by),
        arguments_(arguments) {}

  struct Step {
    Owed owed;
    Helpers left;
  };
  // Appends all that one further operation can lead to, in time.
  void follow(const Owed& from, const Helpers& left,
              std::vector<Step>& next) const;

  // Can everything be executed in time?  Breadth first.
  bool possible(const Owed& from, const Helpers& helpers) const;

 private:
  void execute_late(const Owed& from, const Helpers& left,
                    std::vector<Step>& next) const;
  void execute_other(const Owed& from, const Helpers& left, const Call& call,
                     std::vector<Step>& next) const;
  void use_place(Owed owed, ClassIndex one, const Helpers& left,
                 std::vector<Step>& next) const;
  std::vector<Value> useful_arguments(const Owed& from,
                                      std::uint16_t code) const;

  const Specification& base_;
  const Classes& classes_;
  const Relaxation& relaxation_;
  By by_;
  Arguments arguments_;
};

// One key for what a search has seen.
State key_of(const Owed& owed, const Helpers& left);

}  // namespace plumb::spec
