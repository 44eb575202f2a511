// SPDX-License-Identifier: Apache-2.0
// Which states and steps a search may leave out.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lts/system.h"

namespace plumb::lts {

struct Reductions {
  bool process_symmetry = true;
  bool data_symmetry = true;
  // Calls begin with their first access and end with their last one: a history
  // whose calls last longer has fewer constraints.
  bool tight_calls = true;
  enum class PartialOrder : std::uint8_t {
    kNone,
    kPersistent,
    kCartesian,
    kBoth,
  };
  PartialOrder partial_order = PartialOrder::kBoth;
  // Steps that pass a mark keep their order.
  bool keep_marks = false;

  static Reductions none() {
    return {false, false, false, PartialOrder::kNone, false};
  }
  friend bool operator==(const Reductions&, const Reductions&) = default;
};

// A system with fewer states and steps: every history of the original, and
// every fault, is there up to the names of processes and values, except that
// calls may begin later and end earlier.  Its states are states of the
// original, and each of its transitions is a sequence of steps of the original
// that one process takes.
struct Reduced {
  std::shared_ptr<const System> system;
  // What was asked for and is not done: "process symmetry is off: line 12
  // compares processes by 'index'".
  std::vector<std::string> notes;
};

}  // namespace plumb::lts
