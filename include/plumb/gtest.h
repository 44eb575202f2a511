// SPDX-License-Identifier: Apache-2.0
// Matchers for tests with GoogleTest.
//
//   EXPECT_LINEARIZABLE(recorder, "queue");
//   EXPECT_CONSISTENT(recorder, "queue", "quasi(deq=2)");
//
// The first argument is a plumb::Recorder (plumb/record.h) whose processes
// have stopped, or a plumb::Test (plumb/test.h).
#pragma once

#include <gtest/gtest.h>

#include "plumb/judge.h"

namespace plumb {

template <typename... Arguments>
::testing::AssertionResult is_consistent(Arguments&&... arguments) {
  const Judgement judgement = judge(arguments...);
  if (judgement.consistent) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << judgement.text;
}

}  // namespace plumb

#define EXPECT_CONSISTENT(subject, specification, condition) \
  EXPECT_TRUE(::plumb::is_consistent(subject, specification, condition))
#define ASSERT_CONSISTENT(subject, specification, condition) \
  ASSERT_TRUE(::plumb::is_consistent(subject, specification, condition))
#define EXPECT_LINEARIZABLE(subject, specification) \
  EXPECT_CONSISTENT(subject, specification, "linearizable")
#define ASSERT_LINEARIZABLE(subject, specification) \
  ASSERT_CONSISTENT(subject, specification, "linearizable")
