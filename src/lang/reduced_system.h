// SPDX-License-Identifier: Apache-2.0
// A program with fewer and longer transitions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lang/cartesian.h"
#include "lang/persistent.h"
#include "lang/program_system.h"
#include "lts/reduction.h"
#include "lts/symmetry.h"

namespace plumb::lang {

// Each transition is a sequence of steps of one process.  What is left out:
//
// Tight calls.  A call that begins later or ends earlier comes after more calls
// and before more of them.  So a history whose calls are shorter is harder to
// explain, and if all the shortest ones can be explained, so can the others.
// Here a call begins with its first step and ends with its last one; one that
// has not taken a step does not count, since it may as well not have begun.
//   This is no obstacle to anybody: what is not yet invoked takes no cell, no
// room among a client's items and none of the calls of another process; what
// has returned holds no cell and gives its room back.  Where clients forget how
// much more they got than they gave, the order of a return and an invocation
// does matter to them; but then a bound was met, and nothing holds.
//
// Partial order reduction: see PersistentSets and CartesianVectors.
class ReducedSystem final : public lts::System {
 public:
  ReducedSystem(std::shared_ptr<const ProgramSystem> whole,
                const lts::Reductions& wanted,
                std::unique_ptr<lts::Symmetry> symmetry);

  std::size_t processes() const override { return whole_->processes(); }
  std::span<const std::string> operations() const override {
    return whole_->operations();
  }
  lts::StateBytes initial() const override { return whole_->initial(); }
  void successors(lts::StateView state, lts::Successors& out) const override;
  std::vector<lts::Bound> bounds() const override { return whole_->bounds(); }
  std::vector<std::uint32_t> cuts() const override { return whole_->cuts(); }
  const lts::Symmetry* symmetry() const override { return symmetry_.get(); }
  lts::Edge edge(std::uint32_t edge) const override {
    return whole_->edge(edge);
  }
  std::string fault(std::uint16_t fault) const override {
    return whole_->fault(fault);
  }
  lts::StepText explain(lts::StateView before, const lts::Label& label,
                        lts::StateView after) const override {
    return whole_->explain(before, label, after);
  }
  std::vector<lts::Variable> describe(lts::StateView state) const override {
    return whole_->describe(state);
  }

 private:
  // Working memory of a thread.
  struct Scratch;

  static Scratch& scratch();
  bool expand_as_set(lts::StateView state, lts::Successors& out) const;
  bool try_set(const PersistentSets::View& view, std::uint64_t set,
               lts::Successors& out) const;
  void expand(lts::StateView state, std::size_t process,
              lts::Successors& out) const;
  void expand_as_vector(lts::StateView state, lts::Successors& out) const;
  // Adds transition `i` of `steps`, and what goes with it.
  void follow(const lts::Successors& steps, std::size_t i,
              lts::Successors& out) const;
  void begin_call(Scratch& work, lts::Successors& out) const;
  bool goes_on_alone(Scratch& work, lts::Successors& out) const;
  void go_on(Scratch& work, lts::Successors& out) const;
  std::uint32_t rest_of_process(lts::StateView state,
                                std::size_t process) const;
  bool at_return(lts::StateView state, std::size_t process) const;

  std::shared_ptr<const ProgramSystem> whole_;
  lts::Reductions wanted_;
  std::unique_ptr<lts::Symmetry> symmetry_;
  std::optional<PersistentSets> persistent_;
  std::optional<CartesianVectors> cartesian_;
};

}  // namespace plumb::lang
