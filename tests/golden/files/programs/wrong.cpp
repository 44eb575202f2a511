// SPDX-License-Identifier: Apache-2.0
#include <plumb/test.h>

PLUMB_TEST(wrong) {
  test.programs(2);
}
