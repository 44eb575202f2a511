// SPDX-License-Identifier: Apache-2.0
// An immutable value: what operations take and give, and what states hold.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace plumb {

// One machine word, so that copying, comparing for equality and hashing cost
// nothing.  Integers that fit 62 bits, null, false and true live in the word;
// everything else is interned in a pool that lasts as long as the process, so
// that equal values have equal words.  Creating values is thread-safe.
//
// LIMIT: the pool is never emptied; a run over many files with distinct texts
// keeps all of them.
class Value {
 public:
  enum class Kind : std::uint8_t { kNull, kBoolean, kNumber, kText, kList };

  constexpr Value() = default;  // null
  static constexpr Value boolean(bool b) { return Value(b ? kTrue : kFalse); }
  static Value integer(std::int64_t number) {
    const auto shifted = static_cast<std::uint64_t>(number) << 2;
    if (static_cast<std::int64_t>(shifted) >> 2 != number) {
      return wide_integer(number);
    }
    return Value(shifted | kIntegerTag);
  }
  // A real number with an integral value is that integer: 1.0 is 1.
  static Value real(double number);
  // A number too large for the other two, by its decimal digits.
  static Value big_number(std::string_view digits);
  static Value text(std::string_view characters);
  static Value list(std::span<const Value> items);

  Kind kind() const;
  constexpr bool is_null() const { return word_ == kNull; }
  constexpr bool is_boolean() const {
    return word_ == kFalse || word_ == kTrue;
  }
  constexpr bool is_true() const { return word_ == kTrue; }
  // Is it an integer that as_integer() can give?
  constexpr bool is_integer() const { return (word_ & 3) == kIntegerTag; }
  bool is_number() const { return kind() == Kind::kNumber; }
  bool is_text() const { return kind() == Kind::kText; }
  bool is_list() const { return kind() == Kind::kList; }

  // Requires: is_integer().
  constexpr std::int64_t as_integer() const {
    return static_cast<std::int64_t>(word_) >> 2;
  }
  // Requires: is_text().  Valid for ever.
  std::string_view as_text() const;
  // Requires: is_list().  Valid for ever.
  std::span<const Value> items() const;

  // In JSON's notation.
  std::string to_string() const;

  // The word itself: for hashing, and for orders that mean nothing.
  constexpr std::uint64_t word() const { return word_; }
  static constexpr Value from_word(std::uint64_t word) { return Value(word); }

  friend constexpr bool operator==(Value, Value) = default;

  // A total order that people would expect: null, booleans, numbers by size,
  // texts by their characters, lists item by item.
  friend std::strong_ordering compare(Value left, Value right);

 private:
  struct Pooled;  // lives in value.cpp; a word without tag points to one

  // Invariant: the low two bits tell an integer (1), a small constant (2) or
  // a pointer to a Pooled (0) apart.
  static constexpr std::uint64_t kIntegerTag = 1;
  static constexpr std::uint64_t kNull = 2, kFalse = 6, kTrue = 10;

  constexpr explicit Value(std::uint64_t word) : word_(word) {}
  static Value wide_integer(std::int64_t number);
  const Pooled& pooled() const;
  friend class ValuePool;

  std::uint64_t word_ = kNull;
};

std::strong_ordering compare(Value left, Value right);

template <typename H>
H AbslHashValue(H h, Value value) {
  return H::combine(std::move(h), value.word());
}

}  // namespace plumb

template <>
struct std::hash<plumb::Value> {
  std::size_t operator()(plumb::Value value) const {
    return static_cast<std::size_t>(value.word() * 0x9E3779B97F4A7C15u);
  }
};
