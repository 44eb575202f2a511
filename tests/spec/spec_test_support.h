// SPDX-License-Identifier: Apache-2.0
// Runs calls on a specification one after the other, by name.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "spec/catalogue.h"
#include "spec/specification.h"

namespace plumb::spec_testing {

using namespace spec;

inline Value number(std::int64_t n) {
  return Value::integer(n);
}
inline Value text(std::string_view characters) {
  return Value::text(characters);
}
inline Value list(std::initializer_list<Value> items) {
  return Value::list(std::span(items.begin(), items.size()));
}

struct ByCompare {
  bool operator()(Value a, Value b) const { return compare(a, b) < 0; }
};

class Walk {
 public:
  explicit Walk(std::string_view name) : Walk(make(name)) {}
  explicit Walk(SpecificationPtr object)
      : object_(std::move(object)), state_(object_->initial()) {}

  // What the caller may see, as "1 or 2"; "blocks" if the call does.  If only
  // one thing can happen, it does.
  std::string call(std::string_view name, Value argument = {}) {
    std::vector<Outcome> outcomes;
    object_->apply(state_, named(name, argument), outcomes);
    std::erase_if(outcomes, [&](const Outcome& outcome) {
      return !object_->may_end(outcome.next);
    });
    if (outcomes.empty()) return "blocks";
    if (outcomes.size() == 1) state_ = outcomes.front().next;
    std::vector<Value> results;
    for (const Outcome& outcome : outcomes) results.push_back(outcome.result);
    std::sort(results.begin(), results.end(), ByCompare());
    std::string seen;
    for (const Value result : results) {
      seen += (seen.empty() ? "" : " or ") + result.to_string();
    }
    return seen;
  }

  // Goes on with the one outcome that shows `observed`; false if there is
  // none that a history may end with.
  bool saw(std::string_view name, Value argument, Value observed) {
    std::vector<State> next;
    object_->step(state_, named(name, argument), observed, next);
    std::erase_if(next,
                  [&](const State& state) { return !object_->may_end(state); });
    EXPECT_LE(next.size(), 1u) << object_->name() << " " << name;
    if (next.size() != 1) return false;
    state_ = next.front();
    return true;
  }

  std::string contents() const { return object_->describe(state_); }
  const State& state() const { return state_; }
  const Specification& object() const { return *object_; }

  Call named(std::string_view name, Value argument) const {
    const auto code = find_operation(*object_, name);
    EXPECT_TRUE(code.has_value()) << object_->name() << " " << name;
    return {code.value_or(0), argument};
  }

 private:
  SpecificationPtr object_;
  State state_;
};

}  // namespace plumb::spec_testing
