// SPDX-License-Identifier: Apache-2.0
#include "lang/parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::lang {

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool Parser::at_name(std::string_view name, std::size_t ahead) const {
  return peek(ahead).kind == TokenKind::kName && text(peek(ahead)) == name;
}

bool Parser::take_if(TokenKind kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

std::string_view Parser::text(const Token& token) const {
  return source_->text(token.span);
}

std::string Parser::found() const {
  if (at(TokenKind::kEnd)) return std::string(spelling(TokenKind::kEnd));
  return fmt::format("'{}'", text(peek()));
}

Span Parser::since(Span begin) const {
  if (at_ == 0) return begin;
  const Span last = tokens_[at_ - 1].span;
  const std::uint32_t end =
      std::max(last.begin + last.length, begin.begin + begin.length);
  return {begin.begin, end - begin.begin};
}

// The place is added by caught(): it holds a copy of the line, and a file may
// be one long line with many errors.
void Parser::fail(Span span, std::string what, std::string hint) {
  failed_at_ = span;
  throw InputError(std::move(what), std::move(hint));
}

// The end of the file is shown behind its last word.
Span Parser::here() const {
  if (!at(TokenKind::kEnd) || at_ == 0) return peek().span;
  const Span last = tokens_[at_ - 1].span;
  return {last.begin + last.length, 1};
}

void Parser::fail_expected(std::string_view what, std::string_view context) {
  fail(here(), fmt::format("unexpected {}, expected {}{}{}", found(), what,
                           context.empty() ? "" : " ", context));
}

Token Parser::expect(TokenKind kind, std::string_view context) {
  if (!at(kind)) fail_expected(fmt::format("'{}'", spelling(kind)), context);
  return take();
}

Token Parser::expect_name(std::string_view what) {
  if (is_word(peek().kind)) {
    fail(peek().span, fmt::format("{} cannot be the name of {}", found(), what),
         "it is a word of the language; choose another name");
  }
  if (!at(TokenKind::kName)) {
    fail_expected(fmt::format("the name of {}", what), "");
  }
  return take();
}

// A semicolon that was forgotten at the end of a line does no harm to what
// follows: it is reported, and reading goes on.
void Parser::expect_semicolon(std::string_view after) {
  if (take_if(TokenKind::kSemicolon)) return;
  const Token& last = tokens_[at_ == 0 ? 0 : at_ - 1];
  const bool ends_here = line(last) != line(peek()) ||
                         at(TokenKind::kCloseBrace) || at(TokenKind::kEnd);
  if (!ends_here) fail_expected("';'", after);
  const Span behind{last.span.begin + last.span.length, 1};
  note(behind, fmt::format("expected ';' {}", after));
}

void Parser::expect_close(const Token& open, TokenKind close) {
  if (take_if(close)) return;
  const std::size_t opened = line(open);
  const std::string what =
      fmt::format("unexpected {}, expected '{}'", found(), spelling(close));
  if (at(TokenKind::kAssign)) fail(here(), what, "did you mean '=='?");
  if (opened == line(peek())) fail(here(), what);
  fail(here(), what,
       fmt::format("the '{}' on line {} is not closed", text(open), opened));
}

void Parser::caught(const InputError& error) {
  note(failed_at_, error.what(), error.hint());
}

// Reports what does not keep the rest from being read.
void Parser::note(Span span, std::string what, std::string hint) {
  if (gave_up_) return;
  diagnostics_.report(span, std::move(what), std::move(hint));
}

void Parser::give_up(Span span, std::string what, std::string hint) {
  const InputError error(std::move(what), std::move(hint));
  failed_at_ = span;
  caught(error);
  gave_up_ = true;
  at_ = tokens_.size() - 1;
  throw error;
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
  parsed_.module->source = source_;
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
