// SPDX-License-Identifier: Apache-2.0
// oneTBB's concurrent_queue.
//
// All of the queue is in its header.  Only concurrent_bounded_queue, which
// sleeps and wakes in the library, would go unseen.
#include "../calls.h"
#include "library.h"

#if __has_include(<oneapi/tbb/concurrent_queue.h>)
#include <oneapi/tbb/concurrent_queue.h>

#include <cstdlib>

// All that the queue takes from the library itself, which is not compiled for
// tests: memory, and errors.
namespace tbb::detail::r1 {
void* cache_aligned_allocate(std::size_t size) {
  return std::aligned_alloc(128, (size + 127) / 128 * 128);
}
void cache_aligned_deallocate(void* memory) {
  std::free(memory);
}
std::size_t cache_line_size() {
  return 128;
}
void throw_exception(d0::exception_id) {
  std::abort();
}
}  // namespace tbb::detail::r1

namespace {

class Queue {
 public:
  void enq(int item) { queue_.push(item); }
  std::optional<int> deq() {
    int item = 0;
    const bool found = queue_.try_pop(item);
    return given(found, item);
  }

 private:
  tbb::concurrent_queue<int> queue_;
};

}  // namespace

// Tickets for eight lanes; who has one waits for its turn: linearizable for
// sequentially consistent memory.
PLUMB_TEST(tbb_queue) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.memory("sc");
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

PLUMB_TEST(tbb_queue_generated) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.memory("sc");
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq()).programs(2, 2);
}

// A dequeue reads the tail relaxed: it may find nothing though its own thread
// has put something in.  Not on x86.
PLUMB_TEST(tbb_queue_empty_too_long) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.expect("violated");
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}
#else
PLUMB_WITHOUT_LIBRARY(onetbb)
#endif
