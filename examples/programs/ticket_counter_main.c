// SPDX-License-Identifier: Apache-2.0
// A whole C program: `plumb test ticket_counter_main.c` tries all its runs.
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

#include "ticket_counter.h"

static struct ticket_counter counter;
static int drawn[2];

static void* draw(void* place) {
  *(int*)place = ticket_counter_draw(&counter);
  return NULL;
}

int main(void) {
  pthread_t threads[2];
  ticket_counter_init(&counter);
  for (int i = 0; i < 2; ++i) {
    pthread_create(&threads[i], NULL, draw, &drawn[i]);
  }
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  assert(drawn[0] != drawn[1]);
  assert(drawn[0] + drawn[1] == 1);
  return 0;
}
