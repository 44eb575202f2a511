// SPDX-License-Identifier: Apache-2.0
#include "csp/parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::csp {

Parser::Parser(const text::Source& source, const std::vector<Token>& tokens,
               text::Diagnostics& diagnostics, syntax::Module& module)
    : source_(source),
      tokens_(tokens),
      diagnostics_(diagnostics),
      module_(module),
      closing_(tokens.size(), static_cast<std::uint32_t>(tokens.size() - 1)) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind == TokenKind::kOpenParen) open.push_back(i);
    if (tokens[i].kind != TokenKind::kCloseParen || open.empty()) continue;
    closing_[open.back()] = static_cast<std::uint32_t>(i);
    open.pop_back();
  }
}

const Token& Parser::peek(std::size_t ahead) const {
  return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
}

bool Parser::at_name(std::string_view name, std::size_t ahead) const {
  return peek(ahead).kind == TokenKind::kName && text(peek(ahead)) == name;
}

Token Parser::take() {
  const Token taken = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return taken;
}

bool Parser::take_if(TokenKind kind) {
  if (!at(kind)) return false;
  take();
  return true;
}

std::string_view Parser::text(const Token& token) const {
  return source_.text(token.span);
}

std::string Parser::found() const {
  if (at(TokenKind::kEnd)) return std::string(spelling(TokenKind::kEnd));
  std::string shown(text(peek()));
  if (shown.size() > 60) shown = shown.substr(0, 57) + "...";
  return fmt::format("'{}'", shown);
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

// What people write who know other languages, and what is meant.
std::string Parser::hint_here() const {
  const TokenKind next = peek(1).kind;
  switch (peek().kind) {
    case TokenKind::kAssign:
      if (next == TokenKind::kGreater) {
        return "'->' stands behind an event; for 'a implies b' write "
               "'!a || b'";
      }
      return "did you mean '=='?";
    case TokenKind::kInternal:
      return "'!=' is the sign for unequal";
    case TokenKind::kQuestion:
      return "there is no 'b ? x : y'; in a block, use 'if (b) ... else ...'";
    case TokenKind::kEqual:
      return "did you mean '='?";
    default:
      break;
  }
  if (at_name("and")) return "did you mean '&&'?";
  if (at_name("or")) return "did you mean '||'?";
  if (at_name("not")) return "did you mean '!'?";
  if (at_name("mod")) return "did you mean '%'?";
  return "";
}

void Parser::fail_expected(std::string_view what, std::string_view context,
                           std::string hint) {
  if (hint.empty()) hint = hint_here();
  fail(here(),
       fmt::format("unexpected {}, expected {}{}{}", found(), what,
                   context.empty() ? "" : " ", context),
       std::move(hint));
}

Token Parser::expect(TokenKind kind, std::string_view context) {
  if (!at(kind)) fail_expected(fmt::format("'{}'", spelling(kind)), context);
  return take();
}

syntax::Name Parser::expect_name(std::string_view what) {
  if (is_word(peek().kind)) {
    fail(peek().span, fmt::format("{} cannot be the name of {}", found(), what),
         "it is a word of the language; choose another name");
  }
  if (!at(TokenKind::kName)) {
    fail_expected(fmt::format("the name of {}", what), "");
  }
  const Token name = take();
  return {std::string(text(name)), name.span};
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
  note(behind, fmt::format("expected ';' {}", after), hint_here());
}

void Parser::expect_close(const Token& open, TokenKind close) {
  if (take_if(close)) return;
  const std::size_t opened = line(open);
  const std::string what =
      fmt::format("unexpected {}, expected '{}'", found(), spelling(close));
  std::string hint = hint_here();
  if (hint.empty() && opened != line(peek())) {
    hint = fmt::format("the '{}' on line {} is not closed", text(open), opened);
  }
  fail(here(), what, std::move(hint));
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

Parser::Deeper::Deeper(Parser& parser, std::size_t levels)
    : parser_(parser), levels_(levels) {
  if (parser_.depth_ + levels > kDeepest) {
    parser_.give_up(
        parser_.peek().span, "this is nested too deeply",
        fmt::format("at most {} levels of parentheses, or {} events in a row "
                    "are allowed; give the inner part a name of its own",
                    kDeepest / kLevelsOfNesting, kDeepest));
  }
  parser_.depth_ += levels_;
}

// What stands behind the parenthesis that closes the one at `open` (counted
// from here, as the answer is).
std::size_t Parser::behind_parentheses(std::size_t open) const {
  return closing_[std::min(at_ + open, tokens_.size() - 1)] + 1 - at_;
}

// Whether a declaration begins here, and not one more process: `P = ...`,
// `P(x) = ...`, or one of the words.
bool Parser::at_declaration() const {
  switch (peek().kind) {
    case TokenKind::kEnd:
    case TokenKind::kHash:
    case TokenKind::kVar:
    case TokenKind::kHvar:
    case TokenKind::kChannel:
    case TokenKind::kEnum:
      return true;
    case TokenKind::kName:
      break;
    default:
      return false;
  }
  if (peek(1).kind == TokenKind::kAssign) return true;
  return peek(1).kind == TokenKind::kOpenParen &&
         peek(behind_parentheses(1)).kind == TokenKind::kAssign;
}

// At `#define` and the like, which stand nowhere but at a beginning.
bool Parser::at_directive() const {
  return at(TokenKind::kHash) &&
         (at_name("define", 1) || at_name("alphabet", 1) ||
          at_name("import", 1) || at_name("include", 1) ||
          peek(1).kind == TokenKind::kAssert);
}

// Goes to behind the `;` that ends what could not be read.
void Parser::skip_to_declaration() {
  std::size_t braces = 0;
  while (!at(TokenKind::kEnd) && !at_directive() && !at(TokenKind::kHvar) &&
         !at(TokenKind::kChannel) && !at(TokenKind::kEnum)) {
    const TokenKind kind = take().kind;
    if (kind == TokenKind::kOpenBrace) ++braces;
    if (kind == TokenKind::kCloseBrace && braces > 0) --braces;
    if (kind == TokenKind::kSemicolon && braces == 0 && at_declaration()) {
      return;
    }
  }
}

void Parser::parse() {
  while (!at(TokenKind::kEnd)) {
    const std::size_t before = at_;
    try {
      cases_ = 0;
      declaration();
    } catch (const InputError& error) {
      caught(error);
      if (at_ == before) take();
      skip_to_declaration();
    }
  }
}

}  // namespace plumb::csp
