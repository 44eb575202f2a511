// SPDX-License-Identifier: Apache-2.0
// Lines that say what is to be checked.
#include <fmt/format.h>

#include "lang/parser.h"

namespace plumb::lang {
namespace {

TokenKind closing(TokenKind open) {
  return open == TokenKind::kOpenParen     ? TokenKind::kCloseParen
         : open == TokenKind::kOpenBracket ? TokenKind::kCloseBracket
                                           : TokenKind::kCloseBrace;
}

}  // namespace

void Parser::check() {
  Check made;
  made.source = kept_source_;
  const Span begin = take().span;
  if (at(TokenKind::kSpec)) {
    refinement(made);
  } else {
    const Token name = expect_name("an object");
    made.object_name = text(name);
    made.object_span = name.span;
    property(made);
  }
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

// `spec A refines B`.
void Parser::refinement(Check& check) {
  const std::size_t first = at_;
  const Token word = take();
  check.kind = PropertyKind::kRefines;
  check.refinement = std::make_unique<Refinement>();
  side(check.refinement->left);
  check.object_span = since(word.span);
  check.object_name = joined(first, at_);
  if (!at_name("refines")) {
    fail_expected("'refines'", "and the specification to compare with");
  }
  const std::size_t second = at_;
  take();
  side(check.refinement->right);
  check.property_span = since(tokens_[second].span);
  check.property = joined(second, at_);
}

// What stands before another name is a relaxation of what that stands for.
void Parser::side(Side& side) {
  std::size_t first = at_;
  property_part("a specification");
  while (take_if(TokenKind::kPlus)) property_part("a relaxation");
  const bool is_relaxed = at(TokenKind::kName) && !at_name("refines") &&
                          !at_name("with") && !at_name("expect");
  if (is_relaxed) {
    side.relaxation = joined(first, at_);
    side.relaxation_span = since(tokens_[first].span);
    first = at_;
  }
  at_ = first;
  const Token name = expect_name("a specification");
  side.name = text(name);
  side.span = name.span;
  if (at(TokenKind::kOpenParen)) {
    parts_ = 0;
    Expression call;
    arguments(call);
    side.arguments = std::move(call.operands);
  }
  side.text = joined(first, at_);
}

// `satisfies FORMULA`, where it is read later, by those who know formulas.
void Parser::formula(Check& check) {
  const Token word = take();
  check.property = "satisfies";
  check.property_span = word.span;
  const Span begin = here();
  Span last = begin;
  const auto ends = [&] {
    return at(TokenKind::kSemicolon) || at(TokenKind::kEnd) ||
           at_name("under") || at_name("with") || at_name("expect");
  };
  if (ends())
    fail_expected("a formula", "as in '[] (inv(pop) -> <> res(pop))'");
  while (!ends()) last = take().span;
  check.formula = {begin.begin, last.begin + last.length - begin.begin};
  if (!at_name("under")) return;
  take();
  const Token kind = expect_name("'weak', 'strong' or 'global'");
  const std::string word_of_kind(text(kind));
  if (word_of_kind == "weak") {
    check.fairness = Fairness::kWeak;
  } else if (word_of_kind == "strong") {
    check.fairness = Fairness::kStrong;
  } else if (word_of_kind == "global") {
    check.fairness = Fairness::kGlobal;
  } else {
    fail(kind.span, fmt::format("there is no '{}' fairness", word_of_kind),
         suggestion(word_of_kind, {"weak", "strong", "global"},
                    "it is 'weak', 'strong' or 'global'"));
  }
  if (!at_name("fairness")) fail_expected("'fairness'", "after its kind");
  take();
}

void Parser::property(Check& check) {
  if (at_name("satisfies")) return formula(check);
  const std::size_t first = at_;
  property_part("a property");
  while (take_if(TokenKind::kPlus)) property_part("a property");
  check.property_span = since(tokens_[first].span);
  check.property = joined(first, at_);
  if (at_name("by")) return by_relation(check);
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

// Tokens as people write a condition: "quasi(deq=2, enq=0)".
std::string Parser::joined(std::size_t begin, std::size_t end) const {
  const auto is_wordy = [&](std::size_t i) {
    const TokenKind kind = tokens_[i].kind;
    return kind == TokenKind::kName || kind == TokenKind::kNumber ||
           is_word(kind);
  };
  std::string out;
  for (std::size_t i = begin; i < end; ++i) {
    const bool is_apart =
        i > begin &&
        (tokens_[i - 1].kind == TokenKind::kComma ||
         tokens_[i - 1].kind == TokenKind::kArrow ||
         tokens_[i].kind == TokenKind::kArrow ||
         ((is_wordy(i - 1) || tokens_[i - 1].kind == TokenKind::kCloseParen) &&
          is_wordy(i)));
    if (is_apart) out += ' ';
    out += text(tokens_[i]);
  }
  return out;
}

void Parser::by_relation(Check& check) {
  const Span begin = take().span;
  if (!at_name("relation")) fail_expected("'relation'", "after 'by'");
  take();
  if (check.property != "linearizable" && check.property != "quiescent") {
    fail(since(begin),
         fmt::format("'{}' cannot be checked 'by relation'", check.property),
         "only 'linearizable' and 'quiescent' can");
  }
  check.by_relation = true;
}

// `linearizable`, or `quasi(deq = 2)`.
void Parser::property_part(std::string_view what) {
  expect_name(what);
  if (!at(TokenKind::kOpenParen)) return;
  parenthesized();
}

// What stands in parentheses is read later, by those who know conditions;
// here, only brackets must fit each other.
void Parser::parenthesized() {
  std::vector<Token> open;
  do {
    switch (peek().kind) {
      case TokenKind::kOpenParen:
      case TokenKind::kOpenBracket:
      case TokenKind::kOpenBrace:
        open.push_back(take());
        break;
      case TokenKind::kCloseParen:
      case TokenKind::kCloseBracket:
      case TokenKind::kCloseBrace:
      case TokenKind::kSemicolon:
      case TokenKind::kEnd:
        expect_close(open.back(), closing(open.back().kind));
        open.pop_back();
        break;
      default:
        take();
    }
  } while (!open.empty());
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

// `values 1..2`, `busy 6`, `cells 6`.
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
  if (at_name("busy")) {
    take();
    set_bound(check.busy, sum(), since(begin), "busy periods");
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
                  "'busy 6', 'cells 6' and 'NAME = 4'"));
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
