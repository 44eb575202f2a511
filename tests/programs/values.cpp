// SPDX-License-Identifier: Apache-2.0
// Clocks and random numbers: the same in each execution, or tried one by one.
#include <plumb/test.h>

#include <fcntl.h>
#include <sys/random.h>
#include <sys/times.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <thread>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

}  // namespace

#if defined(__x86_64__)
PLUMB_TEST(the_processors_clock_goes_forward) {
  test.run([] {
    const std::uint64_t first = __rdtsc();
    unsigned processor = 1;
    const std::uint64_t second = __rdtscp(&processor);
    PLUMB_ASSERT(first < second && processor == 0);
  });
}

// Were it another one each time, the search would notice that it diverged.
PLUMB_TEST(the_processors_clock_decides) {
  test.run([] {
    std::atomic<std::uint64_t> seeds[2] = {};
    const auto work = [&](int mine) {
      const std::uint64_t seed = __rdtsc();
      seeds[seed / 7 % 2].fetch_add(1);
      seeds[mine].fetch_add(1);
    };
    in_parallel([&] { work(0); }, [&] { work(1); });
    PLUMB_ASSERT(seeds[0] + seeds[1] == 4);
  });
}
#endif

// Each value that is found by trying all.
#define TRIES(name, value)                                            \
  PLUMB_TEST(name##_is_tried) {                                       \
    test.expect("assertion").run([] { PLUMB_ASSERT((value) != 2); }); \
  }
TRIES(rand, rand())
TRIES(random, random())
TRIES(lrand48, lrand48())
TRIES(nrand48, [] {
  unsigned short seed[3] = {};
  return nrand48(seed);
}())
TRIES(random_device, std::random_device()())
TRIES(getrandom, [] {
  unsigned char byte = 0;
  PLUMB_ASSERT(getrandom(&byte, 1, 0) == 1);
  return byte;
}())
TRIES(urandom, [] {
  unsigned char byte = 0;
  const int file = open("/dev/urandom", O_RDONLY);
  PLUMB_ASSERT(read(file, &byte, 1) == 1);
  close(file);
  return byte;
}())

PLUMB_TEST(processor_time_is_under_control) {
  test.run([] {
    tms first, second;
    times(&first);
    for (int i = 0; i < 20; ++i) times(&second);
    PLUMB_ASSERT(first.tms_utime < second.tms_utime);
  });
}
