// SPDX-License-Identifier: Apache-2.0
// One run of a system, as a system of its own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lts/path.h"
#include "lts/system.h"

namespace plumb::lts {

// Takes the steps of a path and no others, from states as they are there; where
// the path comes to a state again it may go on either way.
class PathSystem final : public System {
 public:
  // Both must last.  Requires: `path` is a run of `system`.
  PathSystem(const System& system, const Path& path)
      : system_(system), path_(path) {}

  std::size_t processes() const override { return system_.processes(); }
  std::span<const std::string> operations() const override {
    return system_.operations();
  }
  StateBytes initial() const override { return system_.initial(); }
  void successors(StateView state, Successors& out) const override {
    out.clear();
    for (std::size_t i = 0; i < path_.size(); ++i) {
      if (!std::ranges::equal(state, path_.states[i])) continue;
      out.add(path_.labels[i], path_.states[i + 1]);
    }
  }
  Edge edge(std::uint32_t edge) const override { return system_.edge(edge); }
  std::string fault(std::uint16_t fault) const override {
    return system_.fault(fault);
  }
  StepText explain(StateView before, const Label& label,
                   StateView after) const override {
    return system_.explain(before, label, after);
  }
  std::vector<Variable> describe(StateView state) const override {
    return system_.describe(state);
  }

 private:
  const System& system_;
  const Path& path_;
};

}  // namespace plumb::lts
