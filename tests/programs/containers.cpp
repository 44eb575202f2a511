// SPDX-License-Identifier: Apache-2.0
// std::map, std::set, std::list: what links their nodes is seen, and works.
#include <plumb/test.h>

#include <bits/stl_tree.h>

#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <unordered_set>

namespace {

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

using Tree = std::_Rb_tree<int, int, std::_Identity<int>, std::less<int>>;

// The next of a sequence that looks random.
unsigned next(unsigned& state) {
  state = state * 1664525 + 1013904223;
  return state >> 16;
}

}  // namespace

PLUMB_TEST(trees_stay_balanced_and_in_order) {
  test.run([] {
    Tree tree;
    bool is_in[64] = {};
    std::size_t count = 0;
    unsigned state = 1;
    for (int i = 0; i < 3000; ++i) {
      const int key = static_cast<int>(next(state) % 64);
      if (next(state) % 2 == 0) {
        tree._M_insert_unique(key);
      } else {
        tree.erase(key);
      }
      const bool inserted = tree.find(key) != tree.end();
      count += inserted;
      count -= is_in[key];
      is_in[key] = inserted;
      PLUMB_ASSERT(tree.size() == count);
      if (i % 50 != 0) continue;
      PLUMB_ASSERT(tree.__rb_verify());
      auto from_end = tree.rbegin();
      int last = -1;
      for (const int each : tree) {
        PLUMB_ASSERT(last < each && is_in[each]);
        last = each;
      }
      for (std::size_t k = 0; k < count; ++k, ++from_end) {
        PLUMB_ASSERT(is_in[*from_end]);
      }
      PLUMB_ASSERT(from_end == tree.rend());
    }
  });
}

PLUMB_TEST(lists_are_linked_as_they_should) {
  test.run([] {
    std::list<int> numbers = {3, 1, 2}, others = {7, 8}, none;
    numbers.reverse();
    PLUMB_ASSERT((numbers == std::list<int>{2, 1, 3}));
    numbers.splice(std::next(numbers.begin()), others);
    PLUMB_ASSERT((numbers == std::list<int>{2, 7, 8, 1, 3}));
    numbers.sort();
    PLUMB_ASSERT((numbers == std::list<int>{1, 2, 3, 7, 8}));
    numbers.swap(none);
    PLUMB_ASSERT(numbers.empty() && none.size() == 5);
    numbers.push_back(4);
    numbers.swap(none);
    PLUMB_ASSERT(none.front() == 4 && numbers.back() == 8);
    numbers.erase(numbers.begin());
    numbers.splice(numbers.end(), numbers, numbers.begin());
    PLUMB_ASSERT((numbers == std::list<int>{3, 7, 8, 2}));
    PLUMB_ASSERT(*numbers.rbegin() == 2);
  });
}

PLUMB_TEST(a_map_is_walked_while_it_grows) {
  test.expect("race").run([] {
    std::map<int, int> numbers = {{1, 1}};
    auto at = numbers.begin();
    in_parallel([&] { numbers.emplace(2, 2); }, [&] { ++at; });
  });
}

PLUMB_TEST(a_set_is_walked_back_while_it_shrinks) {
  test.expect("race").run([] {
    std::set<int> numbers = {1, 2, 3};
    auto at = numbers.end();
    in_parallel([&] { numbers.erase(3); }, [&] { --at; });
  });
}

PLUMB_TEST(a_list_is_walked_while_it_grows) {
  test.expect("race").run([] {
    std::list<int> numbers = {1};
    in_parallel([&] { numbers.push_back(2); },
                [&] { PLUMB_ASSERT(++numbers.begin() == numbers.end()); });
  });
}

PLUMB_TEST(a_list_is_reversed_while_it_is_walked) {
  test.expect("race").run([] {
    std::list<int> numbers = {1, 2};
    in_parallel([&] { numbers.reverse(); },
                [&] { PLUMB_ASSERT(numbers.begin() != numbers.end()); });
  });
}

PLUMB_TEST(a_text_is_hashed_while_it_changes) {
  test.expect("race").run([] {
    std::string text = "a text that does not fit into the object itself";
    char* const letters = text.data();
    in_parallel([=] { letters[20] = 'x'; },
                [&] { PLUMB_ASSERT(std::hash<std::string>()(text) != 0); });
  });
}

PLUMB_TEST(containers_are_used_under_a_lock) {
  test.run([] {
    std::map<int, std::string> names;
    std::list<int> numbers;
    std::unordered_set<std::string> words;
    std::mutex mutex;
    const auto work = [&](int number) {
      const std::lock_guard lock(mutex);
      names[number] = std::to_string(number);
      numbers.push_front(number);
      words.insert(names[number]);
      for (const auto& [key, name] : names) {
        PLUMB_ASSERT(std::to_string(key) == name && words.contains(name));
      }
    };
    in_parallel([&] { work(1); }, [&] { work(2); });
    PLUMB_ASSERT(names.size() == 2 && numbers.size() == 2);
  });
}
