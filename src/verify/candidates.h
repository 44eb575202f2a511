// SPDX-License-Identifier: Apache-2.0
// Which linearization points could explain some runs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lts/system.h"
#include "verify/policy.h"
#include "verify/specification_graph.h"

namespace plumb::verify {

// The labels of a run, of a system with so many processes.
struct Run {
  std::size_t processes;
  std::vector<lts::Label> labels;

  friend bool operator==(const Run&, const Run&) = default;
};

struct Candidate {
  enum class Rank : std::uint8_t {
    kHelped,  // at another process's write
    kInvocation,
    kReturn,
    kRead,
    kWrite,
  };
  Rank rank;
  std::uint32_t edge;
  Effect effect;

  friend bool operator==(const Candidate&, const Candidate&) = default;
};

// Every step of each call of `runs` as a point where the call may take effect,
// with the result that it returns; with `helped`, also the writes of others in
// its time.  The likely ones come last: most objects change at a write, at the
// first if there are several; operations that change nothing take effect at
// one of their last reads.
std::vector<Candidate> candidates_of(const lts::System& system,
                                     const SpecificationGraph& graph,
                                     std::span<const Run> runs, bool helped);

// Do all calls of `runs` that take this step, and return, return one of these?
bool all_return(std::span<const Run> runs, const SpecificationGraph& graph,
                std::uint32_t edge, std::span<const Value> results);

}  // namespace plumb::verify
