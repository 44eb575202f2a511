// SPDX-License-Identifier: Apache-2.0
// Expressions.
#include <fmt/format.h>

#include <optional>

#include "csp/parser.h"

namespace plumb::csp {
namespace {

using syntax::TermKind;
using syntax::TermPtr;

struct Level {
  int level;  // higher binds tighter
  Operator op;
};

constexpr int kLowest = 1, kSums = 7;

std::optional<Level> level_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::kOr:
      return Level{1, Operator::kOr};
    case TokenKind::kAnd:
      return Level{2, Operator::kAnd};
    case TokenKind::kXor:
      return Level{3, Operator::kXor};
    case TokenKind::kBitAnd:
      return Level{4, Operator::kBitAnd};
    case TokenKind::kBitOr:
      return Level{4, Operator::kBitOr};
    case TokenKind::kBitXor:
      return Level{4, Operator::kBitXor};
    case TokenKind::kEqual:
      return Level{5, Operator::kEqual};
    case TokenKind::kUnequal:
      return Level{5, Operator::kUnequal};
    case TokenKind::kLess:
      return Level{6, Operator::kLess};
    case TokenKind::kLessEqual:
      return Level{6, Operator::kLessEqual};
    case TokenKind::kGreater:
      return Level{6, Operator::kGreater};
    case TokenKind::kGreaterEqual:
      return Level{6, Operator::kGreaterEqual};
    case TokenKind::kPlus:
      return Level{kSums, Operator::kAdd};
    case TokenKind::kMinus:
      return Level{kSums, Operator::kSubtract};
    case TokenKind::kStar:
      return Level{8, Operator::kMultiply};
    case TokenKind::kSlash:
      return Level{8, Operator::kDivide};
    case TokenKind::kPercent:
      return Level{8, Operator::kModulo};
    default:
      return std::nullopt;
  }
}

}  // namespace

TermPtr Parser::make(TermKind kind, Span begin) {
  auto made = std::make_unique<syntax::Term>();
  made->kind = kind;
  made->span = begin;
  return made;
}

// A node above `child`, one level more.
TermPtr Parser::parent(TermKind kind, TermPtr child) {
  if (++operators_ > kMostOperators) {
    give_up(child->span, "this expression is too long",
            fmt::format("at most {} operators are allowed", kMostOperators));
  }
  TermPtr made = make(kind, child->span);
  made->children.push_back(std::move(child));
  return made;
}

Parser::InExpression::InExpression(Parser& parser)
    : deeper_(parser), parser_(parser) {
  if (parser_.expressions_++ == 0) parser_.operators_ = 0;
}

// With assignments.
TermPtr Parser::expression() {
  const InExpression inside(*this);
  TermPtr left = binary(kLowest);
  if (!at(TokenKind::kAssign) || peek(1).kind == TokenKind::kGreater) {
    return left;
  }
  take();
  TermPtr made = parent(TermKind::kAssign, std::move(left));
  made->children.push_back(expression());
  made->span = since(made->span);
  return made;
}

TermPtr Parser::condition() {
  const InExpression inside(*this);
  return binary(kLowest);
}

TermPtr Parser::sum() {
  const InExpression inside(*this);
  return binary(kSums);
}

TermPtr Parser::binary(int lowest) {
  TermPtr left = unary();
  while (const auto level = level_of(peek().kind)) {
    if (level->level < lowest) break;
    const Token sign = take();
    if (at(TokenKind::kAssign) && level->level >= kSums) {
      const std::string spelt(text(sign));
      fail(since(sign.span), fmt::format("there is no '{}='", spelt),
           fmt::format("write 'x = x {} ...'", spelt));
    }
    TermPtr made = parent(TermKind::kBinary, std::move(left));
    made->op = level->op;
    made->children.push_back(binary(level->level + 1));
    made->span = since(made->span);
    left = std::move(made);
  }
  return left;
}

TermPtr Parser::unary() {
  const TokenKind kind = peek().kind;
  if (kind == TokenKind::kPlus || kind == TokenKind::kMinus ||
      kind == TokenKind::kNot) {
    const Deeper deeper(*this, 1);
    const Token sign = take();
    TermPtr operand = unary();
    if (kind == TokenKind::kPlus) return operand;
    TermPtr made = make(TermKind::kUnary, sign.span);
    made->op = kind == TokenKind::kNot ? Operator::kNot : Operator::kNegate;
    made->children.push_back(std::move(operand));
    made->span = since(sign.span);
    return made;
  }
  if (kind == TokenKind::kIncrement || kind == TokenKind::kDecrement) {
    fail(peek().span, fmt::format("{} stands behind a variable", found()),
         fmt::format("write 'x{}'", spelling(kind)));
  }
  return postfix();
}

TermPtr Parser::postfix() {
  TermPtr base = primary();
  if (!at(TokenKind::kIncrement) && !at(TokenKind::kDecrement)) return base;
  TermPtr made = parent(TermKind::kStep, std::move(base));
  made->number = take().kind == TokenKind::kIncrement ? 1 : -1;
  made->span = since(made->span);
  return made;
}

TermPtr Parser::literal(TermKind kind, std::int64_t number) {
  TermPtr made = make(kind, take().span);
  made->number = number;
  return made;
}

TermPtr Parser::primary() {
  switch (peek().kind) {
    case TokenKind::kNumber:
      return literal(TermKind::kInteger, peek().number);
    case TokenKind::kTrue:
      return literal(TermKind::kBoolean, 1);
    case TokenKind::kFalse:
      return literal(TermKind::kBoolean, 0);
    case TokenKind::kName:
      return name_or_place();
    case TokenKind::kCall:
      return call();
    case TokenKind::kNew:
      return new_object();
    case TokenKind::kHash:
      return processes();
    case TokenKind::kAnd:
    case TokenKind::kOr:
    case TokenKind::kXor:
      return indexed_expression();
    case TokenKind::kOpenBracket:
      return record();
    case TokenKind::kGeneral: {
      TermPtr made = make(TermKind::kRecord, peek().span);
      take();
      return made;
    }
    case TokenKind::kOpenParen: {
      const Token open = take();
      TermPtr inner = expression();
      expect_close(open, TokenKind::kCloseParen);
      inner->span = since(open.span);
      return inner;
    }
    case TokenKind::kString:
      fail(peek().span, "a text is no value",
           "values are numbers, booleans, arrays and objects; an enum gives "
           "names to numbers");
    default:
      fail_expected("an expression", "");
  }
}

TermPtr Parser::name_or_place() {
  const Token name = take();
  TermPtr made = make(TermKind::kName, name.span);
  made->name = {std::string(text(name)), name.span};
  if (at(TokenKind::kOpenBracket)) {
    made = parent(TermKind::kElement, std::move(made));
    while (at(TokenKind::kOpenBracket)) {
      const Token open = take();
      made->children.push_back(expression());
      expect_close(open, TokenKind::kCloseBracket);
    }
    made->span = since(made->span);
  }
  return member(std::move(made));
}

// o.m(...) and o$f.  A dot without a call ends a field of an event.
TermPtr Parser::member(TermPtr receiver) {
  for (;;) {
    const bool is_method = at(TokenKind::kDot) &&
                           peek(1).kind == TokenKind::kName &&
                           peek(2).kind == TokenKind::kOpenParen;
    if (!is_method && !at(TokenKind::kDollar)) return receiver;
    take();
    TermPtr made = parent(is_method ? TermKind::kMethod : TermKind::kField,
                          std::move(receiver));
    made->name = expect_name(is_method ? "a method" : "a field");
    if (is_method) arguments(made->children);
    made->span = since(made->span);
    receiver = std::move(made);
  }
}

void Parser::arguments(std::vector<TermPtr>& all) {
  const Token open = take();
  if (!at(TokenKind::kCloseParen)) {
    do {
      all.push_back(expression());
    } while (take_if(TokenKind::kComma));
  }
  expect_close(open, TokenKind::kCloseParen);
}

TermPtr Parser::call() {
  TermPtr made = make(TermKind::kCall, take().span);
  const Token open = expect(TokenKind::kOpenParen, "after 'call'");
  made->name = expect_name("a function or a macro");
  while (take_if(TokenKind::kComma)) made->children.push_back(expression());
  expect_close(open, TokenKind::kCloseParen);
  made->span = since(made->span);
  return member(std::move(made));
}

TermPtr Parser::new_object() {
  TermPtr made = make(TermKind::kNew, take().span);
  made->name = expect_name("a class");
  if (!at(TokenKind::kOpenParen)) {
    fail_expected("'('", "after the class",
                  fmt::format("write 'new {}()'", made->name.text));
  }
  arguments(made->children);
  made->span = since(made->span);
  return member(std::move(made));
}

// #P(): how many of them there are.
TermPtr Parser::processes() {
  TermPtr made = make(TermKind::kProcesses, take().span);
  made->name = expect_name("a process");
  if (at(TokenKind::kOpenParen)) arguments(made->children);
  made->span = since(made->span);
  return made;
}

TermPtr Parser::indexed_expression() {
  const Token sign = take();
  TermPtr made = make(TermKind::kIndexed, sign.span);
  made->op = level_of(sign.kind)->op;
  if (!at_index()) {
    fail(sign.span,
         fmt::format("unexpected '{}', expected an expression", text(sign)),
         fmt::format("or an index: '{} i:{{0..2}} @ (...)'", text(sign)));
  }
  made->indices = indices();
  expect(TokenKind::kAt, "and an expression");
  made->children.push_back(expression());
  made->span = since(sign.span);
  return made;
}

TermPtr Parser::record() {
  const Token open = take();
  TermPtr made = make(TermKind::kRecord, open.span);
  do {
    made->children.push_back(element());
  } while (take_if(TokenKind::kComma));
  expect_close(open, TokenKind::kCloseBracket);
  made->span = since(open.span);
  return made;
}

// Of a record: e, e(k) or a..b.
TermPtr Parser::element() {
  TermPtr first = expression();
  const bool is_copies = at(TokenKind::kOpenParen);
  if (!is_copies && !at(TokenKind::kDotDot)) return first;
  TermPtr made =
      make(is_copies ? TermKind::kCopies : TermKind::kUpTo, first->span);
  made->children.push_back(std::move(first));
  const Token sign = take();
  made->children.push_back(expression());
  if (is_copies) expect_close(sign, TokenKind::kCloseParen);
  made->span = since(made->span);
  return made;
}

}  // namespace plumb::csp
