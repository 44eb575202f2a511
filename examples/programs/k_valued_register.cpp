// SPDX-License-Identifier: Apache-2.0
#include "k_valued_register.h"

#include <plumb/test.h>

namespace {

// The smallest test: two writes, two reads at the same time.
template <bool kDownAgain>
void two_writes_two_reads(plumb::Test& test) {
  auto cell = test.object<KValuedRegister<3, kDownAgain>, PlainRegister>();
  auto write = cell.operation("write", PLUMB_METHOD(write));
  auto read = cell.operation("read", PLUMB_METHOD(read));
  test.program()
      .before(write(2))
      .thread(write(1), write(3))
      .thread(read(), read());
}

}  // namespace

PLUMB_TEST(k_valued_register) {
  two_writes_two_reads<true>(test);
}

PLUMB_TEST(k_valued_register_generated) {
  auto cell = test.object<KValuedRegister<3>, PlainRegister>();
  cell.operation("write", PLUMB_METHOD(write)).values(1, 2, 3).only_by(0);
  cell.operation("read", PLUMB_METHOD(read)).not_by(0);
  test.programs(3, 2);
}

// 3, and then 1: the new value, and then the old one.
PLUMB_TEST(k_valued_register_upwards_only) {
  two_writes_two_reads<false>(test);
  test.expect("violated");
}
