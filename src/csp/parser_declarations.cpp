// SPDX-License-Identifier: Apache-2.0
// Declarations: constants, variables, channels, processes, assertions.
#include <fmt/format.h>

#include "csp/parser.h"

namespace plumb::csp {

void Parser::declaration() {
  switch (peek().kind) {
    case TokenKind::kHash:
      return directive();
    case TokenKind::kVar:
    case TokenKind::kHvar:
      return variable();
    case TokenKind::kChannel:
      return channel();
    case TokenKind::kEnum:
      return enumeration();
    case TokenKind::kSemicolon:
      take();
      return;
    case TokenKind::kName:
      return process_definition();
    case TokenKind::kAssert:
      fail(peek().span, "'assert' is written '#assert' here",
           "'assert(b)' without '#' is a process");
    default:
      fail_expected("a declaration", "",
                    "declarations begin with 'var', 'channel', '#define', "
                    "'#assert' or 'P() ='");
  }
}

void Parser::directive() {
  const Token hash = take();
  if (take_if(TokenKind::kAssert)) return assertion();
  if (at(TokenKind::kName)) {
    const std::string_view word = text(peek());
    if (word == "define") return define();
    if (word == "alphabet") return alphabet();
    if (word == "import" || word == "include") return import(word == "import");
  }
  static const std::vector<std::string> words = {"define", "assert", "alphabet",
                                                 "import", "include"};
  fail(since(hash.span), fmt::format("there is no '#{}'", text(peek())),
       text::suggestion(std::string(text(peek())), words,
                        "'#' stands before 'define', 'assert', 'alphabet', "
                        "'import' and 'include'"));
}

void Parser::import(bool is_library) {
  const Token word = take();
  if (!at(TokenKind::kString)) {
    fail_expected("a name in quotes", "",
                  is_library ? "as in '#import \"PAT.Lib.Set\";'"
                             : "as in '#include \"other.csp\";'");
  }
  const std::string_view quoted = text(peek());
  module_.imports.push_back({std::string(quoted.substr(1, quoted.size() - 2)),
                             take().span, is_library});
  expect_semicolon(fmt::format("after '#{}'", text(word)));
}

// `#define goal (a) && (b);` has no parameters, `#define m(a) -a;` has.
bool Parser::at_macro_parameters() const {
  if (!at(TokenKind::kOpenParen)) return false;
  std::size_t i = 1;
  for (;; i += 2) {
    if (peek(i).kind != TokenKind::kName) return false;
    if (peek(i + 1).kind == TokenKind::kCloseParen) break;
    if (peek(i + 1).kind != TokenKind::kComma) return false;
  }
  const Span name = tokens_[at_ - 1].span;
  const bool is_next = name.begin + name.length == peek().span.begin;
  switch (peek(i + 2).kind) {
    case TokenKind::kMinus:
    case TokenKind::kPlus:
      return is_next;
    case TokenKind::kAnd:
    case TokenKind::kOr:
    case TokenKind::kXor:
      return peek(i + 4).kind == TokenKind::kColon;
    case TokenKind::kNumber:
    case TokenKind::kName:
    case TokenKind::kTrue:
    case TokenKind::kFalse:
    case TokenKind::kCall:
    case TokenKind::kNew:
    case TokenKind::kNot:
    case TokenKind::kOpenParen:
    case TokenKind::kOpenBrace:
    case TokenKind::kOpenBracket:
    case TokenKind::kHash:
      return true;
    default:
      return false;
  }
}

void Parser::define() {
  take();
  syntax::Macro made;
  made.name = expect_name("a constant or a macro");
  if (at(TokenKind::kAssign)) {
    fail(peek().span, "there is no '=' in a '#define'",
         fmt::format("write '#define {} ...;'", made.name.text));
  }
  if (at_macro_parameters()) {
    made.has_parameters = true;
    take();
    do {
      made.parameters.push_back(expect_name("a parameter"));
    } while (take_if(TokenKind::kComma));
    expect(TokenKind::kCloseParen, "after the parameters");
  }
  if (at(TokenKind::kOpenBrace)) {
    made.body = make(syntax::TermKind::kBlock, peek().span);
    made.body->block = block();
    made.body->span = since(made.body->span);
  } else {
    made.body = expression();
  }
  module_.macros.push_back(std::move(made));
  expect_semicolon("after '#define'");
}

void Parser::alphabet() {
  take();
  syntax::Alphabet made;
  made.process = expect_name("a process");
  if (at(TokenKind::kOpenParen)) {
    fail(peek().span, "an alphabet is that of a process with any arguments",
         fmt::format("write '#alphabet {} {{...}};'; it may use the "
                     "parameters of the process",
                     made.process.text));
  }
  made.events = event_lists();
  module_.alphabets.push_back(std::move(made));
  expect_semicolon("after '#alphabet'");
}

void Parser::enumeration() {
  take();
  std::vector<syntax::Name> made;
  if (at(TokenKind::kName)) {
    fail(peek().span, "an enum has no name", "write 'enum {a, b, c};'");
  }
  const Token open = expect(TokenKind::kOpenBrace, "after 'enum'");
  do {
    made.push_back(expect_name("a constant"));
  } while (take_if(TokenKind::kComma));
  expect_close(open, TokenKind::kCloseBrace);
  module_.enums.push_back(std::move(made));
  expect_semicolon("after 'enum'");
}

std::optional<syntax::Range> Parser::range() {
  if (!take_if(TokenKind::kColon)) return std::nullopt;
  const Token open = expect(TokenKind::kOpenBrace, "as in 'var x:{0..5}'");
  syntax::Range made;
  if (!at(TokenKind::kDotDot)) made.low = sum();
  expect(TokenKind::kDotDot, "between the bounds");
  if (!at(TokenKind::kCloseBrace)) made.high = sum();
  expect_close(open, TokenKind::kCloseBrace);
  return made;
}

std::vector<syntax::TermPtr> Parser::dimensions() {
  std::vector<syntax::TermPtr> made;
  if (at(TokenKind::kGeneral)) {
    fail(peek().span, "the size of the array is missing",
         "write 'var a[3];', or 'var a = [1, 2, 3];'");
  }
  while (at(TokenKind::kOpenBracket)) {
    const Token open = take();
    made.push_back(expression());
    expect_close(open, TokenKind::kCloseBracket);
  }
  return made;
}

void Parser::variable() {
  syntax::Variable made;
  made.hidden = take().kind == TokenKind::kHvar;
  if (at(TokenKind::kLess)) {
    take();
    made.type = expect_name("a class");
    expect(TokenKind::kGreater, "after the class");
  }
  made.name = expect_name("a variable");
  made.dimensions = dimensions();
  made.range = range();
  if (take_if(TokenKind::kAssign)) {
    if (at(TokenKind::kStar)) {
      take();
      made.any = true;
    } else {
      made.initial = expression();
    }
  }
  module_.variables.push_back(std::move(made));
  if (at(TokenKind::kComma)) {
    fail(peek().span, "one 'var' declares one variable",
         "write 'var x; var y;'");
  }
  expect_semicolon("after 'var'");
}

void Parser::channel() {
  take();
  syntax::Channel made;
  made.name = expect_name("a channel");
  if (at(TokenKind::kOpenBracket)) {
    const Token open = take();
    made.elements = sum();
    expect_close(open, TokenKind::kCloseBracket);
  }
  if (at(TokenKind::kSemicolon)) {
    fail(peek().span, "the size of the channel's buffer is missing",
         fmt::format("write 'channel {} 0;' for a synchronous one",
                     made.name.text));
  }
  made.capacity = sum();
  module_.channels.push_back(std::move(made));
  expect_semicolon("after 'channel'");
}

void Parser::process_definition() {
  // What other languages begin with; as names of processes they would be
  // followed by `(` or `=`.
  if (peek(1).kind == TokenKind::kName) {
    const std::string word(text(peek()));
    if (word == "define" || word == "alphabet" || word == "import" ||
        word == "include") {
      fail(peek().span, fmt::format("'{}' begins with '#'", word),
           fmt::format("write '#{} ...'", word));
    }
    if (word == "int" || word == "bool" || word == "const") {
      fail(peek().span, fmt::format("there is no '{}'", word),
           word == "const" ? "write '#define N 3;'" : "write 'var x = 0;'");
    }
    static const std::vector<std::string> words = {"var", "hvar", "channel",
                                                   "enum"};
    fail(peek(1).span,
         fmt::format("unexpected '{}', expected '=' and a process",
                     text(peek(1))),
         text::suggestion(word, words));
  }
  syntax::Definition made;
  made.name = expect_name("a process");
  if (at(TokenKind::kOpenParen)) {
    const Token open = take();
    if (!at(TokenKind::kCloseParen)) {
      do {
        syntax::Parameter parameter;
        parameter.name = expect_name("a parameter");
        parameter.range = range();
        made.parameters.push_back(std::move(parameter));
      } while (take_if(TokenKind::kComma));
    }
    expect_close(open, TokenKind::kCloseParen);
  }
  expect(TokenKind::kAssign, "and what the process does");
  made.body = process();
  module_.processes.push_back(std::move(made));
  if (at(TokenKind::kSemicolon)) {
    take();
    return;
  }
  refuse_after_process();
  expect_semicolon("after the process");
}

syntax::ProcessPtr Parser::process_use() {
  auto made = make(ProcessKind::kReference);
  made->name = expect_name("a process");
  if (at(TokenKind::kOpenParen)) arguments(made->arguments);
  made->span = since(made->span);
  return made;
}

void Parser::assertion() {
  syntax::Assertion made;
  const Span begin = peek().span;
  made.subject = process_use();
  property(made);
  made.text = since(begin);
  made.span = made.text;
  module_.assertions.push_back(std::move(made));
  expect_semicolon("after '#assert'");
}

void Parser::property(syntax::Assertion& assertion) {
  if (at(TokenKind::kSatisfies) || at_name("satisfies")) {
    take();
    return formula(assertion);
  }
  static const std::vector<std::string> words = {
      "deadlockfree", "divergencefree", "deterministic", "nonterminating",
      "reaches",      "refines",        "satisfies"};
  const std::string word(text(peek()));
  if (at(TokenKind::kName)) {
    for (std::size_t i = 0; i < 4; ++i) {
      if (word != words[i]) continue;
      take();
      assertion.kind = static_cast<AssertionKind>(i);
      return;
    }
    if (word == "reaches") return reaches(assertion);
    if (word == "refines") return refines(assertion);
  }
  for (const std::string& candidate : words) {
    if (word.size() >= 4 && candidate.starts_with(word)) {
      fail_expected("what is claimed of the process", "",
                    fmt::format("did you mean '{}'?", candidate));
    }
  }
  fail_expected("what is claimed of the process", "",
                text::suggestion(word, words,
                                 "deadlockfree, divergencefree, "
                                 "deterministic, nonterminating, 'reaches "
                                 "goal', 'refines Q' or '|= formula'"));
}

void Parser::reaches(syntax::Assertion& assertion) {
  take();
  assertion.kind = AssertionKind::kReaches;
  if (!at(TokenKind::kName)) {
    fail_expected("the name of a condition", "",
                  "give it one with '#define goal x == 3;'");
  }
  assertion.proposition = expect_name("a condition");
  if (!at_name("with")) {
    if (at(TokenKind::kSemicolon) || at(TokenKind::kEnd)) return;
    fail_expected("'with' or ';'", "after the condition",
                  "'reaches' takes a name; give the condition one with "
                  "'#define goal x == 3;'");
  }
  take();
  if (!at_name("min") && !at_name("max")) {
    fail_expected("'min' or 'max'", "after 'with'");
  }
  assertion.extreme = text(take()) == "min" ? Extreme::kMin : Extreme::kMax;
  const Token open = expect(TokenKind::kOpenParen, "and an expression");
  assertion.measure = condition();
  expect_close(open, TokenKind::kCloseParen);
}

void Parser::refines(syntax::Assertion& assertion) {
  take();
  assertion.kind = AssertionKind::kRefines;
  if (take_if(TokenKind::kLess)) {
    if (!at_name("F") && !at_name("FD")) {
      fail_expected("'F' or 'FD'", "after 'refines<'",
                    "'refines' alone compares traces");
    }
    assertion.model = text(take()) == "F" ? Behaviours::kFailures
                                          : Behaviours::kFailuresDivergences;
    expect(TokenKind::kGreater, "after 'refines<F'");
  }
  assertion.other = process_use();
}

void Parser::formula(syntax::Assertion& assertion) {
  assertion.kind = AssertionKind::kSatisfies;
  const Span begin = peek().span;
  while (!at(TokenKind::kSemicolon) && !at(TokenKind::kEnd) &&
         !at(TokenKind::kHash)) {
    take();
  }
  if (peek().span.begin == begin.begin) {
    fail_expected("a formula", "", "as in '|= []<> goal'");
  }
  assertion.formula = since(begin);
}

}  // namespace plumb::csp
