// SPDX-License-Identifier: Apache-2.0
#include "lang/relation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lang/front_end_test_support.h"
#include "lang/machine_test_support.h"
#include "spec/catalogue.h"

namespace plumb::lang {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;
using Related = std::vector<std::vector<Value>>;

Value number(std::int64_t n) {
  return Value::integer(n);
}

// The abstract states of the first state, which `init` makes.
Related related(const std::string& text) {
  const Compiled made = compiled(text);
  Related out;
  EXPECT_NE(made.model.abstraction, nullptr);
  if (made.model.abstraction == nullptr) return out;
  const auto problem =
      made.model.abstraction->relate(made.model.system->initial(), out);
  EXPECT_EQ(problem.value_or(""), "");
  return out;
}

std::string problem(const std::string& text) {
  const Compiled made = compiled(text);
  Related out;
  return made.model.abstraction->relate(made.model.system->initial(), out)
      .value_or("");
}

// An object whose first state `init` makes, with a relation.
std::string object(const std::string& implements, const std::string& operation,
                   const std::string& variables, const std::string& init,
                   const std::string& relation) {
  return "object o implements " + implements + " { " + variables + " init { " +
         init + " } " + operation + " relation { " + relation +
         " } } check o safe with 2 processes, values 1..3;";
}

// The relation of [DerrickEtAl14]: what the two queues hold, taken in turn from
// the one that the next deq takes from.
std::string shuffled(const std::string& init) {
  return object("queue", "void enq(int v) { skip; }",
                "shared bit ebit = 0, dbit = 0; shared seq<int> queue[2];",
                init, R"(
        seq<int> all;
        int at[2];
        bit b = dbit;
        while (at[b] < len(queue[b])) {
            push_back(all, queue[b][at[b]]);
            at[b]++;
            b = 1 - b;
        }
        await at[0] == len(queue[0]) && at[1] == len(queue[1]);
        return all;)");
}

TEST(Relation, ShufflesTheQueuesOfADiffractingTree) {
  EXPECT_THAT(related(shuffled("")), ElementsAre(IsEmpty()));
  EXPECT_THAT(related(shuffled("push_back(queue[0], 1);"
                               "push_back(queue[1], 2);"
                               "push_back(queue[0], 3);")),
              ElementsAre(ElementsAre(number(1), number(2), number(3))));
  EXPECT_THAT(related(shuffled("push_back(queue[0], 1); dbit = 1;"
                               "push_back(queue[1], 2);")),
              ElementsAre(ElementsAre(number(2), number(1))));
}

TEST(Relation, IsPartialWhereItWaits) {
  EXPECT_THAT(related(shuffled("push_back(queue[1], 1);")), IsEmpty());
}

// One state of the object in the middle of calls, with variables of theirs.
TEST(Relation, LooksAtTheVariablesOnly) {
  const Compiled made = compiled(shuffled("push_back(queue[0], 1);"));
  lts::Successors out;
  made.model.system->successors(made.model.system->initial(), out);
  ASSERT_GT(out.size(), 0u);
  Related states;
  EXPECT_EQ(made.model.abstraction->relate(out.state(0), states), std::nullopt);
  EXPECT_THAT(states, ElementsAre(ElementsAre(number(1))));
}

TEST(Relation, FollowsReferences) {
  EXPECT_THAT(
      related(object("stack", "void push(int v) { skip; }",
                     "struct Node { int val; Node next; } shared Node top;",
                     "top = new Node { val = 1, next = null };"
                     "top = new Node { val = 2, next = top };",
                     "seq<int> all; Node n = top;"
                     "while (n != null) { push_front(all, n.val); n = n.next; }"
                     "return all;")),
      ElementsAre(ElementsAre(number(1), number(2))));
}

TEST(Relation, AWayThatWaitsDoesNotHideOthers) {
  EXPECT_THAT(
      related(object("queue", "void enq(int v) { skip; }", "shared int x;", "",
                     "seq<int> all; choose { await x > 0; } or { skip; }"
                     " or { await x > 1; } return all;")),
      ElementsAre(IsEmpty()));
}

TEST(Relation, MayGiveSeveralStates) {
  EXPECT_THAT(
      related(object("queue", "void enq(int v) { skip; }", "shared int x;",
                     "x = 2;",
                     "seq<int> all; choose { skip; } or { push_back(all, x); }"
                     " or { push_back(all, any(1, 2)); } return all;")),
      UnorderedElementsAre(IsEmpty(), ElementsAre(number(1)),
                           ElementsAre(number(2))));
}

// States are those that the specification itself makes, whatever the order in
// which the relation lists values.
TEST(Relation, GivesStatesOfBuiltInSpecifications) {
  const auto expect = [](const std::string& name, const std::string& operation,
                         const std::string& variables,
                         const std::string& relation,
                         const std::vector<spec::Call>& calls) {
    const auto built_in = spec::make(name);
    std::vector<spec::State> states = {built_in->initial()};
    for (const spec::Call& call : calls) {
      std::vector<spec::State> next;
      built_in->step(states.front(), call, std::nullopt, next);
      states = next;
    }
    const std::vector<Value> wanted(states.front().begin(),
                                    states.front().end());
    EXPECT_THAT(related(object(name, operation, variables, "", relation)),
                ElementsAre(wanted))
        << name;
  };
  const std::string three =
      "push_back(s, 3); push_back(s, 1); push_back(s, 2); return s;";
  const std::vector<spec::Call> puts = {
      {0, number(3)}, {0, number(1)}, {0, number(2)}};
  expect("queue", "void enq(int v) { skip; }", "", "seq<int> s;" + three, puts);
  expect("stack", "void push(int v) { skip; }", "", "seq<int> s;" + three,
         puts);
  expect("deque", "void push_back(int v) { skip; }", "", "seq<int> s;" + three,
         {{1, number(3)}, {1, number(1)}, {1, number(2)}});
  expect("bag", "void add(int v) { skip; }", "", "seq<int> s;" + three, puts);
  expect("priority_queue", "void insert(int v) { skip; }", "",
         "seq<int> s;" + three, puts);
  expect("set", "bool add(int v) { return true; }", "",
         "set<int> s; insert(s, 3); insert(s, -1); return s;",
         {{0, number(-1)}, {0, number(3)}});
  const Value first[] = {number(3), number(1)};
  const Value second[] = {number(-2), number(2)};
  expect("map", "int get(int v) { return 0; }", "",
         "map<int, int> m; m[3] = 1; m[-2] = 2; return m;",
         {{0, Value::list(second)}, {0, Value::list(first)}});
  expect("register", "int read() { return 0; }", "", "return 7;",
         {{1, number(7)}});
  expect("register", "int read() { return 0; }", "", "return empty;", {});
  expect("counter", "int inc() { return 0; }", "", "return 2;",
         {{0, {}}, {0, {}}});
  expect("snzi", "void arrive() { skip; }", "", "return 1;", {{0, {}}});
  expect("mutex", "void acquire() { skip; }", "shared process owner = nobody;",
         "return owner != nobody;", {});
  expect("mutex", "void acquire() { skip; }", "shared process owner = nobody;",
         "return owner == nobody;", {{0, {}}});
}

constexpr const char* kOwn =
    "spec mine(int k) { seq<int, 9> q; int 0..9 n = k + 1; bool flag = n > 2;"
    " void put(int v) { push_back(q, v); n = 1; flag = false; } }";

TEST(Relation, AssignsTheVariablesOfOwnSpecifications) {
  const auto text = [](const std::string& relation) {
    return kOwn + object("mine(4)", "void put(int v) { skip; }",
                         "shared seq<int, 9> s;", "push_back(s, 3);", relation);
  };
  const Compiled made = compiled(text("skip;"));
  const spec::Specification& mine = *made.model.specification;
  const spec::State first = mine.initial();
  EXPECT_THAT(related(text("skip;")),
              ElementsAre(std::vector<Value>(first.begin(), first.end())));
  std::vector<spec::State> next;
  mine.step(first, {0, number(3)}, std::nullopt, next);
  ASSERT_EQ(next.size(), 1u);
  const std::vector<Value> after(next[0].begin(), next[0].end());
  EXPECT_THAT(related(text("spec.q = s; spec.n = 1; spec.flag = false;")),
              ElementsAre(after));
  EXPECT_THAT(related(text("push_back(spec.q, s[0]); spec.n = spec.n - 4;"
                           "if (spec.n == 1) { spec.flag = false; return; }"
                           "spec.n = 7;")),
              ElementsAre(after));
}

TEST(Relation, SaysWhatWentWrong) {
  const auto text = [](const std::string& relation) {
    return object("counter", "int inc() { return 0; }",
                  "shared int x, a[2]; shared seq<int> s;", "x = 2;",
                  "\n" + relation);
  };
  EXPECT_EQ(problem(text("assert x == 1; return x;")),
            "the relation goes wrong: line 2: assertion failed: `x == 1`");
  EXPECT_EQ(problem(text("return a[x];")),
            "the relation goes wrong: line 2: index out of range in `a[x]`");
  EXPECT_EQ(problem(text("return x - 3;")),
            "the relation goes wrong: -1 is no state of 'counter'");
  EXPECT_EQ(problem(text("int e = empty; return e;")),
            "the relation goes wrong: null is no state of 'counter'");
  EXPECT_EQ(problem(text("while (true) skip; return 1;")),
            "the relation goes wrong: line 1: runs for ever without a step: "
            "`relation`");
  EXPECT_EQ(problem(text("seq<int, 2> t; while (true) push_back(t, 1);"
                         "return 1;")),
            "the relation needs more than 2 items in 't' on line 2");
}

// What is wrong with a relation of an object that implements a queue, or a
// specification of its own.
std::string message(const std::string& relation) {
  std::string all;
  for (const std::string& one : messages_of(
           "spec mine { seq<int> q; int n; void put(int v) { skip; } }\n"
           "object o implements mine { struct Node { int val; }\n"
           "  shared int x; shared Node top; shared seq<int> s;\n"
           "  function void writes() { x = 1; }\n"
           "  function void calls() { writes(); }\n"
           "  function int pure(seq<int> t) { push_back(t, x); return len(t); "
           "}\n"
           "  void put(int v) { skip; }\n"
           "  relation { " +
           relation +
           " } }\ncheck o quiescent by relation with 1 process, values 1;")) {
    all += (all.empty() ? "" : "; ") + one;
  }
  return all;
}

constexpr const char* kHint =
    " (a relation looks at a state; it may have variables of its own)";

TEST(ErrorsInRelations, TheyChangeNothing) {
  EXPECT_EQ(message("spec.n = pure(s); int k = 1; k++; push_back(spec.q, k);"),
            "");
  EXPECT_EQ(message("x = 1;"), std::string("the relation changes 'x'") + kHint);
  EXPECT_EQ(message("x++;"), std::string("the relation changes 'x'") + kHint);
  EXPECT_EQ(message("top.val = 1;"),
            std::string("the relation changes 'top.val'") + kHint);
  EXPECT_EQ(message("push_back(s, 1);"),
            std::string("the relation changes 's'") + kHint);
  EXPECT_EQ(message("s[0] = 1;"),
            std::string("the relation changes 's[0]'") + kHint);
  EXPECT_EQ(message("if (cas(x, 0, 1)) skip;"),
            std::string("the relation changes 'x'") + kHint);
  EXPECT_EQ(message("spec.n = fetch_add(x, 1);"),
            std::string("the relation changes 'x'") + kHint);
  EXPECT_EQ(message("Node n = new Node;"),
            std::string("the relation uses 'new'") + kHint);
  EXPECT_EQ(message("if (self == nobody) return;"),
            std::string("the relation uses 'self'") + kHint);
  EXPECT_EQ(message("linearize;"),
            std::string("the relation uses 'linearize'") + kHint);
  EXPECT_EQ(message("writes();"),
            "the relation cannot call 'writes', which changes 'x' on line 4" +
                std::string(kHint));
  EXPECT_EQ(message("calls();"),
            "the relation cannot call 'calls', which changes 'x' on line 4" +
                std::string(kHint));
}

TEST(ErrorsInRelations, TheyGiveAnAbstractState) {
  EXPECT_EQ(message("return 1;"),
            "a relation to 'mine' returns nothing, but there is a value here "
            "(give its variables their values: 'spec.NAME = ...;')");
  EXPECT_EQ(message("spec.nn = 1;"),
            "the specification 'mine' has no variable 'nn' (did you mean "
            "'spec.n'?)");
  EXPECT_EQ(message("spec.n = true;"), "this is bool, but 'spec.n' is int");
  EXPECT_EQ(message("int k = spec;"),
            "unexpected ';', expected '.' and a variable of the "
            "specification");
  const auto of_queue = [](const std::string& relation) {
    return errors_of(
        "object o implements queue { shared seq<int> s, t[2];"
        " shared seq<int, 3> u; void enq(int v) { skip; }"
        " relation {\n" +
        relation + "\n} }");
  };
  EXPECT_EQ(of_queue("return t[1];"), "");
  EXPECT_THAT(of_queue("return 1;"),
              HasSubstr("this is int, but a state of 'queue' is a seq of "
                        "values"));
  EXPECT_THAT(of_queue("return s; return u;"),
              HasSubstr("this is seq<int, 3>, but the relation returns "
                        "seq<int>"));
  EXPECT_THAT(of_queue("return;"), HasSubstr("there is no value here"));
  EXPECT_THAT(of_queue("skip;"), HasSubstr("this relation returns nothing"));
  EXPECT_THAT(of_queue("if (len(s) > 0) return s;"),
              HasSubstr("the end of this relation can be reached without a "
                        "'return'"));
  EXPECT_THAT(of_queue("spec.q = s; return s;"),
              HasSubstr("the state of the built-in 'queue' has no variables"));
}

TEST(ErrorsInRelations, TheyStandInObjects) {
  EXPECT_EQ(message_in_object("relation { return 1; }"),
            "'a' implements no specification, so its states stand for nothing "
            "(write 'object a implements ...')");
  EXPECT_EQ(message_in_object("relation { skip; } relation { skip; }"),
            "there is a second 'relation'");
  EXPECT_EQ(message_in_object("shared int x; void f() { x = spec.q; }"),
            "'spec.q' can be used in a relation only (elsewhere, an object "
            "knows nothing of its specification)");
  EXPECT_THAT(errors_of("spec s { relation { skip; } }"),
              HasSubstr("a specification has no 'relation'"));
}

// One that only a relation calls need not stand in an `atomic`.
TEST(Relation, IsAtomicAndSoIsWhatItCalls) {
  EXPECT_EQ(errors_of("object o implements queue { shared seq<int> s[2];"
                      " void enq(int v) { skip; }"
                      " function seq<int> all() { seq<int> t = s[0];"
                      "   await len(s[0]) == len(s[1]); return t; }"
                      " relation { return all(); } }"),
            "");
}

TEST(Relation, LeavesTheSystemAlone) {
  const std::string with = shuffled("push_back(queue[0], 1);");
  const std::size_t begin = with.find("relation {");
  const std::size_t end = with.find("return all;") + 13;
  const Space plain = explore(with.substr(0, begin) + with.substr(end));
  const Space related_too = explore(with);
  EXPECT_EQ(plain.states, related_too.states);
  EXPECT_EQ(plain.transitions, related_too.transitions);
}

}  // namespace
}  // namespace plumb::lang
