// SPDX-License-Identifier: Apache-2.0
// The bounded counter with a cas loop, as code: for golden numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lts/system.h"

namespace plumb::testing {

// push adds 1 up to `bound` and returns the new number, pop takes 1 off down
// to 0; each reads, then tries a cas, until one succeeds.  Clients call as
// often as they like.  A state is one byte for the counter and one for each
// process.
class CounterSystem : public lts::System {
 public:
  CounterSystem(std::size_t processes, std::uint8_t bound)
      : processes_(processes), bound_(bound) {}

  std::size_t processes() const override { return processes_; }
  std::span<const std::string> operations() const override {
    return operations_;
  }
  lts::StateBytes initial() const override {
    return lts::StateBytes(1 + processes_, 0);
  }
  void successors(lts::StateView state, lts::Successors& out) const override;
  lts::Edge edge(std::uint32_t) const override { return {}; }
  std::string fault(std::uint16_t) const override { return ""; }
  lts::StepText explain(lts::StateView, const lts::Label&,
                        lts::StateView) const override {
    return {};
  }
  std::vector<lts::Variable> describe(lts::StateView) const override {
    return {};
  }

 private:
  std::size_t processes_;
  std::uint8_t bound_;
  std::vector<std::string> operations_ = {"push", "pop"};
};

}  // namespace plumb::testing
