// SPDX-License-Identifier: Apache-2.0
// A whole program in C; with an argument, the locks are taken in two orders.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static int in_order = 1;

static void *other(void *unused) {
  pthread_mutex_lock(in_order ? &a : &b);
  pthread_mutex_lock(in_order ? &b : &a);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return unused;
}

int main(int argc, char **argv) {
  (void)argv;
  in_order = argc == 1;
  pthread_t thread;
  pthread_create(&thread, NULL, other, NULL);
  pthread_mutex_lock(&a);
  pthread_mutex_lock(&b);
  pthread_mutex_unlock(&b);
  pthread_mutex_unlock(&a);
  return pthread_join(thread, NULL);
}
