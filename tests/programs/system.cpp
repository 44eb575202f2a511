// SPDX-License-Identifier: Apache-2.0
// Tests of what threads ask the system for: clocks, stacks, signals, pipes.
#include <plumb/test.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <unistd.h>
#include <x86intrin.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

std::atomic<int> signals = 0;
std::atomic<int> anything = 0;

void count_signal(int) {
  ++signals;
}

template <std::size_t kilobytes>
[[gnu::noinline]] void use_stack() {
  char bytes[kilobytes << 10];
  std::memset(bytes, 1, sizeof(bytes));
  anything = bytes[anything.load()];
}

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() { PLUMB_ASSERT(pipe(ends) == 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  void put() { PLUMB_ASSERT(write(ends[1], "x", 1) == 1); }
  void get() {
    char byte = 0;
    PLUMB_ASSERT(read(ends[0], &byte, 1) == 1 && byte == 'x');
  }
};

}  // namespace

PLUMB_TEST(a_clock_does_not_run_backwards_after_a_join) {
  test.run([] {
    Clock::time_point then;
    std::thread([&] {
      Clock::now();
      then = Clock::now();
    }).join();
    PLUMB_ASSERT(Clock::now() >= then);
  });
}

PLUMB_TEST(who_was_told_a_time_reads_a_later_one) {
  test.run([] {
    std::atomic<long> told = 0;
    std::thread other([&] { told = Clock::now().time_since_epoch().count(); });
    const long then = told;
    PLUMB_ASSERT(Clock::now().time_since_epoch().count() >= then);
    other.join();
  });
}

PLUMB_TEST(another_thread_s_sleep_takes_its_time) {
  test.run([] {
    const auto start = Clock::now();
    std::thread([] { std::this_thread::sleep_for(milliseconds(50)); }).join();
    PLUMB_ASSERT(Clock::now() - start >= milliseconds(50));
  });
}

PLUMB_TEST(either_thread_may_read_the_clock_first) {
  test.expect("assertion").run([] {
    Clock::time_point one, two;
    std::thread other([&] { one = Clock::now(); });
    two = Clock::now();
    other.join();
    PLUMB_ASSERT(one < two);
  });
}

PLUMB_TEST(either_thread_may_read_the_clock_last) {
  test.expect("assertion").run([] {
    Clock::time_point one, two;
    std::thread other([&] { one = Clock::now(); });
    two = Clock::now();
    other.join();
    PLUMB_ASSERT(two < one);
  });
}

PLUMB_TEST(either_thread_may_ask_the_processor_first) {
  test.expect("assertion").run([] {
    unsigned long one = 0, two = 0;
    std::thread other([&] { one = __rdtsc(); });
    two = __rdtsc();
    other.join();
    PLUMB_ASSERT(two < one);
  });
}

// The kernel's code for clocks, which mkstemp() asks, has the real ones.
PLUMB_TEST(the_c_library_reads_clocks_of_its_own) {
  test.run([] {
    anything = static_cast<int>(__rdtsc() & 1);
    for (int i = 0; i < 20; ++i) {
      char name[] = "/tmp/plumb_clocks_XXXXXX";
      const int file = mkstemp(name);
      unlink(name);
      close(file);
    }
    std::thread other([] { ++anything; });
    ++anything;
    other.join();
  });
}

PLUMB_TEST(stacks_are_as_large_as_usual) {
  test.run([] {
    const auto watch = [](int mine) {
      int values[512];
      for (int& value : values) value = mine;
      anything.load();
      for (const int value : values) PLUMB_ASSERT(value == mine);
    };
    std::thread a(watch, 1), b([] { use_stack<7 << 10>(); }), c(watch, 2);
    a.join();
    b.join();
    c.join();
  });
}

PLUMB_TEST(stacks_are_not_larger_than_usual) {
  test.expect("stack-overflow").run([] {
    std::thread([] { use_stack<9 << 10>(); }).join();
  });
}

PLUMB_TEST(large_frames_do_not_reach_other_stacks) {
  test.expect("stack-overflow").run([] {
    std::thread([] { use_stack<20 << 10>(); }).join();
  });
}

PLUMB_TEST(many_threads_one_after_another) {
  test.run([] {
    std::atomic<bool> over = false;
    std::thread beside([&] { over.wait(false); });
    int count = 0;
    for (int i = 0; i < 40; ++i) std::thread([&] { ++count; }).join();
    over = true;
    over.notify_one();
    beside.join();
    PLUMB_ASSERT(count == 40);
  });
}

PLUMB_TEST(late_threads_are_explored_like_early_ones) {
  test.expect("assertion").run([] {
    for (int i = 0; i < 40; ++i) std::thread([] {}).join();
    std::atomic<int> count = 0;
    const auto add = [&] { count = count + 1; };
    std::thread a(add), b(add);
    a.join();
    b.join();
    PLUMB_ASSERT(count == 2);
  });
}

PLUMB_TEST(late_threads_race_like_early_ones) {
  test.expect("race").run([] {
    for (int i = 0; i < 40; ++i) std::thread([] {}).join();
    int count = 0;
    const auto add = [&] { ++count; };
    std::thread a(add), b(add);
    a.join();
    b.join();
  });
}

PLUMB_TEST(each_raise_runs_the_handler) {
  test.run([] {
    signals = 0;
    std::signal(SIGUSR1, count_signal);
    std::thread other([] { raise(SIGUSR1); });
    raise(SIGUSR1);
    other.join();
    PLUMB_ASSERT(signals == 2);
  });
}

PLUMB_TEST(a_blocked_signal_waits) {
  test.run([] {
    signals = 0;
    std::signal(SIGUSR1, count_signal);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    raise(SIGUSR1);
    PLUMB_ASSERT(signals == 0);
    std::thread([&] {  // it has a mask of its own, which begins as this one
      raise(SIGUSR1);
      PLUMB_ASSERT(signals == 0);
      pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    })
        .join();
    PLUMB_ASSERT(signals == 1);
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
    PLUMB_ASSERT(signals == 2);
  });
}

PLUMB_TEST(a_signal_that_nobody_handles) {
  test.expect("crash").run([] { raise(SIGTERM); });
}

PLUMB_TEST(a_handler_is_forgotten_after_the_execution) {
  test.expect("crash").run([] {
    std::atomic<bool> late = false;
    std::thread other([&] { late = true; });
    if (!late) std::signal(SIGUSR1, count_signal);
    raise(SIGUSR1);
    other.join();
  });
}

PLUMB_TEST(who_waits_for_a_pipe_lets_others_go_on) {
  test.run([] {
    Pipe pipe;
    std::thread other([&] { pipe.get(); });
    pipe.put();
    other.join();
  });
}

PLUMB_TEST(who_waits_for_events_lets_others_go_on) {
  test.run([] {
    Pipe pipe;
    const int all = epoll_create1(0);
    epoll_event wanted = {};
    wanted.events = EPOLLIN;
    PLUMB_ASSERT(epoll_ctl(all, EPOLL_CTL_ADD, pipe.ends[0], &wanted) == 0);
    std::thread other([&] {
      epoll_event found = {};
      PLUMB_ASSERT(epoll_pwait(all, &found, 1, -1, nullptr) == 1);
      fd_set set;
      FD_ZERO(&set);
      FD_SET(pipe.ends[0], &set);
      PLUMB_ASSERT(pselect(pipe.ends[0] + 1, &set, nullptr, nullptr, nullptr,
                           nullptr) == 1);
    });
    pipe.put();
    other.join();
    close(all);
  });
}

PLUMB_TEST(a_poll_may_come_too_early) {
  test.expect("assertion").run([] {
    Pipe pipe;
    std::thread other([&] {
      pollfd file = {pipe.ends[0], POLLIN, 0};
      PLUMB_ASSERT(poll(&file, 1, 100) == 1);
    });
    pipe.put();
    other.join();
  });
}

PLUMB_TEST(a_write_may_come_before_a_read) {
  test.expect("assertion").run([] {
    const int file = eventfd(0, EFD_NONBLOCK);
    std::thread other([&] {
      const eventfd_t one = 1;
      PLUMB_ASSERT(write(file, &one, sizeof(one)) > 0);
    });
    eventfd_t value = 0;
    const bool found = read(file, &value, sizeof(value)) > 0;
    other.join();
    close(file);
    PLUMB_ASSERT(!found);
  });
}
