// SPDX-License-Identifier: Apache-2.0
// What a search keeps beside each state of a system: a tag, and how it moves.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "lts/symmetry.h"
#include "lts/system.h"

namespace plumb::explore {

using Tag = std::uint32_t;
// Instead of a tag: something is wrong with the step.
inline constexpr Tag kFailed = 0;
// Instead of a tag: a bound keeps the step from being followed.
inline constexpr Tag kBeyond = UINT32_MAX - 1;
// The bit for that among the bounds that keep steps from being taken.
inline constexpr std::uint64_t kCutByTags = std::uint64_t{1} << 63;

// A search walks through pairs (state, tag).  The tag is a number of whatever
// a property remembers of a run: nothing, which calls are pending, the state
// of an automaton, a set of configurations of a specification.
//
// Several threads may use one object; each of them remembers in a Follower
// what it has asked before.
class Tagging {
 public:
  Tagging() = default;
  virtual ~Tagging() = default;
  Tagging(const Tagging&) = delete;

  // Of the initial state of the system.
  virtual Tag initial() const = 0;
  // Nothing if a step with this label leaves every tag as it is.  Else a
  // number that tells steps apart: labels of the same process, kind,
  // operation, value and point move tags alike.
  virtual std::optional<std::uint32_t> point(const lts::Label& label) const = 0;
  // The tag after a step of the system, or kFailed or kBeyond.
  virtual Tag after(Tag tag, const lts::Label& label) = 0;
  // Does something go wrong from `tag` whenever it does from `other`, in the
  // same state and with the same steps?  May say no where it does.
  virtual bool is_harder(Tag tag, Tag other) { return tag == other; }

  // The interchangeable values, which renamings call by their index.
  void set_values(std::span<const Value> values) {
    values_.assign(values.begin(), values.end());
  }
  std::span<const Value> values() const { return values_; }
  virtual Tag renamed(Tag tag, const lts::Renaming&) { return tag; }
  // What becomes of the tag of a state when the state is brought to its
  // canonical form.  Further renamings leave that form as it is; of all tags
  // that they make of this one, it is always the same, with few exceptions.
  struct Settled {
    Tag tag;
    lts::Renaming renaming;  // makes it from the one that was given
  };
  // Does every tag stay as it is then?
  bool is_settled(const lts::Canonical& how) const {
    return how.renaming.is_identity() && how.twins == 0 &&
           how.used_values + std::size_t{1} >= values_.size();
  }
  virtual Settled canonical(Tag tag, const lts::Canonical& how) {
    return {tag, how.renaming};
  }

  // Whatever decides how tags move: those with the same course make the same
  // tags, one after the other, of the same labels and renamings.
  virtual std::string course() const = 0;
  // What else is remembered of the steps that were followed, as bytes, and
  // back. Not while another thread moves.
  virtual std::string notes() const { return ""; }
  virtual void add_notes(std::string_view) {}

  // How many tags there are, and how many states of what they are made of;
  // for statistics.  Not while another thread moves.
  virtual std::size_t size() const { return 1; }
  virtual std::size_t origin_states() const { return 0; }
  // Do the latter seem to have no end, beside so many states of the system?
  virtual bool grows(std::size_t /*states*/) const { return false; }

  // How a tag was made, for those who make it again; in order, from the first
  // one after initial() on.
  struct Origin {
    Tag from;
    bool by_renaming;
    lts::Label label;        // else
    lts::Renaming renaming;  // by_renaming
  };
  void keep_origins() { keeps_origins_ = true; }
  const std::vector<Origin>& origins() const { return origins_; }

 protected:
  // For those who make a new tag.
  void note(const Origin& origin) {
    if (keeps_origins_) origins_.push_back(origin);
  }

 private:
  std::vector<Value> values_;
  bool keeps_origins_ = false;
  std::vector<Origin> origins_;
};

// Beside the states there is nothing to remember.
class NoTags final : public Tagging {
 public:
  Tag initial() const override { return 1; }
  std::optional<std::uint32_t> point(const lts::Label&) const override {
    return std::nullopt;
  }
  Tag after(Tag tag, const lts::Label&) override { return tag; }
  std::string course() const override { return "nothing"; }
};

}  // namespace plumb::explore
