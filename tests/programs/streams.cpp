// SPDX-License-Identifier: Apache-2.0
// std::string and streams: templates that libstdc++ keeps compiled.
#include <plumb/test.h>

#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

}  // namespace

PLUMB_TEST(strings_are_compared_while_one_changes) {
  test.expect("race").run([] {
    std::string text = "a text that does not fit into the object itself";
    const std::string same = text;
    char* const letters = text.data();
    in_parallel([=] { letters[5] = 'x'; },
                [&] { PLUMB_ASSERT(!(text < same)); });
  });
}

PLUMB_TEST(a_string_grows_while_it_is_read) {
  test.expect("race").run([] {
    std::string text = "a";
    in_parallel([&] { text += "b"; }, [&] { PLUMB_ASSERT(!text.empty()); });
  });
}

PLUMB_TEST(a_stream_is_written_by_two) {
  test.expect("race").run([] {
    std::ostringstream out;
    in_parallel([&] { out << 1; }, [&] { out << 2; });
  });
}

PLUMB_TEST(a_stream_is_written_under_a_lock) {
  test.run([] {
    std::ostringstream out;
    std::mutex mutex;
    const auto write = [&] {
      const std::lock_guard lock(mutex);
      out << 12 << "abc";
    };
    in_parallel(write, write);
    PLUMB_ASSERT(out.str() == "12abc12abc");
  });
}

PLUMB_TEST(a_stream_is_read) {
  test.run([] {
    const auto read = [] {
      std::istringstream in("1 2.5\nlast line");
      int number = 0;
      double fraction = 0;
      std::string line;
      in >> number >> fraction;
      std::getline(in, line);
      std::getline(in, line);
      PLUMB_ASSERT(number == 1 && fraction == 2.5 && line == "last line");
    };
    in_parallel(read, read);
  });
}

// [iostream.objects.overview]: no race, whoever uses them.
PLUMB_TEST(standard_streams_may_be_used_by_all) {
  test.run([] {
    in_parallel([] { std::clog << "" << std::flush; },
                [] { std::clog << std::string() << std::flush; });
  });
}

PLUMB_TEST(what_is_printed_is_read) {
  test.expect("race").run([] {
    std::string text = "";
    in_parallel([&] { text = ""; }, [&] { std::clog << text; });
  });
}
