// SPDX-License-Identifier: Apache-2.0
#include "seqlock.h"

#include <plumb/test.h>

namespace {

template <bool kLookAgain>
void two_writes_one_read(plumb::Test& test) {
  auto pair = test.object<SeqLockPair<kLookAgain>, PlainPair>();
  auto write = pair.operation("write", PLUMB_METHOD(write));
  auto read = pair.operation("read", PLUMB_METHOD(read));
  test.program().thread(write(1), write(2)).thread(read());
}

}  // namespace

PLUMB_TEST(seqlock) {
  two_writes_one_read<true>(test);
}

PLUMB_TEST(seqlock_generated) {
  auto pair = test.object<SeqLockPair<>, PlainPair>();
  pair.operation("write", PLUMB_METHOD(write)).values(1, 2);
  pair.operation("read", PLUMB_METHOD(read));
  test.programs(2, 2);
}

// Halves of two writes.
PLUMB_TEST(seqlock_without_second_look) {
  two_writes_one_read<false>(test);
  test.expect("violated");
}
