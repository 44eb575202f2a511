// SPDX-License-Identifier: Apache-2.0
// A counter from a bitonic counting network of width 2 or 4.
//
// Source: J. Aspnes, M. Herlihy, N. Shavit, Counting networks, J. ACM 41(5),
// 1994.
//
// A balancer sends those who come to its two outputs in turn.  The network
// spreads them evenly over its wires; behind wire i stands a counter that gives
// out i, i + width, i + 2 * width ...  One who is slow between balancer and
// counter leaves a gap that is filled late: not linearizable, nor sequentially
// consistent; when nobody is inside there is no gap: quiescent consistent.
//
// A balancer that reads its toggle and writes it in two steps sends two the
// same way: then a number is missing even when nobody is inside.
#pragma once

#include <array>
#include <atomic>

template <unsigned kWidth, bool kAtomicToggle = true>
class CountingNetwork {
  static_assert(kWidth == 2 || kWidth == 4);

 public:
  // Returns how many came before, as far as the network can tell.
  int inc() {
    const unsigned wire = kWidth == 2 ? balancers_[0].pass() : pass_bitonic();
    return static_cast<int>(
        wire + kWidth * counts_[wire].fetch_add(1, std::memory_order_acq_rel));
  }

 private:
  class Balancer {
   public:
    // The output, 0 or 1.
    unsigned pass() {
      if (kAtomicToggle) return toggle_.fetch_xor(1, std::memory_order_acq_rel);
      const unsigned output = toggle_.load(std::memory_order_acquire);
      toggle_.store(1 - output, std::memory_order_release);
      return output;
    }

   private:
    std::atomic<unsigned> toggle_{0};
  };

  // Everybody comes in at the first wire, so that of the balancers of the first
  // layer only one is used: 0; then 1 or 2, of the merger's halves; then 3, for
  // the wires 0 and 1, or 4, for 2 and 3.
  unsigned pass_bitonic() {
    const unsigned half = balancers_[0].pass();
    const unsigned side = balancers_[1 + half].pass();
    return 2 * side + balancers_[3 + side].pass();
  }

  std::array<Balancer, 5> balancers_;
  std::array<std::atomic<unsigned>, kWidth> counts_{};
};
