// SPDX-License-Identifier: Apache-2.0
// What the fuzz target of schedules does with its input; a test does the same.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "base/input_error.h"
#include "harness/schedule.h"

namespace plumb::fuzz {

// An error that points into the text, or a schedule that is the same when it
// is written and read again.
inline void schedule(std::string_view input) {
  const auto require = [](bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "fuzz: %s\n", what);
    std::abort();
  };
  try {
    const harness::Schedule first = harness::parse_schedule(input);
    const std::string text = harness::to_string(first);
    const harness::Schedule again = harness::parse_schedule(text);
    require(again == first, "another schedule when read again");
    require(harness::to_string(again) == text, "another text");
  } catch (const InputError& error) {
    require(error.place().line == 1, "an error without a place");
    require(error.place().column >= 1 &&
                error.place().column <= error.place().text.size() + 1,
            "the caret is not in the text");
    require(!error.describe().empty(), "an error says nothing");
  }
}

}  // namespace plumb::fuzz
