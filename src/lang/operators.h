// SPDX-License-Identifier: Apache-2.0
// The operators and built-in functions of the language.
#pragma once

#include <cstdint>

namespace plumb::lang {

enum class Operator : std::uint8_t {
  kNot,
  kMinus,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kEqual,
  kUnequal,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
};

enum class Builtin : std::uint8_t {
  kCas,
  kDcas,
  kFetchAdd,
  kExchange,
  kMin,
  kMax,
  kAny,
  kIndex,
  kLen,
  kContains,
  kPushBack,
  kPushFront,
  kPopBack,
  kPopFront,
  kFront,
  kBack,
  kRemoveAt,
  kInsertAt,
  kInsert,
  kRemove,
  kSmallest,
  kAnyOf,
  kClear,
};

}  // namespace plumb::lang
