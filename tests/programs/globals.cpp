// SPDX-License-Identifier: Apache-2.0
// Tests of what executions share: nothing.  Global data, clocks and random
// numbers are the same at the beginning of each.
#include <plumb/test.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

// Six executions, none of which ends like the one before.
void explore_some() {
  std::atomic<int> value = 0;
  in_parallel(
      [&] {
        ++value;
        ++value;
      },
      [&] {
        ++value;
        ++value;
      });
}

int counter;
int table[10000] = {1, 2, 3};
std::atomic<int> flag;
std::vector<int> list = {1, 2};
std::map<int, std::string> map;
std::string text = "a text that is too long to be kept in place";
char buffer[300];
std::unique_ptr<int> owner;
std::unique_ptr<std::atomic<int>> shared = std::make_unique<std::atomic<int>>();
int* const number = static_cast<int*>(std::calloc(4, sizeof(int)));
char* const word = strcpy(static_cast<char*>(std::malloc(100)), "early");

}  // namespace

PLUMB_TEST(numbers_are_as_they_were) {
  test.run([] {
    PLUMB_ASSERT(counter == 0 && table[0] == 1 && table[9999] == 0);
    PLUMB_ASSERT(flag == 0);
    ++counter;
    table[0] = table[9999] = 77;
    explore_some();
    flag = 1;
  });
}

// Each gives back what it took: what is left is a leak.
PLUMB_TEST(containers_are_as_they_were) {
  test.run([] {
    PLUMB_ASSERT(list.size() == 2 && map.empty());
    PLUMB_ASSERT(text.substr(0, 6) == "a text");
    list.push_back(3);
    map[1] = "one";
    explore_some();
    PLUMB_ASSERT(list.size() == 3 && map.size() == 1);
    map.clear();
    owner = std::make_unique<int>(1);
    owner.reset();
    list.pop_back();
  });
}

// What static objects hold is theirs in each execution anew.
PLUMB_TEST(memory_from_before_main_is_as_it_was) {
  test.run([] {
    PLUMB_ASSERT(list[0] == 1 && list[1] == 2 && text[0] == 'a');
    PLUMB_ASSERT(*shared == 0 && number[3] == 0 && word[0] == 'e');
    list[0] = 7;
    text[0] = 'b';
    number[3] = 1;
    word[0] = 'l';
    in_parallel([] { ++*shared; }, [] { ++*shared; });
    PLUMB_ASSERT(*shared == 2);
    explore_some();
  });
}

PLUMB_TEST(races_are_found_in_memory_from_before_main) {
  test.expect("race").run(
      [] { in_parallel([] { ++number[1]; }, [] { ++number[1]; }); });
}

// The block stays: the next execution has it again.
PLUMB_TEST(memory_from_before_main_may_be_given_back) {
  test.run([] {
    PLUMB_ASSERT(shared != nullptr && text.size() > 40);
    explore_some();
    shared.reset();
    std::string().swap(text);
  });
}

PLUMB_TEST(what_is_written_by_the_c_library_is_undone) {
  test.run([] {
    PLUMB_ASSERT(buffer[0] == 0 && buffer[299] == 0);
    std::snprintf(buffer, sizeof(buffer), "%s", "unseen");
    std::memset(buffer + 250, 'x', 50);
    explore_some();
  });
}

PLUMB_TEST(time_goes_on_and_is_the_same_in_each_execution) {
  test.run([] {
    using Clock = std::chrono::steady_clock;
    static std::int64_t first;
    const auto begin = Clock::now();
    PLUMB_ASSERT(begin.time_since_epoch().count() == 1'000'000'000'001'000'000);
    PLUMB_ASSERT(first == 0);
    first = begin.time_since_epoch().count();
    explore_some();
    std::this_thread::sleep_for(std::chrono::seconds(2));
    PLUMB_ASSERT(Clock::now() - begin >= std::chrono::seconds(2));
    PLUMB_ASSERT(std::time(nullptr) >= 1'000'000'002);
  });
}

PLUMB_TEST(every_random_number_is_tried_0) {
  test.expect("assertion").run([] { PLUMB_ASSERT(std::rand() % 4 != 0); });
}
PLUMB_TEST(every_random_number_is_tried_3) {
  test.expect("assertion").run([] { PLUMB_ASSERT(std::rand() % 4 != 3); });
}
PLUMB_TEST(random_devices_are_no_exception) {
  test.expect("assertion").run([] {
    std::random_device device;
    const unsigned first = device();
    PLUMB_ASSERT(first < 4);
    PLUMB_ASSERT(first != 2 || device() != 1);
  });
}
