// SPDX-License-Identifier: Apache-2.0
// Statements.
#include <fmt/format.h>

#include "lang/parser.h"
#include "lang/types.h"

namespace plumb::lang {
namespace {

// An `atomic` is shown whole in a trace if it is short.
constexpr std::size_t kShortAtomic = 60;

}  // namespace

StatementPtr Parser::make(StatementKind kind, Span begin) const {
  auto made = std::make_unique<Statement>();
  made->kind = kind;
  made->span = made->head = begin;
  return made;
}

StatementPtr Parser::block() {
  const Token open = expect(TokenKind::kOpenBrace, "");
  auto made = make(StatementKind::kBlock, open.span);
  statements(*made);
  expect_close(open, TokenKind::kCloseBrace);
  made->span = since(open.span);
  return made;
}

// Words that begin a member or a declaration: a `}` was forgotten.
bool Parser::at_member() const {
  switch (peek().kind) {
    case TokenKind::kSpec:
      return at_specification();
    case TokenKind::kObject:
    case TokenKind::kCheck:
    case TokenKind::kShared:
    case TokenKind::kFunction:
    case TokenKind::kStruct:
    case TokenKind::kEnd:
      return true;
    default:
      return false;
  }
}

void Parser::statements(Statement& block) {
  while (!at(TokenKind::kCloseBrace) && !at_member()) {
    const std::size_t before = at_;
    try {
      block.body.push_back(statement());
    } catch (const InputError& error) {
      caught(error);
      skip_statement(unclosed(before));
      if (at_ == before && !at(TokenKind::kCloseBrace) && !at_member()) take();
    }
  }
}

StatementPtr Parser::statement() {
  const Deeper deeper(*this);
  parts_ = 0;
  if (at_type()) return declaration_or_simple();
  const Span begin = peek().span;
  StatementPtr made = statement_of(peek().kind);
  made->span = since(begin);
  return made;
}

StatementPtr Parser::statement_of(TokenKind kind) {
  switch (kind) {
    case TokenKind::kOpenBrace:
      return block();
    case TokenKind::kIf:
      return if_statement();
    case TokenKind::kWhile:
      return while_statement();
    case TokenKind::kDo:
      return do_statement();
    case TokenKind::kFor:
      return for_statement();
    case TokenKind::kChoose:
      return choose_statement();
    case TokenKind::kAtomic:
      return atomic_statement();
    case TokenKind::kLinearize:
      return linearize_statement();
    case TokenKind::kReturn:
      return return_statement();
    case TokenKind::kBreak:
      return word_statement(StatementKind::kBreak);
    case TokenKind::kContinue:
      return word_statement(StatementKind::kContinue);
    case TokenKind::kSkip:
      return word_statement(StatementKind::kSkip);
    case TokenKind::kAwait:
      return value_statement(StatementKind::kAwait);
    case TokenKind::kAssert:
      return value_statement(StatementKind::kAssert);
    case TokenKind::kDelete:
      return value_statement(StatementKind::kDelete);
    case TokenKind::kElse:
      fail(peek().span, "this 'else' belongs to no 'if'");
    case TokenKind::kSemicolon:
      fail(peek().span, "there is no statement before this ';'",
           "write 'skip;' for a step that does nothing");
    default:
      return declaration_or_simple();
  }
}

StatementPtr Parser::if_statement() {
  auto made = make(StatementKind::kIf, take().span);
  const Token open = expect(TokenKind::kOpenParen, "after 'if'");
  made->value = expression();
  expect_close(open, TokenKind::kCloseParen);
  made->head = since(made->head);
  made->body.push_back(statement());
  if (take_if(TokenKind::kElse)) made->body.push_back(statement());
  return made;
}

StatementPtr Parser::while_statement() {
  auto made = make(StatementKind::kWhile, take().span);
  const Token open = expect(TokenKind::kOpenParen, "after 'while'");
  made->value = expression();
  expect_close(open, TokenKind::kCloseParen);
  made->head = since(made->head);
  made->body.push_back(statement());
  return made;
}

StatementPtr Parser::do_statement() {
  auto made = make(StatementKind::kDoWhile, take().span);
  made->body.push_back(statement());
  if (!at(TokenKind::kWhile))
    fail_expected("'while'", "after the body of 'do'");
  made->head = take().span;
  const Token open = expect(TokenKind::kOpenParen, "after 'while'");
  made->value = expression();
  expect_close(open, TokenKind::kCloseParen);
  made->head = since(made->head);
  expect_semicolon("after 'do ... while (...)'");
  return made;
}

StatementPtr Parser::for_statement() {
  auto made = make(StatementKind::kFor, take().span);
  const Token open = expect(TokenKind::kOpenParen, "after 'for'");
  if (!take_if(TokenKind::kSemicolon)) made->first = declaration_or_simple();
  if (!at(TokenKind::kSemicolon)) made->value = expression();
  expect(TokenKind::kSemicolon, "after the condition of 'for'");
  if (!at(TokenKind::kCloseParen)) made->next = simple_statement();
  expect_close(open, TokenKind::kCloseParen);
  made->head = since(made->head);
  made->body.push_back(statement());
  return made;
}

StatementPtr Parser::choose_statement() {
  auto made = make(StatementKind::kChoose, take().span);
  do {
    made->body.push_back(block());
  } while (at_name("or") && (take(), true));
  if (made->body.size() == 1) {
    note(made->head, "this 'choose' has one branch only",
         "write 'choose { ... } or { ... }'");
  }
  return made;
}

StatementPtr Parser::atomic_statement() {
  auto made = make(StatementKind::kAtomic, take().span);
  if (!at(TokenKind::kOpenBrace)) fail_expected("'{'", "after 'atomic'");
  made->body.push_back(block());
  const Span whole = since(made->head);
  const bool is_short =
      whole.length <= kShortAtomic &&
      source_.text(whole).find('\n') == std::string_view::npos;
  if (is_short) made->head = whole;
  return made;
}

StatementPtr Parser::linearize_statement() {
  auto made = make(StatementKind::kLinearize, take().span);
  if (take_if(TokenKind::kSemicolon)) return made;
  made->body.push_back(statement());
  const Span inner = made->body[0]->head;
  made->head.length = inner.begin + inner.length - made->head.begin;
  return made;
}

// Ends a statement at its `;`, which a trace does not show.
void Parser::end_simple(Statement& statement) {
  statement.head = since(statement.head);
  if (!at(TokenKind::kSemicolon)) refuse_misspelt(statement);
  expect_semicolon("at the end of the statement");
  statement.span = since(statement.span);
}

// `retrun 3;` reads like a name and something that does not belong to it.
void Parser::refuse_misspelt(const Statement& statement) {
  if (statement.kind != StatementKind::kEvaluate ||
      statement.value->kind != ExpressionKind::kName) {
    return;
  }
  const std::string& name = statement.value->name;
  std::string hint = suggestion(name, words());
  if (hint.empty()) return;
  fail(statement.value->span, fmt::format("unexpected '{}'", name),
       std::move(hint));
}

StatementPtr Parser::return_statement() {
  auto made = make(StatementKind::kReturn, take().span);
  if (!at(TokenKind::kSemicolon) && !at(TokenKind::kCloseBrace)) {
    made->value = expression();
  }
  end_simple(*made);
  return made;
}

StatementPtr Parser::word_statement(StatementKind kind) {
  auto made = make(kind, take().span);
  end_simple(*made);
  return made;
}

StatementPtr Parser::value_statement(StatementKind kind) {
  auto made = make(kind, take().span);
  made->value = expression();
  end_simple(*made);
  return made;
}

StatementPtr Parser::declaration_or_simple() {
  StatementPtr made;
  if (at_type()) {
    made = make(StatementKind::kDeclare, peek().span);
    made->variables = declarators(type(), Variable::Kind::kLocal);
  } else {
    made = simple_statement();
  }
  end_simple(*made);
  return made;
}

// An assignment or a call, without its `;`.
StatementPtr Parser::simple_statement() {
  parts_ = 0;
  const Span begin = peek().span;
  ExpressionPtr left = expression();
  StatementPtr made;
  switch (peek().kind) {
    case TokenKind::kAssign:
      take();
      made = make(StatementKind::kAssign, begin);
      made->target = std::move(left);
      made->value = expression();
      break;
    case TokenKind::kAddAssign:
    case TokenKind::kSubtractAssign:
    case TokenKind::kIncrement:
    case TokenKind::kDecrement:
      made = compound_assignment(std::move(left));
      break;
    default:
      made = make(StatementKind::kEvaluate, begin);
      made->value = std::move(left);
  }
  made->span = made->head = since(begin);
  return made;
}

// `x += e`, `x++`: as `x = x + e`.
StatementPtr Parser::compound_assignment(ExpressionPtr target) {
  const Token sign = take();
  auto made = make(StatementKind::kAssign, target->span);
  made->written_as = text(sign);
  auto sum = make(ExpressionKind::kBinary, target->span);
  const bool adds =
      sign.kind == TokenKind::kAddAssign || sign.kind == TokenKind::kIncrement;
  sum->op = adds ? Operator::kAdd : Operator::kSubtract;
  sum->operands.push_back(clone(*target));
  if (sign.kind == TokenKind::kIncrement ||
      sign.kind == TokenKind::kDecrement) {
    sum->operands.push_back(make(ExpressionKind::kInteger, sign.span));
    sum->operands.back()->number = 1;
  } else {
    sum->operands.push_back(expression());
  }
  sum->span = since(target->span);
  made->target = std::move(target);
  made->value = std::move(sum);
  return made;
}

}  // namespace plumb::lang
