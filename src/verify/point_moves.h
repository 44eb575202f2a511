// SPDX-License-Identifier: Apache-2.0
// The specification machine with effects at given steps only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verify/configurations.h"
#include "verify/policy.h"
#include "verify/set_moves.h"

namespace plumb::verify {

// The machine makes a hidden move only where the policy says so.  Each run of
// it is a run of the whole machine, so whatever it can follow is a trace of
// the whole machine: a search that never ends in the empty set proves that
// the system is linearizable.  The empty set proves nothing, other points may
// do.  If every point is certain and the specification deterministic, all sets
// have one member: it is a forward simulation by one function.
class PointMoves : public SetMoves {
 public:
  // Both must last.
  PointMoves(Configurations& configurations, const Policy& policy);

  std::optional<std::uint32_t> point(const lts::Label& label) const override;
  std::string course() const override;
  std::string notes() const override;
  void add_notes(std::string_view notes) override;
  // The policy of such a course; nothing if it is another one.
  static std::optional<Policy> policy_of(std::string_view course);

  // Marked edges that were passed, by edge.  Not while another thread moves.
  const std::vector<bool>& marked() const { return marked_; }

 private:
  void note_mark(std::uint32_t edge) {
    if (edge >= marked_.size()) marked_.resize(edge + 1);
    marked_[edge] = true;
  }
  bool has_effects(const lts::Label& label) const {
    return label.edge < has_effects_.size() && has_effects_[label.edge];
  }
  SetId move(SetId set, const lts::Label& label) override;
  // Fewer configurations can follow less.
  bool compare(SetId set, SetId other) override {
    return sets_.is_subset(set, other);
  }
  void take_effects(const lts::Label& label, ConfigurationList& members);
  void own(const lts::Label& label, const Effect& effect,
           ConfigurationList& members);
  void others(const lts::Label& label, const Effect& effect,
              ConfigurationList& members);

  Configurations& configurations_;
  const Policy& policy_;
  std::vector<bool> has_effects_;  // by edge
  std::vector<bool> marked_;
};

}  // namespace plumb::verify
