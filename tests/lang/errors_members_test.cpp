// SPDX-License-Identifier: Apache-2.0
#include "lang/front_end_test_support.h"

namespace plumb::lang {
namespace {

constexpr Case kMembersMustBeRight[] = {
    {"int x;",
     "the variable 'x' of the object 'a' is not 'shared' (write 'shared int "
     "x')"},
    {"Node n;",
     "the variable 'n' of the object 'a' is not 'shared' (write 'shared Node "
     "n')"},
    {"shraed int y;",
     "unexpected 'shraed' in the object 'a' (did you mean 'shared'?)"},
    {"shared int x, x;",
     "the name 'x' is taken already (it was declared on line 2; no name may "
     "hide another)"},
    {"struct A { int v; int v; }", "'A' has a second field 'v'"},
    {"struct A { B b; }", "unknown type 'B'"},
    {"struct A { int v = true; }", "this is bool, but 'v' is int"},
    {"shared int x = 1; struct A { int v = x; }",
     "this is not constant (numbers, constants, 'processes', operators, min "
     "and max are)"},
    {"struct A { void v; }",
     "'v' cannot be 'void' ('void' is for what returns nothing)"},
    {"shared void v;",
     "'v' cannot be 'void' ('void' is for what returns nothing)"},
    {"enum E { a, a }",
     "the name 'a' is taken already (it was declared on line 2; no name may "
     "hide another)"},
    {"enum E { a } enum E { b }",
     "the name 'E' is taken already (it was declared on line 2; no name may "
     "hide another)"},
    {"enum E { a } struct E { int v; }",
     "the name 'E' is taken already (it was declared on line 2; no name may "
     "hide another)"},
    {"struct A { int v; } struct A { int w; }",
     "the name 'A' is taken already (it was declared on line 2; no name may "
     "hide another)"},
    {"void f() {} void f() {}",
     "the name 'f' is taken already (it was declared on line 2; no name may "
     "hide another)"},
    {"function int min(int a, int b) { return a; }",
     "'min' is built in (choose another name for the function)"},
    {"shared set<int> s; function void insert() {}",
     "'insert' is built in (choose another name for the function)"},
    {"init { skip; } init { skip; }", "there is a second 'init'"},
    {"memory manual; memory manual;", "there is a second 'memory' line"},
    {"memory manul;", "memory cannot be 'manul' (did you mean 'manual'?)"},
    {"memory hand;",
     "memory cannot be 'hand' (write 'memory manual;' or 'memory recycled;'; "
     "without either, cells are collected)"},
    {"shared int new;",
     "'new' cannot be the name of a variable (it is a word of the language; "
     "choose another name)"},
    {";", "there is nothing before this ';'"},
    {"3", "unexpected '3', expected a member of 'a'"},
};

TEST(ErrorsInMembers, MembersMustBeRight) {
  expect_messages(message_in_object, kMembersMustBeRight);
}

constexpr Case kTypesOfMembersMustBeRight[] = {
    {"struct N { int v; } shared set<N> s;",
     "a set cannot hold references (cells have no order and no name that "
     "lasts; use a key that is a value)"},
    {"struct N { int v; } shared map<N, int> m;",
     "the keys of a map cannot be references (cells have no order and no name "
     "that lasts; use a key that is a value)"},
    {"shared seq<seq<int>> s;",
     "a seq cannot hold seq<int> (it holds int, bool, enums, processes or "
     "references)"},
    {"shared seq<void> s;",
     "a seq cannot hold void (it holds int, bool, enums, processes or "
     "references)"},
    {"shared map<int> m;",
     "unexpected '>', expected ',' between the types of a map's keys and "
     "values"},
    {"shared int a[true];", "this is bool, but a size is int"},
    {"shared int x; shared int a[x];",
     "this is not constant (numbers, constants, 'processes', operators, min "
     "and max are)"},
    {"shared int 0..null r;", "this is null, but a range is of int"},
    {"shared int 0..f() r; function int f() { return 1; }",
     "this is not constant (numbers, constants, 'processes', operators, min "
     "and max are)"},
    {"shared void a[2];", "an array of 'void' holds nothing"},
    {"shared int a[min(1, processes)];", ""},
};

TEST(ErrorsInMembers, TypesOfMembersMustBeRight) {
  expect_messages(message_in_object, kTypesOfMembersMustBeRight);
}

constexpr Case kInitialValuesAreSimple[] = {
    {"shared int a = b, b;",
     "'b' is not yet there when 'a' gets its initial value (constants, earlier "
     "variables and 'new' can be used)"},
    {"shared int a = a;",
     "'a' is not yet there when 'a' gets its initial value (constants, earlier "
     "variables and 'new' can be used)"},
    {"shared process p = self;",
     "'self' cannot be used in the initial value of 'p' (constants, earlier "
     "variables and 'new' can be used)"},
    {"shared int a = f(); function int f() { return 1; }",
     "'f' cannot be called here (set the variable in 'init { ... }')"},
    {"shared int a, b = fetch_add(a, 1);",
     "'fetch_add' cannot be used in the initial value of 'b' (constants, "
     "earlier variables and 'new' can be used)"},
    {"shared int a = any(0, 1);",
     "'any' cannot be used in the initial value of 'a' (constants, earlier "
     "variables and 'new' can be used)"},
    {"shared int a[2] = 0;",
     "this is int, but 'a' is int[2] (set the elements one by one, in 'init { "
     "... }' for instance)"},
    {"struct N { int v; } shared N n = new N, m = n; shared int k = n.v + 1;",
     ""},
};

TEST(ErrorsInMembers, InitialValuesAreSimple) {
  expect_messages(message_in_object, kInitialValuesAreSimple);
}

constexpr Case kConstantsAreConstant[] = {
    {"const N = x; shared int x;",
     "this is not constant (numbers, constants, 'processes', operators, min "
     "and max are)"},
    {"const N = 1 + true;", "this is bool, but '+' needs int"},
    {"const N = M; const M = N + 1;", "the constant 'N' depends on itself"},
    {"const N = N;", "the constant 'N' depends on itself"},
    {"const A = B; const B = C; const C = B;",
     "the constant 'B' depends on itself"},
    {"const N = empty;",
     "this is not constant (numbers, constants, 'processes', operators, min "
     "and max are)"},
    {"const N = null;",
     "this is not constant (numbers, constants, 'processes', operators, min "
     "and max are)"},
    {"const int N = 3;",
     "'int' is not needed here (a constant has the type of its value: 'const N "
     "= 4;')"},
    {"const N = self;",
     "this is not constant (numbers, constants, 'processes', operators, min "
     "and max are)"},
    {"const N = len(N);", "the constant 'N' depends on itself"},
    {"const N = 1; const N = 2;",
     "the name 'N' is taken already (it was declared on line 2; no name may "
     "hide another)"},
};

TEST(ErrorsInMembers, ConstantsAreConstant) {
  expect_messages(message_in_object, kConstantsAreConstant);
}

constexpr Case kOperationsHavePlainTypes[] = {
    {"struct N { int v; } void f(N n) {}",
     "the operation 'f' cannot take N (clients call operations with int, bool, "
     "enums and processes; mark a helper with 'function')"},
    {"void f(seq<int> s) {}",
     "the operation 'f' cannot take seq<int> (clients call operations with "
     "int, bool, enums and processes; mark a helper with 'function')"},
    {"void f(int a[2]) {}",
     "the operation 'f' cannot take int[2] (clients call operations with int, "
     "bool, enums and processes; mark a helper with 'function')"},
    {"struct N { int v; } N f() { return null; }",
     "the operation 'f' cannot return N (operations return int, bool, enums, "
     "processes or arrays of these; mark a helper with 'function')"},
    {"seq<int> f() { seq<int> s; return s; }",
     "the operation 'f' cannot return seq<int> (operations return int, bool, "
     "enums, processes or arrays of these; mark a helper with 'function')"},
    {"struct N { int v; } function N f(N n, int a[2]) { return n; }", ""},
    {"void f(void v) {}",
     "'v' cannot be 'void' ('void' is for what returns nothing)"},
    {"void f(int a = 1) {}",
     "parameter 'a' has a value (only the caller gives values to parameters)"},
    {"void f(int a, int a) {}",
     "the name 'a' is taken already (it was declared on line 2; no name may "
     "hide another)"},
};

TEST(ErrorsInMembers, OperationsHavePlainTypes) {
  expect_messages(message_in_object, kOperationsHavePlainTypes);
}

constexpr Case kFunctionsReturnWhatTheySay[] = {
    {"int f() { }",
     "'f' returns int, but its end can be reached without a 'return'"},
    {"int f() { return; }", "'f' returns int, but there is no value here"},
    {"int f() { return true; }", "this is bool, but 'f' returns int"},
    {"void f() { return 1; }",
     "'f' returns nothing, but there is a value here (write 'return;', or give "
     "it another type than 'void')"},
    {"function int f(int k) { if (k == 1) return 1; }",
     "'f' returns int, but its end can be reached without a 'return'"},
};

TEST(ErrorsInMembers, FunctionsReturnWhatTheySay) {
  expect_messages(message_in_object, kFunctionsReturnWhatTheySay);
}

constexpr Case kFunctionsDoNotRecur[] = {
    {"function void f() { f(); }",
     "'f' calls itself (functions are put in where they are called; use a "
     "loop)"},
    {"function void f() { g(); } function void g() { h(); } function void h() "
     "{ g(); }",
     "'g' calls itself through 'h' (functions are put in where they are "
     "called; use a loop)"},
    {"function void f() { g(); } function void g() { f(); g(); }",
     "'g' calls itself (functions are put in where they are called; use a "
     "loop)"},
};

TEST(ErrorsInMembers, FunctionsDoNotRecur) {
  expect_messages(message_in_object, kFunctionsDoNotRecur);
}

constexpr Case kInitRunsBeforeAllProcesses[] = {
    {"shared process p; init { p = self; }",
     "'self' cannot be used in 'init' ('init' runs once, before any process)"},
    {"shared bool b; init { await b; }",
     "'await' cannot be used in 'init' ('init' runs once, before any process)"},
    {"init { choose { skip; } or { skip; } }",
     "'choose' cannot be used in 'init' ('init' runs once, before any "
     "process)"},
    {"shared int x; init { x = any(0, 1); }",
     "'any' cannot be used in 'init' ('init' runs once, before any process)"},
    {"shared set<int> s; init { remove(s, any_of(s)); }",
     "'any_of' cannot be used in 'init' ('init' runs once, before any "
     "process)"},
    {"init { linearize; }",
     "'linearize' cannot be used in 'init' (it marks a step of an object's "
     "operation)"},
    {"init { return; }", "'init' cannot return (use 'if' and 'else')"},
    {"shared process p; function void f() { p = self; } function void g() { "
     "f(); } init { g(); }",
     "'init' cannot call 'g', which uses 'self' on line 2 ('init' runs once, "
     "before any process)"},
};

TEST(ErrorsInMembers, InitRunsBeforeAllProcesses) {
  expect_messages(message_in_object, kInitRunsBeforeAllProcesses);
}

constexpr Case kRolesNameOperations[] = {
    {"role r: 1 process { g } void f() {}", "'a' has no operation 'g'"},
    {"role r: 1 process { fo } void foo() {}", "'a' has no operation 'fo'"},
    {"role r: others { f } role s: 1 process { f } void f() {}",
     "the role of the 'others' is not the last (roles take processes in the "
     "order written)"},
    {"role r: 1 process { f } role r: others { f } void f() {}",
     "there is a second role 'r'"},
    {"role r: true processes { f } void f() {}",
     "this is bool, but a number of processes is int"},
    {"role r: 1 { f } void f() {}",
     "unexpected '{', expected 'process' or 'processes'"},
    {"function void g() {} role r: others { g }", "'a' has no operation 'g'"},
};

TEST(ErrorsInMembers, RolesNameOperations) {
  expect_messages(message_in_object, kRolesNameOperations);
}

}  // namespace
}  // namespace plumb::lang
