// SPDX-License-Identifier: Apache-2.0
// Recorded histories, and tests of code, judged inside of GoogleTest.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>
#include <plumb/gtest.h>
#include <plumb/record.h>

#include <cstdlib>

namespace {

// Takes out the second of two items first.
void overtake(plumb::Recorder& recorder) {
  auto me = recorder.process();
  me.record("enq", 1, [] {});
  me.record("enq", 2, [] {});
  me.record("deq", [] { return 2; });
}

TEST(Matchers, AGoodRunIsLinearizable) {
  plumb::Recorder recorder;
  auto me = recorder.process();
  me.record("enq", 1, [] {});
  me.record("deq", [] { return 1; });
  EXPECT_LINEARIZABLE(recorder, "queue");
  ASSERT_LINEARIZABLE(recorder, "queue(3)");
}

TEST(Matchers, ABadRunIsShown) {
  static plumb::Recorder recorder;
  overtake(recorder);
  EXPECT_NONFATAL_FAILURE(EXPECT_LINEARIZABLE(recorder, "queue"),
                          "it would return 1, not 2");
}

TEST(Matchers, AConditionMayBeWeaker) {
  static plumb::Recorder recorder;
  overtake(recorder);
  EXPECT_CONSISTENT(recorder, "queue", "quasi(deq=1)");
}

TEST(Matchers, AMistakeIsAFailure) {
  static plumb::Recorder recorder;
  overtake(recorder);
  EXPECT_NONFATAL_FAILURE(EXPECT_LINEARIZABLE(recorder, "que'ue"), "que'ue");
}

TEST(Matchers, AMissingToolIsAFailure) {
  static plumb::Recorder recorder;
  ASSERT_EQ(setenv("PLUMB", "/nowhere/plumb", 1), 0);
  EXPECT_NONFATAL_FAILURE(EXPECT_LINEARIZABLE(recorder, "queue"),
                          "the tool was not found");
  unsetenv("PLUMB");
}

}  // namespace
