// SPDX-License-Identifier: Apache-2.0
#include "csp/parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::csp {

Parser::Parser(const text::Source& source, const std::vector<Token>& tokens,
               text::Diagnostics& diagnostics, syntax::Module& module)
    : TokenReader(source, tokens, diagnostics),
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

syntax::Name Parser::expect_name(std::string_view what) {
  const Token name = TokenReader::expect_name(what);
  return {std::string(text(name)), name.span};
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
