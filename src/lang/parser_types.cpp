// SPDX-License-Identifier: Apache-2.0
// Types and declarators.
#include <fmt/format.h>

#include "lang/parser.h"

namespace plumb::lang {
namespace {

std::shared_ptr<Expression> number(std::int64_t value, Span span) {
  auto made = std::make_shared<Expression>();
  made->kind = ExpressionKind::kInteger;
  made->span = span;
  made->number = value;
  return made;
}

}  // namespace

bool Parser::at_container() const {
  return (at_name("seq") || at_name("set") || at_name("map")) &&
         peek(1).kind == TokenKind::kLess;
}

// Does a declaration begin here, as far as can be told?
bool Parser::at_type() const {
  switch (peek().kind) {
    case TokenKind::kInt:
    case TokenKind::kBool:
    case TokenKind::kBit:
    case TokenKind::kProcess:
    case TokenKind::kVoid:
      return true;
    case TokenKind::kName:
      return peek(1).kind == TokenKind::kName || at_container();
    default:
      return false;
  }
}

std::shared_ptr<Type> Parser::add_type(TypeUse use) {
  use.type->low = use.low;
  use.type->high = use.high;
  use.type->size = use.size;
  auto made = use.type;
  types_.push_back(std::move(use));
  return made;
}

std::shared_ptr<Type> Parser::type() {
  const Deeper deeper(*this);
  TypeUse use;
  use.type = std::make_shared<Type>();
  use.span = peek().span;
  if (at_container()) {
    if (at_name("seq")) return container(TypeKind::kSeq);
    return container(at_name("set") ? TypeKind::kSet : TypeKind::kMap);
  }
  switch (peek().kind) {
    case TokenKind::kInt:
      take();
      use.type->kind = TypeKind::kInt;
      if (at_range()) range(use);
      break;
    case TokenKind::kBit:
      take();
      use.type->kind = TypeKind::kInt;
      use.low = number(0, use.span);
      use.high = number(1, use.span);
      break;
    case TokenKind::kBool:
      take();
      use.type->kind = TypeKind::kBool;
      break;
    case TokenKind::kProcess:
      take();
      use.type->kind = TypeKind::kProcess;
      break;
    case TokenKind::kVoid:
      take();
      use.type->kind = TypeKind::kVoid;
      break;
    case TokenKind::kName:
      use.name = text(take());
      break;
    default:
      fail_expected("a type", "");
  }
  use.span = since(use.span);
  return add_type(std::move(use));
}

// `int` is followed by a range unless it is followed by a name alone.
bool Parser::at_range() const {
  switch (peek().kind) {
    case TokenKind::kNumber:
    case TokenKind::kMinus:
    case TokenKind::kOpenParen:
    case TokenKind::kProcesses:
      return true;
    case TokenKind::kName:
      switch (peek(1).kind) {
        case TokenKind::kDotDot:
        case TokenKind::kPlus:
        case TokenKind::kMinus:
        case TokenKind::kStar:
        case TokenKind::kSlash:
        case TokenKind::kPercent:
          return true;
        default:
          return false;
      }
    default:
      return false;
  }
}

void Parser::range(TypeUse& use) {
  use.low = sum();
  expect(TokenKind::kDotDot, "in the range of an 'int', as in 'int 0..3'");
  use.high = sum();
}

std::shared_ptr<Type> Parser::container(TypeKind kind) {
  TypeUse use;
  use.type = std::make_shared<Type>();
  use.type->kind = kind;
  use.span = take().span;
  const Token open = take();
  if (kind == TypeKind::kMap) {
    use.type->key = type();
    expect(TokenKind::kComma, "between the types of a map's keys and values");
  }
  use.type->element = type();
  if (take_if(TokenKind::kComma)) use.size = sum();
  expect_close(open, TokenKind::kGreater);
  use.span = since(use.span);
  return add_type(std::move(use));
}

// Reads `[size]` or `[process]`.
std::shared_ptr<Type> Parser::array_of(std::shared_ptr<Type> element,
                                       Span begin) {
  TypeUse use;
  use.type = std::make_shared<Type>();
  use.type->kind = TypeKind::kArray;
  use.type->element = std::move(element);
  const Token open = expect(TokenKind::kOpenBracket, "");
  if (!take_if(TokenKind::kProcess)) use.size = expression();
  expect_close(open, TokenKind::kCloseBracket);
  use.span = since(begin);
  return add_type(std::move(use));
}

// All the `[size]` behind a name: `a[2][3]` is two arrays of three.
std::shared_ptr<Type> Parser::dimensions(std::shared_ptr<Type> element) {
  if (!at(TokenKind::kOpenBracket)) return element;
  const Deeper deeper(*this);
  const Span begin = peek().span;
  TypeUse use;
  use.type = std::make_shared<Type>();
  use.type->kind = TypeKind::kArray;
  const Token open = take();
  if (!take_if(TokenKind::kProcess)) use.size = expression();
  expect_close(open, TokenKind::kCloseBracket);
  use.type->element = dimensions(std::move(element));
  use.span = since(begin);
  return add_type(std::move(use));
}

std::unique_ptr<Variable> Parser::declarator(const std::shared_ptr<Type>& type,
                                             Variable::Kind kind) {
  parts_ = 0;
  auto made = std::make_unique<Variable>();
  made->kind = kind;
  if (at(TokenKind::kOpenBracket)) {
    fail(peek().span, "unexpected '[' before the name",
         "the size stands behind the name, as in 'int a[2]'");
  }
  const Token name =
      expect_name(kind == Variable::Kind::kField       ? "a field"
                  : kind == Variable::Kind::kParameter ? "a parameter"
                                                       : "a variable");
  made->name = text(name);
  made->span = name.span;
  made->type = dimensions(type);
  if (take_if(TokenKind::kAssign)) {
    if (kind == Variable::Kind::kParameter) {
      fail(name.span, fmt::format("parameter '{}' has a value", made->name),
           "only the caller gives values to parameters");
    }
    made->initial = expression();
  }
  return made;
}

std::vector<std::unique_ptr<Variable>> Parser::declarators(
    const std::shared_ptr<Type>& type, Variable::Kind kind) {
  std::vector<std::unique_ptr<Variable>> made;
  do {
    made.push_back(declarator(type, kind));
    made.back()->starts_line = made.size() == 1;
  } while (take_if(TokenKind::kComma));
  return made;
}

}  // namespace plumb::lang
