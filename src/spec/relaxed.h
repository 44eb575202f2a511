// SPDX-License-Identifier: Apache-2.0
// The relaxed object as histories use it, for those who build on it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "spec/relax.h"
#include "spec/relax_classes.h"
#include "spec/relax_debts.h"
#include "spec/relax_liveness.h"
#include "spec/relax_payment.h"
#include "spec/specification.h"

namespace plumb::spec {

class Relaxed : public Specification {
 public:
  // Requires: `base` outlives this.
  Relaxed(const Specification& base, Relaxation relaxation);
  Relaxed(const Relaxed&) = delete;  // the payment refers to the other members

  std::string name() const override { return base_.name(); }
  std::span<const Signature> operations() const override { return signatures_; }
  State initial() const override;

  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override;
  void step(const State& state, const Call& call, std::optional<Value> observed,
            std::vector<State>& next) const override;

  // An operation of a relaxed class uses up a place even if it only reads.
  bool changes_nothing(const Call& call, Value observed) const override {
    return classes_.of(call.code, call.argument, observed) == Classes::kNone &&
           base_.changes_nothing(call, observed);
  }

  // A closed history must have paid within itself.
  bool may_end(const State& state) const override {
    return debts_of(state) == 0 || (!relaxation_.closed && payable(state, {}));
  }
  bool may_end_with(const State& state,
                    std::span<const Call> pending) const override {
    return may_end(state) || (!relaxation_.closed && payable(state, pending));
  }

  // It is one whole, even if the base object has parts: places are counted
  // among all operations of a class.  (See relax_parts.h.)
  std::vector<Value> interchangeable(
      std::span<const Value> values) const override;
  State renamed(const State& state, std::span<const Value> from,
                std::span<const Value> to) const override;
  std::string describe(const State& state) const override;

  const Classes& classes() const { return classes_; }
  const Relaxation& relaxation() const { return relaxation_; }

 private:
  void step_in_place(const State& state, const Call& call,
                     std::optional<Value> observed,
                     std::vector<State>& next) const;
  void step_unseen(const State& state, const Call& call,
                   std::vector<State>& next) const;
  void step_in_class(const State& state, const Debt& operation,
                     std::vector<State>& next) const;
  bool pay_guesses(const Unpacked& state, const Debt& operation,
                   std::vector<State>& next) const;
  void execute_itself(const Unpacked& state, const Debt& operation,
                      std::vector<State>& next) const;
  void execute_late(const Unpacked& state, ClassIndex one, std::size_t not_this,
                    std::vector<State>& next) const;
  void execute_guesses(const Unpacked& state, ClassIndex one,
                       std::vector<State>& next) const;
  void finish(Unpacked state, ClassIndex one, std::vector<State>& next) const;
  bool fits(const Debt& debt, Value result) const {
    return debt.result_known
               ? result == debt.result
               : classes_.of(debt.code, debt.argument, result) == debt.one;
  }
  bool payable(const State& state, std::span<const Call> pending) const;

  const Specification& base_;
  Relaxation relaxation_;
  Classes classes_;
  Payment payment_;
  mutable Liveness liveness_;
  std::vector<Signature> signatures_;
};

}  // namespace plumb::spec
