// SPDX-License-Identifier: Apache-2.0
// What the sets beside the states of a system consist of.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/value.h"
#include "lts/symmetry.h"
#include "verify/specification_graph.h"

namespace plumb::verify {

using MemberId = std::uint32_t;
using MemberList = std::vector<MemberId>;

// Interned things that say something of each process, and something beside
// that.  Member 0 goes with the initial state.
class Members {
 public:
  virtual ~Members() = default;

  virtual std::size_t processes() const = 0;
  virtual SpecificationGraph& graph() = 0;

  // By other names of processes and values; see lts::Renaming.
  virtual MemberId renamed(MemberId member, const lts::Renaming& renaming,
                           std::span<const Value> values) = 0;
  // The same, then what it says of neighbours that are twins (bit p: p and
  // p + 1) is sorted; `renaming` becomes both together.
  virtual MemberId with_sorted_twins(MemberId member, std::uint16_t twins,
                                     lts::Renaming& renaming,
                                     std::span<const Value> values) = 0;

  // What it says of a process, and beside that.
  virtual std::uint64_t about(MemberId member, std::size_t process) const = 0;
  virtual std::uint64_t beside(MemberId member) const = 0;
};

}  // namespace plumb::verify
