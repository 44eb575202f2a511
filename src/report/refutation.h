// SPDX-License-Identifier: Apache-2.0
// What one specification may do and another may not.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/value.h"
#include "report/json_value.h"

namespace plumb::report {

struct Refutation {
  struct Step {
    std::string operation;
    bool has_argument = false, has_result = false;
    Value argument, result;
  };
  std::string left, right;  // the specifications, as the user wrote them
  std::vector<Step> sequence;
  // What the right one could have given at the last step; nothing: it waits.
  std::vector<Value> possible;
};

// The reason of the verdict, as one clause.
std::string refutation_reason(const Refutation& refutation);
// The calls one below the other, and what is wrong with the last.
std::string refutation_text(const Refutation& refutation, std::size_t width);
Json refutation_json(const Refutation& refutation);

}  // namespace plumb::report
