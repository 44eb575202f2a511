// SPDX-License-Identifier: Apache-2.0
// A counter in plain C, right and wrong; C++ can include it.
#pragma once

struct ticket_counter {
  int next;
};

static inline void ticket_counter_init(struct ticket_counter* counter) {
  __atomic_store_n(&counter->next, 0, __ATOMIC_RELAXED);
}

/* The number before. */
static inline int ticket_counter_draw(struct ticket_counter* counter) {
  return __atomic_fetch_add(&counter->next, 1, __ATOMIC_ACQ_REL);
}

/* The same in two steps: two may draw the same number. */
static inline int ticket_counter_draw_in_two_steps(
    struct ticket_counter* counter) {
  const int number = __atomic_load_n(&counter->next, __ATOMIC_ACQUIRE);
  __atomic_store_n(&counter->next, number + 1, __ATOMIC_RELEASE);
  return number;
}
