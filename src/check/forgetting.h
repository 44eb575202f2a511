// SPDX-License-Identifier: Apache-2.0
// What the window of a container may forget.
#pragma once

#include <cstdint>
#include <vector>

#include "check/rank_replay.h"
#include "history/history.h"

namespace plumb::check {

struct KeptOperation {
  enum class End : std::uint8_t { kOpen, kReturned, kFailed, kGivenUp };

  history::Operation operation;
  std::uint32_t handle = 0;
  End end = End::kOpen;
  std::uint32_t invoked = 0, ended = 0;  // places among the events

  bool open() const { return end == End::kOpen; }
  bool returned() const { return end == End::kReturned; }
};

struct KeptEvent {
  std::uint32_t operation;
  bool begins;
};

// By operation: whatever follows, the answer is the same without it.
// Requires: the history is linearizable, and no result of it is unknown.
std::vector<bool> forgettable(const Container& container,
                              const std::vector<KeptOperation>& operations,
                              const std::vector<KeptEvent>& events);

}  // namespace plumb::check
