// SPDX-License-Identifier: Apache-2.0
#include "csp/lexer.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "csp/encoding.h"

namespace plumb::csp {
namespace {

using text::Diagnostics;
using text::Source;
using text::Span;

// In the order of TokenKind; longer signs before those that they begin with.
constexpr std::array kSpellings = {
    "the end of the file",
    "",
    "a name",
    "a number",
    "a text",
    "assert",
    "atomic",
    "call",
    "case",
    "channel",
    "default",
    "else",
    "enum",
    "false",
    "hvar",
    "if",
    "ifa",
    "ifb",
    "interrupt",
    "new",
    "Skip",
    "Stop",
    "tau",
    "true",
    "var",
    "while",
    "xor",
    "|||",
    "[*]",
    "||",
    "|=",
    "[]",
    "<>",
    "<<",
    ">>",
    "->",
    "==",
    "!=",
    "<=",
    ">=",
    "&&",
    "++",
    "--",
    "..",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ";",
    ",",
    ":",
    ".",
    "=",
    "+",
    "-",
    "*",
    "/",
    "%",
    "<",
    ">",
    "!",
    "?",
    "&",
    "|",
    "^",
    "\\",
    "#",
    "@",
    "$",
};
static_assert(kSpellings.size() ==
              static_cast<std::size_t>(TokenKind::kDollar) + 1);

constexpr auto kFirstWord = static_cast<std::size_t>(TokenKind::kAssert);
constexpr auto kFirstSign = static_cast<std::size_t>(TokenKind::kInterleave);

// As PAT's numbers.
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

// The signs that begin with `c`, longer ones first.
const std::vector<std::size_t>& signs_with(char c) {
  static const auto* const signs = [] {
    auto* all = new std::array<std::vector<std::size_t>, 256>;
    for (std::size_t i = kFirstSign; i < kSpellings.size(); ++i) {
      (*all)[static_cast<unsigned char>(kSpellings[i][0])].push_back(i);
    }
    return all;
  }();
  return (*signs)[static_cast<unsigned char>(c)];
}

class Lexer {
 public:
  Lexer(const Source& source, std::uint32_t begin, Diagnostics& diagnostics)
      : text_(source.text().substr(0, source.end_of_part(begin))),
        diagnostics_(diagnostics),
        at_(begin) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) next();
    add(TokenKind::kEnd, text_.size());
    return std::move(tokens_);
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
    tokens_.push_back({kind, since(begin), number});
  }

  void next() {
    const char c = peek();
    if (is_space(c)) {
      ++at_;
    } else if (text_.substr(at_, 2) == "\xC2\xA0") {
      at_ += 2;  // a space that must not be broken, from some editor
    } else if (c == '/' && (peek(1) == '/' || peek(1) == '*')) {
      comment();
    } else if (is_letter(c)) {
      word();
    } else if (is_digit(c)) {
      number();
    } else if (c == '"') {
      string();
    } else if (!sign()) {
      odd_character();
    }
  }

  void comment() {
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
      report(begin, "is neither a number nor a name",
             "numbers are decimal; names begin with a letter or '_'");
    } else if (value > kLargestNumber) {
      report(begin, "is too large",
             fmt::format("numbers go up to {}", kLargestNumber));
    }
    add(TokenKind::kNumber, begin, std::min(value, kLargestNumber));
  }

  void string() {
    const std::size_t begin = at_;
    const std::size_t end = text_.find_first_of("\"\n", at_ + 1);
    if (end == std::string_view::npos || text_[end] == '\n') {
      at_ = std::min(end, text_.size());
      diagnostics_.report({static_cast<std::uint32_t>(begin), 1},
                          "this text is not closed",
                          "it ends with '\"', on the same line");
      add(TokenKind::kBad, begin);
      return;
    }
    at_ = end + 1;
    add(TokenKind::kString, begin);
  }

  void report(std::size_t begin, std::string_view what, std::string hint) {
    std::string shown(text_.substr(begin, at_ - begin));
    if (shown.size() > 30) shown = shown.substr(0, 27) + "...";
    diagnostics_.report(since(begin), fmt::format("'{}' {}", shown, what),
                        std::move(hint));
  }

  bool sign() {
    for (const std::size_t i : signs_with(text_[at_])) {
      const std::string_view sign = kSpellings[i];
      if (text_.compare(at_, sign.size(), sign) != 0) continue;
      at_ += sign.size();
      add(static_cast<TokenKind>(i), at_ - sign.size());
      return true;
    }
    return false;
  }

  // Reports what cannot be part of a model, once for a run of such bytes.
  void odd_character() {
    const std::size_t begin = at_;
    const auto first = static_cast<unsigned char>(peek());
    const std::size_t length = first >= 0x80
                                   ? character_length(text_.substr(at_))
                               : first > 0x20 && first < 0x7F ? 1
                                                              : 0;
    const std::string shown =
        length > 0 ? fmt::format("character '{}'", text_.substr(begin, length))
                   : fmt::format("byte 0x{:02X}", first);
    at_ += std::max<std::size_t>(length, 1);
    while (at_ < text_.size() &&
           (is_odd(text_[at_]) || text_[at_] == text_[begin])) {
      ++at_;
    }
    diagnostics_.report(since(begin), "unexpected " + shown, odd_hint(first));
    add(TokenKind::kBad, begin);
  }

  static bool is_odd(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x7F || (byte < 0x20 && !is_space(c));
  }

  static std::string odd_hint(unsigned char first) {
    if (first == '\'') return "texts are written with \"";
    if (first == '~') return "'!' is the sign for not";
    if (first < 0x80) return "";
    return "names are made of the letters A to Z, digits and '_'; other "
           "characters may stand in comments only";
  }

  std::string_view text_;
  Diagnostics& diagnostics_;
  std::size_t at_;
  std::vector<Token> tokens_;
};

}  // namespace

std::string_view spelling(TokenKind kind) {
  return kSpellings[static_cast<std::size_t>(kind)];
}

bool is_word(TokenKind kind) {
  const auto index = static_cast<std::size_t>(kind);
  return index >= kFirstWord && index < kFirstSign;
}

std::vector<Token> lex(const Source& source, std::uint32_t begin,
                       Diagnostics& diagnostics) {
  return Lexer(source, begin, diagnostics).run();
}

}  // namespace plumb::csp
