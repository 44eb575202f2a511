// SPDX-License-Identifier: Apache-2.0
#include "lang/front_end_test_support.h"

namespace plumb::lang {
namespace {

constexpr Case kNameObjectsAndProperties[] = {
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check b safe with 1 process;",
     "m.plumb:5:7: error: unknown object 'b'\n"
     "  5 | check b safe with 1 process;\n"
     "    |       ^\n"},
    {"object treiber { void f() { skip; } }\n"
     "check trieber safe with 1 process;",
     "m.plumb:2:7: error: unknown object 'trieber'\n"
     "  2 | check trieber safe with 1 process;\n"
     "    |       ^~~~~~~\n"
     "hint: did you mean 'treiber'?\n"},
    {"spec s { void f() { } }\n"
     "check s safe with 1 process;",
     "m.plumb:2:7: error: 's' is a specification; objects are checked\n"
     "  2 | check s safe with 1 process;\n"
     "    |       ^\n"
     "hint: write 'check spec s refines ...' to compare it with another\n"},
    {"object a { void f() { skip; } }\n"
     "check a linearizable with 1 process;",
     "m.plumb:2:9: error: 'a' implements no specification, so it cannot be "
     "checked to be 'linearizable'\n"
     "  2 | check a linearizable with 1 process;\n"
     "    |         ^~~~~~~~~~~~\n"
     "hint: write 'object a implements ...'\n"},
    {"object a { }\n"
     "check a safe with 1 process;",
     "m.plumb:2:7: error: 'a' has no operations\n"
     "  2 | check a safe with 1 process;\n"
     "    |       ^\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a linearizible with 1 process;",
     "m.plumb:5:9: error: unknown property 'linearizible'\n"
     "  5 | check a linearizible with 1 process;\n"
     "    |         ^~~~~~~~~~~~\n"
     "hint: did you mean 'linearizable'?\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a fast with 1 process;",
     "m.plumb:5:9: error: unknown property 'fast'\n"
     "  5 | check a fast with 1 process;\n"
     "    |         ^~~~\n"
     "hint: 'linearizable', 'quasi(...)', 'quiescent', 'sequential', 'safe', "
     "'deadlock_free', 'lock_free', 'wait_free', 'obstruction_free' and "
     "'satisfies FORMULA' can be checked\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe + lock_free with 1 process;",
     "m.plumb:5:9: error: 'safe+lock_free' cannot be combined\n"
     "  5 | check a safe + lock_free with 1 process;\n"
     "    |         ^~~~~~~~~~~~~~~~\n"
     "hint: write one check for each property\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a quasi(deq=1) + quiescent with 1 process;",
     ""},
};

TEST(ErrorsInChecks, NameObjectsAndProperties) {
  expect_messages(errors_of, kNameObjectsAndProperties);
}

constexpr Case kHaveBoundsThatAreNumbers[] = {
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe;",
     "m.plumb:5:1: error: this check does not say how many processes there "
     "are\n"
     "  5 | check a safe;\n"
     "    | ^~~~~~~~~~~~\n"
     "hint: write '... with 2 processes;'\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe with values 1;",
     "m.plumb:5:1: error: this check does not say how many processes there "
     "are\n"
     "  5 | check a safe with values 1;\n"
     "    | ^~~~~~~~~~~~~~~~~~~~~~~~~~\n"
     "hint: write '... with 2 processes;'\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe with true processes;",
     "m.plumb:5:19: error: this is bool, but a number of processes is int\n"
     "  5 | check a safe with true processes;\n"
     "    |                   ^~~~\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe with M processes;",
     "m.plumb:5:19: error: unknown name 'M'\n"
     "  5 | check a safe with M processes;\n"
     "    |                   ^\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe with processes processes;",
     "m.plumb:5:19: error: the number of processes cannot depend on "
     "'processes'\n"
     "  5 | check a safe with processes processes;\n"
     "    |                   ^~~~~~~~~\n"},
    {"const P = processes + 1;\n"
     "const Q = P;\n"
     "object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe with Q processes;",
     "m.plumb:7:19: error: the number of processes cannot depend on "
     "'processes'\n"
     "  7 | check a safe with Q processes;\n"
     "    |                   ^\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe with 1 process, values 1..true, null operations, cells "
     "self;",
     "m.plumb:5:40: error: this is bool, but values are int\n"
     "  5 | check a safe with 1 process, values 1..true, null operations, "
     "cells self;\n"
     "    |                                        ^~~~\n"
     "m.plumb:5:46: error: this is null, but a number of operations is int\n"
     "  5 | check a safe with 1 process, values 1..true, null operations, "
     "cells self;\n"
     "    |                                              ^~~~\n"
     "m.plumb:5:69: error: this is process, but a number of cells is int\n"
     "  5 | check a safe with 1 process, values 1..true, null operations, "
     "cells self;\n"
     "    |                                                                    "
     " ^~~~\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe with 1 process, cells len(1);",
     "m.plumb:5:40: error: this is int, but 'len' needs a seq, a set or a map\n"
     "  5 | check a safe with 1 process, cells len(1);\n"
     "    |                                        ^\n"},
};

TEST(ErrorsInChecks, HaveBoundsThatAreNumbers) {
  expect_messages(errors_of, kHaveBoundsThatAreNumbers);
}

constexpr Case kSetConstantsThatAreThere[] = {
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe with 1 process, L = 3;",
     "m.plumb:5:30: error: unknown constant 'L'\n"
     "  5 | check a safe with 1 process, L = 3;\n"
     "    |                              ^\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe with 1 process, KK = 3;",
     "m.plumb:5:30: error: unknown constant 'KK'\n"
     "  5 | check a safe with 1 process, KK = 3;\n"
     "    |                              ^~\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe with 1 process, K = true;",
     "m.plumb:5:34: error: this is bool, but 'K' is int\n"
     "  5 | check a safe with 1 process, K = true;\n"
     "    |                                  ^~~~\n"},
    {"object a implements queue {\n"
     "    const K = 1;\n"
     "    int deq() { return empty; }\n"
     "}\n"
     "check a safe with 1 process, K = 3;",
     ""},
    {"spec s { const K = 1; void f() { } }\n"
     "object o implements s { const K = 2; void f() { skip; } }\n"
     "check o safe with 1 process, K = 1;",
     "m.plumb:3:30: error: 'K' is a constant of the object and of its "
     "specification\n"
     "  3 | check o safe with 1 process, K = 1;\n"
     "    |                              ^\n"
     "hint: give them different names, or declare one outside\n"},
    {"spec s { const K = 1; void f() { } }\n"
     "object o implements s { void f() { skip; } }\n"
     "check o safe with 1 process, K = 1;",
     ""},
};

TEST(ErrorsInChecks, SetConstantsThatAreThere) {
  expect_messages(errors_of, kSetConstantsThatAreThere);
}

constexpr Case kSpecificationsMustBeThere[] = {
    {"object a implements stck { }",
     "m.plumb:1:21: error: unknown specification 'stck'\n"
     "  1 | object a implements stck { }\n"
     "    |                     ^~~~\n"
     "hint: did you mean 'stack'? ('plumb specs' lists them all)\n"},
    {"object a implements blocking_set { }",
     "m.plumb:1:21: error: 'set' has no blocking variant\n"
     "  1 | object a implements blocking_set { }\n"
     "    |                     ^~~~~~~~~~~~\n"
     "hint: these have one: 'queue', 'stack', 'deque', 'priority_queue', "
     "'bag'\n"},
    {"object a implements set(3) { }",
     "m.plumb:1:21: error: 'set' cannot have a capacity\n"
     "  1 | object a implements set(3) { }\n"
     "    |                     ^~~\n"
     "hint: these can: 'queue', 'stack', 'deque', 'priority_queue', 'bag'\n"},
    {"object a implements stack(2, 3) { }",
     "m.plumb:1:30: error: 'stack' takes one argument, its capacity\n"
     "  1 | object a implements stack(2, 3) { }\n"
     "    |                              ^\n"},
    {"object a implements stack(true) { }",
     "m.plumb:1:27: error: this is bool, but a capacity is int\n"
     "  1 | object a implements stack(true) { }\n"
     "    |                           ^~~~\n"},
    {"spec lossy { void f() { } }\n"
     "object a implements losy { void f() { skip; } }",
     "m.plumb:2:21: error: unknown specification 'losy'\n"
     "  2 | object a implements losy { void f() { skip; } }\n"
     "    |                     ^~~~\n"
     "hint: did you mean 'lossy'?\n"},
    {"object b { void f() { skip; } }\n"
     "object a implements b { }",
     "m.plumb:2:21: error: 'b' is an object, not a specification\n"
     "  2 | object a implements b { }\n"
     "    |                     ^\n"
     "hint: write 'spec' instead of 'object' where it is declared\n"},
    {"object a { void f() { skip; } }\n"
     "object a { void f() { skip; } }",
     "m.plumb:2:8: error: the name 'a' is taken already\n"
     "  2 | object a { void f() { skip; } }\n"
     "    |        ^\n"
     "hint: it was declared on line 1\n"},
    {"object queue implements queue { int deq() { return empty; } }", ""},
    {"spec s(int k, bool b) { void f() { } }\n"
     "object a implements s(1) { void f() { skip; } }",
     "m.plumb:2:21: error: 's' is given 1 argument, but it takes 2\n"
     "  2 | object a implements s(1) { void f() { skip; } }\n"
     "    |                     ^\n"},
    {"spec s(int k) { void f() { } }\n"
     "object a implements s(true) { void f() { skip; } }",
     "m.plumb:2:23: error: this is bool, but 'k' is int\n"
     "  2 | object a implements s(true) { void f() { skip; } }\n"
     "    |                       ^~~~\n"},
    {"spec s(int k) { void f() { } }\n"
     "object a implements s(x) { shared int x; void f() { skip; } }",
     "m.plumb:2:23: error: this is not constant\n"
     "  2 | object a implements s(x) { shared int x; void f() { skip; } }\n"
     "    |                       ^\n"
     "hint: numbers, constants, 'processes', operators, min and max are\n"},
};

TEST(ErrorsInImplements, SpecificationsMustBeThere) {
  expect_messages(errors_of, kSpecificationsMustBeThere);
}

constexpr Case kOperationsOfBuiltInsMustFit[] = {
    {"object a implements stack { void psh(int v) { skip; } }",
     "m.plumb:1:34: error: the specification 'stack' has no operation 'psh'\n"
     "  1 | object a implements stack { void psh(int v) { skip; } }\n"
     "    |                                  ^~~\n"
     "hint: did you mean 'push'? (mark a helper with 'function')\n"},
    {"object a implements stack { int size() { return 0; } }",
     "m.plumb:1:33: error: the specification 'stack' has no operation 'size'\n"
     "  1 | object a implements stack { int size() { return 0; } }\n"
     "    |                                 ^~~~\n"
     "hint: it has 'push', 'pop'; mark a helper with 'function'\n"},
    {"object a implements stack { void push() { skip; } }",
     "m.plumb:1:34: error: 'push' has no parameters, but that of 'stack' has "
     "1\n"
     "  1 | object a implements stack { void push() { skip; } }\n"
     "    |                                  ^~~~\n"},
    {"object a implements stack { int pop(int v) { return v; } }",
     "m.plumb:1:33: error: 'pop' has 1 parameter, but that of 'stack' has "
     "none\n"
     "  1 | object a implements stack { int pop(int v) { return v; } }\n"
     "    |                                 ^~~\n"},
    {"object a implements stack { int push(int v) { return v; } }",
     "m.plumb:1:33: error: 'push' returns int, but that of 'stack' returns "
     "nothing\n"
     "  1 | object a implements stack { int push(int v) { return v; } }\n"
     "    |                                 ^~~~\n"},
    {"object a implements stack(2) { bool push(int v) { return true; } }", ""},
    {"object a implements stack(2) { int push(int v) { return v; } }",
     "m.plumb:1:36: error: 'push' returns int, but that of 'stack' returns "
     "bool\n"
     "  1 | object a implements stack(2) { int push(int v) { return v; } }\n"
     "    |                                    ^~~~\n"},
    {"object a implements counter { bool get() { return true; } }",
     "m.plumb:1:36: error: 'get' returns bool, but that of 'counter' returns "
     "int\n"
     "  1 | object a implements counter { bool get() { return true; } }\n"
     "    |                                    ^~~\n"},
    {"object a implements register { bool cas(int v) { return true; } }",
     "m.plumb:1:37: error: 'cas' has 1 parameter, but that of 'register' has "
     "2\n"
     "  1 | object a implements register { bool cas(int v) { return true; } }\n"
     "    |                                     ^~~\n"},
    {"object a implements register { int cas(int v, int w) { return v; } }",
     "m.plumb:1:36: error: 'cas' returns int, but that of 'register' returns "
     "bool\n"
     "  1 | object a implements register { int cas(int v, int w) { return v; } "
     "}\n"
     "    |                                    ^~~\n"},
    {"object a implements priority_queue { void insert(bool b) { skip; } }",
     "m.plumb:1:55: error: 'b' is bool, but 'insert' of 'priority_queue' takes "
     "int\n"
     "  1 | object a implements priority_queue { void insert(bool b) { skip; } "
     "}\n"
     "    |                                                       ^\n"},
    {"object a implements set { void add(bool b) { skip; } }", ""},
};

TEST(ErrorsInImplements, OperationsOfBuiltInsMustFit) {
  expect_messages(errors_of, kOperationsOfBuiltInsMustFit);
}

constexpr Case kOperationsOfOwnSpecificationsMustFit[] = {
    {"spec s { int pop() { return 1; } }\n"
     "object a implements s { int pop(int v) { return v; } }",
     "m.plumb:2:29: error: 'pop' has 1 parameter, but that of 's' has none\n"
     "  2 | object a implements s { int pop(int v) { return v; } }\n"
     "    |                             ^~~\n"},
    {"spec s { void push(int v) { } }\n"
     "object a implements s { void push(bool b) { skip; } }",
     "m.plumb:2:40: error: 'b' is bool, but 'push' of 's' takes int\n"
     "  2 | object a implements s { void push(bool b) { skip; } }\n"
     "    |                                        ^\n"},
    {"spec s { int pop() { return 1; } }\n"
     "object a implements s { bool pop() { return true; } }",
     "m.plumb:2:30: error: 'pop' returns bool, but that of 's' returns int\n"
     "  2 | object a implements s { bool pop() { return true; } }\n"
     "    |                              ^~~\n"},
    {"spec s { void pop() { } }\n"
     "object a implements s { int pop() { return 1; } }",
     "m.plumb:2:29: error: 'pop' returns int, but that of 's' returns nothing\n"
     "  2 | object a implements s { int pop() { return 1; } }\n"
     "    |                             ^~~\n"},
    {"spec s { int pop() { return 1; } }\n"
     "object a implements s { void pop() { skip; } }",
     ""},
    {"spec s { int pop() { return 1; } }\n"
     "object a implements s { int pip() { return 1; } }",
     "m.plumb:2:29: error: the specification 's' has no operation 'pip'\n"
     "  2 | object a implements s { int pip() { return 1; } }\n"
     "    |                             ^~~\n"
     "hint: did you mean 'pop'? (mark a helper with 'function')\n"},
    {"spec s { int pop() { return 1; } function int help() { return 1; } }\n"
     "object a implements s { int help() { return 1; } }",
     "m.plumb:2:29: error: the specification 's' has no operation 'help'\n"
     "  2 | object a implements s { int help() { return 1; } }\n"
     "    |                             ^~~~\n"
     "hint: it has 'pop'; mark a helper with 'function'\n"},
    {"spec s { enum E { u, v } E f() { return u; } }\n"
     "object a implements s { enum E { u, v } E f() { return v; } }",
     ""},
    {"spec s { enum E { u, v } E f() { return u; } }\n"
     "object a implements s { enum E { v, u } E f() { return v; } }",
     "m.plumb:2:43: error: 'f' returns E, but that of 's' returns another E\n"
     "  2 | object a implements s { enum E { v, u } E f() { return v; } }\n"
     "    |                                           ^\n"},
    {"spec s { int[2] f() { int t[2]; return t; } }\n"
     "object a implements s { bool[2] f() { bool t[2]; return t; } }",
     "m.plumb:2:33: error: 'f' returns bool[2], but that of 's' returns "
     "int[2]\n"
     "  2 | object a implements s { bool[2] f() { bool t[2]; return t; } }\n"
     "    |                                 ^\n"},
    {"spec s { process self_of() { return self; } }",
     "m.plumb:1:37: error: 'self' cannot be used in a specification\n"
     "  1 | spec s { process self_of() { return self; } }\n"
     "    |                                     ^~~~\n"
     "hint: a specification does not know who calls; give the process as a "
     "parameter\n"},
    {"spec s { void f() { linearize; } }",
     "m.plumb:1:21: error: 'linearize' cannot be used in a specification\n"
     "  1 | spec s { void f() { linearize; } }\n"
     "    |                     ^~~~~~~~~\n"
     "hint: it marks a step of an object's operation\n"},
};

TEST(ErrorsInImplements, OperationsOfOwnSpecificationsMustFit) {
  expect_messages(errors_of, kOperationsOfOwnSpecificationsMustFit);
}

}  // namespace
}  // namespace plumb::lang
