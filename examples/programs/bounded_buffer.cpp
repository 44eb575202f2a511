// SPDX-License-Identifier: Apache-2.0
#include "bounded_buffer.h"

#include <thread>

#include "calls.h"

namespace {

using Buffer = BoundedBuffer<1>;
using OneVariable = BoundedBuffer<1, BufferOptions{.two_variables = false}>;
using OneLook = BoundedBuffer<1, BufferOptions{.look_again = false}>;

template <typename Tested>
void two_takers(plumb::Test& test) {
  auto [enq, deq] = queue_calls<Tested>(test, "blocking_queue");
  test.program().thread(deq()).thread(deq()).thread(enq(1), enq(2));
}

}  // namespace

PLUMB_TEST(bounded_buffer) {
  two_takers<Buffer>(test);
}
PLUMB_TEST(bounded_buffer_two_and_two) {
  auto [enq, deq] = queue_calls<Buffer>(test, "blocking_queue");
  test.program().thread(enq(1), enq(2)).thread(deq(), deq());
}

// Both takers sleep; the first put wakes one, the second put finds the buffer
// full and sleeps; the taker that was woken wakes the other taker.
PLUMB_TEST(bounded_buffer_one_variable) {
  two_takers<OneVariable>(test);
  test.expect("deadlock");
}
// The same, free-form.
PLUMB_TEST(bounded_buffer_one_variable_threads) {
  test.expect("deadlock");
  test.run([] {
    OneVariable buffer;
    std::thread first([&] { buffer.deq(); });
    std::thread second([&] { buffer.deq(); });
    buffer.enq(1);
    buffer.enq(2);
    first.join();
    second.join();
  });
}

// T1 is woken, but T2 comes first and takes the item: T1 has nothing, though a
// take waits.
PLUMB_TEST(bounded_buffer_without_second_look) {
  two_takers<OneLook>(test);
  test.expect("violated");
}
