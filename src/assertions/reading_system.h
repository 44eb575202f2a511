// SPDX-License-Identifier: Apache-2.0
// A system whose runs an automaton reads, as a system of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "assertions/atoms.h"
#include "ltl/automaton.h"
#include "lts/path.h"
#include "lts/system.h"

namespace plumb::assertions {

// A state is the automaton's state, in four bytes, and that of the system,
// whose letter has been read.  The initial state is one before that: its steps
// read the first letter.  In a stuck state time goes on without steps.  Neither
// these steps nor those are any of the system's; project() drops them.
class ReadingSystem final : public lts::System {
 public:
  // All must last.
  ReadingSystem(const lts::System& system, const ltl::Automaton& automaton,
                const Atoms& atoms)
      : system_(system), automaton_(automaton), atoms_(atoms) {}

  std::size_t processes() const override { return system_.processes(); }
  std::span<const std::string> operations() const override {
    return system_.operations();
  }
  lts::StateBytes initial() const override;
  void successors(lts::StateView state, lts::Successors& out) const override;
  std::vector<lts::Bound> bounds() const override { return system_.bounds(); }
  lts::Edge edge(std::uint32_t edge) const override {
    return system_.edge(edge);
  }
  std::string fault(std::uint16_t fault) const override {
    return system_.fault(fault);
  }
  lts::StepText explain(lts::StateView before, const lts::Label& label,
                        lts::StateView after) const override {
    return system_.explain(part(before), label, part(after));
  }
  std::vector<lts::Variable> describe(lts::StateView state) const override {
    return system_.describe(part(state));
  }

  // Has the automaton seen enough to accept, whatever follows?
  bool is_decided(lts::StateView state) const;
  // The run of the system, and how often time went on after its end.
  struct Projected {
    lts::Path path;
    std::size_t stays = 0;
  };
  Projected project(const lts::Path& path) const;

 private:
  static constexpr std::size_t kWidth = 4;
  static constexpr std::uint32_t kUnread = UINT32_MAX;
  static constexpr std::uint32_t kNoStep = UINT32_MAX;  // as an edge

  static lts::StateView part(lts::StateView state) {
    return state.subspan(kWidth);
  }
  static std::uint32_t automaton_state(lts::StateView state);
  static lts::StateBytes joined(std::uint32_t automaton, lts::StateView state);
  void read(std::uint32_t from, ltl::Letter letter, const lts::Label& label,
            lts::StateView to, lts::Successors& out) const;

  const lts::System& system_;
  const ltl::Automaton& automaton_;
  const Atoms& atoms_;
};

}  // namespace plumb::assertions
