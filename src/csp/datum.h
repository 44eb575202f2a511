// SPDX-License-Identifier: Apache-2.0
// A value of a CSP# model: a number, a boolean, an array or an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lts/system.h"

namespace plumb::csp {

// The classes of the library that have objects; see csp/library.h.
enum class ClassId : std::uint8_t {
  kSet,
  kList,
  kQueue,
  kStack,
  kHashTable,
  kEntryList,
};

// One word.  Numbers (32 bits, as in PAT) and booleans live in it; arrays and
// objects are counted boxes that are shared until somebody writes (own_*), so
// a copy of a Datum is a copy of the value.  Several threads may hold Datums
// of one box.
class Datum {
 public:
  using Items = std::vector<Datum>;
  using Contents = std::vector<std::int32_t>;

  Datum() = default;  // the number 0
  Datum(const Datum& other) : word_(other.word_) {
    if (is_boxed()) retain();
  }
  Datum(Datum&& other) noexcept : word_(std::exchange(other.word_, kZero)) {}
  Datum& operator=(const Datum& other) {
    Datum copy(other);
    std::swap(word_, copy.word_);
    return *this;
  }
  Datum& operator=(Datum&& other) noexcept {
    std::swap(word_, other.word_);
    return *this;
  }
  ~Datum() {
    if (is_boxed()) release();
  }

  static Datum integer(std::int32_t number) {
    return Datum(static_cast<std::uint64_t>(std::int64_t{number}) << 2 |
                 kNumberTag);
  }
  static Datum boolean(bool b) {
    return Datum(std::uint64_t{b} << 2 | kBooleanTag);
  }
  void set_integer(std::int32_t number) {
    if (is_boxed()) release();
    word_ = static_cast<std::uint64_t>(std::int64_t{number}) << 2 | kNumberTag;
  }
  // Requires: no item is an array.
  static Datum array(Items items);
  static Datum object(ClassId id, Contents contents);

  bool is_boolean() const { return (word_ & 3) == kBooleanTag; }
  bool is_integer() const { return (word_ & 3) == kNumberTag; }
  bool is_plain() const { return (word_ & 3) != 0; }  // one of the two
  bool is_boxed() const { return (word_ & 3) == 0; }
  bool is_array() const { return is_boxed() && boxed_array(); }
  bool is_object() const { return is_boxed() && !boxed_array(); }

  // Requires: is_plain().  True is 1, false is 0.
  std::int32_t number() const {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(word_) >> 2);
  }
  // Requires: is_array().
  std::span<const Datum> items() const;
  Items& own_items();
  // Requires: is_object().  What the numbers mean is the class's business.
  ClassId class_id() const;
  const Contents& contents() const;
  Contents& own_contents();

  // For people and as a field of an event: "3", "true", "[1,2,3]".
  std::string text() const;

  // The same value of the same kind: true is not 1 here, as events and states
  // tell them apart.  What `==` means in a model is same_value().
  friend bool operator==(const Datum& left, const Datum& right) {
    return left.word_ == right.word_ ||
           (left.is_boxed() && right.is_boxed() && equal_boxes(left, right));
  }

 private:
  struct Box;
  static constexpr std::uint64_t kNumberTag = 1, kBooleanTag = 2;
  static constexpr std::uint64_t kZero = kNumberTag;

  explicit Datum(std::uint64_t word) : word_(word) {}
  static Datum boxed(Box* box);
  const Box& box() const;
  Box& own();
  bool boxed_array() const;
  void retain() const;
  void release();
  static bool equal_boxes(const Datum& left, const Datum& right);

  // Invariant: the low two bits are a tag, or 0 for a pointer to a Box.
  std::uint64_t word_ = kZero;
};

// CSP#'s ==: true equals 1 and false 0; arrays and objects are equal if their
// contents are; a number is never equal to an array or an object.
bool same_value(const Datum& left, const Datum& right);

// Bytes, the same for equal values and self-delimiting.  Small numbers have
// one byte.  A slot that rarely holds a number can move all codes up by an
// offset and use those below it for what it mostly holds.
// Numbers are folded so that small ones, negative ones too, have small codes.
inline std::uint32_t folded(std::int32_t number) {
  return static_cast<std::uint32_t>(number) << 1 ^ (number < 0 ? ~0u : 0u);
}
inline std::int32_t unfolded(std::uint32_t code) {
  return static_cast<std::int32_t>(code >> 1 ^ ((code & 1) != 0 ? ~0u : 0u));
}
void write_number(std::uint64_t number, lts::StateBytes& out);
void write_datum(const Datum& datum, lts::StateBytes& out,
                 std::uint64_t offset = 0);
// Only what an object contains; its class is known.
void write_contents(const Datum& object, lts::StateBytes& out);
// Requires: bytes that the functions above wrote.
std::uint64_t read_number(const std::uint8_t*& at);
Datum read_datum(const std::uint8_t*& at);
// The same, its code (without an offset) being read already.
Datum read_datum(std::uint64_t code, const std::uint8_t*& at);
Datum read_contents(ClassId id, const std::uint8_t*& at);

}  // namespace plumb::csp
