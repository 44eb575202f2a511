// SPDX-License-Identifier: Apache-2.0
// Numbers for what steps show, the same for all threads.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "base/flat_table.h"
#include "csp/node.h"

namespace plumb::csp {

// What Label::edge stands for: the text of an event or an internal step, and
// the components that take part.  Threads keep what they have asked for, so
// the lock is rarely taken; whoever has a number reads without one.
class Edges {
 public:
  struct Entry {
    std::string text;
    std::uint64_t actors = 0;
    NodeId node = kNoNode;  // one whose step it is
  };

  std::uint32_t number(const std::string& text, std::uint64_t actors,
                       NodeId node) {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = numbers_.try_emplace(
        std::pair(text, actors), static_cast<std::uint32_t>(numbers_.size()));
    if (is_new) {
      const Place place(found->second);
      if (blocks_[place.block] == nullptr) {
        blocks_[place.block] =
            std::make_unique<Entry[]>(kFirstBlock << place.block);
        readable_[place.block].store(blocks_[place.block].get());
      }
      blocks_[place.block][place.at] = {text, actors, node};
    }
    return found->second;
  }
  // Requires: number() has given it.
  const Entry& operator[](std::uint32_t number) const {
    const Place place(number);
    return readable_[place.block].load()[place.at];
  }

 private:
  static constexpr std::size_t kFirstBlock = 1024;
  static constexpr std::size_t kBlocks = 23;
  // Blocks double in size and never move.
  struct Place {
    explicit Place(std::uint32_t number) {
      const std::size_t scaled = number / kFirstBlock + 1;
      block = static_cast<std::size_t>(std::bit_width(scaled)) - 1;
      at = number - kFirstBlock * ((std::size_t{1} << block) - 1);
    }
    std::size_t block = 0, at = 0;
  };

  mutable std::mutex mutex_;
  FlatMap<std::pair<std::string, std::uint64_t>, std::uint32_t> numbers_;
  std::array<std::unique_ptr<Entry[]>, kBlocks> blocks_;
  std::array<std::atomic<const Entry*>, kBlocks> readable_ = {};
};

}  // namespace plumb::csp
