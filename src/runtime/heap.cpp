// SPDX-License-Identifier: Apache-2.0
#include "runtime/heap.h"

#include <sys/mman.h>

#include <bit>
#include <cassert>
#include <cstring>

namespace plumb::runtime {

constinit Heap the_heap;

namespace {

constexpr std::uintptr_t round_up(std::uintptr_t number, std::size_t to) {
  return (number + to - 1) & ~(to - 1);
}

}  // namespace

void* map_memory(std::uintptr_t at, std::size_t bytes) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                    (at != 0 ? MAP_FIXED_NOREPLACE : 0);
  void* memory = mmap(reinterpret_cast<void*>(at), bytes,
                      PROT_READ | PROT_WRITE, flags, -1, 0);
  if (memory == MAP_FAILED) return nullptr;
  // Kernels before 4.17 take the address for a wish.
  if (at != 0 && memory != reinterpret_cast<void*>(at)) {
    munmap(memory, bytes);
    return nullptr;
  }
  return memory;
}

bool Heap::reserve() {
  if (blocks_ != nullptr) return true;
  void* granules = map_memory(0, kBytes / kGranule * sizeof(std::uint32_t));
  void* blocks = map_memory(0, sched::kMaxThreads * kMaxBlocks * sizeof(Block));
  if (!granules || !blocks || !map_memory(kHeap, kBytes)) return false;
  granules_ = static_cast<std::uint32_t*>(granules);
  blocks_ = static_cast<Block*>(blocks);
  return true;
}

void Heap::start_run(HeapMode mode) {
  for (ThreadMask rest = used_; rest != 0; rest &= rest - 1) {
    front_[std::countr_zero(rest)] = 0;
  }
  used_ = 0;
  live_ = live_bytes_ = 0;
  operations_ = 0;
  mode_ = mode;
  reused_ = false;
  if (++run_ == 0) {  // lists of 2^32 executions ago must not come back
    std::memset(lists_, 0, sizeof lists_);
    std::memset(uses_, 0, sizeof uses_);
    run_ = 1;
  }
}

std::size_t Heap::class_of(std::size_t bytes) {
  if (bytes <= kSmall * kGranule) {
    return bytes <= kGranule ? 0 : (bytes - 1) / kGranule;
  }
  // Four classes for (1024, 2048], four for (2048, 4096], ...
  const auto doubling =
      static_cast<std::size_t>(std::bit_width(bytes - 1)) - 11;
  const std::size_t quarter = (bytes - 1) >> (doubling + 8) & 3;
  return kSmall + 4 * doubling + quarter;
}

std::size_t Heap::capacity_of(std::size_t size_class) {
  if (size_class < kSmall) return (size_class + 1) * kGranule;
  const std::size_t doubling = (size_class - kSmall) / 4;
  const std::size_t quarter = (size_class - kSmall) % 4;
  return (5 + quarter) << (doubling + 8);
}

void Heap::open(ThreadId thread) {
  used_ |= sched::bit(thread);
  count_[thread] = 1;
  front_[thread] = begin_of(thread);
}

void Heap::note_use(ThreadId thread, std::size_t list, bool frees) {
  // Before there were threads nobody can remember where a block was.
  if (threads_so_far() == 1) return;
  Use& use = uses_[list];
  if (use.run != run_) use = {run_, 0, 0, 0};
  const ThreadMask mine = sched::bit(thread);
  if (!frees) {
    could_share_ |=
        (use.freed_alone & ~mine) != 0 || (alone() && (use.freed & ~mine) != 0);
  }
  if (alone()) {
    if (frees) use.freed_alone |= mine;
    return;
  }
  (frees ? use.freed : use.taken) |= mine;
  const ThreadMask all = use.freed | use.taken;
  could_share_ |= use.freed != 0 && use.taken != 0 && (all & (all - 1)) != 0;
}

Heap::Block* Heap::take(ThreadId thread, std::size_t list,
                        std::size_t alignment) {
  List& blocks = lists_[mode_ == HeapMode::kShared ? 0 : thread][list];
  if (blocks.run != run_ || blocks.head == 0) return nullptr;
  Block& block = blocks_[blocks.head];
  if (block.begin & (alignment - 1)) return nullptr;
  blocks.head = block.next;
  return &block;
}

Heap::Block* Heap::carve(ThreadId thread, std::size_t capacity,
                         std::size_t alignment) {
  const std::uintptr_t end = kHeap + (thread + std::uintptr_t{1}) * kHeapBytes;
  const std::uintptr_t begin = round_up(front_[thread], alignment);
  if (begin > end || end - begin < capacity + kRedZone) return nullptr;
  const std::uint32_t number = count_[thread]++;
  std::uint32_t* granule = granules_ + (front_[thread] - kHeap) / kGranule;
  std::uint32_t* const first = granules_ + (begin - kHeap) / kGranule;
  while (granule < first) *granule++ = (number - 1) << 1 | 1;  // for alignment
  std::uint32_t* const last = first + capacity / kGranule;
  while (granule < last) *granule++ = number << 1;
  *granule = number << 1 | 1;
  front_[thread] = begin + capacity + kRedZone;
  Block& block = blocks_[thread * kMaxBlocks + number];
  block.begin = begin;
  block.capacity = static_cast<std::uint32_t>(capacity);
  const OwnWork own;
  std::memset(reinterpret_cast<void*>(begin), kFresh, capacity);
  return &block;
}

void* Heap::allocate(ThreadId thread, std::size_t bytes, std::size_t alignment,
                     std::uintptr_t pc) {
  assert(blocks_ != nullptr && thread < sched::kMaxThreads);
  if (bytes > kHeapBytes || alignment > kHeapBytes) return nullptr;
  if (front_[thread] == 0) open(thread);
  const std::size_t size_class = class_of(bytes);
  const std::size_t list = list_of(bytes, alignment);
  note_use(thread, list, false);
  Block* block = take(thread, list, alignment);
  reused_ = block != nullptr;
  if (!block) block = carve(thread, capacity_of(size_class), alignment);
  if (!block) return nullptr;
  reuses_ += reused_;
  block->size = static_cast<std::uint32_t>(bytes);
  block->list = static_cast<std::uint8_t>(list);
  block->state = BlockState::kAllocated;
  block->allocated_by = thread;
  block->allocated_at = pc;
  block->freed_by = sched::kNoThread;
  block->freed_at = 0;
  ++operations_;
  ++live_;
  live_bytes_ += bytes;
  return reinterpret_cast<void*>(block->begin);
}

// The block that has this address in it, or in the red zone behind it; null
// if that part of the heap is untouched.
Heap::Block* Heap::at(const void* pointer) const {
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer);
  const std::uintptr_t offset = address - kHeap;
  if (offset >= kBytes || address >= front_[offset / kHeapBytes]) {
    return nullptr;
  }
  return &block_in(offset / kHeapBytes, granules_[offset / kGranule]);
}

Freed Heap::may_release(const void* pointer) const {
  const Block* block = at(pointer);
  const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(pointer);
  if (!block || block->begin == 0) return Freed::kNotABlock;
  if (address != block->begin) {
    return address - block->begin < block->size ? Freed::kInterior
                                                : Freed::kNotABlock;
  }
  return block->state == BlockState::kAllocated ? Freed::kOk
                                                : Freed::kDoubleFree;
}

void Heap::put(ThreadId thread, Block& block) {
  const auto number = static_cast<std::uint32_t>(&block - blocks_);
  List& list = lists_[mode_ == HeapMode::kShared ? 0 : thread][block.list];
  if (list.run != run_) list = {run_, 0, 0};
  if (mode_ != HeapMode::kFifo) {
    block.next = list.head;
    list.head = number;
    return;
  }
  block.next = 0;
  if (list.head == 0) {
    list.head = number;
  } else {
    blocks_[list.tail].next = number;
  }
  list.tail = number;
}

Freed Heap::release(ThreadId thread, void* pointer, std::uintptr_t pc,
                    bool is_kept) {
  const Freed answer = may_release(pointer);
  if (answer != Freed::kOk) return answer;
  Block& block = *at(pointer);
  block.state = BlockState::kFreed;
  block.freed_by = thread;
  block.freed_at = pc;
  ++operations_;
  --live_;
  live_bytes_ -= block.size;
  ++frees_;
  if (!is_kept) note_use(thread, block.list, true);
  if (mode_ == HeapMode::kQuarantine) {
    const OwnWork own;
    std::memset(pointer, kDead, block.size);
  } else if (!is_kept || mode_ != HeapMode::kShared) {
    put(thread, block);
  }
  return Freed::kOk;
}

std::size_t Heap::size_of(const void* pointer) const {
  const Block* block = at(pointer);
  return block ? block->size : 0;
}

BlockInfo Heap::info_of(const Block& block) {
  return {block.begin,        block.size,     block.state,
          block.allocated_by, block.freed_by, block.allocated_at,
          block.freed_at,     block.list};
}

BlockInfo Heap::block_of(std::uintptr_t address) const {
  const Block* block = at(reinterpret_cast<const void*>(address));
  if (!block) return {};
  BlockInfo info = info_of(*block);
  if (block->begin == 0) info = {};
  if (address - block->begin >= block->size) info.state = BlockState::kRedZone;
  return info;
}

Leaks Heap::leaks() const {
  Leaks leaks;
  leaks.blocks = live_;
  leaks.bytes = live_bytes_;
  each_live([&](const BlockInfo& info) {
    if (leaks.first.begin == 0) leaks.first = info;
  });
  return leaks;
}

}  // namespace plumb::runtime
