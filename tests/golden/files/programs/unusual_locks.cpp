// SPDX-License-Identifier: Apache-2.0
// Locks that do what others do not.
#include <plumb/test.h>
#include <pthread.h>

#include <cerrno>
#include <thread>

namespace {

void read_twice_beside_a_writer(pthread_rwlock_t& lock) {
  std::thread writer([&] {
    pthread_rwlock_wrlock(&lock);
    pthread_rwlock_unlock(&lock);
  });
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_rdlock(&lock);
  pthread_rwlock_unlock(&lock);
  pthread_rwlock_unlock(&lock);
  writer.join();
}

}  // namespace

PLUMB_TEST(prefers_writers) {
  test.run([] {
    pthread_rwlockattr_t attributes;
    pthread_rwlockattr_init(&attributes);
    pthread_rwlockattr_setkind_np(&attributes,
                                  PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_t lock;
    pthread_rwlock_init(&lock, &attributes);
    read_twice_beside_a_writer(lock);
    pthread_rwlock_destroy(&lock);
  });
}

PLUMB_TEST(prefers_writers_from_the_start) {
  test.run([] {
    pthread_rwlock_t lock = PTHREAD_RWLOCK_WRITER_NONRECURSIVE_INITIALIZER_NP;
    read_twice_beside_a_writer(lock);
  });
}

PLUMB_TEST(robust) {
  test.run([] {
    static pthread_mutex_t mutex;
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&mutex, &attributes);
    std::thread([] { pthread_mutex_lock(&mutex); }).join();
    PLUMB_ASSERT(pthread_mutex_lock(&mutex) == EOWNERDEAD);
    pthread_mutex_consistent(&mutex);
    pthread_mutex_unlock(&mutex);
  });
}
