// SPDX-License-Identifier: Apache-2.0
#include "explore/state_queue.h"

#include <algorithm>
#include <new>
#include <utility>

#include "explore/varint.h"

namespace plumb::explore {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 20;

}  // namespace

// An entry is its tag, the length of the state, and the state, all in one
// chunk.
bool StateQueue::push(lts::StateView state, std::uint32_t tag) {
  if (!make_room(2 * kMostVarintBytes + state.size())) return false;
  Chunk& chunk = chunks_.back();
  std::uint8_t* to = chunk.memory.data() + chunk.end;
  to = write_varint(to, tag);
  to = write_varint(to, state.size());
  to = std::copy(state.begin(), state.end(), to);
  const auto end = static_cast<std::size_t>(to - chunk.memory.data());
  held_bytes_ += end - chunk.end;
  peak_bytes_ = std::max(peak_bytes_, held_bytes_);
  chunk.end = end;
  ++size_;
  return true;
}

bool StateQueue::make_room(std::size_t bytes) {
  if (!chunks_.empty()) {
    const Chunk& last = chunks_.back();
    if (last.memory.size() - last.end >= bytes) return true;
  }
  Chunk chunk;
  if (bytes <= spare_.size()) {
    chunk.memory = std::move(spare_);
  } else {
    chunk.memory = Memory(std::max(bytes, kChunk));
  }
  if (!chunk.memory) return false;
  try {
    chunks_.push_back(std::move(chunk));
  } catch (const std::bad_alloc&) {
    return false;
  }
  return true;
}

StateQueue::Entry StateQueue::pop() {
  // What was given last stays valid until now.
  if (read_ == chunks_.front().end) {
    held_bytes_ -= read_;
    spare_ = std::move(chunks_.front().memory);
    chunks_.pop_front();
    read_ = 0;
  }
  const std::uint8_t* const begin = chunks_.front().memory.data();
  std::uint64_t tag = 0, length = 0;
  const std::uint8_t* at = read_varint(begin + read_, tag);
  at = read_varint(at, length);
  read_ = static_cast<std::size_t>(at - begin) + length;
  --size_;
  return {{at, length}, static_cast<std::uint32_t>(tag)};
}

}  // namespace plumb::explore
