// SPDX-License-Identifier: Apache-2.0
#include "lang/history_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/input_error.h"
#include "base/map_value.h"
#include "lang/parse.h"
#include "lang/user_spec.h"
#include "spec/notation.h"

namespace plumb::lang {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

struct Both {
  spec::SpecificationPtr history;  // runs the tree
  spec::SpecificationPtr model;    // runs bytecode
};

std::shared_ptr<const Module> module_of(const std::string& text) {
  Reading reading = read_model("m.plumb", text);
  for (const InputError& error : reading.errors) ADD_FAILURE() << error.what();
  return std::move(reading.module);
}

ConstantValues constants_of(const Module& module) {
  ConstantValues constants;
  define_constants(module.constants, constants, *module.source);
  define_constants(module.objects[0]->constants, constants, *module.source);
  return constants;
}

spec::SpecificationPtr made(const std::string& text) {
  const auto module = module_of(text);
  return make_history_spec(module, *module->objects[0], constants_of(*module),
                           "m");
}

Both both(const std::string& text) {
  const auto module = module_of(text);
  const ConstantValues constants = constants_of(*module);
  return {make_history_spec(module, *module->objects[0], constants, "m"),
          make_user_spec(module->source, *module->objects[0], constants, "m")};
}

std::uint16_t code(const spec::Specification& object, const char* name) {
  return spec::find_operation(object, name).value();
}

// All results, in the order of values.
std::vector<std::string> results(const spec::Specification& object,
                                 const std::vector<spec::State>& states,
                                 const spec::Call& call) {
  std::set<std::string> all;
  for (const spec::State& state : states) {
    std::vector<spec::Outcome> outcomes;
    object.apply(state, call, outcomes);
    for (const spec::Outcome& one : outcomes)
      all.insert(one.result.to_string());
  }
  return {all.begin(), all.end()};
}

std::vector<spec::State> after(const spec::Specification& object,
                               const std::vector<spec::State>& states,
                               const spec::Call& call,
                               const std::string& result) {
  std::vector<spec::State> next;
  for (const spec::State& state : states) {
    std::vector<spec::Outcome> outcomes;
    object.apply(state, call, outcomes);
    for (const spec::Outcome& one : outcomes) {
      if (one.result.to_string() == result &&
          std::find(next.begin(), next.end(), one.next) == next.end()) {
        next.push_back(one.next);
      }
    }
  }
  return next;
}

// In models a `value` is an int, and containers have capacities that these
// walks do not reach; so both must say the same.
constexpr const char* kBounded[] = {
    "spec s { seq<value, 40> q; void put(value v) { push_back(q, v); }"
    " value take() { if (len(q) == 0) return empty; return pop_front(q); }"
    " value look(value i) { if (i >= len(q)) return null; return q[i]; }"
    " void front(value v) { push_front(q, v); }"
    " bool has(value v) { return contains(q, v); } }",
    "spec s { set<int> a; map<int, int> m; bool add(int v) {"
    " m[v] = contains(m, v) ? m[v] + 1 : 1; return insert(a, v); }"
    " bool drop(int v) { remove(m, v); return remove(a, v); }"
    " int count(int v) { return contains(m, v) ? m[v] : 0; }"
    " int least() { await len(a) > 0; return smallest(a); }"
    " int some() { await len(a) > 0; return any_of(a); } }",
    "const N = 3; enum Color { red, green, blue } spec s { Color c[N];"
    " int at = 1; init { c[2] = blue; }"
    " function int next(int i) { return (i + 1) % N; }"
    " Color turn(int v) { choose { at = next(at); } or { at = v % N; }"
    " if (c[at] == red) c[at] = green; else c[at] = red; return c[at]; }"
    " int where() { return at; } Color[N] all() { return c; } }",
    "spec s { int x; int y = -2; bool go(int v) { int i = 0;"
    " while (true) { i++; if (i > v) break; if (i % 2 == 0) continue; x += i; }"
    " do { y = max(y - 1, -9); } while (y % 3 != 0); return x > v && !(y == v);"
    " } int get() { return x * y / 3 + x % 5; }"
    " int any_up(int v) { return any(0, v); }"
    " bool swap(int v) { return cas(x, v, y); }"
    " int add(int v) { return fetch_add(y, v); }"
    " int change(int v) { return exchange(x, v); }"
    " bool two(int v) { return dcas(x, y, v, -9, 1, 2); } }",
    "spec s { bool held; int owner = empty; void lock(int v) { await !held;"
    " held = true; owner = v; } bool unlock(int v) { if (owner != v) return "
    "false; held = false; owner = empty; return true; }"
    " int who() { return owner; } }",
};

TEST(HistorySpec, AgreesWithTheMachine) {
  for (const char* text : kBounded) {
    const Both spec = both(text);
    for (unsigned seed = 0; seed < 40; ++seed) {
      std::mt19937 random(seed);
      std::vector<spec::State> tree = {spec.history->initial()};
      std::vector<spec::State> code = {spec.model->initial()};
      for (int i = 0; i < 25; ++i) {
        const auto which = static_cast<std::uint16_t>(
            random() % spec.model->operations().size());
        spec::Call call{which, Value::integer(random() % 4)};
        if (spec.model->operations()[which].argument == spec::Argument::kNone) {
          call.argument = Value();
        }
        const auto wanted = results(*spec.model, code, call);
        ASSERT_EQ(results(*spec.history, tree, call), wanted)
            << text << " seed " << seed << " call " << i;
        if (wanted.empty()) continue;
        const std::string result = wanted[random() % wanted.size()];
        tree = after(*spec.history, tree, call, result);
        code = after(*spec.model, code, call, result);
        ASSERT_EQ(tree.size(), code.size()) << text << " seed " << seed;
      }
    }
  }
}

TEST(HistorySpec, HoldsWhateverHistoriesHave) {
  const auto kv = made(
      "spec kv { map<value, value> m; value get(value k) { return contains(m, "
      "k) ? m[k] : \"\"; } void append(value k, value v) { m[k] = (contains(m, "
      "k) ? m[k] : \"\") + v; } }");
  spec::State state = kv->initial();
  for (const char* part : {"a", "b"}) {
    std::vector<spec::State> next;
    kv->step(state,
             {code(*kv, "append"),
              Value::list(std::array{Value::text("k"), Value::text(part)})},
             Value(), next);
    ASSERT_EQ(next.size(), 1u);
    state = next[0];
  }
  EXPECT_THAT(results(*kv, {state}, {code(*kv, "get"), Value::text("k")}),
              ElementsAre("\"ab\""));
  EXPECT_EQ(kv->describe(state), "m = {\"k\": \"ab\"}");
}

TEST(HistorySpec, NumbersHave64Bits) {
  const auto counter =
      made("spec c { int n; int add(int v) { n += v; return n; } }");
  const Value large = Value::integer(std::int64_t{1} << 62);
  std::vector<spec::Outcome> outcomes;
  counter->apply(counter->initial(), {0, large}, outcomes);
  ASSERT_EQ(outcomes.size(), 1u);
  EXPECT_EQ(outcomes[0].result.to_string(), "4611686018427387904");
  EXPECT_THROW(counter->apply(outcomes[0].next, {0, large}, outcomes),
               InputError);
}

TEST(HistorySpec, ArgumentsByNames) {
  const auto bank =
      made("spec b { int x; void move(int from, int to) { x = from - to; } }");
  const auto& notation = dynamic_cast<const spec::Notation&>(*bank);
  const Value by_name =
      map_of(std::array{Value::text("from"), Value::integer(3),
                        Value::text("to"), Value::integer(1)});
  EXPECT_EQ(notation.taken(0, by_name).to_string(), "[3, 1]");
  const Value list = Value::list(std::array{Value::integer(3)});
  EXPECT_THROW(notation.taken(0, list), InputError);
  const Value text =
      Value::list(std::array{Value::integer(3), Value::text("x")});
  EXPECT_THROW(notation.taken(0, text), InputError);
}

TEST(HistorySpec, SetsHaveNoOrder) {
  const auto set = made(
      "spec s { set<value> a; void add(value v) { insert(a, v); }"
      " set<value> read() { return a; } }");
  const auto& notation = dynamic_cast<const spec::Notation&>(*set);
  const Value seen = Value::list(
      std::array{Value::integer(3), Value::integer(1), Value::integer(3)});
  EXPECT_EQ(notation.given(1, seen).to_string(), "[1, 3, 3]");
}

TEST(HistorySpec, KnowsWhatOnlyReadsAndWhatTakes) {
  const auto object = made(
      "spec s { seq<value> q; function value first() { return front(q); }"
      " value peek() { if (len(q) == 0) return empty; return first(); }"
      " value deq() { return len(q) == 0 ? empty : pop_front(q); }"
      " value last() { seq<value> r = q; return pop_back(r); }"
      " bool drop() { clear(q); return true; } }");
  const auto operations = object->operations();
  EXPECT_TRUE(operations[0].reads_only);
  EXPECT_FALSE(operations[0].takes);
  EXPECT_FALSE(operations[1].reads_only);
  EXPECT_TRUE(operations[1].takes);
  EXPECT_TRUE(operations[2].reads_only);
  EXPECT_FALSE(operations[3].reads_only);
  EXPECT_EQ(operations[3].result, spec::Result::kBoolean);
}

TEST(HistorySpec, SaysWhereItGoesWrong) {
  const auto object = made(
      "spec s { seq<value> q;\n value deq() { return pop_front(q); }\n"
      " int add(value v) { return v + 1; } void run() { while (true) skip; "
      "} }");
  std::vector<spec::Outcome> outcomes;
  try {
    object->apply(object->initial(), {0, Value()}, outcomes);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.place().line, 2u);
    EXPECT_THAT(error.what(), HasSubstr("there is nothing to take"));
  }
  EXPECT_THROW(
      object->apply(object->initial(), {1, Value::text("a")}, outcomes),
      InputError);
  EXPECT_THROW(object->apply(object->initial(), {2, Value()}, outcomes),
               InputError);
}

// What an argument calls may change what it is put into.
TEST(HistorySpec, ArgumentsThatChangeTheContainer) {
  const auto object = made(
      "spec s { seq<int> q; int a[2]; void put(int v) { push_back(q, v); }"
      " int turn() { push_back(q, pop_front(q)); insert_at(q, 0, pop_back(q));"
      " q[pop_front(q)] = 7; return q[0]; } }");
  spec::State state = object->initial();
  for (const int v : {0, 5}) {
    std::vector<spec::State> next;
    object->step(state, {0, Value::integer(v)}, std::nullopt, next);
    state = next[0];
  }
  EXPECT_THAT(results(*object, {state}, {1, Value()}), ElementsAre("7"));
}

std::string fault_of(const std::string& text) {
  const Reading reading = read_model("m.plumb", text);
  return reading.errors.empty() ? "" : reading.errors[0].what();
}

TEST(Partition, IsWhatItSays) {
  const std::string begin =
      "spec s { partition by k; map<value, value> m;"
      " set<value> a; int n; ";
  EXPECT_EQ(fault_of(begin + "value get(value k) { return m[k]; } bool has("
                             "value k) { return contains(a, k); } }"),
            "");
  EXPECT_EQ(fault_of(begin + "function value f(value k) { return m[k]; } value "
                             "get(value k) { return f(k); } }"),
            "");
  for (const char* wrong :
       {"value get(value key) { return m[key]; } }",
        "value get(value k, value l) { return m[l]; } }",
        "value get(value k) { return m[[k, 1]]; } }",
        "int get(value k) { return len(m); } }", "void put(value k) { n++; } }",
        "void put(value k) { k = 1; m[k] = 2; } }",
        "map<value, value> get(value k) { return m; } }",
        "bool get(value k) { map<value, value> n2 = m; return true; } }",
        "function value f(value k) { return m[k]; } value get(value k, value "
        "l) { return f(l); } }",
        "function value f(value l) { return m[l]; } value get(value k) { "
        "return "
        "f(k); } }"}) {
    EXPECT_NE(fault_of(begin + wrong), "") << wrong;
  }
}

TEST(Partition, ATypeMayBeCalledSo) {
  EXPECT_EQ(fault_of("enum partition { a, b } spec s { partition x; partition "
                     "get() { return x; } }"),
            "");
}

TEST(Values, AreOfSpecificationsOnly) {
  EXPECT_THAT(fault_of("object o { shared int x; void f() { x = \"a\"; } }"),
              HasSubstr("unexpected text"));
  EXPECT_THAT(fault_of("object o { shared value x; }"),
              HasSubstr("unknown type 'value'"));
  EXPECT_EQ(fault_of("spec s { value x; void f(value v) { x = v; } bool g() {"
                     " return x == null; } }"),
            "");
  EXPECT_THAT(fault_of("spec s { value x; void f() { x[0] = 1; } }"),
              HasSubstr("cannot be assigned to"));
  EXPECT_THAT(fault_of("spec s { value x = \"a; }"),
              HasSubstr("this text does not end"));
  EXPECT_THAT(fault_of("spec s { value x = \"\\q\"; }"),
              HasSubstr("means nothing"));
}

// A model says that it has no such values, instead of something else.
TEST(Values, AreRefusedInModels) {
  for (const char* body :
       {"value f(value v) { return \"a\"; }",
        "value f(value v) { return [v]; }", "value f(value v) { return v[0]; }",
        "int f(value v) { return len(v); }",
        "set<value> f(value v) { return a; }"}) {
    const auto module =
        module_of(std::string("spec s { set<value> a; ") + body + " }");
    EXPECT_THROW(make_user_spec(module->source, *module->objects[0],
                                constants_of(*module), "m"),
                 InputError)
        << body;
    EXPECT_NO_THROW(make_history_spec(module, *module->objects[0],
                                      constants_of(*module), "m"));
  }
}

TEST(Values, NothingDependsOnProcesses) {
  for (const char* text :
       {"spec s { int a[process]; void f() { skip; } }",
        "spec s { int a[processes]; void f() { skip; } }",
        "const N = processes; spec s { int n; void f() { n = N; } }"}) {
    const auto module = module_of(text);
    EXPECT_THROW(make_history_spec(module, *module->objects[0],
                                   constants_of(*module), "m"),
                 InputError)
        << text;
  }
}

}  // namespace
}  // namespace plumb::lang
