// SPDX-License-Identifier: Apache-2.0
// Lines that say what is to be checked.
#include <fmt/format.h>

#include "lang/parser.h"

namespace plumb::lang {

void Parser::check() {
  Check made;
  const Span begin = take().span;
  const Token name = expect_name("an object");
  made.object_name = text(name);
  made.object_span = name.span;
  property(made);
  if (at_name("with")) {
    take();
    do {
      parts_ = 0;
      bound(made);
    } while (take_if(TokenKind::kComma));
  }
  if (at_name("expect")) expectation(made);
  made.span = since(begin);
  expect_semicolon("after the check");
  parsed_.module->checks.push_back(std::move(made));
}

void Parser::property(Check& check) {
  const std::size_t first = at_;
  property_part();
  while (take_if(TokenKind::kPlus)) property_part();
  check.property_span = since(tokens_[first].span);
  for (std::size_t i = first; i < at_; ++i) check.property += text(tokens_[i]);
  if (!at_name("at")) return;
  const Span begin = take().span;
  if (!at_name("marks")) fail_expected("'marks'", "after 'at'");
  take();
  if (check.property != "linearizable") {
    fail(since(begin),
         fmt::format("'{}' cannot be checked 'at marks'", check.property),
         "only 'linearizable' can");
  }
  check.at_marks = true;
}

// `linearizable`, or `quasi(deq = 2)`.
void Parser::property_part() {
  expect_name("a property");
  if (!at(TokenKind::kOpenParen)) return;
  const Token open = take();
  std::size_t depth = 1;
  while (depth > 0) {
    if (at(TokenKind::kEnd) || at(TokenKind::kSemicolon)) {
      expect_close(open, TokenKind::kCloseParen);
    }
    const Token token = take();
    if (token.kind == TokenKind::kOpenParen) ++depth;
    if (token.kind == TokenKind::kCloseParen) --depth;
  }
}

void Parser::set_bound(ExpressionPtr& bound, ExpressionPtr value, Span span,
                       std::string_view what) {
  if (bound != nullptr) {
    fail(span, fmt::format("{} are given twice", what));
  }
  bound = std::move(value);
}

void Parser::bound(Check& check) {
  if (at(TokenKind::kName) && peek(1).kind == TokenKind::kAssign) {
    const Token name = take();
    take();
    for (const Check::Setting& other : check.settings) {
      if (other.name != text(name)) continue;
      fail(name.span, fmt::format("'{}' is set twice", text(name)));
    }
    Check::Setting made;
    made.name = text(name);
    made.span = name.span;
    made.value = sum();
    check.settings.push_back(std::move(made));
    return;
  }
  if (!named_bound(check)) counted_bound(check);
}

// `values 1..2`, `cells 6`.
bool Parser::named_bound(Check& check) {
  const Span begin = peek().span;
  if (at_name("values")) {
    take();
    ExpressionPtr low = sum();
    ExpressionPtr high = take_if(TokenKind::kDotDot) ? sum() : clone(*low);
    set_bound(check.low, std::move(low), since(begin), "values");
    check.high = std::move(high);
    return true;
  }
  if (!at_name("cells")) return false;
  take();
  set_bound(check.cells, sum(), since(begin), "cells");
  return true;
}

// `3 processes`, `2 operations`, `6 cells`.
void Parser::counted_bound(Check& check) {
  const Span begin = peek().span;
  ExpressionPtr count = sum();
  if (take_if(TokenKind::kProcess) || take_if(TokenKind::kProcesses)) {
    return set_bound(check.processes, std::move(count), since(begin),
                     "processes");
  }
  if (at_name("operation") || at_name("operations")) {
    take();
    return set_bound(check.operations, std::move(count), since(begin),
                     "operations");
  }
  if (at_name("cell") || at_name("cells")) {
    take();
    return set_bound(check.cells, std::move(count), since(begin), "cells");
  }
  fail(here(),
       fmt::format("unexpected {}, expected what the bound counts", found()),
       suggestion(std::string(text(peek())),
                  {"processes", "operations", "cells"},
                  "bounds are '3 processes', 'values 1..2', '2 operations', "
                  "'cells 6' and 'NAME = 4'"));
}

void Parser::expectation(Check& check) {
  take();
  const Token word = peek();
  if (at_name("holds")) {
    check.expect = Expectation::kHolds;
  } else if (at_name("violated")) {
    check.expect = Expectation::kViolated;
  } else if (at_name("unknown")) {
    check.expect = Expectation::kUnknown;
  } else {
    fail(here(),
         fmt::format("unexpected {}, expected 'holds', 'violated' or "
                     "'unknown'",
                     found()),
         suggestion(std::string(text(word)), {"holds", "violated", "unknown"}));
  }
  take();
}

}  // namespace plumb::lang
