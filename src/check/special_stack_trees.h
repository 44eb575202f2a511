// SPDX-License-Identifier: Apache-2.0
// The search trees of the special decider for stacks.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace plumb::check {

// Counters with "subtract one from a range" and "find a zero".
//
// A node keeps by how much the least counter below it exceeds that of its
// parent, so of two siblings one always has 0, and the root has the least of
// all.  A change climbs only as far as it matters, which is not far if ranges
// are short.
class CounterTree {
 public:
  // Counters that are zero from the start count as found.
  void build(std::span<const std::int32_t> counters) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(counters.size(), 2));
    excess_.assign(2 * leaves_, kFound);
    for (std::size_t i = 0; i < counters.size(); ++i) {
      if (counters[i] > 0) excess_[leaves_ + i] = counters[i];
    }
    excess_[1] = 0;
    for (std::size_t node = leaves_ - 1; node > 0; --node) {
      excess_[node] = 0;
      settle(node);
    }
  }

  // Requires: no counter in the range, ends included, is zero.
  void decrement(std::size_t first, std::size_t last) {
    std::size_t left = leaves_ + first;
    std::size_t right = leaves_ + last;
    --excess_[left];
    if (left != right) {
      --excess_[right];
      while ((left ^ right) != 1) {
        if ((left & 1) == 0) --excess_[left + 1];
        if ((right & 1) == 1) --excess_[right - 1];
        left /= 2;
        right /= 2;
        settle(left);
        settle(right);
      }
    }
    climb(left / 2);
  }

  bool has_zero() const { return excess_[1] == 0; }

  // Requires: has_zero().  Returns where it is, and never finds it again.
  std::size_t find_zero() {
    std::size_t node = 1;
    while (node < leaves_) {
      node *= 2;
      if (excess_[node] != 0) ++node;
    }
    excess_[node] = kFound;
    climb(node / 2);
    return node - leaves_;
  }

 private:
  // More than any count, so that what was found is never a zero again.
  static constexpr std::int32_t kFound = 1 << 30;

  // Moves what both children have in common up; false if that is nothing.
  bool settle(std::size_t node) {
    const std::int32_t common =
        std::min(excess_[2 * node], excess_[2 * node + 1]);
    if (common == 0) return false;
    excess_[2 * node] -= common;
    excess_[2 * node + 1] -= common;
    excess_[node] += common;
    return true;
  }

  void climb(std::size_t node) {
    while (node > 0 && settle(node)) node /= 2;
  }

  std::size_t leaves_ = 0;
  std::vector<std::int32_t> excess_;  // by node; the root is 1
};

// Numbers in a row; finds the last one before a place that is large enough.
class LargeNumberTree {
 public:
  static constexpr std::size_t kNowhere = ~std::size_t{0};

  // Requires: the numbers are not negative.
  void build(std::span<const std::int32_t> numbers) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(numbers.size() + 1, 2));
    most_.assign(2 * leaves_, -1);
    std::copy(numbers.begin(), numbers.end(),
              most_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t node = leaves_ - 1; node > 0; --node) {
      most_[node] = std::max(most_[2 * node], most_[2 * node + 1]);
    }
  }

  // The last place before `end` with a number of at least `bound`; it is
  // never found again.
  std::size_t extract_before(std::size_t end, std::int32_t bound) {
    std::size_t node = leaves_ + end;
    for (; node > 1; node /= 2) {
      if ((node & 1) == 1 && most_[node - 1] >= bound) break;
    }
    if (node <= 1) return kNowhere;
    --node;
    while (node < leaves_) {
      node *= 2;
      if (most_[node + 1] >= bound) ++node;
    }
    erase(node);
    return node - leaves_;
  }

 private:
  void erase(std::size_t node) {
    most_[node] = -1;
    for (node /= 2; node > 0; node /= 2) {
      const std::int32_t most = std::max(most_[2 * node], most_[2 * node + 1]);
      if (most_[node] == most) return;
      most_[node] = most;
    }
  }

  std::size_t leaves_ = 0;
  std::vector<std::int32_t> most_;  // by node; the root is 1
};

// A growing set of small numbers with neighbours, by words of words of bits.
class NumberSet {
 public:
  void clear(std::size_t size) {
    levels_.clear();
    do {
      size = size / 64 + 1;
      levels_.emplace_back(size);
    } while (size > 1);
  }

  void insert(std::size_t number) {
    for (auto& level : levels_) {
      level[number / 64] |= std::uint64_t{1} << number % 64;
      number /= 64;
    }
  }

  // Requires: there is one.
  std::size_t last_up_to(std::size_t number) const {
    return neighbour(
        number,
        [](std::uint64_t word, std::size_t bit) {
          return word & (~std::uint64_t{0} >> (63 - bit));
        },
        [](std::uint64_t word) { return 63 - std::countl_zero(word); }, -1);
  }
  // Requires: there is one.
  std::size_t first_from(std::size_t number) const {
    return neighbour(
        number,
        [](std::uint64_t word, std::size_t bit) {
          return word & (~std::uint64_t{0} << bit);
        },
        [](std::uint64_t word) { return std::countr_zero(word); }, 1);
  }

 private:
  // Up until a word has a bit on the right side, then down to the nearest.
  template <typename Mask, typename Nearest>
  std::size_t neighbour(std::size_t number, const Mask& mask,
                        const Nearest& nearest, int step) const {
    std::size_t level = 0;
    std::uint64_t word = mask(levels_[0][number / 64], number % 64);
    while (word == 0) {
      number /= 64;
      ++level;
      assert(level < levels_.size());
      // The word that we come from holds nothing more on that side.
      const std::size_t beside = number + static_cast<std::size_t>(step);
      if (beside / 64 != number / 64) continue;
      word = mask(levels_[level][number / 64], beside % 64);
    }
    number = number / 64 * 64 + static_cast<std::size_t>(nearest(word));
    for (; level > 0; --level) {
      number = number * 64 +
               static_cast<std::size_t>(nearest(levels_[level - 1][number]));
    }
    return number;
  }

  std::vector<std::vector<std::uint64_t>> levels_;  // the finest first
};

}  // namespace plumb::check
