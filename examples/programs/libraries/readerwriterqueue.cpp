// SPDX-License-Identifier: Apache-2.0
// moodycamel's ReaderWriterQueue: one thread enqueues, one dequeues.
#include "../calls.h"
#include "library.h"

#if __has_include(<readerwriterqueue/readerwriterqueue.h>)
#include <readerwriterqueue/readerwriterqueue.h>

// With clang it tells ThreadSanitizer of its fences, which are seen anyway.
extern "C" void AnnotateHappensBefore(const char*, int, void*) {}
extern "C" void AnnotateHappensAfter(const char*, int, void*) {}

namespace {

class OneToOne {
 public:
  void enq(int item) { queue_.enqueue(item); }
  std::optional<int> deq() {
    int item = 0;
    const bool found = queue_.try_dequeue(item);
    return given(found, item);
  }

 private:
  moodycamel::ReaderWriterQueue<int, 2> queue_{1};
};

}  // namespace

// Blocks of two items, so that blocks are added and gone round: linearizable,
// and free of races.
PLUMB_TEST(moodycamel_reader_writer_queue) {
  auto [enq, deq] = queue_calls<OneToOne>(test);
  enq.values(1, 2, 3).distinct();
  enq.only_by(0);
  deq.only_by(1);
  test.drain(deq()).programs(2, 3);
}
#else
PLUMB_WITHOUT_LIBRARY(readerwriterqueue)
#endif
