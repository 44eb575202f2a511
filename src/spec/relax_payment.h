// SPDX-License-Identifier: Apache-2.0
// What further operations can do for the debts of a relaxed object.
#pragma once

#include <span>
#include <vector>

#include "spec/relax.h"
#include "spec/relax_classes.h"
#include "spec/relax_debts.h"
#include "spec/relax_further.h"
#include "spec/specification.h"

namespace plumb::spec {

// Appends the outcomes of a call that nobody has made; none where the object
// goes wrong.
void apply_if_possible(const Specification& object, const State& state,
                       const Call& call, std::vector<Outcome>& outcomes);

class Payment {
 public:
  // Further operations are those of relaxed classes, or any.
  enum class By { kRelaxed, kAny };

  // Requires: all outlive this.
  Payment(const Specification& base, const Classes& classes,
          const Relaxation& relaxation, By by)
      : base_(base),
        classes_(classes),
        relaxation_(relaxation),
        further_(base, classes, relaxation),
        by_(by) {}

  struct Step {
    Owed owed;
    Helpers left;
    bool uses_place = false;  // of a class with debts
  };
  // Appends all that one further operation can lead to, in time.  `pending`
  // calls may follow it.
  void follow(const Owed& from, const Helpers& left,
              std::span<const Call> pending, std::vector<Step>& next) const;

  // Appends all that a pending call can lead to that keeps its place, being in
  // no class.
  void let_happen(const Owed& from, const Helpers& left, const Call& call,
                  std::vector<Step>& next) const;

  const Further& further() const { return further_; }

 private:
  void execute_late(const Owed& from, const Helpers& left,
                    std::vector<Step>& next) const;
  void execute_other(const Owed& from, const Helpers& left, const Call& call,
                     bool is_free, std::vector<Step>& next) const;
  void use_place(Owed owed, ClassIndex one, const Helpers& left,
                 std::vector<Step>& next) const;

  const Specification& base_;
  const Classes& classes_;
  const Relaxation& relaxation_;
  Further further_;
  By by_;
};

// One key for what a search has seen.
State key_of(const Owed& owed, const Helpers& left);

}  // namespace plumb::spec
