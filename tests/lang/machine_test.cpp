// SPDX-License-Identifier: Apache-2.0
// Sizes of state spaces, faults, bounds, clients, and what people are told.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "lang/machine_test_support.h"

namespace plumb::lang {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

constexpr const char* kCounter = R"(
const N = 4;
object counter {
  shared int 0..N h = 0;
  int push() { while (true) { int ss = h; int n = min(ss + 1, N);
    if (cas(h, ss, n)) return n; } }
  void pop() { while (true) { int ss = h;
    if (cas(h, ss, max(ss - 1, 0))) return; } }
}
check counter safe with 2 processes;
check counter safe with 3 processes;
check counter safe with 1 process;
)";

// The numbers were found by three other tools.
TEST(Machine, CounterHasTheGoldenNumbers) {
  const Space two = explore(kCounter);
  EXPECT_EQ(two.states.size(), 969u);
  EXPECT_EQ(two.transitions, 2118u);
  const Space three = explore(kCounter, 1);
  EXPECT_EQ(three.states.size(), 21'711u);
  EXPECT_EQ(three.transitions, 69'993u);
}

TEST(Machine, SettingsChangeConstants) {
  const Compiled made = compiled(kCounter, 2, {{"N", 1}});
  const Space small = explore(*made.model.system);
  EXPECT_LT(small.states.size(), explore(kCounter, 2).states.size());
  EXPECT_THAT(small.results, UnorderedElementsAre("push -> 1", "pop -> null"));
}

// One operation `f`, one process, one call; its faults.
std::set<std::string> faults_of(const std::string& members,
                                const std::string& bounds = "") {
  return explore("object o {\n" + members +
                 "\n}\ncheck o safe with 1 process, 1 operations" + bounds +
                 ";")
      .faults;
}

TEST(Machine, FaultsNameThePlace) {
  EXPECT_THAT(faults_of("shared int x; void f() { assert x == 1; }"),
              ElementsAre("line 2: assertion failed: `x == 1`"));
  EXPECT_THAT(faults_of("shared int x;\nvoid f() { x = 1;\nassert x == 1; }"),
              IsEmpty());
}

TEST(Machine, AllKindsOfFaults) {
  EXPECT_THAT(faults_of("struct N { N next; int v; } shared N top;\n"
                        "int f() { N t = top; return t.v; }"),
              ElementsAre("line 3: null reference in `t.v`"));
  EXPECT_THAT(faults_of("shared int a[2]; shared int i = 2;"
                        "int f() { return a[i]; }"),
              ElementsAre("line 2: index out of range in `a[i]`"));
  EXPECT_THAT(faults_of("shared int 0..2 x = 2; void f() { x = x + 1; }"),
              ElementsAre("line 2: value out of range in `x = x + 1`"));
  EXPECT_THAT(faults_of("shared int x = 5; shared int 0..1 w;\n"
                        "void f() { w = x; }"),
              ElementsAre("line 3: value out of range in `w = x`"))
      << "it is w that has a range";
  EXPECT_THAT(faults_of("shared int x; int f() { int y = 3; return y / x; }"),
              ElementsAre("line 2: division by zero in `y / x`"));
  EXPECT_THAT(faults_of("shared int x; int f() { int y = 3; return y % x; }"),
              ElementsAre("line 2: division by zero in `y % x`"));
  EXPECT_THAT(faults_of("shared seq<int> q; int f() { return pop_back(q); }"),
              ElementsAre("line 2: nothing to take in `pop_back(q)`"));
  EXPECT_THAT(faults_of("shared set<int> q; int f() { return any_of(q); }"),
              ElementsAre("line 2: nothing to take in `any_of(q)`"));
  EXPECT_THAT(faults_of("shared map<int, int> m; int f() { return m[3]; }"),
              ElementsAre("line 2: missing key in `m[3]`"));
  EXPECT_THAT(faults_of("shared int x = empty; int f() { return x + 1; }"),
              ElementsAre("line 2: 'empty' is no number in `x + 1`"));
  EXPECT_THAT(faults_of("int f() { int i = 0; while (i < 1) { } return i; }"),
              ElementsAre("line 2: runs for ever without a step: `f`"));
  EXPECT_THAT(faults_of("int f() { int i = 0; while (i < 2) { i = 1 - i; }"
                        " return i; }"),
              ElementsAre("line 2: runs for ever without a step: `f`"));
  EXPECT_THAT(faults_of("int f() { int i = 0; while (i < 30000) { i++; }"
                        " return i; }"),
              ElementsAre())
      << "that is long, and has an end";
  EXPECT_THAT(faults_of("shared process p; shared int a[process];"
                        "int f() { return a[p]; }"),
              ElementsAre("line 2: index out of range in `a[p]`"));
}

// Registers are kept in as few bytes as their numbers need, and no fewer.
TEST(Machine, NumbersKeepTheirValueBetweenSteps) {
  const Space space = explore(
      "object o { shared int 0..200 x = 200; shared int 0..1 y;"
      " shared int z = 300;"
      " int a() { int t = x; int u = t + t; y = 0; return u; }"
      " int b() { int t = x; int u = min(t + t, 256); y = 0; return u; }"
      " int c() { int t = x; int u = max(t, 256); y = 0; return u; }"
      " int d() { int t = x; int u = 0 - t; y = 0; return u - 100; }"
      " int e() { int t = 1; for (int i = 0; i < 10; i++) { t = t * 2; }"
      "  y = 0; return t; }"
      " int f() { int t = z; y = 0; return t; }"
      " int g() { int t = y == 0 ? empty : 3; y = 0; return t; }"
      " int h() { int t = index(self) + 254; y = 0; t++; y = 0; t++; y = 0;"
      "  return t; } }"
      "check o safe with 2 processes, 1 operations;");
  EXPECT_THAT(space.results,
              UnorderedElementsAre("a -> 400", "b -> 256", "c -> 256",
                                   "d -> -300", "e -> 1024", "f -> 300",
                                   "g -> null", "h -> 256", "h -> 257"));
}

TEST(Machine, AFaultLeavesTheStateAsItIs) {
  const Compiled made = compiled(
      "object o { shared int x; void f() { atomic { x = 1; assert x == 2; } }"
      "} check o safe with 1 process;");
  const lts::System& system = *made.model.system;
  lts::Successors out;
  system.successors(system.initial(), out);
  const lts::StateView view = out.state(0);
  const lts::StateBytes called(view.begin(), view.end());
  system.successors(called, out);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out.label(0).kind, lts::LabelKind::kFault);
  EXPECT_TRUE(std::equal(called.begin(), called.end(), out.state(0).begin(),
                         out.state(0).end()));
}

TEST(Machine, ReachingABoundIsNotWaiting) {
  const Compiled made = compiled(
      "object o { shared seq<int, 2> q; shared seq<int> r;"
      " shared int x = 32766; void f() { push_back(q, 1); }"
      " void g() { push_back(r, 1); } void h() { x = x + 1; } }"
      "check o safe with 1 process;");
  const Space space = explore(*made.model.system);
  EXPECT_EQ(space.waiting, 0u);
  EXPECT_EQ(space.cut, 7u);
  const auto bounds = made.model.system->bounds();
  ASSERT_EQ(bounds.size(), 3u);
  EXPECT_EQ(bounds[0].text, "32,767 for an int");
  EXPECT_FALSE(bounds[0].by_user);
  EXPECT_EQ(bounds[1].text, "2 items in 'q'");
  EXPECT_TRUE(bounds[1].by_user);
  EXPECT_EQ(bounds[2].text, "8 items in 'r'");
  EXPECT_FALSE(bounds[2].by_user);
}

TEST(Machine, RolesSayWhoCallsWhat) {
  const Space space = explore(
      "object o { shared int x;"
      " role writer: 1 process { write } role reader: others { read }"
      " void write(int v) { x = v; } int read() { return x; } }"
      "check o safe with 3 processes, values 1..2;");
  EXPECT_THAT(space.calls, UnorderedElementsAre("0 write 1", "0 write 2",
                                                "1 read null", "2 read null"));
}

TEST(Machine, ProcessesWithoutRoleCallWhatNoRoleNames) {
  const Space space = explore(
      "object o { shared int x; role writer: 1 process { write }"
      " void write(int v) { x = v; } int read() { return x; } }"
      "check o safe with 2 processes, values 1;");
  EXPECT_THAT(space.calls, UnorderedElementsAre("0 write 1", "1 read null"));
}

TEST(Machine, OperationsAreBounded) {
  const std::string object =
      "object o { shared int 0..9 x; void f() { x = min(x + 1, 9); } }";
  const Space once = explore(object +
                             "check o safe with 1 process,"
                             " 1 operations;");
  const Space twice = explore(object +
                              "check o safe with 1 process,"
                              " 2 operations;");
  EXPECT_EQ(once.states.size(), 5u);
  EXPECT_EQ(twice.states.size(), 9u);
  EXPECT_EQ(twice.stuck, 1u) << "all calls were made";
  EXPECT_EQ(twice.waiting, 0u);
}

TEST(Machine, PutsThatSayNothingWaitForRoom) {
  const Space space = explore(
      "object o implements stack(2) { shared seq<int, 2> s;"
      " void push(int v) { push_back(s, v); }"
      " int pop() { atomic { if (len(s) == 0) return empty;"
      "  return pop_back(s); } } }"
      "check o safe with 3 processes, values 1;");
  EXPECT_EQ(space.cut, 0u) << "there are never three items";
}

// Runs one whole call of `operation` by process 0; false if it may not.
bool run_call(const lts::System& system, lts::StateBytes& state,
              const std::string& operation) {
  lts::Successors out;
  for (;;) {
    system.successors(state, out);
    std::size_t i = 0;
    while (i < out.size() &&
           system.operations()[out.label(i).operation] != operation) {
      ++i;
    }
    if (i == out.size()) return false;
    const bool done = out.label(i).kind == lts::LabelKind::kReturn;
    const lts::StateView next = out.state(i);
    state.assign(next.begin(), next.end());
    if (done) return true;
  }
}

TEST(Machine, ATakeMakesRoomIfItFoundSomething) {
  const Compiled made = compiled(
      "object o implements stack(2) { shared seq<int, 2> s;"
      " void push(int v) { push_back(s, v); }"
      " int pop() { atomic { if (len(s) == 0) return empty;"
      "  return pop_back(s); } } }"
      "check o safe with 1 process, values 1;");
  const lts::System& system = *made.model.system;
  lts::StateBytes state = system.initial();
  EXPECT_TRUE(run_call(system, state, "pop"));
  EXPECT_TRUE(run_call(system, state, "push"));
  EXPECT_TRUE(run_call(system, state, "push"));
  EXPECT_FALSE(run_call(system, state, "push"));
  EXPECT_TRUE(run_call(system, state, "pop"));
  EXPECT_TRUE(run_call(system, state, "push"));
  EXPECT_FALSE(run_call(system, state, "push"));
}

TEST(Machine, ArgumentsAndResultsAreValues) {
  const Space space = explore(
      "enum Color { red, green }\n"
      "object o { shared Color c; shared process last;"
      " Color paint(Color d) { last = self; return exchange(c, d); }"
      " process who() { return last; }"
      " int[2] pair(bool b, int 3..3 k) { int r[2]; r[0] = b ? 1 : empty;"
      "  r[1] = k; return r; } }"
      "check o safe with 1 process;");
  EXPECT_THAT(
      space.calls,
      UnorderedElementsAre("0 paint \"red\"", "0 paint \"green\"", "0 who null",
                           "0 pair [false, 3]", "0 pair [true, 3]"));
  EXPECT_THAT(space.results,
              UnorderedElementsAre("paint -> \"red\"", "paint -> \"green\"",
                                   "who -> null", "who -> 0",
                                   "pair -> [null, 3]", "pair -> [1, 3]"));
}

TEST(Machine, EdgesTellOutcomesApart) {
  const Compiled made = compiled(
      "object o { shared int x, y;\n"
      "int f() { int t = x;\n"
      " if (t == 3) return 1;\n"
      " if (cas(x, t, t + 1)) { y = 1; return 2; }\n"
      " return 3; } }\n"
      "check o safe with 2 processes, 4 operations;");
  const Space space = explore(*made.model.system);
  std::vector<std::string> told;
  for (const std::uint32_t number : space.edges) {
    const lts::Edge edge = made.model.system->edge(number);
    told.push_back(std::to_string(edge.line) + " " + edge.statement + " " +
                   edge.outcome + (edge.writes ? " W" : ""));
  }
  EXPECT_THAT(told, UnorderedElementsAre(
                        "2 f ", "2 int t = x when t == 3",
                        "2 int t = x when not t == 3",
                        "4 if (cas(x, t, t + 1)) when the cas succeeds W",
                        "4 if (cas(x, t, t + 1)) when the cas fails",
                        "4 y = 1  W", "2 return "));
}

TEST(Machine, StatesAreDescribed) {
  const Compiled made = compiled(
      "object o { struct N { int v; N next; } shared N top = new N;"
      "shared set<int> s; void f() { N t = top; insert(s, 1); top = t.next; } }"
      "check o safe with 1 process;");
  const lts::System& system = *made.model.system;
  lts::StateBytes state = system.initial();
  lts::Successors out;
  for (int i = 0; i < 2; ++i) {
    system.successors(state, out);
    const lts::StateView next = out.state(0);
    state.assign(next.begin(), next.end());
  }
  std::vector<std::string> lines;
  for (const lts::Variable& variable : system.describe(state)) {
    lines.push_back(variable.name + ": " + variable.value);
  }
  EXPECT_THAT(
      lines,
      ElementsAre("top: #1", "s: {}", "#1: N { v = 0, next = null }",
                  "process 0: f: line 1, `insert(s, 1)`", "process 0: t: #1"));
}

TEST(Machine, ContainersKeepTheirOrder) {
  EXPECT_THAT(
      first_run("object o { shared seq<int, 4> q; shared set<int, 4> s;"
                "shared map<int, int, 4> m;"
                "void f() { push_back(q, 1); push_front(q, 2);"
                " insert_at(q, 1, 3); q[0] = 9; remove_at(q, 2);"
                " insert(s, 5); insert(s, -5); insert(s, 5); remove(s, 5);"
                " m[2] = 1; m[1] = 2; m[2] = 3; remove(m, 1); } }"
                "check o safe with 1 process;"),
      Contains("remove(m, 1) | m: {1: 2, 2: 3} -> {2: 3}"));
}

}  // namespace
}  // namespace plumb::lang
