// SPDX-License-Identifier: Apache-2.0
#include "ticket_counter.h"

#include <plumb/test.h>

// A C object under test: a struct for its life, lambdas for its functions.
namespace {

struct Counter : ticket_counter {
  Counter() { ticket_counter_init(this); }
};

}  // namespace

PLUMB_TEST(ticket_counter) {
  auto counter = test.object<Counter>();
  counter.operation("inc", [](Counter& c) { return ticket_counter_draw(&c); });
  test.spec("counter").programs(3, 2);
}

PLUMB_TEST(ticket_counter_in_two_steps) {
  auto counter = test.object<Counter>();
  auto draw = counter.operation(
      "inc", [](Counter& c) { return ticket_counter_draw_in_two_steps(&c); });
  test.spec("counter").expect("violated");
  test.program().thread(draw()).thread(draw());
}
