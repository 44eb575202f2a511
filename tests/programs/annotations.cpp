// SPDX-License-Identifier: Apache-2.0
// What code tells detectors of data races about itself.
#include <plumb/test.h>

#include <atomic>
#include <thread>

extern "C" {
void AnnotateIgnoreReadsBegin(const char* file, int line);
void AnnotateIgnoreReadsEnd(const char* file, int line);
void AnnotateHappensBefore(const char* file, int line, const void* object);
void AnnotateHappensAfter(const char* file, int line, const void* object);
void AnnotateBenignRaceSized(const char* file, int line, const void* memory,
                             std::size_t size, const char* why);
}

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

// A glance at a number that another thread writes.
int glance(const int& number) {
  AnnotateIgnoreReadsBegin(__FILE__, __LINE__);
  const int seen = number;
  AnnotateIgnoreReadsEnd(__FILE__, __LINE__);
  return seen;
}

}  // namespace

PLUMB_TEST(reads_that_may_race) {
  test.run([] {
    int number = 0;
    in_parallel([&] { number = 1; }, [&] { PLUMB_ASSERT(glance(number) < 2); });
  });
}

// They are steps of the search all the same.
PLUMB_TEST(reads_that_may_race_see_both_values) {
  test.expect("assertion").run([] {
    int number = 0;
    in_parallel([&] { number = 1; },
                [&] { PLUMB_ASSERT(glance(number) == 0); });
  });
}

PLUMB_TEST(other_reads_may_not) {
  test.expect("race").run([] {
    int number = 0;
    in_parallel([&] { number = 1; },
                [&] {
                  glance(number);
                  PLUMB_ASSERT(number < 2);
                });
  });
}

PLUMB_TEST(a_race_that_is_called_benign) {
  test.run([] {
    int number = 0;
    AnnotateBenignRaceSized(__FILE__, __LINE__, &number, sizeof(number), "");
    in_parallel([&] { number = 1; }, [&] { PLUMB_ASSERT(number < 2); });
  });
}

PLUMB_TEST(an_order_that_is_only_said) {
  test.run([] {
    int number = 0;
    std::atomic<bool> is_done = false;
    in_parallel(
        [&] {
          number = 1;
          AnnotateHappensBefore(__FILE__, __LINE__, &is_done);
          is_done.store(true, std::memory_order_relaxed);
        },
        [&] {
          if (!is_done.load(std::memory_order_relaxed)) return;
          AnnotateHappensAfter(__FILE__, __LINE__, &is_done);
          PLUMB_ASSERT(number == 1);
        });
  });
}
