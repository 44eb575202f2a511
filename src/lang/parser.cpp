// SPDX-License-Identifier: Apache-2.0
#include "lang/parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::lang {

void Parser::expect_close(const Token& open, TokenKind close) {
  if (at(TokenKind::kAssign)) {
    fail_expected(fmt::format("'{}'", spelling(close)), "",
                  "did you mean '=='?");
  }
  TokenReader::expect_close(open, close);
}

// What people write who think of C++, and what is meant.
std::string Parser::hint_here() const {
  const auto before = [&](std::size_t count, TokenKind kind) {
    return at_ >= count && tokens_[at_ - count].kind == kind;
  };
  switch (peek().kind) {
    case TokenKind::kStar:
      if (!before(1, TokenKind::kName)) break;
      return "there are no pointers: a variable of a struct's type refers to "
             "one, or is null";
    case TokenKind::kOpenParen:
      if (!before(2, TokenKind::kNew)) break;
      return "write 'new Node', or 'new Node{value = 1}'";
    default:
      break;
  }
  return "";
}

Parser::Deeper::Deeper(Parser& parser) : parser_(parser) {
  if (parser_.depth_ >= kDeepest) {
    parser_.give_up(parser_.peek().span, "this is nested too deeply",
                    fmt::format("at most {} levels are allowed", kDeepest));
  }
  ++parser_.depth_;
}

// How many braces were opened since `begin` and not closed.
std::size_t Parser::unclosed(std::size_t begin) const {
  std::size_t open = 0;
  for (std::size_t i = begin; i < at_; ++i) {
    if (tokens_[i].kind == TokenKind::kOpenBrace) ++open;
    if (tokens_[i].kind == TokenKind::kCloseBrace && open > 0) --open;
  }
  return open;
}

// At `spec q { ... }`, and not at `spec.q`?
bool Parser::at_specification() const {
  return at(TokenKind::kSpec) && peek(1).kind != TokenKind::kDot;
}

// In the tokens from `begin` on to this one.
bool Parser::mentions_processes(std::size_t begin) const {
  return std::any_of(tokens_.begin() + static_cast<std::ptrdiff_t>(begin),
                     tokens_.begin() + static_cast<std::ptrdiff_t>(at_),
                     [](const Token& token) {
                       return token.kind == TokenKind::kProcess ||
                              token.kind == TokenKind::kProcesses;
                     });
}

// Goes to behind the `;` or the `}` that ends what could not be read, or to
// the `}` that ends what it is in; `open` braces have been opened in it.
void Parser::skip_statement(std::size_t open) {
  while (!at(TokenKind::kEnd)) {
    switch (peek().kind) {
      case TokenKind::kSpec:
        if (!at_specification()) break;
        return;
      case TokenKind::kObject:
      case TokenKind::kCheck:
        return;
      case TokenKind::kOpenBrace:
        ++open;
        break;
      case TokenKind::kCloseBrace:
        if (open == 0) return;
        --open;
        if (open > 0) break;
        take();
        take_if(TokenKind::kSemicolon);
        return;
      case TokenKind::kSemicolon:
        if (open > 0) break;
        take();
        return;
      default:
        break;
    }
    take();
  }
}

void Parser::skip_to_declaration() {
  std::size_t open = 0;
  for (; !at(TokenKind::kEnd); take()) {
    switch (peek().kind) {
      case TokenKind::kSpec:
        if (!at_specification()) break;
        return;
      case TokenKind::kObject:
      case TokenKind::kCheck:
        return;
      case TokenKind::kConst:
      case TokenKind::kEnum:
        if (open == 0) return;
        break;
      case TokenKind::kOpenBrace:
        ++open;
        break;
      case TokenKind::kCloseBrace:
        if (open > 0) --open;
        break;
      default:
        break;
    }
  }
}

Parsed Parser::parse() {
  parsed_.module = std::make_unique<Module>();
  parsed_.module->source = kept_source_;
  while (!at(TokenKind::kEnd)) {
    const std::size_t before = at_;
    try {
      declaration();
    } catch (const InputError& error) {
      caught(error);
      if (at_ == before) take();
      skip_to_declaration();
    }
  }
  return std::move(parsed_);
}

}  // namespace plumb::lang
