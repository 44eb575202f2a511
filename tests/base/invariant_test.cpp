// SPDX-License-Identifier: Apache-2.0
#include "base/invariant.h"

#include <gtest/gtest.h>

#include "base/limit_error.h"

namespace plumb {
namespace {

TEST(Invariant, WhatIsNotSoIsAnErrorOfOurOwn) {
  const int sum = 5;
  try {
    PLUMB_CHECK(sum == 4);
    FAIL() << "nothing was thrown";
  } catch (const LimitError& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("sum == 4 is not so (invariant_test.cpp:"),
              std::string::npos)
        << what;
  }
}

TEST(Invariant, WhatIsSoIsEvaluatedOnce) {
  int times = 0;
  PLUMB_CHECK(++times == 1);
  EXPECT_EQ(times, 1);
}

}  // namespace
}  // namespace plumb
