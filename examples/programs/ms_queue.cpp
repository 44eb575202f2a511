// SPDX-License-Identifier: Apache-2.0
#include "ms_queue.h"

#include "calls.h"

namespace {

using Queue = MsQueue<>;
template <MsOptions kOptions>
using Reusing = MsQueue<Pooled, kOptions>;

}  // namespace

PLUMB_TEST(ms_queue) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.set("leaks", "allow");
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

PLUMB_TEST(ms_queue_generated) {
  auto [enq, deq] = queue_calls<Queue>(test);
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq());
  test.set("leaks", "allow").programs(2, 2);
}

// Right with cells used again, thanks to tags and second looks.
PLUMB_TEST(ms_queue_reuse) {
  auto [enq, deq] = queue_calls<Reusing<MsOptions{}>>(test);
  test.set("leaks", "allow")
      .program()
      .before(enq(1))
      .thread(enq(2), deq())
      .thread(deq(), enq(3))
      .after(deq(), deq());
}

// The same, with cells that are made empty without an order.
PLUMB_TEST(ms_queue_reuse_next_relaxed) {
  auto [enq, deq] =
      queue_calls<Reusing<MsOptions{.next = std::memory_order_relaxed}>>(test);
  test.set("leaks", "allow")
      .expect("violated")
      .program()
      .before(enq(1))
      .thread(enq(2), deq())
      .thread(deq(), enq(3))
      .after(deq(), deq());
}

// Without tags: a slow dequeue swaps a head that is the same cell again.
PLUMB_TEST(ms_queue_reuse_without_tags) {
  auto [enq, deq] = queue_calls<Reusing<MsOptions{.tags = false}>>(test);
  test.set("leaks", "allow")
      .expect("violated")
      .program()
      .before(enq(1))
      .thread(deq())
      .thread(deq(), enq(2), deq(), enq(3))
      .after(deq(), deq());
}

// Without the second look at the head: "empty" though it never is.
PLUMB_TEST(ms_queue_reuse_head_once) {
  auto [enq, deq] =
      queue_calls<Reusing<MsOptions{.look_at_head_again = false}>>(test);
  test.set("leaks", "allow")
      .expect("violated")
      .program()
      .before(enq(1))
      .thread(enq(2), deq())
      .thread(deq(), enq(3), deq(), enq(4))
      .after(deq(), deq(), deq());
}

// Without the second look at the tail: an item goes behind a free cell.
PLUMB_TEST(ms_queue_reuse_tail_once) {
  auto [enq, deq] =
      queue_calls<Reusing<MsOptions{.look_at_tail_again = false}>>(test);
  test.set("leaks", "allow")
      .expect("violated")
      .program()
      .before(enq(1))
      .thread(enq(2), deq())
      .thread(deq(), enq(3), deq(), enq(4))
      .after(deq(), deq(), deq());
}

// The value read after the swap: by then the cell holds another one.
PLUMB_TEST(ms_queue_reuse_value_late) {
  auto [enq, deq] =
      queue_calls<Reusing<MsOptions{.value_after_swap = true}>>(test);
  test.set("leaks", "allow")
      .expect("violated")
      .program()
      .before(enq(1))
      .thread(deq())
      .thread(deq(), enq(2), deq(), enq(3))
      .after(deq(), deq());
}

// All of these are harmless with a garbage collector.
PLUMB_TEST(ms_queue_without_tags) {
  auto [enq, deq] =
      queue_calls<MsQueue<Collected, MsOptions{.tags = false}>>(test);
  test.set("leaks", "allow")
      .program()
      .before(enq(1))
      .thread(deq())
      .thread(deq(), enq(2), deq(), enq(3))
      .after(deq(), deq());
}
PLUMB_TEST(ms_queue_head_once) {
  auto [enq, deq] =
      queue_calls<MsQueue<Collected, MsOptions{.look_at_head_again = false}>>(
          test);
  test.set("leaks", "allow")
      .program()
      .before(enq(1))
      .thread(enq(2), deq())
      .thread(deq(), enq(3))
      .after(deq(), deq(), deq());
}
PLUMB_TEST(ms_queue_tail_once) {
  auto [enq, deq] =
      queue_calls<MsQueue<Collected, MsOptions{.look_at_tail_again = false}>>(
          test);
  test.set("leaks", "allow")
      .program()
      .before(enq(1))
      .thread(enq(2), deq())
      .thread(deq(), enq(3))
      .after(deq(), deq(), deq());
}
PLUMB_TEST(ms_queue_value_late) {
  auto [enq, deq] =
      queue_calls<MsQueue<Collected, MsOptions{.value_after_swap = true}>>(
          test);
  test.set("leaks", "allow")
      .program()
      .before(enq(1))
      .thread(deq())
      .thread(deq(), enq(2), deq(), enq(3))
      .after(deq(), deq());
}
PLUMB_TEST(ms_queue_empty_early) {
  auto [enq, deq] =
      queue_calls<MsQueue<Collected, MsOptions{.empty_early = true}>>(test);
  enq.values(1, 2, 3, 4).distinct();
  test.drain(deq());
  test.set("leaks", "allow").programs(2, 2);
}
// T1 reads the head; T2 takes that cell out and puts it in again as the tail:
// "empty" to T1, though it never was.
PLUMB_TEST(ms_queue_reuse_empty_early) {
  auto [enq, deq] = queue_calls<Reusing<MsOptions{.empty_early = true}>>(test);
  test.set("leaks", "allow").expect("violated");
  test.program()
      .before(enq(1))
      .thread(enq(2), deq())
      .thread(deq(), enq(3))
      .after(deq(), deq(), deq());
}

// The three programs of Round-Up's Table V: two calls at once and twelve
// others before and after them.
PLUMB_TEST(ms_queue_enq_deq) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.set("leaks", "allow")
      .program()
      .before(enq(1), enq(2), enq(3), enq(4), enq(5), enq(6))
      .thread(enq(7))
      .thread(deq())
      .after(deq(), deq(), deq(), deq(), deq(), deq());
}
PLUMB_TEST(ms_queue_enq_enq) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.set("leaks", "allow")
      .program()
      .before(enq(1), enq(2), enq(3), enq(4), enq(5))
      .thread(enq(6))
      .thread(enq(7))
      .after(deq(), deq(), deq(), deq(), deq(), deq(), deq());
}
PLUMB_TEST(ms_queue_deq_deq) {
  auto [enq, deq] = queue_calls<Queue>(test);
  test.set("leaks", "allow")
      .program()
      .before(enq(1), enq(2), enq(3), enq(4), enq(5), enq(6), enq(7))
      .thread(deq())
      .thread(deq())
      .after(deq(), deq(), deq(), deq(), deq());
}
