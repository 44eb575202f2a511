// SPDX-License-Identifier: Apache-2.0
// What cannot be read: the message, and a way out.
#include "csp/front_end_test_support.h"

namespace plumb::csp {
namespace {

const Case kWhatCannotBeRead[] = {
    {"var x; P = e{for (var i = 0; i < 3; i++) {x = i}} -> Skip;",
     "there is no 'for' (write 'var i = 0; while (i < n) { ...; i = i + 1; "
     "}')"},
    {"var x; P = e{x += 1} -> Skip;", "there is no '+=' (write 'x = x + ...')"},
    {"var x; P = e{int y = 1} -> Skip;",
     "unexpected 'y', expected ';' or an operator after 'int' (write 'var x "
     "= 0;')"},
    {"var x; P = e{return x} -> Skip;",
     "there is no 'return' (the last expression of a macro's block is its "
     "value)"},
    {"var x; P = [x = 1] Skip;",
     "unexpected '=', expected ']' (did you mean '=='?)"},
    {"var x; P = if (x = 1) {Skip};",
     "unexpected '=', expected ')' (did you mean '=='?)"},
    {"var x; P = [x => 1] Skip;",
     "unexpected '=', expected ']' ('->' stands behind an event; for 'a "
     "implies b' write '!a || b')"},
    {"var x; P = [x == 1 ? 2 : 3] Skip;",
     "unexpected '?', expected ']' (there is no 'b ? x : y'; in a block, use "
     "'if (b) ... else ...')"},
    {"var x; P = [x <> 1] Skip;",
     "unexpected '<>', expected ']' ('!=' is the sign for unequal)"},
    {"var x; P = if (x == 1) Skip;",
     "unexpected 'Skip', expected '{' and a process (write 'if (b) { P }')"},
    {"P = a -> Skip | b -> Skip;",
     "there is no '|' for processes (a choice is written '[]', interleaving "
     "'|||', lock-step '||')"},
    {"P = a.1;",
     "unexpected ';', expected '->' and a process behind the event (write "
     "'-> Skip' if nothing follows)"},
    {"P = (a -> Skip;", "unexpected ';', expected ')'"},
    {"P = a -> Skip) ;", "unexpected ')', expected ';' after the process"},
    {"P = a -> Skip [ ] b -> Skip;",
     "unexpected '[' behind a process (a choice is written '[]', without a "
     "space)"},
    {"P = Q() -> Skip; Q = Skip;",
     "'->' stands behind an event, and 'Q(...)' is a process (write ';' to "
     "go on when it has ended, or 'Q.x -> P' for an event with a value)"},
    {"P = (a -> Skip) -> Skip;",
     "unexpected '->': what stands in these parentheses is followed by '->', "
     "so it must be events (write ';' to go on when a process has ended)"},
    {"P = if (true) { a -> Skip; };",
     "unexpected ';' behind the last process (';' stands between two "
     "processes that follow each other, and at the end of a definition)"},
    {"P = while (true) {a -> Skip};",
     "there is no 'while' for processes (let a process call itself: 'P() = "
     "if (b) { ...; P() };')"},
    {"P = ||| Skip;",
     "unexpected 'Skip', expected a process in front of '|||' (or an index: "
     "'||| x:{0..n} @ P(x)')"},
    {"channel c 0; P = c?x.x -> Skip;",
     "'x' stands twice in one input (to receive two equal values, write '[x "
     "== y]x.y')"},
    {"var x; P = e.x; ",
     "unexpected ';', expected '->' and a process behind the event (write "
     "'-> Skip' if nothing follows)"},
    {"P = e{x = 1 -> Skip; Q = b -> Skip;", "unexpected '->', expected '}'"},
    {"P = [true and false] Skip;",
     "unexpected 'and', expected ']' (did you mean '&&'?)"},
    {"P = atomic a -> Skip;", "unexpected 'a', expected '{' after 'atomic'"},
    {"var x; P = ++x -> Skip;", "unexpected '++', expected a process"},
    {"var x; P = e{++x} -> Skip;",
     "'++' stands behind a variable (write 'x++')"},
    {"P = a -> Skip", "expected ';' after the process"},
};

TEST(CspErrors, WhatCannotBeReadAreTold) {
  expect_messages(kWhatCannotBeRead);
}

TEST(CspErrors, SeveralAreToldInOneRun) {
  EXPECT_EQ(errors_of("var x\n"
                      "P = a -> ;\n"
                      "Q = e{x = ; y = 1 +} -> Skip;\n"
                      "R = b -> Skip;\n"
                      "#assert R deadlock;\n"),
            "m.csp:1:6: error: expected ';' after 'var'\n"
            "  1 | var x\n"
            "    |      ^\n"
            "m.csp:2:10: error: unexpected ';', expected a process\n"
            "  2 | P = a -> ;\n"
            "    |          ^\n"
            "m.csp:3:11: error: unexpected ';', expected an expression\n"
            "  3 | Q = e{x = ; y = 1 +} -> Skip;\n"
            "    |           ^\n"
            "m.csp:3:20: error: unexpected '}', expected an expression\n"
            "  3 | Q = e{x = ; y = 1 +} -> Skip;\n"
            "    |                    ^\n"
            "m.csp:5:11: error: unexpected 'deadlock', expected what is "
            "claimed of the process\n"
            "  5 | #assert R deadlock;\n"
            "    |           ^~~~~~~~\n"
            "hint: did you mean 'deadlockfree'?\n");
}

TEST(CspErrors, AtMostTwentyAreTold) {
  std::string text;
  for (int i = 0; i < 50; ++i) text += "P" + std::to_string(i) + " = Q;\n";
  EXPECT_EQ(messages_of(text).size(), kMostErrors);
}

TEST(CspErrors, WhatIsNotClosedIsNamed) {
  EXPECT_EQ(message_of("P = (a -> Skip\n;"),
            "unexpected ';', expected ')' (the '(' on line 1 is not closed)");
  EXPECT_EQ(message_of("P = e{x = 1\n-> Skip;\nvar x;"),
            "unexpected '->', expected '}' (the '{' on line 1 is not closed)");
}

}  // namespace
}  // namespace plumb::csp
