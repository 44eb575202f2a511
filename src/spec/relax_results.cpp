// SPDX-License-Identifier: Apache-2.0
#include "spec/relax_results.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <utility>

#include "base/flat_table.h"
#include "base/input_error.h"
#include "spec/relax_payment.h"

namespace plumb::spec {

namespace {

constexpr std::size_t kMostStates = 200'000;

using Results = std::vector<FlatSet<Value>>;
using Arguments = std::vector<std::vector<Value>>;

// What can be known without looking at states.  The values that a built-in
// object gives back are those that it was given, or null.
bool known_from_signature(const Specification& object, std::uint16_t code,
                          const Relaxation& relaxation,
                          FlatSet<Value>& results) {
  switch (object.operations()[code].result) {
    case Result::kNone:
      results.insert(Value());
      return true;
    case Result::kBoolean:
    case Result::kSuccess:
      results.insert(Value::boolean(false));
      results.insert(Value::boolean(true));
      return true;
    case Result::kValue:
      if (!object.takes_any_value()) return false;
      results.insert(Value());
      for (const auto& values : relaxation.arguments) {
        for (const Value value : values) {
          results.insert(value);
          if (!value.is_list()) continue;
          results.insert(value.items().begin(), value.items().end());
        }
      }
      return true;
    case Result::kInteger:
      if (!object.takes_any_value() || !relaxation.largest_number) return false;
      for (std::int64_t i = 0; i <= *relaxation.largest_number; ++i) {
        results.insert(Value::integer(i));
      }
      return true;
  }
  return false;
}

// All states that can be reached, breadth first.
void explore(const Specification& object, const Arguments& arguments,
             Results& results) {
  FlatSet<State> seen{object.initial()};
  std::deque<State> open{object.initial()};
  std::vector<Outcome> outcomes;
  for (; !open.empty(); open.pop_front()) {
    for (std::uint16_t code = 0; code < arguments.size(); ++code) {
      for (const Value argument : arguments[code]) {
        outcomes.clear();
        apply_if_possible(object, open.front(), {code, argument}, outcomes);
        for (Outcome& outcome : outcomes) {
          results[code].insert(outcome.result);
          if (!seen.insert(outcome.next).second) continue;
          open.push_back(std::move(outcome.next));
        }
      }
    }
    if (seen.size() > kMostStates) {
      throw InputError(
          fmt::format("'{}' has too many states to list the results that "
                      "relaxed operations could have",
                      object.name()),
          "give it a bound: write a specification of its own whose numbers "
          "stay in a small range");
    }
  }
}

}  // namespace

std::vector<std::vector<Value>> possible_results(
    const Specification& object, const Relaxation& relaxation,
    const std::vector<bool>& wanted) {
  Results results(wanted.size());
  bool all_known = true;
  for (std::uint16_t code = 0; code < wanted.size(); ++code) {
    if (!wanted[code]) continue;
    all_known &= known_from_signature(object, code, relaxation, results[code]);
  }
  if (!all_known) explore(object, relaxation.arguments, results);
  std::vector<std::vector<Value>> out(wanted.size());
  for (std::size_t code = 0; code < wanted.size(); ++code) {
    if (!wanted[code]) continue;
    out[code].assign(results[code].begin(), results[code].end());
    std::ranges::sort(out[code], {}, [](Value v) { return v.word(); });
  }
  return out;
}

}  // namespace plumb::spec
