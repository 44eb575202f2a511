// SPDX-License-Identifier: Apache-2.0
// moodycamel's ConcurrentQueue: a queue for each producer.
//
// It promises that the items of one producer leave in their order, and nothing
// about those of two; and that a dequeue that finds nothing looked everywhere,
// but not at one moment.  Both weaknesses show here, and what holds all the
// same.
#include <iterator>
#include <map>
#include <vector>

#include "../calls.h"
#include "library.h"

#if __has_include(<concurrentqueue/concurrentqueue.h>)
#include <concurrentqueue/concurrentqueue.h>

namespace {

// Small tables: every execution makes a new queue.
struct Traits : moodycamel::ConcurrentQueueDefaultTraits {
  static const std::size_t BLOCK_SIZE = 2;
  static const std::size_t INITIAL_IMPLICIT_PRODUCER_HASH_SIZE = 4;
  static const std::size_t IMPLICIT_INITIAL_INDEX_SIZE = 2;
  static const std::size_t EXPLICIT_INITIAL_INDEX_SIZE = 2;
};
using Base = moodycamel::ConcurrentQueue<int, Traits>;

// Each thread is a producer; the queue finds out by itself which.
class Queue {
 public:
  void enq(int, int item) { queue_.enqueue(item); }
  std::optional<int> deq() {
    int item = 0;
    const bool found = queue_.try_dequeue(item);
    return given(found, item);
  }

 private:
  Base queue_{6};
};

// Two producers that have tokens.
class QueueWithTokens {
 public:
  void enq(int producer, int item) { queue_.enqueue(tokens_[producer], item); }
  std::optional<int> deq() {
    int item = 0;
    const bool found = queue_.try_dequeue(item);
    return given(found, item);
  }
  std::optional<int> deq_from(int producer) {
    int item = 0;
    const bool found =
        queue_.try_dequeue_from_producer(tokens_[producer], item);
    return given(found, item);
  }

 private:
  Base queue_{6};
  moodycamel::ProducerToken tokens_[2] = {moodycamel::ProducerToken(queue_),
                                          moodycamel::ProducerToken(queue_)};
};

struct OneQueue {
  std::vector<int> items;
  bool operator==(const OneQueue&) const = default;

  void enq(int, int item) { items.push_back(item); }
  std::optional<int> deq() {
    if (items.empty()) return std::nullopt;
    const int item = items.front();
    items.erase(items.begin());
    return item;
  }
};

// The items of each producer leave in their order; with kMayMiss a dequeue
// may find nothing, whatever is there.
template <bool kMayMiss>
struct QueueOfEach {
  std::map<int, std::vector<int>> of;
  bool operator==(const QueueOfEach&) const = default;

  void enq(int producer, int item) { of[producer].push_back(item); }
  std::optional<int> deq() {
    if (of.empty() || (kMayMiss && plumb::choose(2) == 1)) return std::nullopt;
    const auto which = plumb::choose(static_cast<std::uint32_t>(of.size()));
    return deq_from(std::next(of.begin(), which)->first);
  }
  std::optional<int> deq_from(int producer) {
    const auto at = of.find(producer);
    if (at == of.end()) return std::nullopt;
    const int item = at->second.front();
    at->second.erase(at->second.begin());
    if (at->second.empty()) of.erase(at);
    return item;
  }
};

template <typename Model>
void miss(plumb::Test& test) {
  auto queue = test.object<QueueWithTokens, Model>();
  auto enq = queue.operation("enq", PLUMB_METHOD(enq));
  auto deq = queue.operation("deq", PLUMB_METHOD(deq));
  auto deq_from = queue.operation("deq_from", PLUMB_METHOD(deq_from));
  test.program().before(enq(0, 1)).thread(enq(1, 2), deq_from(0)).thread(deq());
}

}  // namespace

// One producer: linearizable.
PLUMB_TEST(moodycamel_queue_one_producer) {
  auto [enq, deq] = queue_and_model<Queue, OneQueue>(test);
  test.program().thread(enq(1, 1), enq(1, 2)).thread(deq(), deq());
}

// Two: what came later may leave first ...
PLUMB_TEST(moodycamel_queue_two_producers) {
  auto [enq, deq] = queue_and_model<Queue, OneQueue>(test);
  test.expect("violated");
  test.program().thread(enq(1, 1), deq()).thread(enq(2, 2), deq());
}

// ... but not of the same producer, if memory is sequentially consistent;
// else a dequeue may miss what its own thread has put in.
PLUMB_TEST(moodycamel_queue_of_each) {
  auto [enq, deq] = queue_and_model<Queue, QueueOfEach<false>>(test);
  test.memory("sc");
  test.program().thread(enq(1, 1), deq()).thread(enq(2, 2), deq());
}
PLUMB_TEST(moodycamel_queue_of_each_empty_too_long) {
  auto [enq, deq] = queue_and_model<Queue, QueueOfEach<false>>(test);
  test.expect("violated");
  test.program().thread(enq(1, 1), deq()).thread(enq(2, 2), deq());
}

// A dequeue looks at one producer, then at the other: it misses an item of the
// first that came before the last of the second left.
PLUMB_TEST(moodycamel_queue_misses) {
  miss<QueueOfEach<false>>(test);
  test.expect("violated");
}
PLUMB_TEST(moodycamel_queue_may_miss) {
  miss<QueueOfEach<true>>(test);
}
#else
PLUMB_WITHOUT_LIBRARY(concurrentqueue)
#endif
