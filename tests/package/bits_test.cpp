// SPDX-License-Identifier: Apache-2.0
// A test of what is compiled into a library: instrumented, or left to the
// audit.
#include "bits.h"

#include <plumb/test.h>

PLUMB_TEST(bits) {
  auto bits = test.object<Bits>();
  auto add = bits.operation("add", PLUMB_METHOD(add));
  auto contains = bits.operation("contains", PLUMB_METHOD(contains));
  test.spec("set").expect("violated");
  test.program().thread(add(1)).thread(add(2)).after(contains(1), contains(2));
}
