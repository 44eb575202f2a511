// SPDX-License-Identifier: Apache-2.0
// Components whose next steps may be explored without those of the others.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/value.h"
#include "csp/model_options.h"
#include "csp/node.h"
#include "csp/partial_order_masks.h"
#include "csp/partial_order_touches.h"
#include "csp/steps.h"

namespace plumb::csp {

// A part of the term of a state, in its bytes.
struct TermRange {
  const std::uint8_t *begin = nullptr, *end = nullptr;

  bool contains(const std::uint8_t* at) const {
    return begin <= at && at < end;
  }
};

// The components of a state are the operands of its outermost ||| and ||,
// those within hidings and further ||| and || included, and copies.  The steps
// of one component may stand for all [Peled93] if
//
// - it has some, takes them all alone and nobody can see any of them; none of
//   its steps waits for a partner, and it cannot just end;
// - what they read nobody else will write, now or later, and what they write
//   nobody else will touch: so whatever the others do, these steps stay just
//   as they are, and can be taken first, with the same result;
// - none goes wrong;
// - none of them begins a round (NodeTouches::is_held), which is what makes it
//   sure that others are not put off for ever, as in [KurshanEtAl98]: steps
//   that stand for all make the process term smaller, so that there is no
//   circle of them;
// - nothing has the priority of atomic{...} now, nor may get it by such a
//   step.
//
// All of it depends on the state alone.
//
// What is left is, step for step, part of the whole system, with the same stuck
// states as near as before, the same traces of what can be seen, the same
// stable states behind them (whoever has an internal step that nothing can
// disable is not stable) and a divergence behind a trace if there was one.
class AmpleSets {
 public:
  AmpleSets(std::shared_ptr<const Nodes> nodes, const NodeTouches& touches,
            const Watched& watched, const Observed& observed);

  // The component whose moves are to be taken instead of all, if none of them
  // turns out to go wrong.  Requires: steps.find() was called.
  std::optional<TermRange> choose(Steps& steps) const;

 private:
  struct Part {
    TermRange range;
    bool several = false;  // copies
    bool fixed = false;    // it may not be chosen
    std::size_t moves = 0;
  };
  struct Scratch;

  bool is_seen(Steps& steps, const Move& move) const;
  void split(Steps& steps, Scratch& scratch) const;
  const std::uint8_t* split(Steps& steps, const std::uint8_t* at,
                            bool outermost, Scratch& scratch) const;
  void split_copies(Steps& steps, const Node& frame, const std::uint8_t*& at,
                    Scratch& scratch) const;
  static Part* part_of(const std::uint8_t* at, Scratch& scratch);
  void count_moves(Steps& steps, Scratch& scratch) const;
  void look_at_parts(Steps& steps, Scratch& scratch) const;
  void look_at(Steps& steps, std::size_t number, Scratch& scratch) const;
  bool is_alone(Steps& steps, std::size_t number, Scratch& scratch) const;

  std::shared_ptr<const Nodes> nodes_;
  TouchMasks masks_;
  std::vector<bool> held_, atomic_;  // by node
  Observed::Events events_;
  std::vector<Value> names_;  // in order
  CellMask watched_;
};

}  // namespace plumb::csp
