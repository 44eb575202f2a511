// SPDX-License-Identifier: Apache-2.0
// Remembers how the specification machine moves, for all threads of a search.
#pragma once

#include <cstdint>

#include "explore/tagging.h"
#include "lts/symmetry.h"
#include "verify/label_classes.h"
#include "verify/move_cache.h"
#include "verify/shared_numbers.h"

namespace plumb::verify {

using explore::Tagging;

class Follower {
 public:
  // Of labels that leave every set as it is.
  static constexpr ClassId kStill = UINT32_MAX;

  // `moves` must last.
  explicit Follower(Tagging& moves) : moves_(moves) {}
  Follower(const Follower&) = delete;

  Tagging& moves() { return moves_; }
  // Frees what is out of use.  Not while a thread follows.
  void tidy() {
    classes_.tidy();
    steps_.tidy();
    renamings_.tidy();
    hows_.tidy();
  }

  // Tagging::after() in parts: number() for all steps of a state, then
  // prefetch() for all, then after().
  ClassId number(const lts::Label& label) {
    const auto point = moves_.point(label);
    return point ? classes_.number(label, *point) : kStill;
  }
  void prefetch(Tag set, ClassId number) const {
    if (number != kStill) steps_.prefetch(set, number);
  }
  Tag after(Tag set, const lts::Label& label, ClassId number) {
    if (number == kStill) return set;
    const Tag known = steps_.find(set, number);
    if (known != MoveCache::kUnknown) return known;
    const Tag next = moves_.after(set, label);
    steps_.add(set, number, next);
    return next;
  }

  // What becomes of the set of a state when the state is brought to its
  // canonical form.
  Tag canonical(Tag set, const lts::Canonical& how);

 private:
  // A lts::Canonical.
  struct How {
    std::uint64_t processes = 0, values = 0, rest = 0;

    std::size_t hash() const {
      const std::uint64_t words =
          processes * 0x9E3779B97F4A7C15 ^ values * 0xD6E8FEB86659FD93 ^ rest;
      return static_cast<std::size_t>((words * 0xA0761D6478BD642F) >> 32);
    }
    friend bool operator==(const How&, const How&) = default;
  };

  Tagging& moves_;
  LabelClasses classes_;
  MoveCache steps_;
  MoveCache renamings_;
  SharedNumbers<How> hows_;
};

}  // namespace plumb::verify
