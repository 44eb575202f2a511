// SPDX-License-Identifier: Apache-2.0
#include "lang/lexer.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace plumb::lang {
namespace {

// In the order of TokenKind.
constexpr std::array kSpellings = {"end of the file",
                                   "",
                                   "a name",
                                   "a number",
                                   "assert",
                                   "atomic",
                                   "await",
                                   "bit",
                                   "bool",
                                   "break",
                                   "check",
                                   "choose",
                                   "const",
                                   "continue",
                                   "delete",
                                   "do",
                                   "else",
                                   "empty",
                                   "enum",
                                   "false",
                                   "for",
                                   "function",
                                   "if",
                                   "implements",
                                   "int",
                                   "linearize",
                                   "new",
                                   "nobody",
                                   "null",
                                   "object",
                                   "process",
                                   "processes",
                                   "return",
                                   "self",
                                   "shared",
                                   "skip",
                                   "spec",
                                   "struct",
                                   "true",
                                   "void",
                                   "while",
                                   "{",
                                   "}",
                                   "(",
                                   ")",
                                   "[",
                                   "]",
                                   ";",
                                   ",",
                                   ":",
                                   "?",
                                   ".",
                                   "..",
                                   "=",
                                   "+=",
                                   "-=",
                                   "++",
                                   "--",
                                   "+",
                                   "-",
                                   "*",
                                   "/",
                                   "%",
                                   "==",
                                   "!=",
                                   "<",
                                   "<=",
                                   ">",
                                   ">=",
                                   "&&",
                                   "||",
                                   "!",
                                   "->"};
static_assert(kSpellings.size() ==
              static_cast<std::size_t>(TokenKind::kArrow) + 1);

constexpr auto kFirstWord = static_cast<std::size_t>(TokenKind::kAssert);
constexpr auto kFirstSign = static_cast<std::size_t>(TokenKind::kOpenBrace);

// Larger numbers have no use in a model, and sums of these do not overflow.
constexpr std::int64_t kLargestNumber = 2'147'483'647;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' ||
         c == '\v';
}

// The length of the UTF-8 character that `text` begins with, 0 if it is none.
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

TokenKind kind_of_word(std::string_view word) {
  static const auto* const kinds = [] {
    auto* map = new absl::flat_hash_map<std::string_view, TokenKind>;
    for (std::size_t i = kFirstWord; i < kFirstSign; ++i) {
      map->emplace(kSpellings[i], static_cast<TokenKind>(i));
    }
    return map;
  }();
  const auto found = kinds->find(word);
  return found == kinds->end() ? TokenKind::kName : found->second;
}

class Lexer {
 public:
  Lexer(const Source& source, Diagnostics& diagnostics)
      : text_(source.text()), diagnostics_(diagnostics) {}

  Lexed run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    while (at_ < text_.size()) next();
    add(TokenKind::kEnd, text_.size());
    return std::move(lexed_);
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  Span since(std::size_t begin) const {
    return {static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(at_ - begin)};
  }
  void add(TokenKind kind, std::size_t begin, std::int64_t number = 0) {
    lexed_.tokens.push_back({kind, since(begin), number});
  }

  void next() {
    const char c = peek();
    if (is_space(c)) {
      ++at_;
    } else if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
      comment();
    } else if (is_letter(c)) {
      word();
    } else if (is_digit(c)) {
      number();
    } else if (!sign()) {
      odd_character();
    }
  }

  void comment() {
    const std::size_t begin = at_;
    const bool is_line = peek(1) == '/';
    const std::size_t end = text_.find(is_line ? "\n" : "*/", at_ + 2);
    if (end == std::string_view::npos) {
      at_ = text_.size();
      if (!is_line) {
        diagnostics_.report({static_cast<std::uint32_t>(begin), 2},
                            "this comment is not closed",
                            "a comment that begins with '/*' ends with '*/'");
      }
    } else {
      at_ = is_line ? end : end + 2;
    }
    lexed_.comments.push_back({since(begin), lexed_.tokens.size()});
  }

  void word() {
    const std::size_t begin = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    add(kind_of_word(text_.substr(begin, at_ - begin)), begin);
  }

  void number() {
    const std::size_t begin = at_;
    std::int64_t value = 0;
    for (; is_digit(peek()); ++at_) {
      value = std::min(value * 10 + (peek() - '0'), kLargestNumber + 1);
    }
    if (is_letter(peek())) {
      while (is_letter(peek()) || is_digit(peek())) ++at_;
      report_number(begin, "is neither a number nor a name",
                    "numbers are decimal; names begin with a letter or '_'");
    } else if (peek() == '.' && is_digit(peek(1))) {
      for (++at_; is_digit(peek());) ++at_;
      report_number(begin, "is not a whole number",
                    "a range is written with two dots, as in 'values 1..5'");
    } else if (value > kLargestNumber) {
      report_number(begin, "is too large",
                    "an int holds whole numbers from -32767 to 32767");
    }
    add(TokenKind::kNumber, begin, std::min(value, kLargestNumber));
  }

  void report_number(std::size_t begin, std::string_view what,
                     std::string hint) {
    std::string shown(text_.substr(begin, at_ - begin));
    if (shown.size() > 30) shown = shown.substr(0, 27) + "...";
    diagnostics_.report(since(begin), fmt::format("'{}' {}", shown, what),
                        std::move(hint));
  }

  bool sign() {
    for (const std::size_t length : {2u, 1u}) {
      const std::string_view here = text_.substr(at_, length);
      if (here.size() < length) continue;
      for (std::size_t i = kFirstSign; i < kSpellings.size(); ++i) {
        if (here != kSpellings[i]) continue;
        at_ += length;
        add(static_cast<TokenKind>(i), at_ - length);
        return true;
      }
    }
    return false;
  }

  // Reports what cannot be part of a model, once for a run of such bytes.
  void odd_character() {
    const std::size_t begin = at_;
    const auto first = static_cast<unsigned char>(peek());
    const std::size_t length = odd_length(first);
    const std::string shown =
        length > 0 ? fmt::format("character '{}'", text_.substr(begin, length))
                   : fmt::format("byte 0x{:02X}", first);
    at_ += std::max<std::size_t>(length, 1);
    if (first == '"' || first == '\'') {
      skip_text(static_cast<char>(first));
    } else {
      while (at_ < text_.size() &&
             (is_odd(text_[at_]) || text_[at_] == text_[begin])) {
        ++at_;
      }
    }
    diagnostics_.report(since(begin), "unexpected " + shown, odd_hint(first));
    add(TokenKind::kBad, begin);
  }

  // Of the character that is here, 0 if it cannot be shown.
  std::size_t odd_length(unsigned char first) const {
    if (first >= 0x80) return character_length(text_.substr(at_, 4));
    return first > 0x20 && first < 0x7F ? 1 : 0;
  }

  void skip_text(char quote) {
    const std::size_t end =
        std::min(text_.find(quote, at_), text_.find('\n', at_));
    at_ = end == std::string_view::npos ? text_.size()
          : text_[end] == quote         ? end + 1
                                        : end;
  }

  static bool is_odd(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x7F || (byte < 0x20 && !is_space(c));
  }

  static std::string odd_hint(unsigned char first) {
    if (first == '&') return "did you mean '&&'?";
    if (first == '|') return "did you mean '||'?";
    if (first == '"' || first == '\'') {
      return "a model has no texts; an enum gives names to values";
    }
    if (first == '#') return "a comment begins with '//'";
    if (first < 0x80) return "";
    return "names are made of the letters A to Z, digits and '_'; other "
           "characters may stand in comments only";
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t at_ = 0;
  Lexed lexed_;
};

}  // namespace

std::string_view spelling(TokenKind kind) {
  return kSpellings[static_cast<std::size_t>(kind)];
}

bool is_word(TokenKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index >= kFirstWord && index < kFirstSign;
}

const std::vector<std::string>& words() {
  static const auto* const all = new std::vector<std::string>(
      kSpellings.begin() + kFirstWord, kSpellings.begin() + kFirstSign);
  return *all;
}

Lexed lex(const Source& source, Diagnostics& diagnostics) {
  return Lexer(source, diagnostics).run();
}

}  // namespace plumb::lang
