// SPDX-License-Identifier: Apache-2.0
// Declarations and assertions that are wrong.
#include "csp/front_end_test_support.h"

namespace plumb::csp {
namespace {

const Case kDeclarationsAndAssertions[] = {
    {"#define N 3; P = e{N = 4} -> Skip;",
     "'N' is a constant and cannot be assigned to (declare it with 'var "
     "N;')"},
    {"enum {a}; P = e{a++} -> Skip;",
     "'a' is a constant and cannot be assigned to (declare it with 'var "
     "a;')"},
    {"#define N = 3;",
     "there is no '=' in a '#define' (write '#define N ...;')"},
    {"#defne N 3;", "there is no '#defne' (did you mean 'define'?)"},
    {"define N 3;", "'define' begins with '#' (write '#define ...')"},
    {"int x = 0;", "there is no 'int' (write 'var x = 0;')"},
    {"const N = 3;", "there is no 'const' (write '#define N 3;')"},
    {"vra x = 0;",
     "unexpected 'x', expected '=' and a process (did you mean 'var'?)"},
    {"var x = 1, y = 2;",
     "one 'var' declares one variable (write 'var x; var y;')"},
    {"var x; var x;",
     "'x' is defined already, on line 1 (choose another name)"},
    {"P = Skip; P = Stop;",
     "'P' is defined already, on line 1 (choose another name)"},
    {"var a[3] = [1,2];",
     "'a' has 3 elements, but 2 are given (write '[0(3)]' for zeros)"},
    {"var a[3] = 5;", "'a' is an array (write '[0(3)]' for zeros)"},
    {"var a[0];", "the size of the array is 0 (1 to 100000 are allowed)"},
    {"var n; var a[n];",
     "the size of the array must be a constant (use numbers and what "
     "'#define' and 'enum' give a name)"},
    {"var a[];",
     "the size of the array is missing (write 'var a[3];', or 'var a = [1, "
     "2, 3];')"},
    {"var x = *;",
     "'x' may begin with any value, but has no range (write 'var x:{0..3} = "
     "*;')"},
    {"var x:{3..1};", "no number is from 3 to 1"},
    {"#define a b; #define b a; P = [a] Skip;",
     "'b' uses itself (macros are unfolded, so they cannot be recursive; "
     "processes can); 'a' uses itself (macros are unfolded, so they cannot "
     "be recursive; processes can)"},
    {"#define m(v) {v = 1}; P = e{call(m, 3)} -> Skip;",
     "'v' is assigned to, but its argument is no variable"},
    {"channel c;",
     "the size of the channel's buffer is missing (write 'channel c 0;' for "
     "a synchronous one)"},
    {"var a[2]; P = [a[0][1] == 1] Skip;",
     "'a' has 1 dimension, but 2 are given (an array that was received or "
     "passed on is used with one index)"},
    {"#assert P deadlockfree;",
     "there is no process 'P' (define it with 'P() = ...;')"},
    {"P = Skip; #assert P deadlock;",
     "unexpected 'deadlock', expected what is claimed of the process (did "
     "you mean 'deadlockfree'?)"},
    {"P = Skip; #assert P reaches x == 3;",
     "unexpected '==', expected 'with' or ';' after the condition ('reaches' "
     "takes a name; give the condition one with '#define goal x == 3;')"},
    {"P = Skip; #assert P reaches goal;",
     "there is no condition 'goal' (give it a meaning with '#define goal x "
     "== 3;')"},
    {"var goal; P = Skip; #assert P reaches goal;",
     "'goal' is not a condition (give one a name: '#define reached goal == "
     "3;')"},
    {"P = Skip; #assert P |= ;",
     "unexpected ';', expected a formula (as in '|= []<> goal')"},
    {"P = Skip; #assert P refines<T> P;",
     "unexpected 'T', expected 'F' or 'FD' after 'refines<' ('refines' alone "
     "compares traces)"},
    {"P = Skip; #assert P refines;",
     "unexpected ';', expected the name of a process"},
    {"assert P deadlockfree;",
     "'assert' is written '#assert' here ('assert(b)' without '#' is a "
     "process)"},
    {"P = Skip; #alphabet P() {a};",
     "an alphabet is that of a process with any arguments (write '#alphabet "
     "P {...};'; it may use the parameters of the process)"},
    {"P = Skip; #alphabet Q {a};",
     "there is no process 'Q' (define it with 'Q() = ...;')"},
    {"P = Skip; #alphabet P {c!1};",
     "events of channels cannot be listed here (list events that are written "
     "without '!' and '?'; those of a synchronous channel are 'c.v')"},
    {"enum Colour {red};", "an enum has no name (write 'enum {a, b, c};')"},
    {"P(i, i) = Skip;", "two parameters are called 'i'"},
    {"#define n #P(1); P(i) = Skip;",
     "processes are counted whatever their arguments are (write '#P()')"},
};

TEST(CspErrors, DeclarationsAndAssertionsAreTold) {
  expect_messages(kDeclarationsAndAssertions);
}

}  // namespace
}  // namespace plumb::csp
