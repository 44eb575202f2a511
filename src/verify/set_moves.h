// SPDX-License-Identifier: Apache-2.0
// How the specification machine follows the steps of a system.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lts/symmetry.h"
#include "lts/system.h"
#include "verify/configuration_sets.h"
#include "verify/members.h"

namespace plumb::verify {

// Instead of a set: a bound keeps the step from being followed.
inline constexpr SetId kBeyond = UINT32_MAX - 1;
// The bit for that among the bounds that keep steps from being taken.
inline constexpr std::uint64_t kCutByMoves = std::uint64_t{1} << 63;

// Beside a state of the system, a search keeps the set of all configurations
// that the specification machine may be in.  Subclasses say which hidden moves
// the machine makes, and when; some of them remember more than configurations.
//
// Several threads may use one object; each of them remembers in a Follower
// what it has asked before.
class SetMoves {
 public:
  virtual ~SetMoves() = default;
  SetMoves(const SetMoves&) = delete;

  SetId initial() const { return initial_; }

  // Nothing if a step with this label leaves every set as it is.  Else a
  // number that tells apart the steps at which operations take effect: labels
  // of the same process, kind, operation, value and point move sets alike.
  virtual std::optional<std::uint32_t> point(const lts::Label& label) const = 0;

  // Whatever decides how sets move, beside the specification: moves with the
  // same course make the same sets, one after the other, of the same labels and
  // renamings.
  virtual std::string course() const = 0;
  // What else is remembered of the steps that were followed, as bytes, and
  // back. Not while another thread moves.
  virtual std::string notes() const { return ""; }
  virtual void add_notes(std::string_view) {}

  // The set after a step of the system.  kEmptySet: the machine cannot follow.
  // kBeyond: it need not.  Requires: `set` is not empty.
  SetId after(SetId set, const lts::Label& label);

  // Can the machine follow from `other` whatever it can follow from `set`?
  // May say no where it can.
  bool is_harder(SetId set, SetId other) {
    if (set == other) return true;
    const std::lock_guard lock(mutex_);
    return compare(set, other);
  }

  // The interchangeable values, which renamings call by their index.
  void set_values(std::span<const Value> values);
  SetId renamed(SetId set, const lts::Renaming& renaming);
  // What becomes of the set of a state when the state is brought to its
  // canonical form.  Further renamings leave that form as it is; of all sets
  // that they make of this one, it is always the same, with few exceptions.
  struct Settled {
    SetId set;
    lts::Renaming renaming;  // makes it from the set that was given
  };
  Settled canonical(SetId set, const lts::Canonical& how);

  // Operations of the system, as bits, that were followed to their invocation
  // and to their return.  (From the 64th on none is noted.)
  std::uint64_t invoked() const { return invoked_; }
  std::uint64_t returned() const { return returned_; }

  // Not while another thread moves.
  const ConfigurationSets& sets() const { return sets_; }
  const SpecificationGraph& graph() const { return members_.graph(); }

  // How a set was made, for those who make it again; in order of their ids,
  // from the first one after initial() on.
  struct Origin {
    SetId from;
    bool by_renaming;
    lts::Label label;        // else
    lts::Renaming renaming;  // by_renaming
  };
  void keep_origins() { keeps_origins_ = true; }
  const std::vector<Origin>& origins() const { return origins_; }

 protected:
  explicit SetMoves(Members& members) : members_(members) {
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
  void note(std::size_t sets_before, const Origin& origin);

  Members& members_;
  std::mutex mutex_;
  std::uint64_t invoked_ = 0, returned_ = 0;
  std::vector<Value> values_;
  bool keeps_origins_ = false;
  std::vector<Origin> origins_;
  SetId initial_;
};

}  // namespace plumb::verify
