// SPDX-License-Identifier: Apache-2.0
// Tests that do to memory what can be neither seen nor followed.
#include <plumb/test.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

char buffer[BUFSIZ];
char text[8] = "text";

}  // namespace

PLUMB_TEST(a_stream_with_a_buffer_of_the_test) {
  test.run([] {
    std::FILE* file = std::fopen("/dev/null", "w");
    std::setvbuf(file, buffer, _IOFBF, sizeof(buffer));
    in_parallel([=] { std::fputs("text", file); }, [] { buffer[2] = 'x'; });
    std::fclose(file);
  });
}

PLUMB_TEST(one_file_mapped_twice) {
  test.run([] {
    const int file = memfd_create("twice", 0);
    PLUMB_ASSERT(ftruncate(file, 4096) == 0);
    const auto map = [=] {
      return static_cast<char*>(
          mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    };
    char* one = map();
    char* other = map();
    in_parallel([=] { *one = 1; }, [=] { *other = 2; });
  });
}

PLUMB_TEST(a_format_with_numbers) {
  test.run([] {
    in_parallel(
        [] {
          char out[16];
          std::snprintf(out, sizeof(out), "%2$s %1$s", "a", text);
        },
        [] { text[1] = 'x'; });
  });
}
