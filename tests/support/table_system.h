// SPDX-License-Identifier: Apache-2.0
// A system written down as a table, or made at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lts/system.h"

namespace plumb::testing {

// States are numbers 0, 1, ...; 0 is initial.  Example, a call that spins:
//
//   TableSystem system(1, {"lock"});       // one process, one operation
//   system.invoke(0, 0, 0, Value(), 1);    // state, process, operation,
//   system.internal(1, 0, 1);              //   argument, next state
//   system.returns(1, 0, 0, Value(), 0);
//   system.wait(1, 0);                     // in state 1 process 0 waits
//
// A state comes into being when it is first mentioned.  Transitions are given
// by successors() in the order in which they were added.  Bytes of state n:
// two, or with vary_lengths() 2 + n % 5.  It is up to the test that a process
// that is idle only invokes, and one with a call pending does all else.
class TableSystem : public lts::System {
 public:
  explicit TableSystem(std::size_t processes = 2,
                       std::vector<std::string> operations = {"push", "pop"})
      : processes_(processes), operations_(std::move(operations)) {}

  void invoke(std::size_t from, std::size_t process, std::size_t operation,
              Value argument, std::size_t to);
  // `edge` names the step; `operation` is that of the process's call.
  void internal(std::size_t from, std::size_t process, std::size_t to,
                std::size_t edge = 0, std::size_t operation = 0,
                bool marked = false);
  void returns(std::size_t from, std::size_t process, std::size_t operation,
               Value result, std::size_t to);
  // The message is "fault N".
  void fault(std::size_t from, std::size_t process, std::size_t number,
             std::size_t to);
  void add(std::size_t from, const lts::Label& label, std::size_t to);
  void wait(std::size_t state, std::size_t process);
  // bounds()[bound] keeps a step from being taken in `state`.
  void cut(std::size_t state, std::size_t bound);
  void add_bound(lts::Bound bound) { bounds_.push_back(std::move(bound)); }
  void vary_lengths() { vary_lengths_ = true; }

  std::size_t states() const { return table_.size(); }
  lts::StateBytes encode(std::size_t state) const;
  std::size_t decode(lts::StateView state) const;

  // What tests look at directly.
  struct Transition {
    lts::Label label;
    std::size_t to = 0;
  };
  struct State {
    std::vector<Transition> transitions;
    std::uint64_t waiting = 0, cut = 0;
  };
  const State& state(std::size_t number) const { return table_[number]; }

  std::size_t processes() const override { return processes_; }
  std::span<const std::string> operations() const override {
    return operations_;
  }
  lts::StateBytes initial() const override { return encode(0); }
  void successors(lts::StateView state, lts::Successors& out) const override;
  std::vector<lts::Bound> bounds() const override { return bounds_; }
  lts::Edge edge(std::uint32_t edge) const override;
  std::string fault(std::uint16_t fault) const override;
  lts::StepText explain(lts::StateView before, const lts::Label& label,
                        lts::StateView after) const override;
  std::vector<lts::Variable> describe(lts::StateView state) const override;

 private:
  State& at(std::size_t state);

  std::size_t processes_;
  std::vector<std::string> operations_;
  std::vector<State> table_ = std::vector<State>(1);
  std::vector<lts::Bound> bounds_;
  bool vary_lengths_ = false;
};

// What random_table_system() makes: in each state it is fixed which call each
// process has pending, so that all calls are well-formed.
struct RandomTable {
  std::size_t processes = 2;
  std::size_t operations = 2;  // named "op0", "op1", ...
  std::size_t states = 8;
  std::size_t transitions = 16;
  std::size_t edges = 4;     // numbers of internal steps
  int arguments = 1;         // 0: null, else 1..arguments
  int results = 2;           // 0: null, else 1..results
  double faults = 0;         // share of the transitions
  double waits = 0;          // chance that a pending process without a
                             // transition waits
  double cuts = 0;           // chance that a state is cut by bound 0
  bool cut_by_user = false;  // who gave that bound
};
TableSystem random_table_system(const RandomTable& wanted,
                                std::mt19937& random);

}  // namespace plumb::testing
