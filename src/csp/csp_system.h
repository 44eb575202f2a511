// SPDX-License-Identifier: Apache-2.0
// A CSP# process with the variables of its module, as a transition system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "csp/edges.h"
#include "csp/faults.h"
#include "csp/node.h"
#include "csp/partial_order.h"
#include "csp/steps.h"
#include "lts/system.h"

namespace plumb::csp {

// What all systems of a module share.
struct Shared {
  std::shared_ptr<const Nodes> nodes;
  std::vector<lts::StateBytes> valuations;  // initial ones
  std::unique_ptr<const Faults> faults;
  // Numbers that are given while searches run.
  mutable Edges edges;
  std::uint64_t id = 0;  // of no other one in this process
};

// What a system begins with: the body of a definition, references in it
// followed.
struct RootTerm {
  lts::StateBytes term;
  std::uint32_t definition = 0;
};

// Labels: kEvent with its text as `value`; kInternal; kTerminate, which leads
// to Stop; kFault, which leads nowhere new.  With several initial valuations
// (`var x = *`) the first step chooses one of them, unless one is given.
class CspSystem : public lts::System {
 public:
  // Whoever wants to change states before they are told: csp/liveness.h.
  class Forget {
   public:
    virtual ~Forget() = default;
    // Changes variables that `term` never reads before it writes them.
    // Returns whether it changed any.
    virtual bool apply(lts::StateView term, Valuation& valuation) const = 0;
  };

  // From the term `root`; `valuation` is the number of an initial one.
  CspSystem(std::shared_ptr<const Shared> shared, RootTerm root,
            std::shared_ptr<const Forget> forget,
            std::optional<std::size_t> valuation,
            std::shared_ptr<const AmpleSets> ample = nullptr);

  std::size_t processes() const override { return processes_; }
  std::span<const std::string> operations() const override { return {}; }
  lts::StateBytes initial() const override { return initial_; }
  void successors(lts::StateView state, lts::Successors& out) const override;
  std::vector<lts::Bound> bounds() const override;
  std::uint64_t actors(const lts::Label& label) const override;

  lts::Edge edge(std::uint32_t edge) const override;
  std::string fault(std::uint16_t fault) const override;
  lts::StepText explain(lts::StateView before, const lts::Label& label,
                        lts::StateView after) const override;
  std::vector<lts::Variable> describe(lts::StateView state) const override;

  const Shared& shared() const { return *shared_; }
  // A state of the same system with nothing forgotten, as it is here.
  lts::StateBytes forgetting(lts::StateView state) const;

 private:
  // Returns false if there is more to do.
  bool add_some(Steps& steps, lts::Successors& out) const;
  void add(Steps& steps, const Move& move, lts::Successors& out) const;
  void add_fault(Steps& steps, const Move& move, std::uint16_t fault,
                 lts::Successors& out) const;
  lts::StateView state_after(Steps& steps, const Move& move) const;
  void add_choices(Steps& steps, lts::Successors& out) const;
  bool is_step(Steps& steps, const Move& move, const lts::Label& label,
               lts::StateView after) const;
  lts::StateBytes initial_state(std::size_t valuation) const;
  // 0 if there is none, or more than one.
  std::size_t line_of(NodeId node) const;

  std::shared_ptr<const Shared> shared_;
  RootTerm root_;
  lts::StateBytes initial_;
  std::shared_ptr<const Forget> forget_;
  std::shared_ptr<const AmpleSets> ample_;  // null: all steps are taken
  std::size_t processes_ = 1;
};

// The Steps of this thread for these nodes.
Steps& steps_of_thread(const Shared& shared);
// A term for people: "(Phil(0) ||| eat.1 -> ...)".
std::string term_text(const Nodes& nodes, lts::StateView term);

}  // namespace plumb::csp
