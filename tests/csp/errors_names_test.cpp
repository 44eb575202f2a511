// SPDX-License-Identifier: Apache-2.0
// Names that mean nothing, or something else.
#include "csp/front_end_test_support.h"

namespace plumb::csp {
namespace {

const Case kNamesThatMeanSomethingElse[] = {
    {"P = a -> Q;",
     "there is no process 'Q' (define it with 'Q() = ...;', or write 'Q -> "
     "Skip' if it is an event)"},
    {"P = a -> Skpi;", "there is no process 'Skpi' (did you mean 'Skip'?)"},
    {"P = Qq(1); Qqq(x) = Skip;",
     "there is no process 'Qq' (define it with 'Qq() = ...;', or write 'Qq "
     "-> Skip' if it is an event)"},
    {"P = Q(1); Q = Skip;",
     "the process 'Q' takes 0 arguments, but 1 is given"},
    {"P(i) = e{i = 1} -> Skip;",
     "'i' is a parameter and cannot be assigned to (copy it first: 'var copy "
     "= i;')"},
    {"channel c 0; P = c?x{x = 1} -> Skip;",
     "'x' is a received value and cannot be assigned to (copy it first: 'var "
     "copy = x;')"},
    {"P = ||| i:{0..2}@e{i = 1} -> Skip;",
     "'i' is an index and cannot be assigned to (copy it first: 'var copy = "
     "i;')"},
    {"P = e{y = 4} -> Skip;", "'y' is not defined (declare it with 'var y;')"},
    {"var count; P = e{cuont = 4} -> Skip;",
     "'cuont' is not defined (did you mean 'count'?)"},
    {"P = a;",
     "there is no process 'a' (define it with 'a() = ...;', or write 'a -> "
     "Skip' if it is an event)"},
    {"P = a.x -> Skip;",
     "'x' is not defined (behind the dots of an event stand values; for a "
     "name, write 'a_x')"},
    {"P = a -> b;",
     "there is no process 'b' (define it with 'b() = ...;', or write 'b -> "
     "Skip' if it is an event)"},
    {"P = ||| {0..2}@Skip;",
     "copies are counted, not numbered (write '|||{n}@P', or '||| x:{0..n} @ "
     "P(x)')"},
    {"P = || {2}@Skip;",
     "'||' takes no number of copies (only '|||{n}@P' does; write '|| "
     "x:{0..n} @ P')"},
    {"P = ||| i:{2..0}@Skip;",
     "'i' has no values (the first must not be larger than the last)"},
    {"P = ||| i:{0..100000}@Skip;",
     "there are 100001 values in all (at most 10000 are allowed)"},
    {"P = |||{0}@Skip;",
     "there cannot be 0 copies of a process (1 to 10000 are allowed)"},
    {"channel c 0; P = [c > 0] Skip;",
     "'c' is a channel, not a value (what it holds is told by 'call(ccount, "
     "c)' and the like)"},
    {"channel c 0; P = d!1 -> Skip;",
     "there is no channel 'd' (declare it with 'channel d 0;')"},
    {"channel c[2] 0; P = c!1 -> Skip;",
     "'c' is an array of channels (write 'c[i]')"},
    {"channel c 0; P = c[1]!1 -> Skip;", "'c' is one channel, not an array"},
    {"channel c 0; P = c;",
     "'c' is a channel, not a process (write 'c!x -> P' or 'c?x -> P')"},
    {"channel c 0; P = c?x -> Skip; Q(x); Q(i) = Skip;",
     "'x' is not defined (the name is known only in what follows '->' there; "
     "';' binds looser than '->', so parentheses may help: 'c?x -> (P(); "
     "Q(x))')"},
    {"P = ifb (true) {Skip} else {Skip};",
     "an 'ifb' has no 'else' (it waits until the condition holds; 'if' and "
     "'ifa' have one)"},
    {"P = case { default: Skip };",
     "a 'case' without conditions (write 'case { b: P  default: Q }')"},
    {"P = e{\"text\"} -> Skip;",
     "a text is no value (values are numbers, booleans, arrays and objects; "
     "an enum gives names to numbers)"},
};

TEST(CspErrors, NamesThatMeanSomethingElseAreTold) {
  expect_messages(kNamesThatMeanSomethingElse);
}

const Case kMacrosAndTheLibrary[] = {
    {"var<Foo> f;",
     "there is no class 'Foo' (C# code cannot be run here; the classes of "
     "the library are Set, List, Queue, Stack, HashTable, EntryList)"},
    {"var<Sett> f;", "there is no class 'Sett' (did you mean 'Set'?)"},
    {"var<Set> s; P = e{s.Ad(1)} -> Skip;",
     "the class Set has no method 'Ad' (Set has Add, Remove, Contains, "
     "Count, Get, Union, Intersect, Substract, IsOverlapping, IsDisjoint, "
     "GetSubsetByIndex, GetData)"},
    {"var<Set> s; P = e{s.Add()} -> Skip;",
     "the method 'Add' takes 1 argument, but 0 are given"},
    {"var<Set> s; P = [s.Remove(1)] Skip;",
     "'Remove' changes its object, which cannot be done here (put it into "
     "the block of an event: 'e{...} -> P')"},
    {"var x; P = e{x = call(foo, 1)} -> Skip;",
     "there is no function or macro 'foo' (did you mean 'Pow'?)"},
    {"var x; P = e{x = new Foo()} -> Skip;",
     "there is no class 'Foo' (C# code cannot be run here; the classes of "
     "the library are Set, List, Queue, Stack, HashTable, EntryList)"},
    {"var x; #define m(a) a + 1; P = e.m -> Skip;",
     "'m' is a macro with parameters (use it as 'call(m, ...)')"},
    {"var x; #define m(a) a + 1; P = e.call(m, 1, 2) -> Skip;",
     "the macro 'm' takes 1 argument, but 2 are given"},
    {"var x; #define inc {x = 1}; P = [inc] Skip;",
     "'inc' changes variables, which cannot be done here (use it in the "
     "block of an event)"},
};

TEST(CspErrors, MacrosAndTheLibraryAreTold) {
  expect_messages(kMacrosAndTheLibrary);
}

}  // namespace
}  // namespace plumb::csp
