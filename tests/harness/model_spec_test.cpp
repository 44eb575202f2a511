// SPDX-License-Identifier: Apache-2.0
#include "harness/model_spec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/input_error.h"
#include "base/limit_error.h"
#include "check/condition.h"
#include "harness/given.h"
#include "harness/judge.h"
#include "plumb/test/give.h"
#include "spec/catalogue.h"

// Only classes of plumb/test.h are used here, none of its functions.
#include "plumb/test.h"

namespace plumb::harness {
namespace {

using check::Answer;
using spec::Call;
using spec::Outcome;
using spec::Specification;
using spec::State;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Value number(int n) {
  return Value::integer(n);
}

// A class that cannot be compared, nor copied, ...
struct Fixed {
  std::deque<int> items;
  Fixed() = default;
  Fixed(const Fixed&) = delete;
  void enq(int item) { items.push_back(item); }
  std::optional<int> deq() {
    if (items.empty()) return std::nullopt;
    const int item = items.front();
    items.pop_front();
    return item;
  }
};

// ... and one that can be compared.
struct Queue : Fixed {
  friend bool operator==(const Queue& a, const Queue& b) {
    return a.items == b.items;
  }
};

template <typename Model, typename Function, typename... Arguments>
void add_call(test::Case& test, int operation, Function function,
              Arguments... arguments) {
  test::DeclaredCall call;
  call.operation = operation;
  Given given;
  {
    const GivenTo here(given);
    test::give_arguments(arguments...);
  }
  if (!given.empty()) call.argument = given.value();
  call.model.reset(test::new_action<Model>(function, arguments...));
  test.calls.push_back(std::move(call));
}

enum QueueCall : std::uint16_t { kEnq1, kEnq2, kDeq };

template <typename Model>
test::Case queue_case() {
  test::Case test;
  test.name = "my_queue";
  test.model = std::make_unique<test::ModelOf<Model>>();
  test.operations.resize(2);
  test.operations[0].name = "enq";
  test.operations[1].name = "deq";
  add_call<Model>(test, 0, PLUMB_METHOD(enq), 1);
  add_call<Model>(test, 0, PLUMB_METHOD(enq), 2);
  add_call<Model>(test, 1, PLUMB_METHOD(deq));
  return test;
}

constexpr std::uint16_t kEnqCode = 0, kDeqCode = 1;

std::vector<Outcome> outcomes(const Specification& object, const State& state,
                              const Call& call) {
  std::vector<Outcome> out;
  object.apply(state, call, out);
  return out;
}

State after(const Specification& object, const std::vector<Call>& calls) {
  State state = object.initial();
  for (const Call& call : calls) {
    state = outcomes(object, state, call).at(0).next;
  }
  return state;
}

const Call kPut1{kEnqCode, Value::integer(1)};
const Call kPut2{kEnqCode, Value::integer(2)};
const Call kTake{kDeqCode, Value()};

template <typename Model>
class ModelSpecification : public ::testing::Test {};
using Models = ::testing::Types<Queue, Fixed>;
TYPED_TEST_SUITE(ModelSpecification, Models);

TYPED_TEST(ModelSpecification, DoesWhatTheClassDoes) {
  const test::Case test = queue_case<TypeParam>();
  const auto model = model_specification(test);
  const State both = after(*model, {kPut1, kPut2});
  const auto taken = outcomes(*model, both, kTake);
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_EQ(taken[0].result, number(1));
  EXPECT_EQ(outcomes(*model, taken[0].next, kTake)[0].result, number(2));
  EXPECT_EQ(outcomes(*model, model->initial(), kTake)[0].result, Value());
  EXPECT_EQ(outcomes(*model, model->initial(), kPut1)[0].result, Value());
  EXPECT_EQ(outcomes(*model, both, kTake)[0].result, number(1))
      << "asking changes nothing";
  EXPECT_THAT(outcomes(*model, both, {kEnqCode, number(3)}), IsEmpty())
      << "no such call in the test";
}

TYPED_TEST(ModelSpecification, JudgesLikeTheBuiltInOne) {
  const test::Case test = queue_case<TypeParam>();
  Judge by_model(test, model_specification(test), {});
  Judge by_name(test, spec::make("queue"), {});
  Budget budget;
  int violated = 0;
  // Every thread enqueues and dequeues; all results.
  for (int first = 0; first <= 2; ++first) {
    for (int second = 0; second <= 2; ++second) {
      CallTrace trace;
      trace.before.fill(0);
      trace.size = 4;
      trace.thread = {1, 1, 2, 2};
      trace.call = {kEnq1, kDeq, kEnq2, kDeq};
      trace.result[1] = first == 0 ? Value() : number(first);
      trace.result[3] = second == 0 ? Value() : number(second);
      trace.before[1] |= first_end(2);
      trace.before[5] |= first_end(0);
      trace.before[3] |= first_end(3);
      trace.before[7] |= first_end(1);
      close_order(trace);
      const Answer expected = by_name.judge(trace, budget).answer;
      EXPECT_EQ(by_model.judge(trace, budget).answer, expected);
      violated += expected == Answer::kViolated;
    }
  }
  EXPECT_EQ(violated, 7);
}

TEST(ModelSpecificationStates, ThatAreEqualAreOne) {
  const test::Case test = queue_case<Queue>();
  const auto model = model_specification(test);
  EXPECT_EQ(after(*model, {kPut1, kTake}), model->initial());
  EXPECT_EQ(after(*model, {kPut2, kPut1, kTake}), after(*model, {kPut1}));
  EXPECT_NE(after(*model, {kPut1, kPut2}), after(*model, {kPut2, kPut1}));
  const test::Case other = queue_case<Fixed>();
  const auto fixed = model_specification(other);
  EXPECT_NE(after(*fixed, {kPut1, kTake}), fixed->initial());
}

TEST(ModelSpecificationStates, AreDescribedByTheCallsThatLeadThere) {
  const test::Case test = queue_case<Queue>();
  const auto model = model_specification(test);
  EXPECT_EQ(model->describe(model->initial()), "new");
  EXPECT_EQ(model->describe(after(*model, {kPut2, kPut1})),
            "after enq(2), enq(1)");
}

// A pool that gives any of its items, waits for one, and fails on 2.
struct Odd {
  std::vector<int> items;
  void enq(int item) {
    if (item == 2) throw std::runtime_error("no 2");
    items.push_back(item + static_cast<int>(items.size()));
  }
  int deq() {
    if (items.empty()) {
      blocks();
      return 0;
    }
    const auto at = choose_in_model(static_cast<std::uint32_t>(items.size()));
    const int item = items[at];
    items.erase(items.begin() + at);
    return item;
  }
};

TEST(ModelSpecificationCalls, MayBlock) {
  const test::Case test = queue_case<Odd>();
  const auto model = model_specification(test);
  EXPECT_THAT(outcomes(*model, model->initial(), kTake), IsEmpty());
  EXPECT_THAT(outcomes(*model, after(*model, {kPut1}), kTake), SizeIs(1));
}

TEST(ModelSpecificationCalls, MayHaveSeveralOutcomes) {
  const test::Case test = queue_case<Odd>();
  const auto model = model_specification(test);
  const auto taken =
      outcomes(*model, after(*model, {kPut1, kPut1, kPut1}), kTake);
  ASSERT_THAT(taken, SizeIs(3));
  EXPECT_EQ(taken[0].result, number(1));
  EXPECT_EQ(taken[1].result, number(2));
  EXPECT_EQ(taken[2].result, number(3));
  const auto more = outcomes(*model, taken[1].next, kTake);
  ASSERT_THAT(more, SizeIs(2));
  EXPECT_EQ(more[0].result, number(1));
  EXPECT_EQ(more[1].result, number(3));
  EXPECT_EQ(choose_in_model(5), 0u) << "no model runs";
}

TEST(ModelSpecificationCalls, AreRepeatedWithTheirChoices) {
  const test::Case test = queue_case<Odd>();
  const auto model = model_specification(test);
  const auto taken =
      outcomes(*model, after(*model, {kPut1, kPut1, kPut1}), kTake);
  ASSERT_THAT(taken, SizeIs(3));
  const auto more = outcomes(*model, taken[2].next, kTake);
  ASSERT_THAT(more, SizeIs(2));
  EXPECT_EQ(more[0].result, number(1));
  EXPECT_EQ(more[1].result, number(2));
}

TEST(ModelSpecificationCalls, ThatThrowAreWrongInput) {
  const test::Case test = queue_case<Odd>();
  const auto model = model_specification(test);
  for (int round = 0; round < 2; ++round) {
    try {
      outcomes(*model, model->initial(), kPut2);
      FAIL();
    } catch (const InputError& error) {
      EXPECT_EQ(error.describe(),
                "test 'my_queue': error: the model's call enq(2) throws: no "
                "2\nhint: let it return something instead, or say "
                "plumb::blocks()\n");
    }
  }
}

// Counts who lives.
struct Counted {
  static int alive;
  Counted() { ++alive; }
  Counted(const Counted&) { ++alive; }
  ~Counted() { --alive; }
  void enq(int) {}
  int deq() { return alive; }
  friend bool operator==(const Counted&, const Counted&) { return true; }
};
int Counted::alive = 0;

TEST(ModelSpecificationStates, AreDestroyed) {
  const test::Case test = queue_case<Counted>();
  {
    const auto model = model_specification(test);
    after(*model, {kPut1, kPut2, kPut1});
    EXPECT_EQ(Counted::alive, 1) << "all states are equal";
  }
  EXPECT_EQ(Counted::alive, 0);
}

// What the runtime does: a queue whose deq blocks while it is empty.
struct Serially {
  int* runs;
  bool fickle = false;
  std::optional<std::vector<std::optional<Value>>> operator()(
      std::span<const int> calls) const {
    ++*runs;
    std::deque<int> items;
    std::vector<std::optional<Value>> out;
    for (const int call : calls) {
      if (call == kDeq && items.empty()) {
        out.emplace_back();
        break;
      }
      if (call == kDeq) {
        out.push_back(number(items.front() + (fickle ? *runs : 0)));
        items.pop_front();
      } else {
        items.push_back(call == kEnq1 ? 1 : 2);
        out.push_back(Value());
      }
      if (items.size() > 2) return std::nullopt;
    }
    return out;
  }
};

TEST(SerialSpecification, DoesWhatTheObjectDoesAlone) {
  const test::Case test = queue_case<Queue>();
  int runs = 0;
  const auto object = serial_specification(test, Serially{&runs});
  const State both = after(*object, {kPut1, kPut2});
  EXPECT_EQ(outcomes(*object, both, kTake)[0].result, number(1));
  EXPECT_THAT(outcomes(*object, object->initial(), kTake), IsEmpty())
      << "it blocks";
  const int before = runs;
  EXPECT_EQ(outcomes(*object, both, kTake)[0].result, number(1));
  EXPECT_EQ(runs, before) << "no sequence is run twice";
  EXPECT_EQ(object->describe(both), "after enq(1), enq(2)");
}

TEST(SerialSpecification, IsALimitWhereTheObjectFails) {
  const test::Case test = queue_case<Queue>();
  int runs = 0;
  const auto object = serial_specification(test, Serially{&runs});
  const State both = after(*object, {kPut1, kPut2});
  EXPECT_THROW(outcomes(*object, both, kPut1), LimitError);
  Judge judge(test, object, {});
  CallTrace trace;
  trace.first.assign(3, {kEnq1, false, Value()});
  Budget budget;
  const Judgement& judgement = judge.judge(trace, budget);
  EXPECT_EQ(judgement.answer, Answer::kUnknown);
  EXPECT_EQ(judgement.reason,
            "the object could not be run serially: enq(1), enq(1), enq(1)");
}

TEST(SerialSpecification, IsALimitWhereTheObjectIsFickle) {
  const test::Case test = queue_case<Queue>();
  int runs = 0;
  const auto object = serial_specification(test, Serially{&runs, true});
  const State state = after(*object, {kPut1, kTake});
  try {
    outcomes(*object, state, kPut1);
    FAIL();
  } catch (const LimitError& limit) {
    EXPECT_THAT(limit.what(), HasSubstr("does not always give the same"));
  }
}

TEST(Given, IsAValueMadeOfPieces) {
  Given given;
  const GivenTo here(given);
  const auto made = [&](const auto& value) {
    given.clear();
    test::give(value);
    return given.value();
  };
  EXPECT_EQ(made(7), number(7));
  EXPECT_EQ(made(true), Value::boolean(true));
  EXPECT_EQ(made(nullptr), Value());
  EXPECT_EQ(made(std::optional<int>()), Value());
  EXPECT_EQ(made(2.5), Value::real(2.5));
  EXPECT_EQ(made(INT64_MIN), Value::integer(INT64_MIN));
  EXPECT_EQ(made(std::string("x")), Value::text("x"));
  EXPECT_EQ(made(std::pair(1, std::vector{2, 3})).to_string(), "[1, [2, 3]]");
  EXPECT_EQ(made(std::vector<int>()).to_string(), "[]");
  given.clear();
  EXPECT_TRUE(given.empty());
  EXPECT_EQ(given.value(), Value());
}

TEST(Given, NeedsNoMemoryOfTheCodeUnderTest) {
  bool runs = true;
  code_under_test_runs = &runs;
  Given given;
  {
    const GivenTo here(given);
    test::give(std::vector{1, 2});
  }
  EXPECT_TRUE(runs);
  code_under_test_runs = nullptr;
  {
    const GivenTo here(given);
    given.clear();
    test::give(5);  // does not even look
  }
  static bool nothing = false;
  code_under_test_runs = &nothing;
  EXPECT_EQ(given.value(), number(5));
}

}  // namespace
}  // namespace plumb::harness
