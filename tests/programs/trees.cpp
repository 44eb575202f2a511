// SPDX-License-Identifier: Apache-2.0
// Trees and tables whose nodes the C library has allocated: nobody sees these,
// but who calls what is seen.
#include <plumb/test.h>

#include <search.h>

#include <thread>

namespace {

int numbers[] = {1, 2, 3};
void* tree = nullptr;
hsearch_data table = {};

int compare(const void* a, const void* b) {
  return *static_cast<const int*>(a) - *static_cast<const int*>(b);
}

void insert(int index) {
  tsearch(&numbers[index], &tree, compare);
}
void find(int index) {
  PLUMB_ASSERT(tfind(&numbers[index], &tree, compare) != nullptr);
}
void look_up(ACTION action) {
  static char key[] = "key";
  ENTRY* found = nullptr;
  hsearch_r({key, nullptr}, action, &found, &table);
}

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  tree = nullptr;
  insert(0);
  hcreate_r(4, &table);
  std::thread other(first);
  second();
  other.join();
  hdestroy_r(&table);
  tdestroy(tree, [](void*) {});
}

}  // namespace

#define BOTH(expectation, name, one, another)    \
  PLUMB_TEST(name) {                             \
    test.expect(expectation).run([] {            \
      in_parallel([] { one; }, [] { another; }); \
    });                                          \
  }

BOTH("race", both_insert, insert(1), insert(2))
BOTH("race", one_inserts_and_one_finds, insert(1), find(0))
BOTH("race", one_deletes_and_one_finds, tdelete(&numbers[2], &tree, compare),
     find(0))
BOTH("holds", both_find, find(0), find(0))
BOTH("race", one_enters_a_row_and_one_looks_it_up, look_up(ENTER),
     look_up(FIND))
BOTH("holds", both_look_it_up, look_up(FIND), look_up(FIND))

// Where the tree is under a lock, or there are two, all is well.
PLUMB_TEST(two_trees) {
  test.run([] {
    in_parallel([] { insert(1); },
                [] {
                  void* own = nullptr;
                  tsearch(&numbers[2], &own, compare);
                  tdestroy(own, [](void*) {});
                });
  });
}
