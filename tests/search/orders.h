// SPDX-License-Identifier: Apache-2.0
// Memory orders of what machines do.
#pragma once

#include <atomic>

#include "search/machine.h"

namespace plumb::search_test {

// Orders that are known when this is compiled.
template <Strength kStrength>
struct Orders {
  static constexpr std::memory_order pick(std::memory_order one) {
    return kStrength == Strength::kSeqCst           ? std::memory_order_seq_cst
           : kStrength == Strength::kAcquireRelease ? one
                                                    : std::memory_order_relaxed;
  }
  static constexpr auto kLoad = pick(std::memory_order_acquire);
  static constexpr auto kStore = pick(std::memory_order_release);
  static constexpr auto kBoth = pick(std::memory_order_acq_rel);
};

}  // namespace plumb::search_test
