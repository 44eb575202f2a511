// SPDX-License-Identifier: Apache-2.0
// The programs of events.
#include <fmt/format.h>

#include "csp/parser.h"

namespace plumb::csp {

syntax::StatementPtr Parser::block() {
  const Deeper deeper(*this);
  auto made = std::make_unique<syntax::Statement>();
  const Token open = expect(TokenKind::kOpenBrace, "");
  while (!at(TokenKind::kCloseBrace) && !at(TokenKind::kEnd) &&
         !at(TokenKind::kHash)) {
    try {
      made->children.push_back(statement());
      // Only a `}` that was forgotten leaves an arrow here.
      if (at(TokenKind::kArrow)) break;
    } catch (const InputError& error) {
      caught(error);
      if (at(TokenKind::kArrow)) break;
      skip_statement();
    }
  }
  expect_close(open, TokenKind::kCloseBrace);
  made->span = since(open.span);
  return made;
}

// Goes to behind the `;` that ends what could not be read, or to the `}`.
void Parser::skip_statement() {
  std::size_t open = 0, parentheses = 0;
  while (!at(TokenKind::kEnd) && !at(TokenKind::kHash)) {
    if (at(TokenKind::kOpenBrace)) ++open;
    if (at(TokenKind::kOpenParen)) ++parentheses;
    if (at(TokenKind::kCloseParen) && parentheses > 0) --parentheses;
    if (at(TokenKind::kCloseBrace) && open-- == 0) return;
    if (take().kind == TokenKind::kSemicolon && open + parentheses == 0) return;
  }
}

void Parser::refuse_foreign_statement() {
  if (!at(TokenKind::kName)) return;
  const std::string_view word = text(peek());
  const TokenKind next = peek(1).kind;
  if ((word == "for" || word == "foreach") && next == TokenKind::kOpenParen) {
    fail(peek().span, fmt::format("there is no '{}'", word),
         "write 'var i = 0; while (i < n) { ...; i = i + 1; }'");
  }
  if (word == "do" && next == TokenKind::kOpenBrace) {
    fail(peek().span, "there is no 'do'", "write 'while (b) { ... }'");
  }
  if (word == "return" || word == "break" || word == "continue") {
    if (next == TokenKind::kAssign || next == TokenKind::kOpenBracket) return;
    fail(peek().span, fmt::format("there is no '{}'", word),
         word == "return" ? "the last expression of a macro's block is its "
                            "value"
                          : "put it into the condition of the 'while'");
  }
  if (next == TokenKind::kName) {
    fail(peek().span,
         fmt::format("unexpected '{}', expected ';' or an operator after '{}'",
                     text(peek(1)), word),
         word == "int" || word == "bool" ? "write 'var x = 0;'" : "");
  }
}

syntax::StatementPtr Parser::statement() {
  refuse_foreign_statement();
  switch (peek().kind) {
    case TokenKind::kOpenBrace:
      return block();
    case TokenKind::kVar:
      return local_variable();
    case TokenKind::kIf:
    case TokenKind::kWhile:
      return if_or_while();
    case TokenKind::kIfa:
    case TokenKind::kIfb:
      fail(peek().span, fmt::format("{} is for processes", found()),
           "in a block, write 'if'");
    case TokenKind::kSemicolon: {
      auto made = std::make_unique<syntax::Statement>();
      made->span = take().span;
      return made;
    }
    default:
      break;
  }
  auto made = std::make_unique<syntax::Statement>();
  made->kind = StatementKind::kExpression;
  made->span = peek().span;
  made->term = expression();
  made->span = since(made->span);
  if (!at(TokenKind::kCloseBrace) && !at(TokenKind::kArrow)) {
    expect_semicolon("after the statement");
  }
  return made;
}

syntax::StatementPtr Parser::local_variable() {
  auto made = std::make_unique<syntax::Statement>();
  made->kind = StatementKind::kDeclare;
  made->span = take().span;
  if (at(TokenKind::kLess)) {
    fail(peek().span, "variables of a block have no class",
         "declare objects outside, or assign 'new ...()' to it");
  }
  made->name = expect_name("a variable");
  made->dimensions = dimensions();
  if (take_if(TokenKind::kAssign)) made->term = expression();
  made->span = since(made->span);
  if (at(TokenKind::kComma)) {
    fail(peek().span, "one 'var' declares one variable",
         "write 'var x; var y;'");
  }
  if (!at(TokenKind::kCloseBrace)) expect_semicolon("after 'var'");
  return made;
}

syntax::StatementPtr Parser::if_or_while() {
  const Deeper deeper(*this);
  auto made = std::make_unique<syntax::Statement>();
  const Token word = take();
  const bool is_if = word.kind == TokenKind::kIf;
  made->kind = is_if ? StatementKind::kIf : StatementKind::kWhile;
  const Token open = expect(TokenKind::kOpenParen, "and a condition");
  made->term = expression();
  expect_close(open, TokenKind::kCloseParen);
  made->span = since(word.span);
  made->children.push_back(statement());
  if (is_if && take_if(TokenKind::kElse)) {
    made->children.push_back(statement());
  }
  return made;
}

}  // namespace plumb::csp
