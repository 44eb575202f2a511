// SPDX-License-Identifier: Apache-2.0
// A system whose labels say what the user's relation says of the next state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lts/abstraction.h"
#include "lts/path.h"
#include "lts/system.h"

namespace plumb::verify {

// So that SetMoves, which see labels alone, can follow.  The value of such a
// label is a list: first the value that it had, then the abstract states that
// the next state is related to, each of them a list; or a text, if the relation
// could not be evaluated there.
//
// There is no symmetry, for a relation may tell apart what the system does not.
class RelatedSystem final : public lts::System {
 public:
  // Which labels: only quiescent states need be related to something, and
  // these come after returns; or all states.
  enum class Where : std::uint8_t { kReturns, kEverywhere };

  // Both must last.
  RelatedSystem(const lts::System& system, const lts::Abstraction& relation,
                Where where)
      : system_(system), relation_(relation), where_(where) {}

  bool relates(const lts::Label& label) const;
  // The label that the system itself gives, and what was added to it.
  lts::Label plain(lts::Label label) const;
  // In both: nothing if the relation could not be evaluated.
  static std::optional<std::span<const Value>> related(const lts::Label& label);
  lts::Path plain(lts::Path path) const;

  std::size_t processes() const override { return system_.processes(); }
  std::span<const std::string> operations() const override {
    return system_.operations();
  }
  lts::StateBytes initial() const override { return system_.initial(); }
  void successors(lts::StateView state, lts::Successors& out) const override;
  std::vector<lts::Bound> bounds() const override { return system_.bounds(); }
  std::vector<std::uint32_t> cuts() const override { return system_.cuts(); }
  lts::Edge edge(std::uint32_t edge) const override {
    return system_.edge(edge);
  }
  std::string fault(std::uint16_t fault) const override {
    return system_.fault(fault);
  }
  lts::StepText explain(lts::StateView before, const lts::Label& label,
                        lts::StateView after) const override {
    return system_.explain(before, plain(label), after);
  }
  std::vector<lts::Variable> describe(lts::StateView state) const override {
    return system_.describe(state);
  }

 private:
  Value with_related(Value value, lts::StateView next) const;

  const lts::System& system_;
  const lts::Abstraction& relation_;
  Where where_;
};

}  // namespace plumb::verify
