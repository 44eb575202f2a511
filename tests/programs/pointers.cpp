// SPDX-License-Identifier: Apache-2.0
// Tests of what functions for threads and signals read and write where pointers
// say: another thread that touches it at the same time races with them.
#include <plumb/test.h>

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <thread>

namespace {

template <typename One, typename Other>
void run_both(One one, Other other) {
  std::thread thread(one);
  other();
  thread.join();
}

// `use(value)` of one thread, while another one writes the value.
template <typename T, typename Use>
void races_with_write(plumb::Test& test, Use use) {
  test.expect("race").run([=] {
    T value;
    std::memset(&value, 0, sizeof(value));
    run_both(
        [&] { use(value); },
        [&] { std::memset(static_cast<void*>(&value), 0, sizeof(value)); });
  });
}

// The same, while another one only looks at it.
template <typename T, typename Use>
void goes_with_read(plumb::Test& test, Use use) {
  test.run([=] {
    T value, copy;
    std::memset(&value, 0, sizeof(value));
    run_both([&] { use(value); },
             [&] { std::memcpy(&copy, &value, sizeof(copy)); });
  });
}

pthread_t start(const pthread_attr_t* attributes) {
  pthread_t thread;
  pthread_create(
      &thread, attributes, [](void*) -> void* { return nullptr; }, nullptr);
  return thread;
}

}  // namespace

#define RACES(name, type, ...)                                      \
  PLUMB_TEST(name) {                                                \
    races_with_write<type>(test, [](type& value) { __VA_ARGS__; }); \
  }
#define ONLY_READS(name, type, ...)                               \
  PLUMB_TEST(name) {                                              \
    goes_with_read<type>(test, [](type& value) { __VA_ARGS__; }); \
  }

RACES(old_signal_mask, sigset_t, pthread_sigmask(SIG_BLOCK, nullptr, &value))
RACES(new_signal_mask, sigset_t, pthread_sigmask(SIG_BLOCK, &value, nullptr))
ONLY_READS(a_new_mask_is_read, sigset_t,
           sigprocmask(SIG_BLOCK, &value, nullptr))
RACES(old_process_mask, sigset_t, sigprocmask(SIG_BLOCK, nullptr, &value))
RACES(pending_signals, sigset_t, sigpending(&value))
RACES(old_action, struct sigaction, sigaction(SIGUSR1, nullptr, &value))
RACES(new_action, struct sigaction, sigaction(SIGUSR1, &value, nullptr))
RACES(old_signal_stack, stack_t, sigaltstack(nullptr, &value))
RACES(new_signal_stack, stack_t, sigaltstack(&value, nullptr))
RACES(taken_signal, int, sigset_t set; sigemptyset(&set);
      sigaddset(&set, SIGUSR1); sigprocmask(SIG_BLOCK, &set, nullptr);
      raise(SIGUSR1); sigwait(&set, &value))

RACES(attributes_of_a_thread, pthread_attr_t, pthread_attr_t copy;
      pthread_attr_init(&copy); std::memcpy(&copy, &value, 0);
      pthread_join(start(&value), nullptr))
RACES(name_of_a_new_thread, pthread_t,
      pthread_create(
          &value, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
      pthread_detach(pthread_self() == value ? value : value))
RACES(result_of_a_thread, void*, pthread_join(start(nullptr), &value))
RACES(result_of_a_timed_join, void*, timespec deadline = {};
      pthread_timedjoin_np(start(nullptr), &value, &deadline))
RACES(deadline_of_a_join, timespec,
      pthread_timedjoin_np(start(nullptr), nullptr, &value))
RACES(new_key, pthread_key_t, pthread_key_create(&value, nullptr))
RACES(old_cancel_state, int,
      pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &value))
RACES(old_cancel_type, int,
      pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &value))
RACES(attributes_asked_for, pthread_attr_t,
      pthread_getattr_np(pthread_self(), &value))

using Name = char[16];
RACES(new_name, Name, pthread_setname_np(pthread_self(), value))
ONLY_READS(a_new_name_is_read, Name, pthread_setname_np(pthread_self(), value))
RACES(given_name, Name, pthread_getname_np(pthread_self(), value, 16))
RACES(controlled_name, Name, prctl(PR_SET_NAME, value))
RACES(given_policy, int, sched_param out;
      pthread_getschedparam(pthread_self(), &value, &out))
RACES(given_parameter, sched_param, int policy;
      pthread_getschedparam(pthread_self(), &policy, &value))
RACES(new_parameter, sched_param,
      pthread_setschedparam(pthread_self(), SCHED_OTHER, &value))
RACES(new_processors, cpu_set_t,
      pthread_setaffinity_np(pthread_self(), sizeof(value), &value))
RACES(given_processors, cpu_set_t,
      pthread_getaffinity_np(pthread_self(), sizeof(value), &value))
RACES(processors_by_number, cpu_set_t,
      sched_getaffinity(0, sizeof(value), &value))
RACES(clock_of_a_thread, clockid_t,
      pthread_getcpuclockid(pthread_self(), &value))

RACES(deadline_of_a_mutex, timespec, pthread_mutex_t mutex;
      pthread_mutex_init(&mutex, nullptr);
      pthread_mutex_timedlock(&mutex, &value); pthread_mutex_unlock(&mutex))
RACES(deadline_by_a_clock, timespec, pthread_mutex_t mutex;
      pthread_mutex_init(&mutex, nullptr);
      pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &value);
      pthread_mutex_unlock(&mutex))
ONLY_READS(a_deadline_is_read, timespec, pthread_mutex_t mutex;
           pthread_mutex_init(&mutex, nullptr);
           pthread_mutex_timedlock(&mutex, &value);
           pthread_mutex_unlock(&mutex))
RACES(deadline_of_a_condition, timespec,
      pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
      pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
      pthread_mutex_lock(&mutex);
      pthread_cond_timedwait(&condition, &mutex, &value);
      pthread_mutex_unlock(&mutex))
RACES(deadline_of_a_semaphore, timespec, sem_t semaphore;
      sem_init(&semaphore, 0, 1); sem_timedwait(&semaphore, &value))
RACES(deadline_of_a_reader, timespec,
      pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
      pthread_rwlock_timedrdlock(&lock, &value); pthread_rwlock_unlock(&lock))
RACES(deadline_of_a_writer, timespec,
      pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
      pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &value);
      pthread_rwlock_unlock(&lock))
RACES(kind_of_a_mutex, pthread_mutexattr_t, pthread_mutex_t mutex;
      pthread_mutex_init(&mutex, &value))

RACES(sleep_of_c, timespec, thrd_sleep(&value, nullptr))
RACES(deadline_of_c, timespec, mtx_t mutex; mtx_init(&mutex, mtx_timed);
      mtx_timedlock(&mutex, &value); mtx_unlock(&mutex))
RACES(deadline_of_a_condition_of_c, timespec, mtx_t mutex; cnd_t condition;
      mtx_init(&mutex, mtx_plain); cnd_init(&condition); mtx_lock(&mutex);
      cnd_timedwait(&condition, &mutex, &value); mtx_unlock(&mutex))
RACES(key_of_c, tss_t, tss_create(&value, nullptr))
RACES(thread_of_c, thrd_t,
      thrd_create(
          &value, [](void*) { return 0; }, nullptr))
RACES(result_of_c, int, thrd_t thread; thrd_create(
          &thread, [](void*) { return 0; }, nullptr);
      thrd_join(thread, &value))

RACES(clock_by_number, timespec,
      syscall(SYS_clock_gettime, CLOCK_REALTIME, &value))
RACES(sleep_by_number, timespec, syscall(SYS_nanosleep, &value, nullptr))
RACES(random_by_number, long, syscall(SYS_getrandom, &value, 8, 0))
RACES(address_of_a_sender, sockaddr_storage, int ends[2]; char byte = 0;
      socketpair(AF_UNIX, SOCK_DGRAM, 0, ends); send(ends[0], "x", 1, 0);
      socklen_t length = sizeof(value);
      recvfrom(ends[1], &byte, 1, 0, reinterpret_cast<sockaddr*>(&value),
               &length))
RACES(length_of_an_address, socklen_t, int ends[2]; char byte = 0;
      socketpair(AF_UNIX, SOCK_DGRAM, 0, ends); send(ends[0], "x", 1, 0);
      sockaddr_storage from;
      recvfrom(ends[1], &byte, 1, 0, reinterpret_cast<sockaddr*>(&from),
               &value))
RACES(message_to_be_filled, msghdr, int ends[2];
      socketpair(AF_UNIX, SOCK_DGRAM, 0, ends); send(ends[0], "x", 1, 0);
      recvmsg(ends[1], &value, 0))
