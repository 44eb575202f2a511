// SPDX-License-Identifier: Apache-2.0
#include "report/utf8.h"

#include <cstddef>

namespace plumb::report {

namespace {

// How many bytes a character has that begins with this one; 0: none does.
std::size_t size_of(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xC2 && first < 0xE0) return 2;
  if (first >= 0xE0 && first < 0xF0) return 3;
  return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

bool is_character(char32_t c, std::size_t size) {
  if (c >= 0xD800 && c < 0xE000) return false;
  return c <= 0x10FFFF && (size < 3 || c >= 0x800) &&
         (size < 4 || c >= 0x10000);
}

char byte(char32_t bits) {
  return static_cast<char>(static_cast<unsigned char>(bits));
}

}  // namespace

char32_t take_character(std::string_view& text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t size = size_of(first);
  if (size == 1) {
    text.remove_prefix(1);
    return first;
  }
  char32_t out = first & (0x7Fu >> size);
  bool whole = size > 0 && text.size() >= size;
  for (std::size_t i = 1; whole && i < size; ++i) {
    const auto next = static_cast<unsigned char>(text[i]);
    whole = (next & 0xC0) == 0x80;
    out = out << 6 | (next & 0x3Fu);
  }
  if (!whole || !is_character(out, size)) {
    text.remove_prefix(1);
    return kReplacement;
  }
  text.remove_prefix(size);
  return out;
}

void append_character(char32_t c, std::string& out) {
  if (c < 0x80) {
    out += byte(c);
  } else if (c < 0x800) {
    out += {byte(0xC0 | c >> 6), byte(0x80 | (c & 0x3F))};
  } else if (c < 0x10000) {
    out += {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 0x3F)),
            byte(0x80 | (c & 0x3F))};
  } else {
    out += {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 0x3F)),
            byte(0x80 | (c >> 6 & 0x3F)), byte(0x80 | (c & 0x3F))};
  }
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  while (!text.empty()) append_character(take_character(text), out);
  return out;
}

}  // namespace plumb::report
