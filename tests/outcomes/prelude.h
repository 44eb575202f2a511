// SPDX-License-Identifier: Apache-2.0
// What random programs are made of (tests/outcomes/run.py writes them).
#pragma once

#include <plumb/test.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <list>
#include <map>
#include <mutex>
#include <new>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <vector>

// Of the file that is compiled without us.
int far_read(const int* at);
void far_write(int* at, int number);
int far_bump(int* at);
int far_count(int which);
void far_call_back(void (*function)(void*), void* argument);

namespace {

#define PLUMB_UNSEEN __attribute__((no_sanitize("thread"), noinline, unused))
#define PLUMB_HELPER [[gnu::noinline, maybe_unused]]

constexpr std::chrono::milliseconds kShort{1};

// What a thread saw.
struct Notes {
  long all = 0;
  int last = 0;
  int count = 0;
  template <typename Number>
  int note(Number number) {
    last = static_cast<int>(number);
    all = all * 11 + last;
    return last;
  }
};

struct Outcome {
  long value = 0;
  void add(long number) {
    const auto next = static_cast<unsigned long>(value) * 1000003ul +
                      static_cast<unsigned long>(number);
    value = static_cast<long>(next & ((1ul << 62) - 1));
  }
};

struct Thrown {
  int number;
};
PLUMB_HELPER void throw_it(int number) {
  throw Thrown{number};
}

// Another function, with something to destroy on the way out.
template <typename Function>
PLUMB_HELPER void call(Function function) {
  const std::string kept(20, 'x');
  function();
}
template <typename Function>
PLUMB_HELPER void far_call(Function function) {
  far_call_back([](void* at) { (*static_cast<Function*>(at))(); }, &function);
}

struct Text {
  char at[16];
};
struct Big {
  long a, b, c;
};
struct Trio {
  long a, b, c;
};
struct Semaphore {
  sem_t own;
  explicit Semaphore(unsigned count) { sem_init(&own, 0, count); }
  ~Semaphore() { sem_destroy(&own); }
};
struct Barrier {
  pthread_barrier_t own;
  explicit Barrier(unsigned count) {
    pthread_barrier_init(&own, nullptr, count);
  }
  ~Barrier() { pthread_barrier_destroy(&own); }
};

[[maybe_unused]] void* map_page() {
  return mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

// Plain numbers, read and written in odd ways.
PLUMB_HELPER int copied(const int* at) {
  int own = 0;
  std::memcpy(&own, at, sizeof own);
  return own;
}
PLUMB_HELPER bool same_bytes(const int* at, int number) {
  return std::memcmp(at, &number, sizeof number) == 0;
}
PLUMB_HELPER void copy_to(int* at, int number) {
  std::memcpy(at, &number, sizeof number);
}
PLUMB_UNSEEN int raw_read(const int* at) {
  return *at;
}
PLUMB_UNSEEN void raw_write(int* at, int number) {
  *at = number;
}
PLUMB_UNSEEN int raw_add(int* at, int number) {
  const int before = *at;
  *at = before + number;
  return before;
}
PLUMB_HELPER int asm_read(const int* at) {
  int number = 0;
  asm volatile("movl (%1), %0" : "=r"(number) : "r"(at) : "memory");
  return number;
}
PLUMB_HELPER void asm_write(int* at, int number) {
  asm volatile("movl %0, (%1)" : : "r"(number), "r"(at) : "memory");
}
// A file with the numbers from 0 to 9, from which the system reads them.
const int numbers_file = [] {
  const int file = memfd_create("numbers", 0);
  for (int number = 0; number < 10; ++number) {
    if (write(file, &number, sizeof number) < 0) std::abort();
  }
  return file;
}();
PLUMB_HELPER void kernel_write(int* at, int number) {
  const off_t where = number * static_cast<off_t>(sizeof number);
  if (pread(numbers_file, at, sizeof number, where) < 0) std::abort();
}
PLUMB_UNSEEN int raw_load(const std::atomic<int>* at) {
  return __atomic_load_n(reinterpret_cast<const int*>(at), __ATOMIC_SEQ_CST);
}
PLUMB_UNSEEN void raw_store(std::atomic<int>* at, int number) {
  __atomic_store_n(reinterpret_cast<int*>(at), number, __ATOMIC_SEQ_CST);
}
PLUMB_HELPER int asm_add(std::atomic<int>* at, int number) {
  asm volatile("lock xaddl %0, (%1)" : "+r"(number) : "r"(at) : "memory");
  return number;
}

// Compare-exchange: gives what was there.
PLUMB_HELPER int swap_if(std::atomic<int>& cell, int expected, int desired,
                         std::memory_order order) {
  cell.compare_exchange_strong(expected, desired, order);
  return expected;
}
PLUMB_HELPER bool swap_if_weakly(std::atomic<int>& cell, int expected,
                                 int desired) {
  return cell.compare_exchange_weak(expected, desired);
}
PLUMB_HELPER long swap_big(std::atomic<Big>& cell, long expected,
                           long desired) {
  Big found{expected, expected, expected};
  cell.compare_exchange_strong(found, Big{desired, desired, desired});
  return found.a == found.b && found.b == found.c ? found.a : 10;
}
PLUMB_HELPER bool timed_wait(sem_t* semaphore) {
  timespec deadline{};
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += 1;
  return sem_timedwait(semaphore, &deadline) == 0;
}

// Texts.
PLUMB_HELPER int printed(const char* text) {
  char own[32];
  return std::snprintf(own, sizeof own, "%s", text);
}
PLUMB_HELPER std::size_t duplicated(const char* text) {
  char* own = strdup(text);
  const std::size_t length = std::strlen(own);
  std::free(own);
  return length;
}

// Counters.
PLUMB_HELPER int bump_specific(pthread_key_t key) {
  const auto count =
      reinterpret_cast<std::intptr_t>(pthread_getspecific(key)) + 1;
  pthread_setspecific(key, reinterpret_cast<void*>(count));
  return static_cast<int>(count);
}
PLUMB_HELPER int bump_semaphore(sem_t& semaphore) {
  int count = 0;
  sem_post(&semaphore);
  sem_getvalue(&semaphore, &count);
  return count;
}
PLUMB_HELPER int bump_text(Text& text) {
  std::strcat(text.at, "x");
  return static_cast<int>(std::strlen(text.at));
}
PLUMB_HELPER int bump_string(std::string& text) {
  text.push_back('x');
  return static_cast<int>(text.size());
}
PLUMB_HELPER int bump_map(std::map<int, int>& map) {
  map[static_cast<int>(map.size())] = 1;
  return static_cast<int>(map.size());
}

[[maybe_unused]] int value_of(Semaphore& semaphore) {
  int count = 0;
  sem_getvalue(&semaphore.own, &count);
  return count;
}

// What a variable comes to, from 0 to 10.
template <typename Trio>
PLUMB_HELPER long copy_of(const Trio& trio) {
  const Trio own = trio;
  return own.a == own.b && own.b == own.c ? own.a : 10;
}
[[maybe_unused]] long number_of(int number) {
  return number;
}
[[maybe_unused]] long number_of(const std::atomic<int>& number) {
  return number.load();
}
[[maybe_unused]] long number_of(const std::atomic<Big>& number) {
  return copy_of(number.load());
}
[[maybe_unused]] long number_of(const Trio& number) {
  return copy_of(number);
}
[[maybe_unused]] long number_of(Semaphore& semaphore) {
  return value_of(semaphore);
}
[[maybe_unused]] long number_of(std::string_view text) {
  unsigned sum = 0;
  for (const char letter : text) sum += static_cast<unsigned char>(letter);
  return sum % 11;
}
[[maybe_unused]] long number_of(const Text& text) {
  return number_of(std::string_view(text.at));
}
template <typename Sequence>
long sum_of(const Sequence& sequence) {
  long sum = 3 * static_cast<long>(sequence.size());
  for (const int number : sequence) sum += number;
  return sum % 11;
}
[[maybe_unused]] long number_of(const std::vector<int>& sequence) {
  return sum_of(sequence);
}
[[maybe_unused]] long number_of(const std::list<int>& sequence) {
  return sum_of(sequence);
}
[[maybe_unused]] long number_of(const std::unordered_map<int, int>& map) {
  int sum = static_cast<int>(map.size());
  for (const auto& [key, value] : map) sum += 3 * key + value;
  return sum % 11;
}
[[maybe_unused]] long number_of(const std::map<int, int>& map) {
  int sum = 0;
  for (const auto& [key, value] : map) sum += 3 * key + value + 1;
  return sum % 11;
}

[[maybe_unused]] bool is_one_of(long value,
                                std::initializer_list<long> values) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

}  // namespace
