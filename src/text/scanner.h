// SPDX-License-Identifier: Apache-2.0
// What the lexers of all languages do alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "text/diagnostics.h"
#include "text/source.h"

namespace plumb::text {

// Goes through a text from left to right.
class Scanner {
 protected:
  Scanner(std::string_view text, std::size_t at, Diagnostics& diagnostics)
      : text_(text), diagnostics_(diagnostics), at_(at) {}

  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Span since(std::size_t begin) const {
    return {static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(at_ - begin)};
  }
  bool at_comment() const {
    return peek() == '/' && (peek(1) == '/' || peek(1) == '*');
  }
  void skip_comment();
  // Letters and digits.
  std::string_view take_word();
  // Digits; what is larger than `largest` becomes one more than that.
  std::int64_t take_number(std::int64_t largest);

  // "'12x' is no number", of what was read since `begin`.
  void report(std::size_t begin, std::string_view what, std::string hint);
  // What is here cannot be part of a model; goes behind its first character,
  // and returns what it is called.
  std::string take_odd_character();
  // The same once more, or of the same kind, need not be reported again.
  void skip_like(std::size_t begin);

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t at_;
};

// For characters that are not of ASCII.
inline constexpr std::string_view kNameHint =
    "names are made of the letters A to Z, digits and '_'; other characters "
    "may stand in comments only";

}  // namespace plumb::text
