// SPDX-License-Identifier: Apache-2.0
// Expressions.
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <optional>

#include "lang/parser.h"
#include "lang/types.h"

namespace plumb::lang {
namespace {

struct Level {
  int level;  // higher binds tighter
  Operator op;
};

constexpr int kLoosest = 1, kSums = 5;

std::optional<Level> level_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::kOr:
      return Level{1, Operator::kOr};
    case TokenKind::kAnd:
      return Level{2, Operator::kAnd};
    case TokenKind::kEqual:
      return Level{3, Operator::kEqual};
    case TokenKind::kUnequal:
      return Level{3, Operator::kUnequal};
    case TokenKind::kLess:
      return Level{4, Operator::kLess};
    case TokenKind::kLessEqual:
      return Level{4, Operator::kLessEqual};
    case TokenKind::kGreater:
      return Level{4, Operator::kGreater};
    case TokenKind::kGreaterEqual:
      return Level{4, Operator::kGreaterEqual};
    case TokenKind::kPlus:
      return Level{kSums, Operator::kAdd};
    case TokenKind::kMinus:
      return Level{kSums, Operator::kSubtract};
    case TokenKind::kStar:
      return Level{6, Operator::kMultiply};
    case TokenKind::kSlash:
      return Level{6, Operator::kDivide};
    case TokenKind::kPercent:
      return Level{6, Operator::kRemainder};
    default:
      return std::nullopt;
  }
}

}  // namespace

ExpressionPtr clone(const Expression& expression) {
  auto made = std::make_unique<Expression>();
  made->kind = expression.kind;
  made->span = expression.span;
  made->number = expression.number;
  made->op = expression.op;
  made->builtin = expression.builtin;
  made->name = expression.name;
  made->fields = expression.fields;
  made->field_spans = expression.field_spans;
  for (const ExpressionPtr& operand : expression.operands) {
    made->operands.push_back(clone(*operand));
  }
  return made;
}

ExpressionPtr Parser::make(ExpressionKind kind, Span begin) {
  if (++parts_ > kMostParts) {
    give_up(begin, "this expression is too long",
            fmt::format("at most {} parts are allowed", kMostParts));
  }
  auto made = std::make_unique<Expression>();
  made->kind = kind;
  made->span = begin;
  return made;
}

ExpressionPtr Parser::expression() {
  const Deeper deeper(*this);
  return conditional();
}

ExpressionPtr Parser::conditional() {
  ExpressionPtr condition = binary(kLoosest);
  if (!take_if(TokenKind::kQuestion)) return condition;
  auto made = make(ExpressionKind::kConditional, condition->span);
  made->operands.push_back(std::move(condition));
  made->operands.push_back(expression());
  expect(TokenKind::kColon, "between the two values of '?'");
  made->operands.push_back(expression());
  made->span = since(made->span);
  return made;
}

ExpressionPtr Parser::binary(int lowest) {
  ExpressionPtr left = unary();
  while (const auto level = level_of(peek().kind)) {
    if (level->level < lowest) break;
    take();
    auto made = make(ExpressionKind::kBinary, left->span);
    made->op = level->op;
    made->operands.push_back(std::move(left));
    made->operands.push_back(binary(level->level + 1));
    made->span = since(made->span);
    left = std::move(made);
  }
  return left;
}

// Without comparisons, so that `>` can end a type and a name can follow.
ExpressionPtr Parser::sum() {
  const Deeper deeper(*this);
  return binary(kSums);
}

ExpressionPtr Parser::unary() {
  if (!at(TokenKind::kNot) && !at(TokenKind::kMinus)) return postfix();
  const Deeper deeper(*this);
  auto made = make(ExpressionKind::kUnary, peek().span);
  made->op = at(TokenKind::kNot) ? Operator::kNot : Operator::kMinus;
  take();
  made->operands.push_back(unary());
  made->span = since(made->span);
  return made;
}

ExpressionPtr Parser::postfix() {
  ExpressionPtr base = primary();
  while (at(TokenKind::kDot) || at(TokenKind::kArrow) ||
         at(TokenKind::kOpenBracket)) {
    const bool is_field = !at(TokenKind::kOpenBracket);
    if (at(TokenKind::kArrow)) {
      note(peek().span, "'->' is no sign of the language",
           "write 'n.next': structs are used by reference");
    }
    auto made = make(is_field ? ExpressionKind::kField : ExpressionKind::kIndex,
                     base->span);
    made->operands.push_back(std::move(base));
    const Token open = take();
    if (is_field) {
      const Token name = expect_name("a field");
      made->name = text(name);
      made->field_spans.push_back(name.span);
    } else {
      made->operands.push_back(expression());
      expect_close(open, TokenKind::kCloseBracket);
    }
    made->span = since(made->span);
    base = std::move(made);
  }
  return base;
}

ExpressionPtr Parser::literal(ExpressionKind kind, std::int64_t number) {
  auto made = make(kind, take().span);
  made->number = number;
  return made;
}

ExpressionPtr Parser::primary() {
  switch (peek().kind) {
    case TokenKind::kNumber:
      return literal(ExpressionKind::kInteger, peek().number);
    case TokenKind::kText:
      return quoted();
    case TokenKind::kOpenBracket:
      return list();
    case TokenKind::kTrue:
      return literal(ExpressionKind::kBoolean, 1);
    case TokenKind::kFalse:
      return literal(ExpressionKind::kBoolean, 0);
    case TokenKind::kNull:
      return literal(ExpressionKind::kNull);
    case TokenKind::kEmpty:
      return literal(ExpressionKind::kEmpty);
    case TokenKind::kNobody:
      return literal(ExpressionKind::kNobody);
    case TokenKind::kSelf:
      return literal(ExpressionKind::kSelf);
    case TokenKind::kProcesses:
      return literal(ExpressionKind::kProcesses);
    case TokenKind::kNew:
      return new_cell();
    case TokenKind::kName:
      return name_or_call();
    case TokenKind::kSpec:
      return abstract_name();
    case TokenKind::kOpenParen: {
      const Token open = take();
      ExpressionPtr inner = expression();
      expect_close(open, TokenKind::kCloseParen);
      inner->span = since(open.span);
      return inner;
    }
    default:
      fail_expected("an expression", "");
  }
}

// With the escapes of JSON, but for those by number.
ExpressionPtr Parser::quoted() {
  const Token token = take();
  auto made = make(ExpressionKind::kText, token.span);
  const std::string_view written = text(token);
  for (std::size_t i = 1; i + 1 < written.size(); ++i) {
    char c = written[i];
    if (c == '\\') {
      constexpr std::string_view kNames = "\"\\/nrt", kMeant = "\"\\/\n\r\t";
      const std::size_t which = kNames.find(written[++i]);
      if (which == std::string_view::npos) {
        fail(token.span,
             fmt::format("'\\{}' means nothing in a text", written[i]),
             "these do: \\\" \\\\ \\/ \\n \\r \\t");
      }
      c = kMeant[which];
    }
    made->name += c;
  }
  return made;
}

// `[a, b]`.
ExpressionPtr Parser::list() {
  const Token open = take();
  auto made = make(ExpressionKind::kList, open.span);
  if (!at(TokenKind::kCloseBracket)) {
    do {
      made->operands.push_back(expression());
    } while (take_if(TokenKind::kComma));
  }
  expect_close(open, TokenKind::kCloseBracket);
  made->span = since(open.span);
  return made;
}

// `spec.q`.
ExpressionPtr Parser::abstract_name() {
  auto made = make(ExpressionKind::kName, take().span);
  expect(TokenKind::kDot, "and a variable of the specification");
  made->name = "spec." + std::string(text(expect_name("a variable")));
  made->span = since(made->span);
  return made;
}

ExpressionPtr Parser::name_or_call() {
  const Token name = take();
  if (!at(TokenKind::kOpenParen)) {
    auto made = make(ExpressionKind::kName, name.span);
    made->name = text(name);
    return made;
  }
  auto made = make(ExpressionKind::kCall, name.span);
  made->name = text(name);
  if (const auto builtin = find_builtin(made->name)) {
    made->kind = ExpressionKind::kBuiltin;
    made->builtin = *builtin;
  }
  arguments(*made);
  made->span = since(name.span);
  return made;
}

void Parser::arguments(Expression& call) {
  const Token open = take();
  if (!at(TokenKind::kCloseParen)) {
    do {
      call.operands.push_back(expression());
    } while (take_if(TokenKind::kComma));
  }
  expect_close(open, TokenKind::kCloseParen);
}

ExpressionPtr Parser::new_cell() {
  auto made = make(ExpressionKind::kNew, take().span);
  const Token name = expect_name("a struct");
  made->name = text(name);
  if (at(TokenKind::kOpenBrace)) {
    const Token open = take();
    while (!at(TokenKind::kCloseBrace)) {
      const Token field = expect_name("a field");
      made->fields.emplace_back(text(field));
      made->field_spans.push_back(field.span);
      expect(TokenKind::kAssign, "and the value of the field");
      made->operands.push_back(expression());
      if (!take_if(TokenKind::kComma)) break;
    }
    expect_close(open, TokenKind::kCloseBrace);
  }
  made->span = since(made->span);
  return made;
}

}  // namespace plumb::lang
