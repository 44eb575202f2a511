// SPDX-License-Identifier: Apache-2.0
// Plumbline inside of Catch2, of version 2 or 3.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif

#include <string>

#include "counters.h"

namespace {

bool says(plumb::Test& test, const char* words) {
  return test.report().find(words) != std::string::npos;
}

int runs_of_this_test = 0;

TEST_CASE("a test can hold") {
  ++runs_of_this_test;
  plumb::Test test("counter");
  declare<Counter>(test);
  const bool holds = test.holds();
  INFO(test.report());
  REQUIRE(holds);
}

TEST_CASE("a test can be violated and tells why") {
  plumb::Test test("naive");
  declare<NaiveCounter>(test);
  CHECK_FALSE(test.holds());
  CHECK(says(test, "inc() -> 0"));
}

// Catch2 runs a case again for each of its sections.
TEST_CASE("sections are tests of their own") {
  plumb::Test test("sections");
  SECTION("right") {
    declare<Counter>(test);
    CHECK(test.holds());
  }
  SECTION("wrong") {
    declare<NaiveCounter>(test);
    CHECK_FALSE(test.holds());
  }
}

TEST_CASE("what the program did before is still so afterwards") {
  CHECK(runs_of_this_test == 1);
}

TEST_CASE("a mistake is reported") {
  plumb::Test test("mistaken");
  declare<Counter>(test);
  test.set("heap", "large");
  CHECK_FALSE(test.holds());
  CHECK(says(test, "no value of 'heap'"));
}

}  // namespace
