// SPDX-License-Identifier: Apache-2.0
#include "lang/lexer.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "text/characters.h"
#include "text/scanner.h"

namespace plumb::lang {
namespace {

// In the order of TokenKind.
constexpr std::array kSpellings = {"end of the file",
                                   "",
                                   "a name",
                                   "a number",
                                   "a text",
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

class Lexer : text::Scanner {
 public:
  Lexer(const Source& source, std::uint32_t begin, Diagnostics& diagnostics)
      : Scanner(source.text(), begin, diagnostics) {}

  Lexed run() {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;  // a byte order mark
    while (at_ < text_.size()) next();
    add(TokenKind::kEnd, text_.size());
    return std::move(lexed_);
  }

 private:
  void add(TokenKind kind, std::size_t begin, std::int64_t number = 0) {
    lexed_.tokens.push_back({kind, since(begin), number});
  }

  void next() {
    const std::size_t begin = at_;
    if (text::is_space(peek())) {
      ++at_;
    } else if (at_comment()) {
      skip_comment();
      lexed_.comments.push_back({since(begin), lexed_.tokens.size()});
    } else if (text::is_letter(peek())) {
      add(kind_of_word(take_word()), begin);
    } else if (text::is_digit(peek())) {
      number();
    } else if (peek() == '"') {
      quoted();
    } else if (!sign()) {
      odd_character();
    }
  }

  // A backslash keeps the character behind it from ending the text.
  void quoted() {
    const std::size_t begin = at_++;
    while (peek() != '"') {
      if (peek() == '\\') ++at_;
      if (at_ >= text_.size() || peek() == '\n') {
        at_ = std::min(at_, text_.size());
        diagnostics_.report(since(begin), "this text does not end",
                            "it ends with '\"', on the same line");
        return add(TokenKind::kBad, begin);
      }
      ++at_;
    }
    ++at_;
    add(TokenKind::kText, begin);
  }

  void number() {
    const std::size_t begin = at_;
    const std::int64_t value = take_number(kLargestNumber);
    if (text::is_letter(peek())) {
      take_word();
      report(begin, "is neither a number nor a name",
             "numbers are decimal; names begin with a letter or '_'");
    } else if (peek() == '.' && text::is_digit(peek(1))) {
      for (++at_; text::is_digit(peek());) ++at_;
      report(begin, "is not a whole number",
             "a range is written with two dots, as in 'values 1..5'");
    } else if (value > kLargestNumber) {
      report(begin, "is too large",
             "an int holds whole numbers from -32767 to 32767");
    }
    add(TokenKind::kNumber, begin, std::min(value, kLargestNumber));
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

  // Reports what cannot be part of a model, once for a run of such bytes, or
  // for a text in quotes.
  void odd_character() {
    const std::size_t begin = at_;
    const char first = peek();
    const std::string shown = take_odd_character();
    if (first == '\'') {
      skip_text(first);
    } else {
      skip_like(begin);
    }
    const bool is_address =
        first == '&' && at_ < text_.size() && text::is_letter(text_[at_]);
    diagnostics_.report(since(begin), "unexpected " + shown,
                        is_address ? "variables are named without '&': 'cas(x, "
                                     "old, new)'"
                                   : odd_hint(first));
    add(TokenKind::kBad, begin);
  }

  void skip_text(char quote) {
    const std::size_t end =
        std::min(text_.find(quote, at_), text_.find('\n', at_));
    at_ = end == std::string_view::npos ? text_.size()
          : text_[end] == quote         ? end + 1
                                        : end;
  }

  static std::string odd_hint(char first) {
    if (first == '&') return "did you mean '&&'?";
    if (first == '|') return "did you mean '||'?";
    if (first == '\'') return "a text stands between '\"' and '\"'";
    if (first == '#') return "a comment begins with '//'";
    if (static_cast<unsigned char>(first) < 0x80) return "";
    return std::string(text::kNameHint);
  }

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

Lexed lex(const Source& source, Diagnostics& diagnostics, std::uint32_t begin) {
  return Lexer(source, begin, diagnostics).run();
}

}  // namespace plumb::lang
