// SPDX-License-Identifier: Apache-2.0
#include "lang/front_end_test_support.h"

namespace plumb::lang {
namespace {

constexpr Case kWordsAndSignsMustBeKnown[] = {
    {"const N = 1 & 2;",
     "m.plumb:1:13: error: unexpected character '&'\n"
     "  1 | const N = 1 & 2;\n"
     "    |             ^\n"
     "hint: did you mean '&&'?\n"},
    {"const N = 1 | 2;",
     "m.plumb:1:13: error: unexpected character '|'\n"
     "  1 | const N = 1 | 2;\n"
     "    |             ^\n"
     "hint: did you mean '||'?\n"},
    {"const N = \"text\"; const M = ;",
     "m.plumb:1:29: error: unexpected ';', expected an expression\n"
     "  1 | const N = \"text\"; const M = ;\n"
     "    |                             ^\n"},
    {"const N = \"text\";",
     "m.plumb:1:11: error: unexpected text\n"
     "  1 | const N = \"text\";\n"
     "    |           ^~~~~~\n"
     "hint: an object has no texts; an enum gives names to values\n"},
    {"const N = \"text; const M = 1;",
     "m.plumb:1:11: error: this text does not end\n"
     "  1 | const N = \"text; const M = 1;\n"
     "    |           ^~~~~~~~~~~~~~~~~~~\n"
     "hint: it ends with '\"', on the same line\n"},
    {"const é = 1;",
     "m.plumb:1:7: error: unexpected character 'é'\n"
     "  1 | const é = 1;\n"
     "    |       ^~\n"
     "hint: names are made of the letters A to Z, digits and '_'; other "
     "characters may stand in comments only\n"},
    {"#include <atomic>",
     "m.plumb:1:1: error: unexpected character '#'\n"
     "  1 | #include <atomic>\n"
     "    | ^\n"
     "hint: a comment begins with '//'\n"},
    {"const N = 99999999999;",
     "m.plumb:1:11: error: '99999999999' is too large\n"
     "  1 | const N = 99999999999;\n"
     "    |           ^~~~~~~~~~~\n"
     "hint: an int holds whole numbers from -32767 to 32767\n"},
    {"const N = 1.5;",
     "m.plumb:1:11: error: '1.5' is not a whole number\n"
     "  1 | const N = 1.5;\n"
     "    |           ^~~\n"
     "hint: a range is written with two dots, as in 'values 1..5'\n"},
    {"const N = 0x10;",
     "m.plumb:1:11: error: '0x10' is neither a number nor a name\n"
     "  1 | const N = 0x10;\n"
     "    |           ^~~~\n"
     "hint: numbers are decimal; names begin with a letter or '_'\n"},
    {"const N = 1;\n"
     "/* never closed",
     "m.plumb:2:1: error: this comment is not closed\n"
     "  2 | /* never closed\n"
     "    | ^~\n"
     "hint: a comment that begins with '/*' ends with '*/'\n"},
    {"object a { void f() { x->y = 1; } }",
     "m.plumb:1:24: error: '->' is no sign of the language\n"
     "  1 | object a { void f() { x->y = 1; } }\n"
     "    |                        ^~\n"
     "hint: write 'n.next': structs are used by reference\n"},
    {"const N = 1 @@@ 2;",
     "m.plumb:1:13: error: unexpected character '@'\n"
     "  1 | const N = 1 @@@ 2;\n"
     "    |             ^~~\n"},
    {"const N = 999999999999999999999999999999999999999999999999999999999999;",
     "m.plumb:1:11: error: '999999999999999999999999999...' is too large\n"
     "  1 | const N = "
     "999999999999999999999999999999999999999999999999999999999999;\n"
     "    |           "
     "^~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "hint: an int holds whole numbers from -32767 to 32767\n"},
};

TEST(SyntaxErrors, WordsAndSignsMustBeKnown) {
  expect_messages(errors_of, kWordsAndSignsMustBeKnown);
}

constexpr Case kDeclarationsMustBeWhole[] = {
    {"chekc a safe with 1 process;",
     "m.plumb:1:1: error: unexpected 'chekc', expected a declaration\n"
     "  1 | chekc a safe with 1 process;\n"
     "    | ^~~~~\n"
     "hint: did you mean 'check'?\n"},
    {"}",
     "m.plumb:1:1: error: this '}' closes nothing\n"
     "  1 | }\n"
     "    | ^\n"},
    {"const N = ;",
     "m.plumb:1:11: error: unexpected ';', expected an expression\n"
     "  1 | const N = ;\n"
     "    |           ^\n"},
    {"const N",
     "m.plumb:1:8: error: unexpected end of the file, expected '=' and the "
     "value of the constant\n"
     "  1 | const N\n"
     "    |        ^\n"},
    {"const = 3;",
     "m.plumb:1:7: error: unexpected '=', expected the name of a constant\n"
     "  1 | const = 3;\n"
     "    |       ^\n"},
    {"const N 3;",
     "m.plumb:1:9: error: unexpected '3', expected '=' and the value of the "
     "constant\n"
     "  1 | const N 3;\n"
     "    |         ^\n"},
    {"const if = 3;",
     "m.plumb:1:7: error: 'if' cannot be the name of a constant\n"
     "  1 | const if = 3;\n"
     "    |       ^~\n"
     "hint: it is a word of the language; choose another name\n"},
    {"enum E { }",
     "m.plumb:1:10: error: unexpected '}', expected the name of a value\n"
     "  1 | enum E { }\n"
     "    |          ^\n"},
    {"enum E { a b }",
     "m.plumb:1:12: error: unexpected 'b', expected '}'\n"
     "  1 | enum E { a b }\n"
     "    |            ^\n"},
    {"spec s(Node n) { }",
     "m.plumb:1:8: error: a parameter of a specification is 'int' or 'bool'\n"
     "  1 | spec s(Node n) { }\n"
     "    |        ^~~~\n"
     "hint: it is a constant that 'implements' gives\n"},
    {"spec s implements queue { }",
     "m.plumb:1:8: error: a specification implements nothing\n"
     "  1 | spec s implements queue { }\n"
     "    |        ^~~~~~~~~~\n"
     "hint: an object implements it: 'object NAME implements SPEC { ... }'\n"},
    {"object { }",
     "m.plumb:1:8: error: unexpected '{', expected the name of an object\n"
     "  1 | object { }\n"
     "    |        ^\n"},
    {"object a implemnts queue { }",
     "m.plumb:1:10: error: unexpected 'implemnts', expected '{'\n"
     "  1 | object a implemnts queue { }\n"
     "    |          ^~~~~~~~~\n"
     "hint: did you mean 'implements'?\n"},
    {"object a implements { }",
     "m.plumb:1:21: error: unexpected '{', expected the name of a "
     "specification\n"
     "  1 | object a implements { }\n"
     "    |                     ^\n"},
    {"object a",
     "m.plumb:1:9: error: unexpected end of the file, expected '{' and the "
     "members of 'a'\n"
     "  1 | object a\n"
     "    |         ^\n"},
    {"object a {\n"
     "    void f() {\n"
     "        skip;\n",
     "m.plumb:3:14: error: unexpected end of the file, expected '}'\n"
     "  3 |         skip;\n"
     "    |              ^\n"
     "hint: the '{' on line 2 is not closed\n"},
    {"spec s {\n"
     "    shared int x;\n"
     "    struct N { int v; }\n"
     "    init { skip; }\n"
     "    memory manual;\n"
     "    role r: others { f }\n"
     "    void f() { skip; }\n"
     "}",
     "m.plumb:2:5: error: a specification has no 'shared' variables\n"
     "  2 |     shared int x;\n"
     "    |     ^~~~~~\n"
     "hint: leave 'shared' out: each operation of it is one step anyway\n"
     "m.plumb:3:5: error: a specification has no structs\n"
     "  3 |     struct N { int v; }\n"
     "    |     ^~~~~~\n"
     "hint: it is made of constants, enums, plain variables, 'init', "
     "functions and operations\n"
     "m.plumb:5:5: error: a specification has no memory\n"
     "  5 |     memory manual;\n"
     "    |     ^~~~~~\n"
     "hint: it is made of constants, enums, plain variables, 'init', "
     "functions and operations\n"
     "m.plumb:6:5: error: a specification has no roles\n"
     "  6 |     role r: others { f }\n"
     "    |     ^~~~\n"
     "hint: it is made of constants, enums, plain variables, 'init', "
     "functions and operations\n"},
};

TEST(SyntaxErrors, DeclarationsMustBeWhole) {
  expect_messages(errors_of, kDeclarationsMustBeWhole);
}

constexpr Case kStatementsMustBeWhole[] = {
    {"object a { void f() { else skip; } }",
     "m.plumb:1:23: error: this 'else' belongs to no 'if'\n"
     "  1 | object a { void f() { else skip; } }\n"
     "    |                       ^~~~\n"},
    {"object a { void f() { ; } }",
     "m.plumb:1:23: error: there is no statement before this ';'\n"
     "  1 | object a { void f() { ; } }\n"
     "    |                       ^\n"
     "hint: write 'skip;' for a step that does nothing\n"},
    {"object a { void f() { if (x = 1) skip; } }",
     "m.plumb:1:29: error: unexpected '=', expected ')'\n"
     "  1 | object a { void f() { if (x = 1) skip; } }\n"
     "    |                             ^\n"
     "hint: did you mean '=='?\n"},
    {"object a { void f() { while x skip; } }",
     "m.plumb:1:29: error: unexpected 'x', expected '(' after 'while'\n"
     "  1 | object a { void f() { while x skip; } }\n"
     "    |                             ^\n"},
    {"object a { void f() { do skip; until (x); } }",
     "m.plumb:1:32: error: unexpected 'until', expected 'while' after the body "
     "of 'do'\n"
     "  1 | object a { void f() { do skip; until (x); } }\n"
     "    |                                ^~~~~\n"},
    {"object a { void f() { for (int i = 0; i < 3) skip; } }",
     "m.plumb:1:44: error: unexpected ')', expected ';' after the condition of "
     "'for'\n"
     "  1 | object a { void f() { for (int i = 0; i < 3) skip; } }\n"
     "    |                                            ^\n"},
    {"object a { void f() { choose { skip; } } }",
     "m.plumb:1:23: error: this 'choose' has one branch only\n"
     "  1 | object a { void f() { choose { skip; } } }\n"
     "    |                       ^~~~~~\n"
     "hint: write 'choose { ... } or { ... }'\n"},
    {"object a { void f() { atomic skip; } }",
     "m.plumb:1:30: error: unexpected 'skip', expected '{' after 'atomic'\n"
     "  1 | object a { void f() { atomic skip; } }\n"
     "    |                              ^~~~\n"},
    {"object a { void f() { await; } }",
     "m.plumb:1:28: error: unexpected ';', expected an expression\n"
     "  1 | object a { void f() { await; } }\n"
     "    |                            ^\n"},
    {"object a { void f() { retrun 1; } }",
     "m.plumb:1:23: error: unexpected 'retrun'\n"
     "  1 | object a { void f() { retrun 1; } }\n"
     "    |                       ^~~~~~\n"
     "hint: did you mean 'return'?\n"},
    {"object a { void f() { int[2] x; } }",
     "m.plumb:1:26: error: unexpected '[' before the name\n"
     "  1 | object a { void f() { int[2] x; } }\n"
     "    |                          ^\n"
     "hint: the size stands behind the name, as in 'int a[2]'\n"},
    {"object a { void f() { f(1, 2; } }",
     "m.plumb:1:29: error: unexpected ';', expected ')'\n"
     "  1 | object a { void f() { f(1, 2; } }\n"
     "    |                             ^\n"},
    {"object a { void f() { x = (1 + 2; } }",
     "m.plumb:1:33: error: unexpected ';', expected ')'\n"
     "  1 | object a { void f() { x = (1 + 2; } }\n"
     "    |                                 ^\n"},
    {"object a { void f() { x = new 3; } }",
     "m.plumb:1:31: error: unexpected '3', expected the name of a struct\n"
     "  1 | object a { void f() { x = new 3; } }\n"
     "    |                               ^\n"},
    {"object a { void f() { x = new N { 1 }; } }",
     "m.plumb:1:35: error: unexpected '1', expected the name of a field\n"
     "  1 | object a { void f() { x = new N { 1 }; } }\n"
     "    |                                   ^\n"},
    {"object a { void f() { x = 1 y = 2; } }",
     "m.plumb:1:29: error: unexpected 'y', expected ';' at the end of the "
     "statement\n"
     "  1 | object a { void f() { x = 1 y = 2; } }\n"
     "    |                             ^\n"},
    {"object a { void f() { x = a ? b; } }",
     "m.plumb:1:32: error: unexpected ';', expected ':' between the two values "
     "of '?'\n"
     "  1 | object a { void f() { x = a ? b; } }\n"
     "    |                                ^\n"},
    {"object a { void f( { skip; } }",
     "m.plumb:1:20: error: unexpected '{', expected a type\n"
     "  1 | object a { void f( { skip; } }\n"
     "    |                    ^\n"},
    {"object a { void f() skip; }",
     "m.plumb:1:21: error: unexpected 'skip', expected '{' and the body of "
     "'f'\n"
     "  1 | object a { void f() skip; }\n"
     "    |                     ^~~~\n"},
    {"object a { void f }",
     "m.plumb:1:19: error: unexpected '}', expected '(' and the parameters\n"
     "  1 | object a { void f }\n"
     "    |                   ^\n"},
    {"object a {\n"
     "    void f() {\n"
     "        x = (1\n"
     "            + 2;\n"
     "    }\n"
     "}",
     "m.plumb:4:16: error: unexpected ';', expected ')'\n"
     "  4 |             + 2;\n"
     "    |                ^\n"
     "hint: the '(' on line 3 is not closed\n"},
};

TEST(SyntaxErrors, StatementsMustBeWhole) {
  expect_messages(errors_of, kStatementsMustBeWhole);
}

constexpr Case kChecksMustBeWhole[] = {
    {"check",
     "m.plumb:1:6: error: unexpected end of the file, expected the name of an "
     "object\n"
     "  1 | check\n"
     "    |      ^\n"},
    {"check a",
     "m.plumb:1:8: error: unexpected end of the file, expected the name of a "
     "property\n"
     "  1 | check a\n"
     "    |        ^\n"},
    {"check a linearizable with 2;",
     "m.plumb:1:28: error: unexpected ';', expected what the bound counts\n"
     "  1 | check a linearizable with 2;\n"
     "    |                            ^\n"
     "hint: bounds are '3 processes', 'values 1..2', '2 operations', 'busy 6', "
     "'cells 6' and 'NAME = 4'\n"},
    {"check a linearizable with 2 procs;",
     "m.plumb:1:29: error: unexpected 'procs', expected what the bound counts\n"
     "  1 | check a linearizable with 2 procs;\n"
     "    |                             ^~~~~\n"
     "hint: bounds are '3 processes', 'values 1..2', '2 operations', 'busy 6', "
     "'cells 6' and 'NAME = 4'\n"},
    {"check a linearizable with 2 processses;",
     "m.plumb:1:29: error: unexpected 'processses', expected what the bound "
     "counts\n"
     "  1 | check a linearizable with 2 processses;\n"
     "    |                             ^~~~~~~~~~\n"
     "hint: did you mean 'processes'?\n"},
    {"check a linearizable with 2 processes, 3 processes;",
     "m.plumb:1:40: error: processes are given twice\n"
     "  1 | check a linearizable with 2 processes, 3 processes;\n"
     "    |                                        ^~~~~~~~~~~\n"},
    {"check a linearizable with 1 process, values 1, values 2;",
     "m.plumb:1:48: error: values are given twice\n"
     "  1 | check a linearizable with 1 process, values 1, values 2;\n"
     "    |                                                ^~~~~~~~\n"},
    {"check a linearizable with 1 process, cells 1, 2 cells;",
     "m.plumb:1:47: error: cells are given twice\n"
     "  1 | check a linearizable with 1 process, cells 1, 2 cells;\n"
     "    |                                               ^~~~~~~\n"},
    {"check a linearizable with 1 process, N = 1, N = 2;",
     "m.plumb:1:45: error: 'N' is set twice\n"
     "  1 | check a linearizable with 1 process, N = 1, N = 2;\n"
     "    |                                             ^\n"},
    {"check a linearizable with 1 process 2 operations;",
     "m.plumb:1:37: error: unexpected '2', expected ';' after the check\n"
     "  1 | check a linearizable with 1 process 2 operations;\n"
     "    |                                     ^\n"},
    {"check a linearizable with 1 process expect violeted;",
     "m.plumb:1:44: error: unexpected 'violeted', expected 'holds', 'violated' "
     "or 'unknown'\n"
     "  1 | check a linearizable with 1 process expect violeted;\n"
     "    |                                            ^~~~~~~~\n"
     "hint: did you mean 'violated'?\n"},
    {"check a linearizable with 1 process expect;",
     "m.plumb:1:43: error: unexpected ';', expected 'holds', 'violated' or "
     "'unknown'\n"
     "  1 | check a linearizable with 1 process expect;\n"
     "    |                                           ^\n"},
    {"check a lock_free at marks with 1 process;",
     "m.plumb:1:19: error: 'lock_free' cannot be checked 'at marks'\n"
     "  1 | check a lock_free at marks with 1 process;\n"
     "    |                   ^~~~~~~~\n"
     "hint: only 'linearizable' can\n"},
    {"check a linearizable at mark with 1 process;",
     "m.plumb:1:25: error: unexpected 'mark', expected 'marks' after 'at'\n"
     "  1 | check a linearizable at mark with 1 process;\n"
     "    |                         ^~~~\n"},
    {"check a quasi(deq = 2 with 1 process;",
     "m.plumb:1:37: error: unexpected ';', expected ')'\n"
     "  1 | check a quasi(deq = 2 with 1 process;\n"
     "    |                                     ^\n"},
    {"check a linearizable with 1 process, values;",
     "m.plumb:1:44: error: unexpected ';', expected an expression\n"
     "  1 | check a linearizable with 1 process, values;\n"
     "    |                                            ^\n"},
};

TEST(SyntaxErrors, ChecksMustBeWhole) {
  expect_messages(errors_of, kChecksMustBeWhole);
}

}  // namespace
}  // namespace plumb::lang
