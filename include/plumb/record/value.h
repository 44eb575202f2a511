// SPDX-License-Identifier: Apache-2.0
// The arguments and results of recorded calls, and how they look in JSON.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace plumb::record {

// How many bytes the character at the beginning of `text` has in UTF-8; 0 if
// that is none: cut off, too long for what it says, a surrogate, too large.
inline std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80                    ? 1
                             : first >= 0xC2 && first < 0xE0 ? 2
                             : first >= 0xE0 && first < 0xF0 ? 3
                             : first >= 0xF0 && first < 0xF5 ? 4
                                                             : 0;
  if (length > text.size()) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (length < 3) return length;
  const unsigned second = byte(1);
  const bool valid = first == 0xE0   ? second >= 0xA0
                     : first == 0xED ? second < 0xA0
                     : first == 0xF0 ? second >= 0x90
                     : first == 0xF4 ? second < 0x90
                                     : true;
  return valid ? length : 0;
}

// A byte that is no part of a character is written as U+FFFD, the replacement
// character, and its two digits: different texts stay different.
inline void append_quoted(std::string& out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out += '"';
  while (!text.empty()) {
    const char c = text.front();
    const auto byte = static_cast<unsigned char>(c);
    const std::size_t length = utf8_length(text);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20) {
      out += {'\\', 'u', '0', '0', kHex[byte >> 4], kHex[byte & 15]};
    } else if (length == 0) {
      out += "\\ufffd";
      out += {kHex[byte >> 4], kHex[byte & 15]};
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  out += '"';
}

template <typename T>
inline constexpr bool kIsNull =
    std::is_same_v<T, std::nullptr_t> || std::is_same_v<T, std::nullopt_t>;

template <typename T>
inline constexpr bool kIsInteger =
    std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8;

template <typename T>
inline constexpr bool kIsText =
    std::is_convertible_v<const T&, std::string_view>;

template <typename T>
inline constexpr bool kIsOptional = false;
template <typename T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <typename T>
inline constexpr bool kIsPair = false;
template <typename A, typename B>
inline constexpr bool kIsPair<std::pair<A, B>> = true;

template <typename T, typename = void>
inline constexpr bool kIsRange = false;
template <typename T>
inline constexpr bool
    kIsRange<T, std::void_t<decltype(std::begin(std::declval<const T&>()))>> =
        true;

template <typename T>
void append_integer(std::string& out, T number) {
  char digits[24];
  const auto end = std::to_chars(digits, digits + sizeof(digits), number).ptr;
  out.append(digits, static_cast<std::size_t>(end - digits));
}

template <typename T>
void append_json(std::string& out, const T& value) {
  if constexpr (kIsNull<T>) {
    out += "null";
  } else if constexpr (std::is_same_v<T, bool>) {
    out += value ? "true" : "false";
  } else if constexpr (kIsInteger<T>) {
    append_integer(out, value);
  } else if constexpr (kIsText<T>) {
    append_quoted(out, value);
  } else if constexpr (kIsOptional<T>) {
    value ? append_json(out, *value) : append_json(out, nullptr);
  } else if constexpr (kIsPair<T>) {
    append_json(out += '[', value.first);
    append_json(out += ", ", value.second);
    out += ']';
  } else {
    static_assert(kIsRange<T>,
                  "plumb records null, booleans, integers, texts, optionals, "
                  "pairs and ranges of these; convert other values first");
    const char* separator = "";
    out += '[';
    for (const auto& item : value) {
      append_json(out += std::exchange(separator, ", "), item);
    }
    out += ']';
  }
}

// A value in two words: most are integers, and those are copied as they are;
// all others are JSON already.
struct Datum {
  const char* json = "null";  // nullptr: an integer
  std::int64_t integer = 0;

  void append_to(std::string& out) const {
    json ? void(out += json) : append_integer(out, integer);
  }
};

// Keeps the JSON of the values of one process.
class Texts {
 public:
  template <typename T>
  const char* keep(const T& value) {
    std::string& text = texts_.emplace_back();
    append_json(text, value);
    return text.c_str();
  }

  template <typename T>
  Datum encode(const T& value) {
    if constexpr (kIsNull<T>) {
      return {};
    } else if constexpr (std::is_same_v<T, bool>) {
      return {value ? "true" : "false", 0};
    } else if constexpr (kIsInteger<T>) {
      if (fits(value)) return {nullptr, static_cast<std::int64_t>(value)};
      return {keep(value), 0};
    } else if constexpr (kIsOptional<T>) {
      return value ? encode(*value) : Datum{};
    } else {
      return {keep(value), 0};
    }
  }

 private:
  template <typename T>
  static constexpr bool fits(T number) {
    if constexpr (std::is_signed_v<T>) return true;
    constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
    return static_cast<std::uint64_t>(number) <=
           static_cast<std::uint64_t>(kMost);
  }

  std::deque<std::string> texts_;  // a deque: c_str() must stay valid
};

}  // namespace plumb::record
