// SPDX-License-Identifier: Apache-2.0
#include "ltl/parse.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/input_error.h"

namespace plumb::ltl {
namespace {

constexpr std::size_t kMostOperators = 10'000;
constexpr std::size_t kMostNesting = 500;

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

// How long the comment is that the text begins with; 0: it does not.
std::size_t comment_at_start(std::string_view text) {
  const bool is_line = text.starts_with("//");
  if (!is_line && !text.starts_with("/*")) return 0;
  const std::size_t end = is_line ? text.find('\n') : text.find("*/", 2);
  if (end == std::string_view::npos) return text.size();
  return is_line ? end : end + 2;
}

// May nothing stand between them lest they become one word, or a comment?
bool must_stay_apart(char left, char right) {
  return (is_word(left) && is_word(right)) ||
         (left == '/' && (right == '/' || right == '*'));
}

// Without spaces and comments, but for a space where they keep two things
// apart.  Of what stands in quotes, nothing is a comment.
std::string squeezed(std::string_view text, bool quoted) {
  std::string out;
  bool gap = false;
  while (!text.empty()) {
    const char c = text.front();
    const std::size_t comment = quoted ? 0 : comment_at_start(text);
    text.remove_prefix(std::max<std::size_t>(comment, 1));
    gap |= comment > 0 || is_space(c);
    if (comment > 0 || is_space(c)) continue;
    if (gap && !out.empty() && must_stay_apart(out.back(), c)) out += ' ';
    gap = false;
    quoted ^= c == '"';
    out += c;
  }
  return out;
}

enum class TokenKind : std::uint8_t { kEnd, kOperator, kAtom, kOpen, kClose };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Operator op = Operator::kTrue;  // kTrue, kFalse: the constants
  text::Span span;
  bool is_xor = false;  // kIff, and what it gives is negated
};

struct Spelling {
  std::string_view text;
  Operator op;
};
// Longer ones first.
constexpr Spelling kSymbols[] = {
    {"<->", Operator::kIff},   {"->", Operator::kImplies},
    {"[]", Operator::kAlways}, {"<>", Operator::kEventually},
    {"&&", Operator::kAnd},    {"||", Operator::kOr},
    {"/\\", Operator::kAnd},   {"\\/", Operator::kOr},
    {"!", Operator::kNot},
};
constexpr Spelling kWords[] = {
    {"X", Operator::kNext},    {"U", Operator::kUntil},
    {"R", Operator::kRelease}, {"V", Operator::kRelease},
    {"G", Operator::kAlways},  {"F", Operator::kEventually},
    {"true", Operator::kTrue}, {"false", Operator::kFalse},
};

class Lexer {
 public:
  Lexer(const text::Source& source, text::Span span)
      : source_(source), text_(source.text()), at_(span.begin) {
    end_ = std::min<std::size_t>(std::size_t{span.begin} + span.length,
                                 text_.size());
  }

  Token next() {
    skip();
    const std::size_t begin = at_;
    if (at_ >= end_) return {TokenKind::kEnd, Operator::kTrue, span(begin)};
    const char c = text_[at_];
    if (c == '(' || c == ')') {
      ++at_;
      return {c == '(' ? TokenKind::kOpen : TokenKind::kClose, Operator::kTrue,
              span(begin)};
    }
    for (const Spelling& symbol : kSymbols) {
      if (rest().starts_with(symbol.text)) {
        at_ += symbol.text.size();
        return {TokenKind::kOperator, symbol.op, span(begin)};
      }
    }
    if (c == '"') return quoted();
    if (is_word(c) && std::isdigit(static_cast<unsigned char>(c)) == 0) {
      return word();
    }
    ++at_;
    throw InputError(
        source_.place(span(begin)),
        fmt::format("'{}' cannot stand in a formula", text_.substr(begin, 1)),
        "put names of channel events into quotes: \"c!1\"");
  }

 private:
  std::string_view rest() const { return text_.substr(at_, end_ - at_); }
  text::Span span(std::size_t begin) const {
    return {static_cast<std::uint32_t>(begin),
            static_cast<std::uint32_t>(at_ - begin)};
  }
  char peek() const { return at_ < end_ ? text_[at_] : '\0'; }

  void skip() {
    while (at_ < end_) {
      if (is_space(text_[at_])) {
        ++at_;
      } else if (const std::size_t bytes = comment_at_start(rest())) {
        at_ += bytes;
      } else {
        return;
      }
    }
  }

  Token quoted() {
    const std::size_t begin = at_++;
    while (at_ < end_ && text_[at_] != '"' && text_[at_] != '\n') ++at_;
    if (peek() != '"') {
      throw InputError(source_.place(span(begin)),
                       "these quotes are never closed");
    }
    ++at_;
    if (at_ - begin == 2) {
      throw InputError(source_.place(span(begin)),
                       "there is no event between these quotes");
    }
    return {TokenKind::kAtom, Operator::kTrue, span(begin)};
  }

  Token word() {
    const std::size_t begin = at_;
    while (is_word(peek())) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (peek() != '.') {
      if (name == "xor")
        return {TokenKind::kOperator, Operator::kIff, span(begin), true};
      for (const Spelling& spelling : kWords) {
        if (name == spelling.text) {
          return {TokenKind::kOperator, spelling.op, span(begin)};
        }
      }
    }
    while (peek() == '.') field();
    if (is_channel_event()) {
      field();
      while (peek() == '.') field();
      return {TokenKind::kAtom, Operator::kTrue, span(begin)};
    }
    const std::size_t end_of_name = at_;
    skip();
    if (peek() == '(') {
      parentheses();
    } else {
      at_ = end_of_name;
    }
    return {TokenKind::kAtom, Operator::kTrue, span(begin)};
  }

  // "c!1", "c?-1": behind a name, an exclamation mark is no operator.
  bool is_channel_event() const {
    if (peek() != '?' && peek() != '!') return false;
    const char next = at_ + 1 < end_ ? text_[at_ + 1] : '\0';
    return is_word(next) || next == '-' || next == '(';
  }

  // Behind a '.', or behind '!' or '?'.
  void field() {
    const std::size_t dot = at_++;
    if (peek() == '(') return parentheses();
    if (peek() == '-') ++at_;
    const std::size_t begin = at_;
    while (is_word(peek())) ++at_;
    if (at_ == begin) {
      throw InputError(source_.place(span(dot)),
                       fmt::format("a field of the event is missing after "
                                   "this '{}'",
                                   text_[dot]));
    }
  }

  void parentheses() {
    const std::size_t open = at_;
    std::size_t depth = 0;
    bool quoted = false;
    while (at_ < end_) {
      if (!quoted) at_ += comment_at_start(rest());
      if (at_ == end_) break;
      const char c = text_[at_++];
      if (c == '"') quoted = !quoted;
      if (quoted) continue;
      if (c == '(') ++depth;
      if (c == ')' && --depth == 0) return;
    }
    at_ = open + 1;
    throw InputError(source_.place(span(open)),
                     "this parenthesis is never closed");
  }

  const text::Source& source_;
  std::string_view text_;
  std::size_t at_;
  std::size_t end_;
};

// 0: not binary.
int binary_strength(const Token& token) {
  if (token.kind != TokenKind::kOperator) return 0;
  if (token.is_xor) return 3;
  switch (token.op) {
    case Operator::kIff:
      return 1;
    case Operator::kImplies:
      return 2;
    case Operator::kOr:
      return 3;
    case Operator::kAnd:
      return 4;
    case Operator::kUntil:
    case Operator::kRelease:
      return 5;
    default:
      return 0;
  }
}

bool is_unary(Operator op) {
  return op == Operator::kNot || op == Operator::kNext ||
         op == Operator::kAlways || op == Operator::kEventually;
}

class Parser {
 public:
  Parser(const text::Source& source, text::Span span)
      : source_(source), lexer_(source, span) {
    token_ = lexer_.next();
  }

  Property parse() {
    property_.formula = binary(1);
    if (token_.kind == TokenKind::kClose) {
      fail("there is no '(' for this ')'");
    } else if (token_.kind != TokenKind::kEnd) {
      fail(fmt::format("expected an operator, found '{}'",
                       source_.text(token_.span)));
    }
    return std::move(property_);
  }

 private:
  [[noreturn]] void fail(std::string what, std::string hint = "") const {
    throw InputError(source_.place(token_.span), std::move(what),
                     std::move(hint));
  }
  void advance() { token_ = lexer_.next(); }

  FormulaPtr make(Operator op, FormulaPtr left = nullptr,
                  FormulaPtr right = nullptr, std::size_t atom = 0) {
    if (++operators_ > kMostOperators) {
      fail(fmt::format("a formula may have {} operators and atoms at most",
                       kMostOperators));
    }
    return std::make_shared<const Formula>(
        Formula{op, atom, std::move(left), std::move(right)});
  }

  // Counts how deep the recursion is.
  class Nested {
   public:
    explicit Nested(Parser& parser) : parser_(parser) {
      if (++parser_.depth_ > kMostNesting) {
        parser_.fail(fmt::format(
            "more than {} operators lie one inside the other", kMostNesting));
      }
    }
    ~Nested() { --parser_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    Parser& parser_;
  };

  // Operators that bind at least as tightly as `least`; all of it is the right
  // operand of `parent`.
  FormulaPtr binary(int least, Operator parent = Operator::kTrue) {
    const Nested nested(*this);
    FormulaPtr left = unary();
    while (binary_strength(token_) >= least) {
      const Token token = token_;
      const int own = binary_strength(token);
      remark(token, parent);
      advance();
      const bool to_the_right = own == 2 || own == 5;
      FormulaPtr right = binary(to_the_right ? own : own + 1, token.op);
      left = make(token.op, std::move(left), std::move(right));
      if (token.is_xor) left = make(Operator::kNot, std::move(left));
    }
    return left;
  }

  void remark(const Token& token, Operator parent) {
    if (token.op == Operator::kAnd && parent == Operator::kOr) {
      property_.remarks.push_back(
          {token.span,
           "'&&' binds more tightly than '||' here; some tools group both "
           "from the left"});
    }
    const bool is_until =
        parent == Operator::kUntil || parent == Operator::kRelease;
    if (is_until && binary_strength(token) == 5) {
      property_.remarks.push_back(
          {token.span,
           "'a U b U c' is 'a U (b U c)' here; some tools group from the "
           "left"});
    }
  }

  FormulaPtr unary() {
    if (token_.kind == TokenKind::kOperator && is_unary(token_.op)) {
      const Nested nested(*this);
      const Operator op = token_.op;
      advance();
      FormulaPtr operand = unary();
      return make(op, std::move(operand));
    }
    return primary();
  }

  FormulaPtr primary() {
    switch (token_.kind) {
      case TokenKind::kOpen:
        return parenthesised();
      case TokenKind::kAtom:
        return atom();
      case TokenKind::kEnd:
        fail("expected a formula, found the end");
      case TokenKind::kOperator:
        if (token_.op == Operator::kTrue || token_.op == Operator::kFalse) {
          const Operator op = token_.op;
          advance();
          return make(op);
        }
        break;
      case TokenKind::kClose:
        break;
    }
    fail(fmt::format("expected a formula, found '{}'",
                     source_.text(token_.span)));
  }

  FormulaPtr parenthesised() {
    const text::Span open = token_.span;
    advance();
    FormulaPtr inner = binary(1);
    if (token_.kind == TokenKind::kEnd) {
      throw InputError(source_.place(open), "this parenthesis is never closed");
    }
    if (token_.kind != TokenKind::kClose) {
      fail(fmt::format("expected an operator or ')', found '{}'",
                       source_.text(token_.span)));
    }
    advance();
    return inner;
  }

  FormulaPtr atom() {
    std::string text(source_.text(token_.span));
    const bool quoted = text.front() == '"';
    if (quoted) text = text.substr(1, text.size() - 2);
    text = squeezed(text, quoted);
    auto& atoms = property_.atoms;
    const auto known = std::ranges::find_if(atoms, [&](const Atom& other) {
      return other.text == text && other.quoted == quoted;
    });
    const auto index = static_cast<std::size_t>(known - atoms.begin());
    if (known == atoms.end()) {
      if (atoms.size() == Property::kMostAtoms) {
        fail(fmt::format("a formula may have {} different atoms at most",
                         Property::kMostAtoms));
      }
      atoms.push_back({std::move(text), quoted, token_.span});
    }
    advance();
    return make(Operator::kAtom, nullptr, nullptr, index);
  }

  const text::Source& source_;
  Lexer lexer_;
  Token token_;
  Property property_;
  std::size_t operators_ = 0;
  std::size_t depth_ = 0;
};

}  // namespace

Property parse(const text::Source& source, text::Span span) {
  return Parser(source, span).parse();
}

}  // namespace plumb::ltl
