// SPDX-License-Identifier: Apache-2.0
// Tests that depend on what is not under control.
#include <plumb/test.h>

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <thread>

namespace {

void count_by(unsigned long number) {
  std::atomic<int> value = 0;
  std::thread other([&] { ++value; });
  for (unsigned i = 0; i < number % 2; ++i) ++value;
  other.join();
}

}  // namespace

PLUMB_TEST(numbers_of_the_processor) {
  test.run([] {
    unsigned long number = 0;
    asm volatile("rdrand %0" : "=r"(number) : : "cc");
    count_by(number);
  });
}

PLUMB_TEST(files_that_stay) {
  test.run([] {
    close(open("plumb_file_that_stays", O_CREAT | O_WRONLY, 0600));
    count_by(1);
  });
}
