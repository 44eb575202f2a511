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

}  // namespace plumb::spec
