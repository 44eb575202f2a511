// SPDX-License-Identifier: Apache-2.0
// The answer to "does this history satisfy this condition?", with evidence.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace plumb::check {

enum class Answer : std::uint8_t { kHolds, kViolated, kUnknown };

// As users and scripts read it.
constexpr const char* to_string(Answer answer) {
  switch (answer) {
    case Answer::kHolds:
      return "holds";
    case Answer::kViolated:
      return "violated";
    case Answer::kUnknown:
      return "unknown";
  }
  return "";
}

// Operations are meant by their index in the history that was judged.
struct Verdict {
  Answer answer = Answer::kUnknown;

  // kUnknown: which limit was reached, as a clause.
  std::string reason;

  // kHolds, if it was asked for: the operations in an order that keeps the
  // condition's order and that the specification accepts.  Pending operations
  // that did not take effect are missing.
  std::vector<std::uint32_t> order;

  // kViolated: some operations that returned, never none.  Leaving out all
  // others that returned leaves the history violated.
  std::vector<std::uint32_t> core;

  std::uint64_t steps = 0;  // of the search, for statistics
};

}  // namespace plumb::check
