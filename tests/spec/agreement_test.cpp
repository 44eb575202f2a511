// SPDX-License-Identifier: Apache-2.0
// Random walks: every built-in object against a plain model of it, made of
// standard containers and sharing no code with it.
#include <gtest/gtest.h>

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "spec/spec_test_support.h"

namespace plumb::spec_testing {
namespace {

using Values = std::set<Value, ByCompare>;

Value yes_or_no(bool b) {
  return Value::boolean(b);
}

std::string joined(const auto& values) {
  std::string out;
  for (const Value value : values) {
    out += (out.empty() ? "" : ", ") + value.to_string();
  }
  return out;
}

class Model {
 public:
  virtual ~Model() = default;
  // All results that the caller may see; none: it blocks.
  virtual Values results(const std::string& f, Value argument) const = 0;
  virtual void run(const std::string& f, Value argument, Value result) = 0;
  virtual std::string contents() const = 0;
};

// Everything with a put and a take.
class Container : public Model {
 public:
  Container(std::size_t capacity, bool blocking)
      : capacity_(capacity), blocking_(blocking) {}

  Values results(const std::string& f, Value) const override {
    if (is_put(f)) {
      if (capacity_ == 0) return {Value()};
      return {yes_or_no(values_.size() < capacity_)};
    }
    if (!values_.empty()) return found(f);
    return blocking_ ? Values{} : Values{Value()};
  }
  void run(const std::string& f, Value argument, Value result) override {
    if (!is_put(f)) {
      if (!values_.empty()) take(f, result);
    } else if (capacity_ == 0 || values_.size() < capacity_) {
      const bool front = f == "push_front";
      values_.insert(front ? values_.begin() : values_.end(), argument);
    }
  }
  std::string contents() const override { return "[" + joined(values_) + "]"; }

 protected:
  std::deque<Value> values_;

 private:
  static bool is_put(const std::string& f) {
    return f == "enq" || f.starts_with("push") || f == "insert" || f == "add";
  }
  virtual Values found(const std::string& f) const = 0;
  virtual void take(const std::string& f, Value result) = 0;

  std::size_t capacity_;  // 0: none
  bool blocking_;
};

class Line final : public Container {  // queue, stack, deque
 public:
  using Container::Container;

 private:
  static bool at_front(const std::string& f) {
    return f == "deq" || f == "pop_front";
  }
  Values found(const std::string& f) const override {
    return {at_front(f) ? values_.front() : values_.back()};
  }
  void take(const std::string& f, Value) override {
    at_front(f) ? values_.pop_front() : values_.pop_back();
  }
};

class Heap final : public Container {  // priority queue and bag
 public:
  Heap(std::size_t capacity, bool blocking, bool ordered)
      : Container(capacity, blocking), ordered_(ordered) {}

  std::string contents() const override {
    std::multimap<Value, Value, ByCompare> sorted;
    for (const Value v : Values(values_.begin(), values_.end())) {
      for (auto n = std::count(values_.begin(), values_.end(), v); n > 0; --n) {
        sorted.emplace(rank(v), v);
      }
    }
    std::vector<Value> values;
    for (const auto& entry : sorted) values.push_back(entry.second);
    return (ordered_ ? "[" : "{") + joined(values) + (ordered_ ? "]" : "}");
  }

 private:
  Value rank(Value v) const {
    if (!ordered_) return Value();
    return v.is_list() ? v.items()[0] : v;
  }
  Values found(const std::string&) const override {
    Values least;
    for (const Value v : values_) {
      const auto smaller = [&](Value other) {
        return compare(rank(other), rank(v)) < 0;
      };
      if (std::none_of(values_.begin(), values_.end(), smaller)) {
        least.insert(v);
      }
    }
    return least;
  }
  void take(const std::string&, Value result) override {
    values_.erase(std::find(values_.begin(), values_.end(), result));
  }
  bool ordered_;
};

class SetModel final : public Model {
 public:
  Values results(const std::string& f, Value v) const override {
    return {yes_or_no((members_.count(v) == 1) != (f == "add"))};
  }
  void run(const std::string& f, Value v, Value) override {
    if (f == "add") members_.insert(v);
    if (f == "remove") members_.erase(v);
  }
  std::string contents() const override { return "{" + joined(members_) + "}"; }

 private:
  Values members_;
};

class MapModel final : public Model {
 public:
  Values results(const std::string& f, Value argument) const override {
    const auto at = entries_.find(f == "put" ? argument.items()[0] : argument);
    return {at == entries_.end() ? Value() : at->second};
  }
  void run(const std::string& f, Value argument, Value) override {
    if (f == "put") entries_[argument.items()[0]] = argument.items()[1];
    if (f == "remove") entries_.erase(argument);
  }
  std::string contents() const override {
    std::string out;
    for (const auto& [key, value] : entries_) {
      if (value.is_null()) continue;
      out += (out.empty() ? "" : ", ") + key.to_string() + ": " +
             value.to_string();
    }
    return "{" + out + "}";
  }

 private:
  std::map<Value, Value, ByCompare> entries_;
};

class RegisterModel final : public Model {
 public:
  Values results(const std::string& f, Value argument) const override {
    if (f == "write") return {Value()};
    if (f == "read") return {value_};
    return {yes_or_no(argument.items()[0] == value_)};
  }
  void run(const std::string& f, Value argument, Value result) override {
    if (f == "write") value_ = argument;
    if (f == "cas" && result.is_true()) value_ = argument.items()[1];
  }
  std::string contents() const override { return value_.to_string(); }

 private:
  Value value_;
};

class Number final : public Model {  // counter, mutex and snzi
 public:
  explicit Number(bool is_mutex) : is_mutex_(is_mutex) {}

  Values results(const std::string& f, Value) const override {
    if (f == "query") return {yes_or_no(n_ != 0)};
    if (f == "acquire" && n_ == 1) return {};
    if ((f == "release" || f == "depart") && n_ == 0) return {};
    const bool silent =
        f == "acquire" || f == "release" || f == "arrive" || f == "depart";
    return {silent ? Value() : number(n_)};
  }
  void run(const std::string& f, Value, Value) override {
    if (f == "inc" || f == "arrive" || f == "acquire") ++n_;
    if (f == "dec" || f == "depart" || f == "release") n_ = n_ > 0 ? n_ - 1 : 0;
  }
  std::string contents() const override {
    if (is_mutex_) return n_ == 1 ? "held" : "free";
    return std::to_string(n_);
  }

 private:
  int n_ = 0;
  bool is_mutex_;
};

struct Case {
  std::string name;
  std::function<std::unique_ptr<Model>()> model;
};

std::vector<Case> all_cases() {
  std::vector<Case> cases = {
      {"set", [] { return std::make_unique<SetModel>(); }},
      {"map", [] { return std::make_unique<MapModel>(); }},
      {"register", [] { return std::make_unique<RegisterModel>(); }},
      {"counter", [] { return std::make_unique<Number>(false); }},
      {"mutex", [] { return std::make_unique<Number>(true); }},
      {"snzi", [] { return std::make_unique<Number>(false); }},
  };
  for (const std::string name :
       {"queue", "stack", "deque", "priority_queue", "bag"}) {
    for (const std::size_t capacity : {0u, 1u, 3u, 9u}) {
      for (const bool blocking : {false, true}) {
        const bool heap = name == "priority_queue" || name == "bag";
        cases.push_back(
            {(blocking ? "blocking_" : "") + name +
                 (capacity ? "(" + std::to_string(capacity) + ")" : ""),
             [=]() -> std::unique_ptr<Model> {
               if (!heap) return std::make_unique<Line>(capacity, blocking);
               return std::make_unique<Heap>(capacity, blocking,
                                             name == "priority_queue");
             }});
      }
    }
  }
  return cases;
}

class EveryObject : public ::testing::TestWithParam<Case> {
 protected:
  std::uint32_t pick(std::size_t n) {
    return static_cast<std::uint32_t>(random_() % n);
  }

  Value argument_for(Argument kind) {
    const Value any[] = {number(-1),
                         number(0),
                         number(2),
                         text("b"),
                         text("a"),
                         Value::real(0.5),
                         list({number(1), number(2)}),
                         Value::boolean(false)};
    const Value few[] = {Value(), number(1), text("c")};
    switch (kind) {
      case Argument::kNone:
        return Value();
      case Argument::kValue:
        return any[pick(8)];
      case Argument::kPair:
        return list({few[pick(3)], few[pick(3)]});
      case Argument::kPriority:
        if (pick(3) == 0) return number(pick(4));
        return list({number(pick(3)), few[pick(3)]});
    }
    return Value();
  }

  // step() must give what apply() gives, for any result and for none.
  static void expect_step_agrees(const Specification& object,
                                 const State& state, const Call& call,
                                 const std::vector<Outcome>& outcomes) {
    std::vector<Value> seen = {Value(),   number(0),       number(1),
                               text("a"), yes_or_no(true), yes_or_no(false)};
    for (const Outcome& outcome : outcomes) seen.push_back(outcome.result);
    for (const Value observed : seen) {
      std::vector<State> expected = {{number(99)}}, got = expected;
      for (const Outcome& outcome : outcomes) {
        if (outcome.result == observed) expected.push_back(outcome.next);
      }
      object.step(state, call, observed, got);
      ASSERT_EQ(got, expected) << "observed " << observed.to_string();
    }
    std::vector<State> expected, got;
    for (const Outcome& outcome : outcomes) expected.push_back(outcome.next);
    object.step(state, call, std::nullopt, got);
    ASSERT_EQ(got, expected);
  }

 private:
  std::mt19937 random_{2024};  // fixed: a failure here is one everywhere
};

INSTANTIATE_TEST_SUITE_P(Specifications, EveryObject,
                         ::testing::ValuesIn(all_cases()),
                         [](const auto& tested) {
                           std::string name = tested.param.name;
                           std::replace(name.begin(), name.end(), '(', '_');
                           std::erase(name, ')');
                           return name;
                         });

TEST_P(EveryObject, AgreesWithItsPlainModel) {
  const auto object = make(GetParam().name);
  std::map<std::string, State> known;  // by contents
  for (int walk = 0; walk < 40; ++walk) {
    State state = object->initial();
    const auto model = GetParam().model();
    for (int round = 0; round < 60; ++round) {
      const auto code =
          static_cast<std::uint16_t>(pick(object->operations().size()));
      const Signature& operation = object->operations()[code];
      const Call call{code, argument_for(operation.argument)};
      const std::string f(operation.name);
      SCOPED_TRACE(f + " " + call.argument.to_string() + " in " +
                   object->describe(state));
      std::vector<Outcome> outcomes;
      object->apply(state, call, outcomes);
      Values results;
      for (const Outcome& outcome : outcomes) {
        ASSERT_TRUE(results.insert(outcome.result).second) << "twice the same";
      }
      ASSERT_EQ(joined(results), joined(model->results(f, call.argument)));
      ASSERT_EQ(results.size(), model->results(f, call.argument).size());
      ASSERT_NO_FATAL_FAILURE(
          expect_step_agrees(*object, state, call, outcomes));
      if (outcomes.empty()) continue;
      const Outcome& chosen = outcomes[pick(outcomes.size())];
      if (operation.reads_only) {
        ASSERT_EQ(chosen.next, state);
      }
      model->run(f, call.argument, chosen.result);
      state = chosen.next;
      ASSERT_EQ(object->describe(state), model->contents());
      const auto entry = known.emplace(object->describe(state), state).first;
      ASSERT_EQ(entry->second, state) << "two states for " << entry->first;
    }
  }
  EXPECT_GT(known.size(), 1u);
}

// A subset of the calls that concerns one part must behave as in the whole.
TEST(Parts, DoNotInfluenceEachOther) {
  for (const char* name : {"set", "map"}) {
    std::mt19937 random(5);
    const auto object = make(name);
    State whole = object->initial();
    std::map<Value, State, ByCompare> alone;
    for (int round = 0; round < 5'000; ++round) {
      const auto code = static_cast<std::uint16_t>(random() % 3);
      Value argument = number(static_cast<int>(random() % 5));
      if (object->operations()[code].argument == Argument::kPair) {
        argument = list({argument, number(static_cast<int>(random() % 3))});
      }
      const Call call{code, argument};
      State& one = alone.try_emplace(*object->part(call), object->initial())
                       .first->second;
      std::vector<Outcome> in_whole, by_itself;
      object->apply(whole, call, in_whole);
      object->apply(one, call, by_itself);
      ASSERT_EQ(in_whole.size(), 1u);
      ASSERT_EQ(by_itself.size(), 1u);
      ASSERT_EQ(in_whole[0].result, by_itself[0].result)
          << name << " round " << round;
      whole = in_whole[0].next;
      one = by_itself[0].next;
    }
  }
}

}  // namespace
}  // namespace plumb::spec_testing
