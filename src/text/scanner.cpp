// SPDX-License-Identifier: Apache-2.0
#include "text/scanner.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "text/characters.h"

namespace plumb::text {

std::size_t character_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const std::size_t length = byte(0) >= 0xF0   ? 4u
                             : byte(0) >= 0xE0 ? 3u
                             : byte(0) >= 0xC2 ? 2u
                                               : 0u;
  if (length == 0 || byte(0) > 0xF4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

void Scanner::skip_comment() {
  const std::size_t begin = at_;
  const bool is_line = peek(1) == '/';
  const std::size_t end = text_.find(is_line ? "\n" : "*/", at_ + 2);
  if (end != std::string_view::npos) {
    at_ = is_line ? end : end + 2;
    return;
  }
  at_ = text_.size();
  if (is_line) return;
  diagnostics_.report({static_cast<std::uint32_t>(begin), 2},
                      "this comment is not closed",
                      "a comment that begins with '/*' ends with '*/'");
}

std::string_view Scanner::take_word() {
  const std::size_t begin = at_;
  while (is_letter(peek()) || is_digit(peek())) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::int64_t Scanner::take_number(std::int64_t largest) {
  std::int64_t value = 0;
  for (; is_digit(peek()); ++at_) {
    value = std::min(value * 10 + (peek() - '0'), largest + 1);
  }
  return value;
}

void Scanner::report(std::size_t begin, std::string_view what,
                     std::string hint) {
  std::string shown(text_.substr(begin, at_ - begin));
  if (shown.size() > 30) shown = shown.substr(0, 27) + "...";
  diagnostics_.report(since(begin), fmt::format("'{}' {}", shown, what),
                      std::move(hint));
}

std::string Scanner::take_odd_character() {
  const auto first = static_cast<unsigned char>(peek());
  std::size_t length = first > 0x20 && first < 0x7F ? 1 : 0;
  if (first >= 0x80) length = character_length(text_.substr(at_));
  std::string shown =
      length > 0 ? fmt::format("character '{}'", text_.substr(at_, length))
                 : fmt::format("byte 0x{:02X}", first);
  at_ += std::max<std::size_t>(length, 1);
  return shown;
}

void Scanner::skip_like(std::size_t begin) {
  const auto is_odd = [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x7F || (byte < 0x20 && !is_space(c));
  };
  while (at_ < text_.size() &&
         (is_odd(text_[at_]) || text_[at_] == text_[begin])) {
    ++at_;
  }
}

}  // namespace plumb::text
