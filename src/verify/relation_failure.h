// SPDX-License-Identifier: Apache-2.0
// Says why a relation is no simulation.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "lts/abstraction.h"
#include "lts/path.h"
#include "verify/configurations.h"
#include "verify/outcome.h"
#include "verify/specification_graph.h"

namespace plumb::verify {

// A run of the system, and the obligation that its last step fails.  Each of
// them looks at it anew, with nothing but the relation and the specification,
// and aborts if the obligation does not fail: that would be an error of ours.
class RelationFailure {
 public:
  // All must last.
  RelationFailure(const Question& question, const lts::Abstraction& relation,
                  SpecificationGraph& graph)
      : question_(question), relation_(relation), graph_(graph) {}

  // The initial states are not related.
  Outcome at_start() const;
  // Return to quiescent.
  Outcome of_coupled(const lts::Path& path) const;
  // Invocation, internal or return; `before`: what the machine may be in
  // before the last step.
  Outcome of_forward(const lts::Path& path, const Configurations& machine,
                     std::span<const ConfigurationId> before) const;

 private:
  // What a state is related to; `text` says it for people.
  struct Related {
    std::vector<AbstractId> states;
    std::string text;
  };
  Related related(lts::StateView state) const;
  Outcome failed(const std::string& obligation, const lts::Path& path) const;
  std::string text_of(AbstractId state) const;
  std::string text_of(std::span<const AbstractId> states) const;
  std::string text_of_call(CallId id) const;
  std::string text_of(lts::StateView state) const;

  const Question& question_;
  const lts::Abstraction& relation_;
  SpecificationGraph& graph_;
};

}  // namespace plumb::verify
