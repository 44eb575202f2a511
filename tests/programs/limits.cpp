// SPDX-License-Identifier: Apache-2.0
// What the runtime does not try, or does not tell apart: its limits, shown.
#include <plumb/test.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace {

void* add(void* counter) {
  ++*static_cast<std::atomic<int>*>(counter);
  return nullptr;
}

}  // namespace

// LIMIT: that a thread may not have ended yet is not tried.
PLUMB_TEST(trying_to_join_waits) {
  test.run([] {
    std::atomic<int> counter = 0;
    pthread_t thread;
    pthread_create(&thread, nullptr, add, &counter);
    ++counter;
    PLUMB_ASSERT(pthread_tryjoin_np(thread, nullptr) == 0);
    PLUMB_ASSERT(counter == 2);
  });
}

// LIMIT: a robust mutex does not tell that its holder has ended.
PLUMB_TEST(a_robust_mutex_is_like_any_other) {
  test.expect("deadlock").run([] {
    pthread_mutexattr_t kind;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_t mutex;
    pthread_mutex_init(&mutex, &kind);
    std::thread([&] { pthread_mutex_lock(&mutex); }).join();
    PLUMB_ASSERT(pthread_mutex_lock(&mutex) == EOWNERDEAD);
  });
}
