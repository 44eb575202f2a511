// SPDX-License-Identifier: Apache-2.0
// Processes.
#include <fmt/format.h>

#include <array>

#include "csp/parser.h"

namespace plumb::csp {
namespace {

struct ProcessLevel {
  TokenKind sign;
  ProcessKind kind;
};

// Loosest first.  `P <<b>> Q` of PAT 2 has a level of its own behind them,
// then `interrupt`.
constexpr std::array kLevels = {
    ProcessLevel{TokenKind::kInterleave, ProcessKind::kInterleave},
    ProcessLevel{TokenKind::kOr, ProcessKind::kParallel},
    ProcessLevel{TokenKind::kGeneral, ProcessKind::kGeneral},
    ProcessLevel{TokenKind::kInternal, ProcessKind::kInternal},
    ProcessLevel{TokenKind::kExternal, ProcessKind::kExternal},
};

}  // namespace

syntax::ProcessPtr Parser::make(ProcessKind kind) const {
  auto made = std::make_unique<syntax::Process>();
  made->kind = kind;
  made->span = peek().span;
  return made;
}

syntax::ProcessPtr Parser::process() {
  const Deeper deeper(*this);
  return operators(0);
}

syntax::ProcessPtr Parser::operators(std::size_t level) {
  if (level == kLevels.size()) return conditional();
  const Span begin = peek().span;
  syntax::ProcessPtr first = operators(level + 1);
  if (!at(kLevels[level].sign)) return first;
  auto made = make(kLevels[level].kind);
  made->children.push_back(std::move(first));
  while (take_if(kLevels[level].sign)) {
    made->children.push_back(operators(level + 1));
  }
  made->span = since(begin);
  return made;
}

// P <<b>> Q: Q if b holds, else P.
syntax::ProcessPtr Parser::conditional() {
  const auto interrupts = [this] {
    const Span begin = peek().span;
    syntax::ProcessPtr first = hiding();
    if (!at(TokenKind::kInterrupt)) return first;
    auto made = make(ProcessKind::kInterrupt);
    made->children.push_back(std::move(first));
    while (take_if(TokenKind::kInterrupt)) made->children.push_back(hiding());
    made->span = since(begin);
    return made;
  };
  syntax::ProcessPtr first = interrupts();
  if (!at(TokenKind::kLeftCondition)) return first;
  const Deeper deeper(*this);
  auto made = make(ProcessKind::kIf);
  const Token open = take();
  made->condition = condition();
  expect_close(open, TokenKind::kRightCondition);
  made->children.push_back(interrupts());
  made->children.push_back(std::move(first));
  made->span = since(open.span);
  if (at(TokenKind::kLeftCondition)) {
    fail(peek().span, "two '<<b>>' in a row",
         "put one of them into parentheses");
  }
  return made;
}

// P \ {a} \ {b} is P \ {a, b}.
syntax::ProcessPtr Parser::hiding() {
  const Span begin = peek().span;
  syntax::ProcessPtr inner = sequence();
  if (!at(TokenKind::kHide)) return inner;
  auto made = make(ProcessKind::kHide);
  made->children.push_back(std::move(inner));
  while (take_if(TokenKind::kHide)) {
    for (syntax::Event& event : event_lists()) {
      made->events.push_back(std::move(event));
    }
  }
  made->span = since(begin);
  return made;
}

syntax::ProcessPtr Parser::sequence() {
  const Span begin = peek().span;
  syntax::ProcessPtr first = guarded();
  syntax::ProcessPtr made;
  while (at(TokenKind::kSemicolon)) {
    const Token semicolon = take();
    if (at_declaration() || at(TokenKind::kSemicolon)) {
      --at_;
      break;
    }
    if (at(TokenKind::kCloseBrace) || at(TokenKind::kCloseParen)) {
      fail(semicolon.span, "unexpected ';' behind the last process",
           "';' stands between two processes that follow each other, and at "
           "the end of a definition");
    }
    if (made == nullptr) {
      made = make(ProcessKind::kSequence);
      made->children.push_back(std::move(first));
    }
    made->children.push_back(guarded());
  }
  if (made == nullptr) return first;
  made->span = since(begin);
  return made;
}

syntax::ProcessPtr Parser::guarded() {
  if (!at(TokenKind::kOpenBracket)) return prefixed();
  const Deeper deeper(*this, 1);
  auto made = make(ProcessKind::kGuard);
  const Token open = take();
  made->condition = condition();
  expect_close(open, TokenKind::kCloseBracket);
  made->children.push_back(guarded());
  made->span = since(open.span);
  return made;
}

syntax::ProcessPtr Parser::prefixed() {
  for (const ProcessLevel& level : kLevels) {
    if (at(level.sign)) return indexed(level.kind);
  }
  switch (peek().kind) {
    case TokenKind::kName:
      return name_or_prefix();
    case TokenKind::kTau:
    case TokenKind::kOpenBrace:
      return event_prefix();
    case TokenKind::kOpenParen:
      if (peek(behind_parentheses(0)).kind == TokenKind::kArrow) {
        return event_set();
      }
      return parenthesised();
    case TokenKind::kSkip:
      return word(ProcessKind::kSkip);
    case TokenKind::kStop:
      return word(ProcessKind::kStop);
    case TokenKind::kIf:
      return if_process(ProcessKind::kIf);
    case TokenKind::kIfa:
      return if_process(ProcessKind::kIfAtomic);
    case TokenKind::kIfb:
      return if_process(ProcessKind::kIfBlocking);
    case TokenKind::kCase:
      return case_process();
    case TokenKind::kAtomic: {
      auto made = make(ProcessKind::kAtomic);
      take();
      made->children.push_back(braced("after 'atomic'"));
      made->span = since(made->span);
      return made;
    }
    case TokenKind::kAssert:
      return assert_process();
    case TokenKind::kWhile:
      fail(peek().span, "there is no 'while' for processes",
           "let a process call itself: 'P() = if (b) { ...; P() };'");
    default:
      fail_expected("a process", "");
  }
}

syntax::ProcessPtr Parser::indexed(ProcessKind kind) {
  const Deeper deeper(*this);
  auto made = make(kind);
  const Token sign = take();
  if (at(TokenKind::kOpenBrace) && kind == ProcessKind::kInterleave) {
    replication(*made);
  } else if (at(TokenKind::kOpenBrace)) {
    fail(peek().span, fmt::format("'{}' takes no number of copies", text(sign)),
         fmt::format("only '|||{{n}}@P' does; write '{} x:{{0..n}} @ P'",
                     text(sign)));
  } else if (at_index()) {
    made->indices = indices();
  } else {
    fail_expected(
        "a process", fmt::format("in front of '{}'", text(sign)),
        fmt::format("or an index: '{} x:{{0..n}} @ P(x)'", text(sign)));
  }
  expect(TokenKind::kAt, "and a process");
  made->children.push_back(process());
  made->span = since(made->span);
  return made;
}

void Parser::replication(syntax::Process& made) {
  const Token open = take();
  if (take_if(TokenKind::kDotDot)) {
    made.unbounded = true;
  } else {
    made.copies = sum();
  }
  if (at(TokenKind::kDotDot)) {
    fail(peek().span, "copies are counted, not numbered",
         "write '|||{n}@P', or '||| x:{0..n} @ P(x)'");
  }
  expect_close(open, TokenKind::kCloseBrace);
}

// `P (x == 0) : Q` in a `case` is P, and a condition behind it.
bool Parser::ends_case() const {
  if (cases_ == 0) return false;
  switch (peek(behind_parentheses(1)).kind) {
    case TokenKind::kColon:
    case TokenKind::kAnd:
    case TokenKind::kEqual:
    case TokenKind::kUnequal:
    case TokenKind::kLess:
    case TokenKind::kGreater:
    case TokenKind::kLessEqual:
    case TokenKind::kGreaterEqual:
      return true;
    default:
      return false;
  }
}

syntax::ProcessPtr Parser::name_or_prefix() {
  switch (peek(1).kind) {
    case TokenKind::kNot:
    case TokenKind::kQuestion:
    case TokenKind::kOpenBracket:
      return communication();
    case TokenKind::kDot:
    case TokenKind::kOpenBrace:
    case TokenKind::kArrow:
      return event_prefix();
    default:
      break;
  }
  auto made = make(ProcessKind::kReference);
  const bool has_arguments =
      peek(1).kind == TokenKind::kOpenParen && !ends_case();
  made->name = expect_name("a process");
  if (has_arguments) arguments(made->arguments);
  made->span = since(made->span);
  if (at(TokenKind::kArrow)) {
    fail(peek().span,
         fmt::format("'->' stands behind an event, and '{}(...)' is a process",
                     made->name.text),
         fmt::format("write ';' to go on when it has ended, or '{}.x -> P' "
                     "for an event with a value",
                     made->name.text));
  }
  return made;
}

syntax::ProcessPtr Parser::communication() {
  auto made = make(ProcessKind::kSend);
  made->name = expect_name("a channel");
  if (at(TokenKind::kOpenBracket)) {
    const Token open = take();
    made->channel_index = sum();
    expect_close(open, TokenKind::kCloseBracket);
  }
  if (take_if(TokenKind::kQuestion)) {
    made->kind = ProcessKind::kReceive;
    if (at(TokenKind::kOpenBracket)) {
      const Token open = take();
      made->condition = condition();
      expect_close(open, TokenKind::kCloseBracket);
    }
  } else if (!take_if(TokenKind::kNot)) {
    fail_expected("'!' or '?'", "after the channel",
                  "a choice is written '[]', a guard stands in front of what "
                  "it guards");
  }
  do {
    made->fields.push_back(condition());
  } while (take_if(TokenKind::kDot));
  if (at(TokenKind::kOpenBrace)) made->block = block();
  made->span = since(made->span);
  continuation(*made);
  return made;
}

syntax::ProcessPtr Parser::event_prefix() {
  auto made = make(ProcessKind::kPrefix);
  if (at(TokenKind::kOpenBrace)) {
    made->events.emplace_back();
    made->events.back().span = peek().span;
  } else {
    made->events.push_back(event());
  }
  if (at(TokenKind::kOpenBrace)) made->block = block();
  made->span = since(made->span);
  continuation(*made);
  return made;
}

syntax::ProcessPtr Parser::event_set() {
  auto made = make(ProcessKind::kEventSet);
  const Token open = take();
  do {
    made->events.push_back(event());
  } while (take_if(TokenKind::kComma));
  if (at(TokenKind::kArrow)) {
    fail(peek().span,
         "unexpected '->': what stands in these parentheses is followed by "
         "'->', so it must be events",
         "write ';' to go on when a process has ended");
  }
  expect_close(open, TokenKind::kCloseParen);
  made->span = since(open.span);
  continuation(*made);
  return made;
}

// The rest of a prefix.  Its own span ends before the arrow.
void Parser::continuation(syntax::Process& made) {
  if (!at(TokenKind::kArrow)) {
    const bool ends = at(TokenKind::kSemicolon) || at(TokenKind::kCloseBrace) ||
                      at(TokenKind::kCloseParen) || at(TokenKind::kEnd);
    fail_expected("'->'", "and a process behind the event",
                  ends ? "write '-> Skip' if nothing follows" : "");
  }
  take();
  const Deeper deeper(*this, 1);
  made.children.push_back(guarded());
}

syntax::ProcessPtr Parser::parenthesised() {
  const Token open = take();
  syntax::ProcessPtr inner = process();
  refuse_after_process();
  expect_close(open, TokenKind::kCloseParen);
  return inner;
}

syntax::ProcessPtr Parser::word(ProcessKind kind) {
  auto made = make(kind);
  take();
  if (at(TokenKind::kOpenParen) && peek(1).kind == TokenKind::kCloseParen) {
    take();
    take();
  }
  made->span = since(made->span);
  return made;
}

syntax::ProcessPtr Parser::braced(std::string_view after) {
  const Token open = expect(TokenKind::kOpenBrace, after);
  syntax::ProcessPtr made = process();
  refuse_after_process();
  expect_close(open, TokenKind::kCloseBrace);
  return made;
}

syntax::ProcessPtr Parser::if_process(ProcessKind kind) {
  const Deeper deeper(*this, 1);
  auto made = make(kind);
  const Token word = take();
  const Token open = expect(TokenKind::kOpenParen, "and a condition");
  made->condition = condition();
  expect_close(open, TokenKind::kCloseParen);
  made->span = since(word.span);
  if (!at(TokenKind::kOpenBrace)) {
    fail_expected("'{'", "and a process",
                  fmt::format("write '{} (b) {{ P }}'", text(word)));
  }
  made->children.push_back(braced("and a process"));
  if (!at(TokenKind::kElse)) return made;
  if (kind == ProcessKind::kIfBlocking) {
    fail(peek().span, "an 'ifb' has no 'else'",
         "it waits until the condition holds; 'if' and 'ifa' have one");
  }
  take();
  const bool is_chain =
      at(TokenKind::kIf) || at(TokenKind::kIfa) || at(TokenKind::kIfb);
  made->children.push_back(is_chain ? prefixed()
                                    : braced("and a process, or 'if'"));
  return made;
}

syntax::ProcessPtr Parser::case_process() {
  auto made = make(ProcessKind::kCase);
  const Token word = take();
  const Token open = expect(TokenKind::kOpenBrace, "after 'case'");
  made->span = word.span;
  ++cases_;
  while (!at(TokenKind::kCloseBrace)) {
    const bool is_default = take_if(TokenKind::kDefault);
    if (!is_default) made->conditions.push_back(condition());
    expect(TokenKind::kColon, "and a process");
    made->children.push_back(process());
    if (at(TokenKind::kColon)) {
      fail(peek().span, "unexpected ':' behind a process",
           "no ';' stands between the branches of a 'case'");
    }
    if (is_default) break;
  }
  --cases_;
  if (made->conditions.empty()) {
    fail(word.span, "a 'case' without conditions",
         "write 'case { b: P  default: Q }'");
  }
  expect_close(open, TokenKind::kCloseBrace);
  return made;
}

syntax::ProcessPtr Parser::assert_process() {
  auto made = make(ProcessKind::kAssert);
  take();
  const Token open = expect(TokenKind::kOpenParen, "and a condition");
  made->condition = expression();
  expect_close(open, TokenKind::kCloseParen);
  made->span = since(made->span);
  return made;
}

// Says more of what often stands behind a process by mistake.
void Parser::refuse_after_process() {
  if (at(TokenKind::kArrow)) {
    fail(peek().span, "unexpected '->': what stands before it is a process",
         "write ';' to go on when it has ended");
  }
  if (at(TokenKind::kBitOr)) {
    fail(peek().span, "there is no '|' for processes",
         "a choice is written '[]', interleaving '|||', lock-step '||'");
  }
  if (at(TokenKind::kOpenBracket)) {
    fail(peek().span, "unexpected '[' behind a process",
         "a choice is written '[]', without a space");
  }
}

syntax::Event Parser::event() {
  syntax::Event made;
  made.span = peek().span;
  if (take_if(TokenKind::kTau)) return made;
  made.name = expect_name("an event");
  while (take_if(TokenKind::kDot)) made.fields.push_back(sum());
  made.span = since(made.span);
  return made;
}

std::vector<syntax::Event> Parser::event_lists() {
  std::vector<syntax::Event> made;
  const Token open = expect(TokenKind::kOpenBrace, "and events");
  if (!at(TokenKind::kCloseBrace)) {
    do {
      made.push_back(event_list());
    } while (take_if(TokenKind::kComma));
  }
  expect_close(open, TokenKind::kCloseBrace);
  return made;
}

syntax::Event Parser::event_list() {
  if (!at_index()) {
    syntax::Event made = event();
    if (at(TokenKind::kNot) || at(TokenKind::kQuestion)) {
      fail(peek().span, "events of channels cannot be listed here",
           "list events that are written without '!' and '?'; those of a "
           "synchronous channel are 'c.v'");
    }
    return made;
  }
  std::vector<syntax::Index> bound = indices();
  expect(TokenKind::kAt, "and an event");
  syntax::Event made = event();
  made.indices = std::move(bound);
  return made;
}

bool Parser::at_index() const {
  return at(TokenKind::kName) && peek(1).kind == TokenKind::kColon;
}

std::vector<syntax::Index> Parser::indices() {
  std::vector<syntax::Index> made;
  do {
    made.push_back(index());
  } while (take_if(TokenKind::kSemicolon));
  return made;
}

syntax::Index Parser::index() {
  syntax::Index made;
  made.name = expect_name("an index");
  expect(TokenKind::kColon, "and its values");
  const Token open = expect(TokenKind::kOpenBrace, "as in 'x:{0..3}'");
  made.low = sum();
  if (take_if(TokenKind::kDotDot)) {
    made.high = sum();
  } else {
    made.values.push_back(std::move(made.low));
    while (take_if(TokenKind::kComma)) made.values.push_back(sum());
  }
  expect_close(open, TokenKind::kCloseBrace);
  return made;
}

}  // namespace plumb::csp
