// SPDX-License-Identifier: Apache-2.0
// Processes whose next steps may be explored without those of the others.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lang/client.h"
#include "lang/footprint.h"
#include "lang/program.h"
#include "lts/reduction.h"

namespace plumb::lang {

// A set of steps of a state is persistent [Godefroid96] if nothing that can
// happen without them depends on them: then every run has an equivalent one
// that takes one of them first.  The steps must be invisible too, so that
// nobody can tell the two runs apart, and they must not put off the others for
// ever.  The last is seen to beforehand, as in [KurshanEtAl98]: each cycle of
// an operation's steps has one that is never in a proper persistent set, so
// that on each cycle of the reduced graph there is a state where everybody may
// move.
//
// All of it depends on the state alone.
class PersistentSets {
 public:
  PersistentSets(const Program& program, const Client& client,
                 const lts::Reductions& wanted);

  // Where everybody is.
  struct View {
    lts::StateView state;
    std::array<std::uint32_t, 64> rests;  // by process
    std::uint64_t calls = 0;              // bit p: p may make another call
    std::uint64_t active = 0;             // bit p: p can still do something
  };
  View view(lts::StateView state) const;

  // May the next step of `process` go alone, as far as one can say without
  // taking it?  It must turn out to be neither a fault nor cut nor blocked.
  bool may_go_alone(const View& view, std::size_t process) const;
  // The same for several: the smallest set that contains `process`, or 0 if
  // there is none but the set of all.
  std::uint64_t may_go_with(const View& view, std::size_t process) const;
  // Is there anything to ask?  Requires less than a View.
  bool may_be_in_set(std::uint32_t rest) const {
    return rest != 0 && reducible_[rest];
  }

 private:
  void find_sticky();
  // Steps that are never reduced whatever the state.
  bool never_alone(std::uint32_t rest) const;
  std::uint32_t rank(std::uint32_t rest, const Places& all) const;
  bool are_independent(const View& view, std::size_t process,
                       std::size_t other) const;
  bool meets_next_step(const View& view, const Location& mine,
                       std::size_t other) const;

  const Program& program_;
  const Client& client_;
  Footprints footprints_;
  bool keep_marks_;
  std::vector<Places> calls_;    // by process
  std::vector<bool> reducible_;  // by rest
};

// Is `process` the only one that can get at `cell`, as long as it does not
// move?
bool is_known_only_to(const Program& program, lts::StateView state,
                      std::size_t process, std::uint32_t cell);

}  // namespace plumb::lang
