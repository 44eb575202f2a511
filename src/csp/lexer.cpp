// SPDX-License-Identifier: Apache-2.0
#include "csp/lexer.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "text/characters.h"
#include "text/scanner.h"

namespace plumb::csp {
namespace {

using text::Diagnostics;
using text::Source;

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

class Lexer : text::Scanner {
 public:
  Lexer(const Source& source, std::uint32_t begin, Diagnostics& diagnostics)
      : Scanner(source.text().substr(0, source.end_of_part(begin)), begin,
                diagnostics) {}

  std::vector<Token> run() {
    while (at_ < text_.size()) next();
    add(TokenKind::kEnd, text_.size());
    return std::move(tokens_);
  }

 private:
  void add(TokenKind kind, std::size_t begin, std::int64_t number = 0) {
    tokens_.push_back({kind, since(begin), number});
  }

  void next() {
    const std::size_t begin = at_;
    if (text::is_space(peek())) {
      ++at_;
    } else if (text_.substr(at_, 2) == "\xC2\xA0") {
      at_ += 2;  // a space that must not be broken, from some editor
    } else if (at_comment()) {
      skip_comment();
    } else if (text::is_letter(peek())) {
      add(kind_of_word(take_word()), begin);
    } else if (text::is_digit(peek())) {
      number();
    } else if (peek() == '"') {
      string();
    } else if (!sign()) {
      odd_character();
    }
  }

  void number() {
    const std::size_t begin = at_;
    const std::int64_t value = take_number(kLargestNumber);
    if (text::is_letter(peek())) {
      take_word();
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
    const std::string shown = take_odd_character();
    skip_like(begin);
    diagnostics_.report(since(begin), "unexpected " + shown,
                        odd_hint(text_[begin]));
    add(TokenKind::kBad, begin);
  }

  static std::string odd_hint(char first) {
    if (first == '\'') return "texts are written with \"";
    if (first == '~') return "'!' is the sign for not";
    if (static_cast<unsigned char>(first) < 0x80) return "";
    return std::string(text::kNameHint);
  }

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
