// SPDX-License-Identifier: Apache-2.0
#include "runtime/leaks.h"

#include <cstdio>
#include <vector>

#include "runtime/globals.h"
#include "runtime/heap.h"
#include "runtime/libraries.h"
#include "runtime/mappings.h"
#include "runtime/thread_data.h"
#include "runtime/tls.h"

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

  // A pointer that somebody keeps.
  void mark_at(std::uintptr_t word) {
    mark(word);
    mark_waiting();
  }

  void mark_from(std::uintptr_t begin, std::size_t bytes) {
    const std::uintptr_t end = begin + bytes;
    for (std::uintptr_t at = (begin + 7) & ~std::uintptr_t{7}; at + 8 <= end;
         at += 8) {
      mark(*reinterpret_cast<const std::uintptr_t*>(at));
    }
    mark_waiting();
  }

 private:
  void mark_waiting() {
    while (!waiting_.empty()) {
      const BlockInfo info = blocks_[waiting_.back()].info;
      waiting_.pop_back();
      mark_from(info.begin, info.size);
    }
  }

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

void mark_range(void* marker, std::uintptr_t begin, std::size_t bytes) {
  static_cast<Marker*>(marker)->mark_from(begin, bytes);
}

void mark_value(void* marker, std::uint32_t, void* value) {
  static_cast<Marker*>(marker)->mark_at(
      reinterpret_cast<std::uintptr_t>(value));
}

// What the first thread keeps outlives it; that of other threads that have
// ended does not.
void mark_thread_data(Marker& marker) {
  tls_each_block(0, mark_range, &marker);
  each_thread_value(0, mark_value, &marker);
}

bool all_reached(const std::vector<LiveBlock>& blocks) {
  for (const LiveBlock& block : blocks) {
    if (!block.reached) return false;
  }
  return true;
}

}  // namespace

void find_leak(Finding& finding) {
  if (heap().leaks().blocks == 0) return;
  std::vector<LiveBlock> blocks;
  heap().each_live([&](const BlockInfo& info) { blocks.push_back({info}); });
  Marker marker(blocks);
  for (const GlobalRange& range : global_ranges()) {
    marker.mark_from(range.begin, range.end - range.begin);
  }
  each_mapped_page(mark_range, &marker);
  mark_thread_data(marker);
  // Much to look at, and it is seldom needed.
  if (!all_reached(blocks)) each_library_data(mark_range, &marker);
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
