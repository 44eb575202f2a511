// SPDX-License-Identifier: Apache-2.0
// A system with bounded busy periods, for those who look at all histories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "lts/system.h"

namespace plumb::testing {

// Its states have two more bytes: how many operations are pending, and how
// many have begun since nothing was.  Its operations are numbered as those of
// the specification.
class BusySystem : public lts::System {
 public:
  // `system` must last.  `most`: operations of a busy period; 0: any number.
  // `codes`: see lang::Model.
  BusySystem(const lts::System& system, std::uint32_t most,
             std::vector<std::uint16_t> codes = {})
      : system_(system), most_(most), codes_(std::move(codes)) {}

  std::size_t processes() const override { return system_.processes(); }
  std::span<const std::string> operations() const override {
    return system_.operations();
  }
  lts::StateBytes initial() const override;
  void successors(lts::StateView state, lts::Successors& out) const override;
  lts::Edge edge(std::uint32_t edge) const override {
    return system_.edge(edge);
  }
  std::string fault(std::uint16_t fault) const override {
    return system_.fault(fault);
  }
  lts::StepText explain(lts::StateView, const lts::Label&,
                        lts::StateView) const override {
    return {};
  }
  std::vector<lts::Variable> describe(lts::StateView) const override {
    return {};
  }

 private:
  const lts::System& system_;
  std::uint32_t most_;
  std::vector<std::uint16_t> codes_;
};

}  // namespace plumb::testing
