// SPDX-License-Identifier: Apache-2.0
// Tests of what threads set for themselves and for each other: each has its
// own, and the next execution finds nothing of it.
#include <plumb/test.h>

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>

namespace {

std::string name_of(pthread_t thread) {
  char name[16] = {};
  PLUMB_ASSERT(pthread_getname_np(thread, name, sizeof(name)) == 0);
  return name;
}
std::string my_name() {
  return name_of(pthread_self());
}

// Runs `one` in two threads, and several executions.
template <typename One>
void in_two_threads(One one) {
  std::atomic<int> order = 0;
  const auto both = [&](int number) {
    ++order;
    one(number);
    ++order;
  };
  std::thread other(both, 1);
  both(2);
  other.join();
}

void set_name(int number) {
  const std::string name = "thread " + std::to_string(number);
  pthread_setname_np(pthread_self(), name.c_str());
  std::this_thread::yield();
  PLUMB_ASSERT(my_name() == name);
}

}  // namespace

PLUMB_TEST(names_are_kept) {
  test.run([] { in_two_threads(set_name); });
}

PLUMB_TEST(names_are_forgotten) {
  test.run([] {
    const std::string before = my_name();
    PLUMB_ASSERT(before != "thread 2");
    std::thread other([&] { PLUMB_ASSERT(my_name() == before); });
    other.join();
    in_two_threads(set_name);
  });
}

PLUMB_TEST(names_by_control) {
  test.run([] {
    in_two_threads([](int number) {
      char name[16] = "n";
      name[1] = static_cast<char>('0' + number);
      PLUMB_ASSERT(prctl(PR_SET_NAME, name) == 0);
      PLUMB_ASSERT(my_name() == name);
      char given[16] = {};
      PLUMB_ASSERT(prctl(PR_GET_NAME, given) == 0);
      PLUMB_ASSERT(std::strcmp(given, name) == 0);
      PLUMB_ASSERT(syscall(SYS_prctl, PR_GET_NAME, given) == 0);
      PLUMB_ASSERT(std::strcmp(given, name) == 0);
    });
  });
}

PLUMB_TEST(names_are_inherited) {
  test.run([] {
    pthread_setname_np(pthread_self(), "parent");
    std::thread([] { PLUMB_ASSERT(my_name() == "parent"); }).join();
  });
}

PLUMB_TEST(a_name_is_not_too_long) {
  test.run([] {
    PLUMB_ASSERT(pthread_setname_np(pthread_self(), "sixteen letters!") ==
                 ERANGE);
    char name[8];
    PLUMB_ASSERT(pthread_getname_np(pthread_self(), name, sizeof(name)) ==
                 ERANGE);
  });
}

// Who names another thread may be earlier or later than who asks.
PLUMB_TEST(another_thread_s_name_comes_at_any_time) {
  test.expect("assertion").run([] {
    std::thread other([] { PLUMB_ASSERT(my_name() != "named"); });
    pthread_setname_np(other.native_handle(), "named");
    other.join();
  });
}

PLUMB_TEST(a_thread_may_ask_before_it_is_named) {
  test.expect("assertion").run([] {
    std::thread other([] { PLUMB_ASSERT(my_name() == "named"); });
    pthread_setname_np(other.native_handle(), "named");
    other.join();
  });
}

PLUMB_TEST(priorities) {
  test.run([] {
    in_two_threads([](int number) {
      const int wanted = number == 1 ? SCHED_BATCH : SCHED_IDLE;
      int policy = -1;
      sched_param parameter = {};
      pthread_getschedparam(pthread_self(), &policy, &parameter);
      PLUMB_ASSERT(policy == SCHED_OTHER);
      PLUMB_ASSERT(pthread_setschedparam(pthread_self(), wanted, &parameter) ==
                   0);
      pthread_getschedparam(pthread_self(), &policy, &parameter);
      PLUMB_ASSERT(policy == wanted && sched_getscheduler(0) == wanted);
    });
  });
}

PLUMB_TEST(a_priority_must_fit_the_policy) {
  test.run([] {
    const sched_param some = {50};
    PLUMB_ASSERT(pthread_setschedparam(pthread_self(), SCHED_OTHER, &some) ==
                 EINVAL);
  });
}

PLUMB_TEST(niceness) {
  test.run([] {
    const int before = getpriority(PRIO_PROCESS, 0);
    in_two_threads([=](int number) {
      PLUMB_ASSERT(getpriority(PRIO_PROCESS, 0) == before);
      PLUMB_ASSERT(nice(number) == before + number);
      PLUMB_ASSERT(getpriority(PRIO_PROCESS, 0) == before + number);
      setpriority(PRIO_PROCESS, 0, before + number + 1);
      PLUMB_ASSERT(getpriority(PRIO_PROCESS, 0) == before + number + 1);
    });
  });
}

PLUMB_TEST(processors) {
  test.run([] {
    cpu_set_t before;
    PLUMB_ASSERT(sched_getaffinity(0, sizeof(before), &before) == 0);
    in_two_threads([&](int) {
      cpu_set_t now;
      pthread_getaffinity_np(pthread_self(), sizeof(now), &now);
      PLUMB_ASSERT(CPU_EQUAL(&now, &before));
      unsigned last = 0;
      for (unsigned i = 0; i < CPU_SETSIZE; ++i) {
        if (CPU_ISSET(i, &before)) last = i;
      }
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(last, &one);
      pthread_setaffinity_np(pthread_self(), sizeof(one), &one);
      sched_getaffinity(0, sizeof(now), &now);
      PLUMB_ASSERT(CPU_EQUAL(&now, &one));
      PLUMB_ASSERT(sched_getcpu() == static_cast<int>(last));
    });
  });
}

PLUMB_TEST(no_processor_at_all) {
  test.run([] {
    cpu_set_t none;
    CPU_ZERO(&none);
    PLUMB_ASSERT(sched_setaffinity(0, sizeof(none), &none) == -1);
    PLUMB_ASSERT(errno == EINVAL);
  });
}

PLUMB_TEST(cancel_states) {
  test.run([] {
    in_two_threads([](int) {
      int old = -1;
      pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
      PLUMB_ASSERT(old == PTHREAD_CANCEL_ENABLE);
      pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &old);
      PLUMB_ASSERT(old == PTHREAD_CANCEL_DISABLE);
      pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &old);
      PLUMB_ASSERT(old == PTHREAD_CANCEL_DEFERRED);
      pthread_testcancel();
    });
  });
}

PLUMB_TEST(signal_stacks) {
  test.run([] {
    in_two_threads([](int) {
      static thread_local char memory[65536];
      stack_t wanted = {}, old = {};
      wanted.ss_sp = memory;
      wanted.ss_size = sizeof(memory);
      PLUMB_ASSERT(sigaltstack(&wanted, &old) == 0);
      PLUMB_ASSERT(old.ss_flags == SS_DISABLE);
      PLUMB_ASSERT(sigaltstack(nullptr, &old) == 0);
      PLUMB_ASSERT(old.ss_sp == memory && old.ss_flags == 0);
    });
  });
}

PLUMB_TEST(timer_slack) {
  test.run([] {
    in_two_threads([](int number) {
      const int before = prctl(PR_GET_TIMERSLACK);
      PLUMB_ASSERT(before > 1000);
      PLUMB_ASSERT(prctl(PR_SET_TIMERSLACK, 100 * number) == 0);
      PLUMB_ASSERT(prctl(PR_GET_TIMERSLACK) == 100 * number);
    });
  });
}
