// SPDX-License-Identifier: Apache-2.0
// States and transitions as files for other tools: .aut and .dot.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>

#include "base/budget.h"
#include "explore/id_range.h"
#include "explore/shared_store.h"
#include "lts/system.h"

namespace plumb::explore {

struct Written {
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  // Transitions that a limit of the search, or of the file, kept out.
  std::uint64_t left_out = 0;
  bool finished = true;  // else the budget was spent, and the file is useless
};

// The text of a visible label: "push_inv.0.1" when process 0 calls push(1),
// "pop_ret.1.2" when pop gives 2 to process 1, "pop_ret.1" when it gives
// nothing, "fault.0.MESSAGE".
std::string label_text(const lts::System& system, const lts::Label& label);

// All states that a system can reach, the nearest first, or as many as the
// limit allows (0: any number) and the budget.
struct Reached {
  Reached(const lts::System& system, std::uint64_t limit, Budget& budget);

  const lts::System& system;
  SharedStore states;  // without gaps
  std::uint64_t transitions = 0, faults = 0;
  std::string why_not_all;  // "the time limit of 5 s was reached", or ""
};

// Both write these states, and all transitions between them, which are made
// anew.  Whether `out` could take it
// all is for the caller to ask (out.good()).

struct AutOptions {
  // What an internal step is called: "i" for CADP, "tau" for mCRL2.
  std::string internal = "i";
};
// Aldebaran: `des (0, transitions, states)`, then (from, "label", to).  All
// faults lead to one state of their own, the last.
Written write_aut(const Reached& reached, std::ostream& out, Budget& budget,
                  const AutOptions& options = {});

struct DotOptions {
  std::uint64_t states = 1000;   // the nearest ones; more are not readable
  std::size_t characters = 240;  // of the text of a state
};
Written write_dot(const Reached& reached, std::ostream& out, Budget& budget,
                  const DotOptions& options = {});

}  // namespace plumb::explore
