// SPDX-License-Identifier: Apache-2.0
// Tests of signals that threads block, and send to each other.
#include <plumb/test.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <thread>

namespace {

sigset_t only(int signal) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, signal);
  return set;
}

bool is_blocked(int signal) {
  sigset_t now;
  pthread_sigmask(SIG_BLOCK, nullptr, &now);
  return sigismember(&now, signal) == 1;
}

void block(int signal) {
  const sigset_t set = only(signal);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

}  // namespace

PLUMB_TEST(threads_block_what_who_started_them_blocked) {
  test.run([] {
    block(SIGUSR1);
    std::thread([] {
      PLUMB_ASSERT(is_blocked(SIGUSR1));
      raise(SIGUSR1);
      sigset_t waiting;
      sigpending(&waiting);
      PLUMB_ASSERT(sigismember(&waiting, SIGUSR1) == 1);
    }).join();
    sigset_t waiting;
    sigpending(&waiting);
    PLUMB_ASSERT(sigismember(&waiting, SIGUSR1) == 0);
  });
}

PLUMB_TEST(threads_block_nothing_of_those_before_them) {
  test.run([] {
    for (int i = 0; i < 40; ++i) {
      std::thread([] {
        PLUMB_ASSERT(!is_blocked(SIGUSR1));
        block(SIGUSR1);
      }).join();
    }
  });
}

PLUMB_TEST(what_a_starter_blocks_later_is_its_own) {
  test.expect("crash").run([] {
    std::thread thread([] { raise(SIGUSR1); });
    block(SIGUSR1);
    thread.join();
  });
}

PLUMB_TEST(a_signal_that_somebody_does_not_block_ends_the_program) {
  test.expect("crash").run([] {
    sem_t go;
    sem_init(&go, 0, 0);
    std::thread thread([&] { sem_wait(&go); });
    block(SIGUSR1);
    kill(getpid(), SIGUSR1);
    sem_post(&go);
    thread.join();
  });
}

PLUMB_TEST(a_jump_out_of_a_handler_unblocks) {
  test.run([] {
    static sigjmp_buf start;
    static volatile int count;
    count = 0;
    signal(SIGUSR1, [](int) {
      count = count + 1;
      siglongjmp(start, 1);
    });
    for (int i = 0; i < 3; ++i) {
      if (sigsetjmp(start, 1) == 0) raise(SIGUSR1);
      PLUMB_ASSERT(!is_blocked(SIGUSR1));
    }
    PLUMB_ASSERT(count == 3);
  });
}

PLUMB_TEST(a_jump_without_a_mask_does_not) {
  test.run([] {
    static jmp_buf start;
    signal(SIGUSR1, [](int) { longjmp(start, 1); });
    if (setjmp(start) == 0) raise(SIGUSR1);
    PLUMB_ASSERT(is_blocked(SIGUSR1));
  });
}

PLUMB_TEST(a_jump_lets_signals_come_that_wait) {
  test.run([] {
    static sigjmp_buf start;
    static int count;
    count = 0;
    signal(SIGUSR1, [](int) { ++count; });
    if (sigsetjmp(start, 1) == 0) {
      block(SIGUSR1);
      raise(SIGUSR1);
      PLUMB_ASSERT(count == 0);
      siglongjmp(start, 1);
    }
    PLUMB_ASSERT(count == 1 && !is_blocked(SIGUSR1));
  });
}

PLUMB_TEST(a_thread_is_there_until_it_is_joined) {
  test.run([] {
    sem_t over;
    sem_init(&over, 0, 0);
    std::thread thread([&] { sem_post(&over); });
    sem_wait(&over);
    PLUMB_ASSERT(pthread_kill(thread.native_handle(), 0) == 0);
    thread.join();
    sem_destroy(&over);
  });
}
