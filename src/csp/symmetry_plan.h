// SPDX-License-Identifier: Apache-2.0
// Which values of a CSP# model are interchangeable, and where they may stand.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "csp/node.h"
#include "csp/symmetry_flow.h"
#include "lts/reduction.h"
#include "lts/symmetry.h"
#include "lts/system.h"

namespace plumb::csp {

// Values that can be exchanged for each other, such as the numbers of alike
// processes: a scalarset [IpDill96].  Each has a name, a small number that no
// value of another set has.
struct NameSet {
  std::vector<std::int32_t> values;  // in ascending order
  std::uint8_t first = 0;            // name of the first
  bool of_processes = false;         // else of data
  // They stand in a ring: only rotations rename them.
  bool is_ring = false;
  Flow::Place place = Flow::kNone;

  // Its name, or -1.
  int name_of(std::int64_t value) const {
    const std::int64_t low = values.front(), high = values.back();
    if (value < low || value > high) return -1;
    if (high - low + 1 == static_cast<std::int64_t>(values.size())) {
      return first + static_cast<int>(value - low);
    }
    return search(value);
  }
  std::int32_t value_of(std::size_t name) const { return values[name - first]; }
  // All its renamings are made of these.
  std::vector<lts::Permutation> generators() const;
  // Names that move round the ring so far.
  lts::Permutation rotation(std::size_t by) const;

 private:
  int search(std::int64_t value) const;
};

// -1: no set.
using SetNumber = std::int8_t;
inline constexpr SetNumber kNoSet = -1;

// Where names may stand in states and events.
struct SymmetryPlan {
  struct VariablePlan {
    SetNumber element = kNoSet;
    std::vector<SetNumber> dimensions;  // empty: none has names
  };
  struct ChannelPlan {
    SetNumber index = kNoSet;
    std::vector<SetNumber> fields;
  };
  // The components of an indexed ||: those of its indices, the last of which
  // runs fastest; values in the order of the text.
  struct ComponentsPlan {
    struct Index {
      SetNumber set = kNoSet;
      std::vector<std::int64_t> values;
    };
    std::vector<Index> indices;
  };

  std::shared_ptr<const Nodes> nodes;
  std::vector<NameSet> sets;
  std::size_t names = 0;
  std::vector<std::vector<SetNumber>> holes;  // by node; empty: none
  std::vector<VariablePlan> variables;
  std::vector<ChannelPlan> channels;
  std::map<NodeId, ComponentsPlan> components;  // by frame
  // By name and number of fields.
  std::map<std::pair<std::string, std::size_t>, std::vector<SetNumber>> events;
};

// Looks at all that these processes may do.  Appends to `notes`
// why something that is wanted is not done.  Nothing: no values are known to
// be interchangeable.
std::optional<SymmetryPlan> find_plan(const std::shared_ptr<const Nodes>& nodes,
                                      const std::vector<ProcessPtr>& references,
                                      const std::vector<ExprPtr>& watched,
                                      const lts::Reductions& wanted,
                                      std::vector<std::string>& notes);

// The same without one of the sets.
SymmetryPlan without(const SymmetryPlan& plan, std::size_t set);

}  // namespace plumb::csp
