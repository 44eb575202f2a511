// SPDX-License-Identifier: Apache-2.0
// How the specification machine follows the steps of a system.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "explore/tagging.h"
#include "lts/symmetry.h"
#include "lts/system.h"
#include "verify/configuration_sets.h"
#include "verify/members.h"

namespace plumb::verify {

using explore::kBeyond;

// Beside a state of the system, a search keeps the set of all configurations
// that the specification machine may be in.  Subclasses say which hidden moves
// the machine makes, and when; some of them remember more than configurations.
class SetMoves : public explore::Tagging {
 public:
  SetId initial() const final { return initial_; }

  // kEmptySet: the machine cannot follow.  Requires: `set` is not empty.
  SetId after(SetId set, const lts::Label& label) final;

  // Can the machine follow from `other` whatever it can follow from `set`?
  bool is_harder(SetId set, SetId other) final {
    if (set == other) return true;
    const std::lock_guard lock(mutex_);
    return compare(set, other);
  }

  SetId renamed(SetId set, const lts::Renaming& renaming) final;
  Settled canonical(SetId set, const lts::Canonical& how) final;

  std::size_t size() const final { return sets_.size() - 1; }
  std::size_t origin_states() const final { return graph().size(); }
  bool grows(std::size_t states) const final;

  // Operations of the system, as bits, that were followed to their invocation
  // and to their return.  (From the 64th on none is noted.)
  std::uint64_t invoked() const { return invoked_; }
  std::uint64_t returned() const { return returned_; }

  const SpecificationGraph& graph() const { return members_.graph(); }
  // Not while another thread moves.
  const ConfigurationSets& sets() const { return sets_; }

 protected:
  explicit SetMoves(Members& members)
      : members_(members), known_(members.graph().size()) {
    MemberList first = {0};
    initial_ = sets_.intern(first);
  }

  virtual SetId move(SetId set, const lts::Label& label) = 0;
  virtual bool compare(SetId set, SetId other) = 0;

  ConfigurationSets sets_;

 private:
  MemberList members_of(SetId set, const lts::Renaming& renaming);
  SetId keep(SetId from, const lts::Renaming& renaming, MemberList& members);
  void settle(SetId set, const lts::Canonical& how, Settled& best);
  void note_if_new(std::size_t sets_before, const Origin& origin);

  Members& members_;
  const std::size_t known_;  // states of the specification, at first
  std::mutex mutex_;
  std::uint64_t invoked_ = 0, returned_ = 0;
  SetId initial_;
};

}  // namespace plumb::verify
