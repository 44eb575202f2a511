// SPDX-License-Identifier: Apache-2.0
#include "runtime/leaks.h"

#include <cstdio>
#include <vector>

#include "runtime/globals.h"
#include "runtime/heap.h"

namespace plumb::runtime {

namespace {

struct LiveBlock {
  BlockInfo info;
  bool reached = false;
};

// Any word that points into a block counts as a pointer to it, as with other
// leak detectors: better a leak that is missed than a false alarm.
class Marker {
 public:
  explicit Marker(std::vector<LiveBlock>& blocks) : blocks_(blocks) {}

  void mark_from(std::uintptr_t begin, std::size_t bytes) {
    const std::uintptr_t end = begin + bytes;
    for (std::uintptr_t at = (begin + 7) & ~std::uintptr_t{7}; at + 8 <= end;
         at += 8) {
      mark(*reinterpret_cast<const std::uintptr_t*>(at));
    }
    while (!waiting_.empty()) {
      const BlockInfo info = blocks_[waiting_.back()].info;
      waiting_.pop_back();
      mark_from(info.begin, info.size);
    }
  }

 private:
  void mark(std::uintptr_t word) {
    if (word - kHeap >= Heap::kBytes) return;
    std::size_t low = 0, high = blocks_.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (blocks_[middle].info.begin <= word) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == 0) return;
    LiveBlock& block = blocks_[low - 1];
    if (block.reached || word > block.info.begin + block.info.size) return;
    block.reached = true;
    waiting_.push_back(low - 1);
  }

  std::vector<LiveBlock>& blocks_;
  std::vector<std::size_t> waiting_;
};

}  // namespace

void find_leak(Finding& finding) {
  if (heap().leaks().blocks == 0) return;
  std::vector<LiveBlock> blocks;
  heap().each_live([&](const BlockInfo& info) { blocks.push_back({info}); });
  Marker marker(blocks);
  for (const GlobalRange& range : global_ranges()) {
    marker.mark_from(range.begin, range.end - range.begin);
  }
  std::size_t lost = 0, bytes = 0;
  const BlockInfo* first = nullptr;
  for (const LiveBlock& block : blocks) {
    if (block.reached) continue;
    ++lost;
    bytes += block.info.size;
    if (!first) first = &block.info;
  }
  if (!first) return;
  finding.fault = Fault::kLeak;
  finding.address = first->begin;
  finding.size = static_cast<std::uint32_t>(first->size);
  finding.thread = first->allocated_by;
  finding.pc = first->allocated_at;
  std::snprintf(finding.text, sizeof(finding.text),
                "%zu block%s (%zu bytes) never freed", lost,
                lost == 1 ? "" : "s", bytes);
}

}  // namespace plumb::runtime
