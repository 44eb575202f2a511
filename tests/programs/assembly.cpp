// SPDX-License-Identifier: Apache-2.0
// Instructions that find their memory by other means than they name: bits by
// their numbers, strings from their ends, tables by a byte.
#include <plumb/test.h>

#include <thread>

namespace {

long words[8];
char* const bytes = reinterpret_cast<char*>(words);

template <typename First, typename Second>
void in_parallel(First first, Second second) {
  std::thread other(first);
  second();
  other.join();
}

void set_bit(long* base, long bit) {
  asm volatile("btsq %1, %0" : "+m"(*base) : "r"(bit) : "memory", "cc");
}
void clear_bit_of_32(long* base, int bit) {
  asm volatile("btrl %1, %0"
               : "+m"(*reinterpret_cast<int*>(base))
               : "r"(bit)
               : "memory", "cc");
}
void fill_downwards(void* last, long count) {
  asm volatile("std\n rep stosl\n cld"
               : "+D"(last), "+c"(count)
               : "a"(1)
               : "memory", "cc");
}
long look_up(const void* table, long number) {
  asm volatile("xlatb" : "+a"(number) : "b"(table) : "memory");
  return number;
}

}  // namespace

#define BOTH(expectation, name, one, another)    \
  PLUMB_TEST(name) {                             \
    test.expect(expectation).run([] {            \
      in_parallel([] { one; }, [] { another; }); \
    });                                          \
  }

BOTH("race", a_bit_of_a_later_word, set_bit(words, 200), words[3] = 1)
BOTH("race", a_bit_of_an_earlier_word, set_bit(words + 4, -60), words[3] = 1)
BOTH("race", a_bit_of_an_earlier_half, clear_bit_of_32(words + 4, -1),
     bytes[31] = 1)
BOTH("holds", a_bit_of_another_word, set_bit(words, 200), words[0] = 1)
BOTH("race", a_string_that_is_filled_from_its_end,
     fill_downwards(bytes + 28, 4), bytes[17] = 1)
BOTH("holds", beside_a_string_that_is_filled_from_its_end,
     fill_downwards(bytes + 28, 4), bytes[33] = 1)
BOTH("race", a_byte_of_a_table, look_up(words, 13), bytes[13] = 1)
BOTH("holds", another_byte_of_a_table, look_up(words, 13), bytes[12] = 1)
