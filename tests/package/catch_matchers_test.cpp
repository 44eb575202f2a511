// SPDX-License-Identifier: Apache-2.0
// Recorded histories judged inside of Catch2, of version 2 or 3.
#if __has_include(<catch2/catch_test_macros.hpp>)
#include <catch2/catch_test_macros.hpp>
#else
#include <catch2/catch.hpp>
#endif
#include <plumb/catch2.h>
#include <plumb/record.h>

#include <string>

namespace {

TEST_CASE("a recorded history is matched") {
  plumb::Recorder recorder;
  auto me = recorder.process();
  me.record("push", 1, [] {});
  me.record("push", 2, [] {});
  me.record("pop", [] { return 1; });
  CHECK_THAT(recorder, plumb::IsConsistent("stack", "quasi(pop=1)"));
  const plumb::IsLinearizable matcher("stack");
  CHECK_FALSE(matcher.match(recorder));
  CHECK(matcher.describe().find("it would return 2, not 1") !=
        std::string::npos);
}

}  // namespace
