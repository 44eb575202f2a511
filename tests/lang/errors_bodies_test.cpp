// SPDX-License-Identifier: Apache-2.0
#include "lang/front_end_test_support.h"

namespace plumb::lang {
namespace {

constexpr Case kNamesMustBeKnown[] = {
    {"tpo = null;", "unknown name 'tpo' (did you mean 'top'?)"},
    {"v = nul == null ? 1 : 0;", "unknown name 'nul' (did you mean 'null'?)"},
    {"unknown = 1; unknown = 2;", "unknown name 'unknown'"},
    {"v = help(1);", "unknown function 'help' (did you mean 'helper'?)"},
    {"v = helper;",
     "'helper' is a function, not a value (call it: 'helper(...)')"},
    {"x(3);", "'x' is not a function"},
    {"Nod n;", "unknown type 'Nod' (did you mean 'Node'?)"},
    {"top = new Nod;", "unknown struct 'Nod' (did you mean 'Node'?)"},
    {"top.nxt = null;", "Node has no field 'nxt' (did you mean 'next'?)"},
    {"v.next = null;", "int has no field 'next' (only structs have fields)"},
    {"top = new Node { vall = 1 };",
     "Node has no field 'vall' (did you mean 'val'?)"},
    {"seq t;", "unknown type 'seq' (say what it holds, as in 'seq<int>')"},
    {"map t;", "unknown type 'map' (say what it holds, as in 'map<int, int>')"},
    {"op(1);",
     "'op' is an operation: only clients call it (put what both need into a "
     "'function')"},
};

TEST(ErrorsInBodies, NamesMustBeKnown) {
  expect_messages(message_in_body, kNamesMustBeKnown);
}

constexpr Case kNamesMustBeNew[] = {
    {"int v;",
     "the name 'v' is taken already (it was declared on line 13; no name may "
     "hide another)"},
    {"int x;",
     "the name 'x' is taken already (it was declared on line 5; no name may "
     "hide another)"},
    {"int k; { int k; }",
     "the name 'k' is taken already (it was declared on line 14; no name may "
     "hide another)"},
    {"for (int i = 0; i < 1; i++) { int i; }",
     "the name 'i' is taken already (it was declared on line 14; no name may "
     "hide another)"},
};

TEST(ErrorsInBodies, NamesMustBeNew) {
  expect_messages(message_in_body, kNamesMustBeNew);
}

constexpr Case kTypesMustFit[] = {
    {"x = true;", "this is bool, but 'x' is int"},
    {"flag = 1;", "this is int, but 'flag' is bool"},
    {"top = 1;", "this is int, but 'top' is Node"},
    {"x = null;", "this is null, but 'x' is int"},
    {"owner = 1;", "this is int, but 'owner' is process"},
    {"Node n = empty;", "this is empty, but 'n' is Node"},
    {"helper(true);", "this is bool, but 'k' of 'helper' is int"},
    {"x = proceed();", "this is void, but 'x' is int"},
    {"x = new Node;", "this is Node, but 'x' is int"},
    {"top = new Node { val = null };",
     "this is null, but the field 'val' is int"},
    {"return 1;",
     "'op' returns nothing, but there is a value here (write 'return;', or "
     "give it another type than 'void')"},
    {"x = 1 + true;", "this is bool, but '+' needs int"},
    {"flag = flag && 1;", "this is int, but '&&' needs bool"},
    {"flag = !v;",
     "this is int, but '!' needs bool (compare it, as in 'x == 0')"},
    {"v = -flag;", "this is bool, but '-' needs int"},
    {"flag = top == x;", "Node cannot be compared with int"},
    {"flag = owner < self;", "this is process, but '<' needs int"},
    {"v = flag ? 1 : true;", "'?' cannot choose between int and bool"},
    {"v = flag ? top : null;", "this is Node, but 'v' is int"},
    {"int t[4] = y; bool p = t == 1;",
     "a whole array in shared memory is used in one step (put the statement "
     "into 'atomic { ... }', or go through the elements one by one); int[4] "
     "cannot be compared with int"},
    {"void t;", "'t' cannot be 'void' ('void' is for what returns nothing)"},
    {"x = 40000;",
     "40000 does not fit an int (an int holds whole numbers from -32767 to "
     "32767)"},
    {"int 0..3 t[4]; atomic { y = t; }",
     "this is int 0..3[4], but 'y' is int[4]"},
    {"seq<int, 3> t; atomic { q = t; }",
     "this is seq<int, 3>, but 'q' is seq<int>"},
    {"x = empty + 1;", "this is empty, but '+' needs int"},
};

TEST(ErrorsInBodies, TypesMustFit) {
  expect_messages(message_in_body, kTypesMustFit);
}

constexpr Case kConditionsAreBool[] = {
    {"if (v) skip;",
     "this is int, but a condition must be bool (compare it, as in 'x != 0')"},
    {"while (top) skip;", "this is Node, but a condition must be bool"},
    {"do skip; while (self);", "this is process, but a condition must be bool"},
    {"for (;v;) skip;",
     "this is int, but a condition must be bool (compare it, as in 'x != 0')"},
    {"await x;",
     "this is int, but a condition must be bool (compare it, as in 'x != 0')"},
    {"assert null;", "this is null, but a condition must be bool"},
    {"v = v ? 1 : 2;",
     "this is int, but a condition must be bool (compare it, as in 'x != 0')"},
};

TEST(ErrorsInBodies, ConditionsAreBool) {
  expect_messages(message_in_body, kConditionsAreBool);
}

constexpr Case kIndicesMustFit[] = {
    {"y[self] = 1;",
     "this is process, but the array is indexed by an int (write index(p), or "
     "declare the array as 'a[process]')"},
    {"z[0] = 1;",
     "this is int, but the array is indexed by a process (write 'a[self]', or "
     "declare it with a size, as in 'a[processes]')"},
    {"z[self] = 1; y[0] = 1;", ""},
    {"y[true] = 1;", "this is bool, but the array is indexed by an int"},
    {"z[flag] = 1;", "this is bool, but the array is indexed by a process"},
    {"q[self] = 1;", "this is process, but the index of a seq is int"},
    {"m[true] = true;", "this is bool, but the keys of this map are int"},
    {"v = s[0];",
     "this is set<int>, which has no elements that '[ ]' could give (use "
     "contains(s, v) or any_of(s))"},
    {"v = v[0];", "this is int, which has no elements that '[ ]' could give"},
    {"v = top[0];",
     "this is Node, which has no elements that '[ ]' could give"},
};

TEST(ErrorsInBodies, IndicesMustFit) {
  expect_messages(message_in_body, kIndicesMustFit);
}

constexpr Case kOnlyPlacesAreAssignedTo[] = {
    {"1 = v;",
     "this is a value, so it cannot be assigned to (places are variables, "
     "fields and elements of arrays)"},
    {"v + 1 = v;",
     "this is a value, so it cannot be assigned to (places are variables, "
     "fields and elements of arrays)"},
    {"helper(1) = 2;",
     "this is a value, so it cannot be assigned to (places are variables, "
     "fields and elements of arrays)"},
    {"self = owner;",
     "this is a value, so it cannot be assigned to (places are variables, "
     "fields and elements of arrays)"},
    {"processes = 3;",
     "this is a value, so it cannot be assigned to (places are variables, "
     "fields and elements of arrays)"},
    {"helper(1)++;",
     "this is a value, so it cannot be assigned to (places are variables, "
     "fields and elements of arrays)"},
    {"y[helper(1)]++;",
     "this would be done twice: once to read, once to write (put its value "
     "into a variable first)"},
    {"y[any(0, 1)] += 1;",
     "this would be done twice: once to read, once to write (put its value "
     "into a variable first)"},
    {"y[min(v, 1)] += 1;", ""},
};

TEST(ErrorsInBodies, OnlyPlacesAreAssignedTo) {
  expect_messages(message_in_body, kOnlyPlacesAreAssignedTo);
}

constexpr Case kSwapsNeedASharedPlace[] = {
    {"cas(v, 1, 2);",
     "this is a local variable, but 'cas' needs a place in shared memory (no "
     "other process can see a local variable)"},
    {"cas(1, 2, 3);",
     "this is a value, but 'cas' needs a place in shared memory (places are "
     "variables, fields and elements of arrays)"},
    {"cas(y, y, y);", "'cas' cannot work on int[4] (use 'atomic { ... }')"},
    {"cas(q[0], 1, 2);",
     "'cas' cannot work on an element of a container (use 'atomic { ... }')"},
    {"cas(m[0], true, false);",
     "'cas' cannot work on an element of a container (use 'atomic { ... }')"},
    {"cas(x, true, 1);",
     "this is bool, but the place that 'cas' changes is int"},
    {"cas(top, 1, null);",
     "this is int, but the place that 'cas' changes is Node"},
    {"cas(x, 1);", "'cas' is called with 2 arguments, but it takes 3"},
    {"fetch_add(flag, 1);", "this is bool, but 'fetch_add' needs int"},
    {"fetch_add(x, true);", "this is bool, but 'fetch_add' takes int"},
    {"exchange(top, 3);",
     "this is int, but the place that 'exchange' changes is Node"},
    {"exchange(helper(1), 3);",
     "this is a value, but 'exchange' needs a place in shared memory (places "
     "are variables, fields and elements of arrays)"},
    {"dcas(x, v, 1, 2, 3, 4);",
     "this is a local variable, but 'dcas' needs a place in shared memory (no "
     "other process can see a local variable)"},
    {"dcas(x, flag, true, true, 1, 1);",
     "this is bool, but the first place that 'dcas' changes is int; this is "
     "int, but the second place that 'dcas' changes is bool"},
};

TEST(ErrorsInBodies, SwapsNeedASharedPlace) {
  expect_messages(message_in_body, kSwapsNeedASharedPlace);
}

constexpr Case kContainersTakeTheirElements[] = {
    {"push_back(s, 1);", "this is set<int>, but 'push_back' needs a seq"},
    {"push_back(q, true);", "this is bool, but 'push_back' takes int"},
    {"push_back(q);", "'push_back' is called with 1 argument, but it takes 2"},
    {"insert(q, 1);", "this is seq<int>, but 'insert' needs a set"},
    {"insert(m, 1);", "this is map<int, bool>, but 'insert' needs a set"},
    {"remove(q, 1);", "this is seq<int>, but 'remove' needs a set or a map"},
    {"remove(m, true);", "this is bool, but 'remove' takes int"},
    {"v = smallest(q);", "this is seq<int>, but 'smallest' needs a set"},
    {"v = any_of(m);",
     "this is map<int, bool>, but 'any_of' needs a seq or a set"},
    {"v = len(x);", "this is int, but 'len' needs a seq, a set or a map"},
    {"v = len(helper(1));",
     "this is int, but 'len' needs a seq, a set or a map"},
    {"contains(m, 1);", "the value of this expression is not used"},
    {"insert_at(q, flag, 1);", "this is bool, but 'insert_at' takes int"},
    {"flag = remove_at(q, 0);", "this is int, but 'flag' is bool"},
    {"clear(x);", "this is int, but 'clear' needs a seq, a set or a map"},
    {"v = index(v);", "this is int, but 'index' takes process"},
    {"v = min(1, true);", "this is bool, but 'min' takes int"},
    {"v = any(0, null);", "this is null, but 'any' takes int"},
    {"set<bool> t; bool p = smallest(t);",
     "this is set<bool>, but 'smallest' needs a set of int"},
};

TEST(ErrorsInBodies, ContainersTakeTheirElements) {
  expect_messages(message_in_body, kContainersTakeTheirElements);
}

constexpr Case kValuesMustBeUsed[] = {
    {"v == 3;", "the value of this expression is not used (did you mean '='?)"},
    {"v;", "the value of this expression is not used"},
    {"len(q);", "the value of this expression is not used"},
    {"min(1, 2);", "the value of this expression is not used"},
    {"new Node;", "the value of this expression is not used"},
    {"v + 1;", "the value of this expression is not used"},
    {"proceed(); push_back(q, 1); cas(x, 0, 1); helper(1);", ""},
};

TEST(ErrorsInBodies, ValuesMustBeUsed) {
  expect_messages(message_in_body, kValuesMustBeUsed);
}

constexpr Case kStatementsHaveTheirPlace[] = {
    {"break;", "this 'break' is in no loop"},
    {"continue;", "this 'continue' is in no loop"},
    {"while (true) { break; } break;", "this 'break' is in no loop"},
    {"delete top;",
     "'delete' needs memory that is managed by hand (add 'memory manual;' or "
     "'memory recycled;' to the object; without it, cells are collected when "
     "nobody can reach them)"},
    {"return v;",
     "'op' returns nothing, but there is a value here (write 'return;', or "
     "give it another type than 'void')"},
};

TEST(ErrorsInBodies, StatementsHaveTheirPlace) {
  expect_messages(message_in_body, kStatementsHaveTheirPlace);
}

constexpr Case kWholesAreUsedInAtomic[] = {
    {"int t[4] = y;",
     "a whole array in shared memory is used in one step (put the statement "
     "into 'atomic { ... }', or go through the elements one by one)"},
    {"int t[4]; y = t;",
     "a whole array in shared memory is used in one step (put the statement "
     "into 'atomic { ... }', or go through the elements one by one)"},
    {"flag = q == r;",
     "a whole container in shared memory is used in one step (put the "
     "statement into 'atomic { ... }', or go through the elements one by one)"},
    {"q = r;",
     "a whole container in shared memory is used in one step (put the "
     "statement into 'atomic { ... }', or go through the elements one by one)"},
    {"seq<int> t = q;",
     "a whole container in shared memory is used in one step (put the "
     "statement into 'atomic { ... }', or go through the elements one by one)"},
    {"Node n = top; int t[2] = n.data;",
     "a whole array in shared memory is used in one step (put the statement "
     "into 'atomic { ... }', or go through the elements one by one)"},
    {"atomic { q = r; }", ""},
    {"atomic { skip; } q = r;",
     "a whole container in shared memory is used in one step (put the "
     "statement into 'atomic { ... }', or go through the elements one by one)"},
    {"int t[4], u[4]; t = u; flag = t == u;", ""},
};

TEST(ErrorsInBodies, WholesAreUsedInAtomic) {
  expect_messages(message_in_body, kWholesAreUsedInAtomic);
}

}  // namespace
}  // namespace plumb::lang
