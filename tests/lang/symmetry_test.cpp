// SPDX-License-Identifier: Apache-2.0
// Interchangeable processes and values: what is found, and why not.
#include "lang/symmetry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "lang/machine_test_support.h"
#include "spec/catalogue.h"
#include "support/symmetry_judge.h"

namespace plumb::lang {
namespace {

using Notes = std::vector<std::string>;

// An object around `body`, with the declarations before it.
std::string object(const std::string& declarations, const std::string& body,
                   const std::string& bounds = "3 processes, values 1..3") {
  return "object o {\n" + declarations + "\nint f(int v) {\nint r = 0;\n" +
         body + "\nreturn r;\n}\n}\ncheck o safe with " + bounds + ";\n";
}

struct Named {
  Compiled compiled;
  Found found;
};

Named named(const std::string& text) {
  Named made;
  made.compiled = compiled(text);
  made.found = find_in(made.compiled.model, true, true);
  return made;
}

double order_of(const std::string& text) {
  const Named model = named(text);
  return model.found.symmetry ? model.found.symmetry->order() : 1;
}

Notes notes_of(const std::string& text) {
  return named(text).found.notes;
}

// 3! orders of the processes, 3! of the values.
constexpr double kBoth = 36, kOne = 6, kNone = 1;

TEST(Symmetry, FindsProcessesAndValuesThatAreOnlyStoredAndCompared) {
  const std::string text =
      object("shared int x = 0; shared process w; shared int d[process];",
             "if (x == v) r = x; x = v; d[self] = x; w = self;\n"
             "if (w == self) w = nobody;");
  EXPECT_EQ(order_of(text), kBoth);
  EXPECT_EQ(notes_of(text), Notes{});
}

TEST(Symmetry, DoesOnlyWhatIsAskedFor) {
  const Compiled made = compiled(object("shared int x;", "x = v; r = x;"));
  EXPECT_EQ(find_in(made.model, false, false).symmetry, nullptr);
  EXPECT_EQ(find_in(made.model, true, false).symmetry->order(), kOne);
  EXPECT_TRUE(find_in(made.model, true, false).symmetry->values().empty());
  EXPECT_EQ(find_in(made.model, false, true).symmetry->values().size(), 3u);
}

TEST(Symmetry, SaysWhichLineUsesAProcessAsANumber) {
  const std::string text = object(
      "shared int x;", "skip;\nx = index(self) + 1;", "3 processes, values 1");
  EXPECT_EQ(order_of(text), kNone);
  EXPECT_EQ(
      notes_of(text),
      Notes{"process symmetry is off: line 6 uses a process as a number"});
}

TEST(Symmetry, NumbersOfProcessesAreProcessesWhereNobodyComputesWithThem) {
  const std::string declared = "shared bool g[4]; shared int last = -1;";
  EXPECT_EQ(order_of(object(declared,
                            "int me = index(self); g[me] = true;\n"
                            "last = me; if (last == index(self)) skip;")),
            kBoth);
  EXPECT_EQ(
      notes_of(object(declared,
                      "int me = index(self); g[me] = true;\n"
                      "for (int i = 0; i < 3; i++) { if (g[i]) skip; }")),
      Notes{"process symmetry is off: line 6 uses a process as a number"});
}

TEST(Symmetry, AnArrayThatIsTooShortTellsProcessesApart) {
  EXPECT_EQ(notes_of(object("shared bool g[2];", "g[index(self)] = true;")),
            Notes{"process symmetry is off: line 5 has elements for some "
                  "processes only"});
  EXPECT_EQ(notes_of(object("shared int 0..1 k;", "k = index(self);")),
            Notes{"process symmetry is off: line 5 has room for some processes "
                  "only"});
}

TEST(Symmetry, ClientsThatSeeProcessesSeeTheirNumbers) {
  const std::string result =
      "object o { shared process w; process f() { return w; } }\n"
      "check o safe with 3 processes;";
  EXPECT_EQ(notes_of(result), Notes{"process symmetry is off: line 1 passes "
                                    "processes to clients or from them"});
  const std::string argument =
      "object o { shared int x; void f(process p, int v) { x = v; } }\n"
      "check o safe with 3 processes, values 1..2;";
  EXPECT_EQ(order_of(argument), kNone);
  EXPECT_EQ(notes_of(argument).size(), 2u);
}

TEST(Symmetry, ACertainProcessStaysWhatItIs) {
  const std::string one = "if (index(self) == 1) r = v;";
  EXPECT_EQ(order_of(object("", one, "4 processes, values 1")), kOne);
  EXPECT_EQ(order_of(object("", "if (index(self) < 2) r = v;",
                            "5 processes, values 1")),
            2 * kOne);
  EXPECT_EQ(order_of(object("shared bool g[2];", "g[index(self) % 2] = true;",
                            "4 processes, values 1")),
            4);
  EXPECT_EQ(notes_of(object("", one, "2 processes, values 1")),
            Notes{"process symmetry is off: line 5 tells processes apart by "
                  "their numbers"});
}

TEST(Symmetry, RolesStayApart) {
  const std::string text =
      "object o {\n"
      "  role writer: 2 processes { f }\n"
      "  role reader: others { g }\n"
      "  shared int x;\n"
      "  void f(int v) { x = v; }\n"
      "  int g() { return x; }\n"
      "}\ncheck o safe with 5 processes, values 1;\n";
  const Named model = named(text);
  ASSERT_NE(model.found.symmetry, nullptr);
  EXPECT_EQ(model.found.symmetry->order(), 12);
  EXPECT_EQ(model.found.groups, (std::vector<std::size_t>{0, 0, 2, 2, 2}));
}

TEST(Symmetry, MoreThanSixteenProcessesAreNotExchanged) {
  const std::string body = "r = v;";
  EXPECT_NE(order_of(object("", body, "16 processes, values 1")), kNone);
  EXPECT_EQ(notes_of(object("", body, "17 processes, values 1..2")),
            (Notes{"process symmetry is off: there are more than 16 processes",
                   "data symmetry is off: there are more than 16 processes"}));
}

TEST(Symmetry, TheFirstStateMustNotKnowProcesses) {
  const std::string text = object("shared int last = 0;", "last = index(self);",
                                  "3 processes, values 1");
  EXPECT_EQ(notes_of(text), Notes{"process symmetry is off: the first state "
                                  "tells processes apart"});
}

// What takes the interchange of values away.
TEST(Symmetry, SaysWhatIsDoneWithValues) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"r = v + 1;", "computes with values"},
      {"r = -v;", "computes with values"},
      {"if (v < 2) r = v;", "asks for the order of values"},
      {"bool q = v < 2; if (q) r = v;", "asks for the order of values"},
      {"bool q = 2 < v; if (q) r = v;", "asks for the order of values"},
      {"if (v < x) r = v;", "asks for the order of values"},
      {"r = min(v, x);", "asks for the order of values"},
      {"a[v] = 1;", "uses a value as an index"},
      {"r = any(1, v);", "computes with values"},
      {"r = any(1, 2);", "computes what is mixed with values"},
      {"r = k + 1;", "computes what is mixed with values"},
      {"r = len(s);", "computes what is mixed with values"},
      {"r = s[v];", "counts positions with values"},
      {"if (len(t) > 0) r = smallest(t);", "asks for the order of values"},
      {"k = v;", "has room for some values only"},
      {"r = index(self);", "mixes values and processes"},
      {"insert(t, v); r = fetch_add(x, 1); x = v;", "computes with values"}};
  for (const auto& [body, why] : cases) {
    const std::string text = object(
        "shared int x; shared int a[4]; shared int 0..2 k;"
        "shared seq<int, 2> s; shared set<int, 2> t;",
        "x = v;\natomic {" + body + "}", "1 process, values 1..3");
    const Notes notes = notes_of(text);
    ASSERT_EQ(notes.size(), 1u) << body;
    EXPECT_NE(notes[0].find(why), std::string::npos) << body << notes[0];
    EXPECT_EQ(order_of(text), kNone) << body;
  }
}

TEST(Symmetry, AValueThatTheCodeKnowsKeepsItsName) {
  const Named model = named(
      object("shared int x;", "if (v == 2) x = v;", "1 process, values 1..4"));
  ASSERT_NE(model.found.symmetry, nullptr);
  const std::vector<Value> expected = {Value::integer(1), Value::integer(3),
                                       Value::integer(4)};
  EXPECT_TRUE(std::ranges::equal(model.found.symmetry->values(), expected));
  EXPECT_EQ(notes_of(object("shared int x;", "if (v == 2) x = v;",
                            "1 process, values 1..2")),
            Notes{"data symmetry is off: the code or the first state names "
                  "nearly all values"});
}

TEST(Symmetry, AValueOfTheFirstStateKeepsItsName) {
  EXPECT_EQ(order_of(object("shared int x = 2;", "r = x; x = v;",
                            "1 process, values 1..3")),
            2);
}

// A field that `new` is given is never seen with another value.
TEST(Symmetry, WhatCellsAndArraysHoldAtFirstIsAConstant) {
  const auto text = [](const std::string& body) {
    return "object o { struct N { int k; N next; } shared N top;\n"
           "  shared int x = empty; void f(int v) { " +
           body + " } }\ncheck o safe with 1 process, values 0..1;";
  };
  EXPECT_EQ(order_of(text("N n = new N { k = v }; top = n;")), 2);
  EXPECT_EQ(order_of(text("N n = new N; top = n; n.k = v;")), kNone);
  EXPECT_EQ(order_of(text("int a[2]; a[0] = v; a[1] = v; x = a[0];")), kNone);
  EXPECT_EQ(order_of(text("int a = v; x = a;")), 2);
}

TEST(Symmetry, ArraysThatAreComparedHoldTheSameKindOfThing) {
  const auto text = [](const std::string& number) {
    return object("shared int fixed[2];",
                  "int two[2]; two[0] = v;\n"
                  "atomic { fixed[0] = " +
                      number + "; if (two == fixed) r = v; }",
                  "1 process, values 1..3");
  };
  EXPECT_EQ(order_of(text("5")), kOne);
  EXPECT_EQ(order_of(text("3")), 2);
}

TEST(Symmetry, SixteenValuesAreExchangedAndFurtherOnesAreNot) {
  const Named model =
      named(object("shared int x;", "x = v;", "1 process, values 1..20"));
  EXPECT_EQ(model.found.symmetry->values().size(), 16u);
}

TEST(Symmetry, SpecificationsThatTellValuesApartAreRespected) {
  const auto text = [](const std::string& name, const std::string& code) {
    return "spec keeper { int k = 0; void put(int v) { " + code +
           " } int get() { return k; } }\n"
           "object o implements " +
           name +
           " { shared seq<int, 4> s; "
           "void put(int v) { push_back(s, v); } }\n"
           "check o linearizable with 1 process, values 1..3;";
  };
  EXPECT_EQ(order_of(text("keeper", "k = v;")), kOne);
  EXPECT_EQ(order_of(text("keeper", "if (v == 3) k = v;")), 2);
  EXPECT_EQ(order_of(text("keeper", "if (v > k) k = v;")), kNone);
  EXPECT_EQ(notes_of(text("keeper", "k = max(k, v);")),
            Notes{"data symmetry is off: the specification 'keeper' tells "
                  "values apart"});
  const std::string heap =
      "object o implements priority_queue { shared seq<int, 4> s; "
      "void insert(int v) { push_back(s, v); } }\n"
      "check o linearizable with 1 process, values 1..3;";
  EXPECT_EQ(order_of(heap), kNone);
}

TEST(Symmetry, BuiltInObjectsActTheSameByOtherNames) {
  std::vector<Value> values;
  for (int i = 1; i <= 4; ++i) values.push_back(Value::integer(i));
  std::mt19937 random(3);
  for (const char* name :
       {"queue", "queue(2)", "stack", "blocking_stack(2)", "deque", "bag",
        "bag(3)", "register", "set", "map", "blocking_queue"}) {
    const spec::SpecificationPtr object = spec::make(name);
    EXPECT_EQ(object->interchangeable(values), values) << name;
    std::vector<spec::Call> calls;
    for (std::uint16_t c = 0; c < object->operations().size(); ++c) {
      for (const Value a : values) {
        const Value pair[] = {a, values[random() % values.size()]};
        const bool takes_pair =
            object->operations()[c].argument == spec::Argument::kPair;
        calls.push_back({c, takes_pair ? Value::list(pair) : a});
      }
    }
    for (int i = 0; i < 30; ++i) {
      EXPECT_EQ(judge(*object, calls, values, random), "") << name;
    }
  }
  for (const char* name : {"counter", "priority_queue", "snzi"}) {
    EXPECT_TRUE(spec::make(name)->interchangeable(values).empty()) << name;
  }
}

TEST(Symmetry, SpecificationsOfUsersActTheSameByOtherNames) {
  const Compiled made = compiled(
      "spec mixed { int last = 0; seq<int, 40> q; set<int, 9> t;\n"
      "  map<int, int, 9> m; int pair[2];\n"
      "  int put(int v) { int old = last; last = v; push_back(q, v);\n"
      "    insert(t, v); m[v] = old; pair[1] = v; return old; }\n"
      "  int take(int v) { if (len(q) == 0) return empty;\n"
      "    if (contains(m, v)) return m[v]; return pop_front(q); }\n"
      "  int some(int v) { await contains(t, v); return any_of(t); }\n"
      "  bool drop(int v) { return remove(t, v); }\n"
      "}\n"
      "object o implements mixed { shared int x;\n"
      "  int put(int v) { return exchange(x, v); } }\n"
      "check o linearizable with 2 processes, values 1..4;");
  std::vector<Value> values;
  for (int i = 1; i <= 4; ++i) values.push_back(Value::integer(i));
  const spec::Specification& object = *made.model.specification;
  EXPECT_EQ(object.interchangeable(values), values);
  std::vector<spec::Call> calls;
  for (std::uint16_t c = 0; c < 4; ++c) {
    for (const Value value : values) calls.push_back({c, value});
  }
  std::mt19937 random(11);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(judge(object, calls, values, random), "");
  }
}

}  // namespace
}  // namespace plumb::lang
