// SPDX-License-Identifier: Apache-2.0
// What a search for a refinement keeps beside states, and looks for.
#pragma once

#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <string>

#include "assertions/assertions.h"
#include "assertions/divergences.h"
#include "assertions/events.h"
#include "assertions/lazy_graph.h"
#include "assertions/specification_sets.h"
#include "base/budget.h"
#include "explore/tagging.h"
#include "explore/watch.h"

namespace plumb::assertions {

// Beside a state of the implementation, the set of states that the
// specification may be in after the same trace.  After each trace that the
// implementation has [Roscoe97]:
//
// - traces: the set is not empty;
// - failures: a stable state offers all that some stable member of the set
//   offers, so that it refuses no more;
// - divergences: where the specification diverges, all is allowed; elsewhere
//   the implementation does not.
//
// A pair with a larger set fails no earlier than one with a smaller set: it
// diverges if the smaller one does, allows more events and has more stable
// members.  So the sets of each state are an antichain [DeWulfEtAl06].
class RefinementTags final : public explore::Tagging {
 public:
  using Tag = explore::Tag;

  // A set could not be made: a limit, or a fault of the specification.
  struct Stopped {
    std::string why;
  };

  // All must last.  Throws Stopped, as after() and offends() do.
  RefinementTags(const lts::System& implementation,
                 const lts::System& specification, Semantics semantics,
                 const Options& options, Budget& budget);

  Tag initial() const override { return initial_; }
  std::optional<std::uint32_t> point(const lts::Label& label) const override;
  Tag after(Tag tag, const lts::Label& label) override;
  bool is_harder(Tag tag, Tag other) override;
  std::string course() const override { return "traces"; }
  std::size_t size() const override { return sets_.size() - 1; }
  std::size_t origin_states() const override { return sets_.graph().states(); }

  // Is a failure or divergence of a state with these transitions none of the
  // specification's?
  bool offends(lts::StateView state, Tag tag, const lts::Successors& out);

  // For what is said of it, when the search is over.
  SpecificationSets& sets() { return sets_; }
  Events& events() { return events_; }
  LazyGraph& graph() { return graph_; }  // of states that may diverge
  Divergences& divergences() { return divergences_; }
  SpecificationSets::EventSet offered(const lts::Successors& out);

 private:
  SetId fine(SetId set) const {
    if (set == SpecificationSets::kStopped) throw Stopped{sets_.why()};
    return set;
  }
  bool diverges(Tag set);
  bool diverges(lts::StateView state);
  void note_if_new(SetId set, std::size_t before, Tag from,
                   const lts::Label& label);

  const Semantics semantics_;
  Budget& budget_;
  const bool renames_;       // both sides are renamed together
  std::shared_mutex mutex_;  // for all that follows
  Events events_;
  SpecificationSets sets_;
  LazyGraph graph_;
  Divergences divergences_;
  Tag initial_;
};

// Looks for failures and divergences.
class Offence final : public explore::Watch {
 public:
  explicit Offence(RefinementTags& tags) : tags_(tags) {}
  bool is_found(lts::StateView state, explore::Tag tag,
                const lts::Successors& out) const override {
    return tags_.offends(state, tag, out);
  }

 private:
  RefinementTags& tags_;
};

}  // namespace plumb::assertions
