// SPDX-License-Identifier: Apache-2.0
// The specification machine with all its hidden moves, made as late as can be.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/flat_table.h"
#include "verify/configurations.h"
#include "verify/set_moves.h"

namespace plumb::verify {

// Decides trace inclusion in the specification machine exactly, with sets that
// are much smaller than all configurations the machine may be in.
//
// Let cl(K) be all configurations that come from those in K by effects, and
// let F be the set that the subset construction keeps after a trace: all
// configurations after it, so F = cl(F).  We keep a set K, a kernel, with
// cl(K) = F:
// - A hidden step of the system changes neither.
// - Invocation by p.  An effect of another process before it can as well come
//   after it, with the same result, and p has none before it.  So
//   cl(invoke(cl(K))) = cl(invoke(K)).
// - Return of r by p.  Let a run of effects lead from c in K to a
//   configuration where p is done with r.  If p is done with r in c, all of
//   those effects can as well come after the return.  Else p is pending in c,
//   one of the effects is its own, and those behind it can come after the
//   return.  So the sequences that end with p's own effect are enough: what
//   just-in-time linearization does on histories [Lowe17].
// - A configuration of K that comes by effects from another one of K can be
//   left out: it is in that one's closure.
// The trace is one of the machine's iff F, and so K, is not empty.  Where the
// specification has states that no history may end in (relaxed ones have), F
// must have a configuration that is in none of these: again, that is so iff
// effects lead there from K.
//
// Comparing: cl(K) is part of cl(L) iff every member of K comes from a member
// of L by effects.  Then all traces from K are traces from L as well, that is,
// K is harder: this is the order of the antichain [DeWulfEtAl06], which on
// closures is plain inclusion.
class ExactMoves : public SetMoves {
 public:
  // A single move can take long where many calls are pending, so moves look at
  // the budget too.  Once it is spent, moves and comparisons are meaningless,
  // except that no set becomes empty by that.
  ExactMoves(Configurations& configurations, Budget& budget)
      : SetMoves(configurations),
        configurations_(configurations),
        budget_(budget) {}

  static constexpr const char* kCourse = "exact";

  std::optional<std::uint32_t> point(const lts::Label& label) const override;
  std::string course() const override { return kCourse; }

 private:
  SetId move(SetId set, const lts::Label& label) override;
  bool compare(SetId set, SetId other) override;
  bool covers(SetId set, SetId other);
  const Signature& signature(SetId set);

  Configurations& configurations_;
  Budget& budget_;
  std::vector<Signature> signatures_;  // of the closures, by set
  FlatMap<std::uint64_t, bool> compared_;
};

// Drops members that come from others by effects, as long as the budget lasts.
void keep_kernel(Configurations& configurations, ConfigurationList& members,
                 Budget& budget);

}  // namespace plumb::verify
