// SPDX-License-Identifier: Apache-2.0
#include "spec/built_in.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::spec {

BuiltIn::BuiltIn(std::string_view name, std::span<const Signature> operations,
                 const Shape& shape)
    : name_(name),
      shape_(shape),
      operations_(operations.begin(), operations.end()) {
  for (Signature& operation : operations_) {
    const bool puts = operation.result == Result::kNone;
    if (shape.capacity && puts) {
      operation.result = Result::kSuccess;
      operation.meaning = "was there room";
    }
    if (shape.blocking && operation.takes) {
      // "v, or null when empty" becomes "v".
      operation.meaning =
          operation.meaning.substr(0, operation.meaning.find(','));
    }
  }
}

std::string BuiltIn::name() const {
  std::string text = fmt::format("{}{}", blocking() ? "blocking_" : "", name_);
  if (shape_.capacity) text += fmt::format("({})", *shape_.capacity);
  return text;
}

void overtake_in_line(const State& state, bool from_back, std::size_t furthest,
                      std::vector<Outcome>& outcomes) {
  const auto at = [&](std::size_t turn) {
    return from_back ? state.size() - 1 - turn : turn;
  };
  for (std::size_t turn = 1; turn < state.size() && turn <= furthest; ++turn) {
    const Value item = state[at(turn)];
    // Which of several equal neighbours is taken makes no difference.
    if (item == state[at(turn - 1)]) continue;
    State& next = append(outcomes, item, state);
    next.erase(next.begin() + static_cast<std::ptrdiff_t>(at(turn)));
  }
}

std::string bracketed(std::span<const Value> values, char open, char close) {
  std::string text(1, open);
  for (const Value value : values) {
    if (text.size() > 1) text += ", ";
    text += value.to_string();
  }
  return text + close;
}

std::string in_braces(const State& values) {
  State sorted = values;
  std::sort(sorted.begin(), sorted.end(),
            [](Value a, Value b) { return compare(a, b) < 0; });
  return bracketed(sorted, '{', '}');
}

State renamed_members(State state, std::span<const Value> from,
                      std::span<const Value> to) {
  for (Value& value : state) value = renamed(value, from, to);
  std::sort(state.begin(), state.end(), by_word);
  return state;
}

}  // namespace plumb::spec
