// SPDX-License-Identifier: Apache-2.0
#include "harness/programs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "spec/catalogue.h"

namespace plumb::harness {
namespace {

using Words = std::vector<std::vector<int>>;
using ::testing::ElementsAre;

// Values with which programs call an operation; -1: without an argument.
struct Given {
  const char* name;
  std::vector<int> values = {-1};
  bool distinct = false;
  std::optional<test::Restriction> restriction = {};
};

test::Case made_of(const std::vector<Given>& operations, int threads,
                   int calls) {
  test::Case test;
  test.name = "generated";
  for (const Given& given : operations) {
    const int number = static_cast<int>(test.operations.size());
    test.operations.push_back({given.name, given.restriction, given.distinct});
    for (const int value : given.values) {
      test::DeclaredCall& call = test.calls.emplace_back();
      call.operation = number;
      if (value >= 0) call.argument = Value::integer(value);
      call.generated = true;
    }
  }
  test.generate = Bounds{threads, calls};
  return test;
}

std::vector<std::string> programs(const test::Case& test, const char* spec,
                                  const ProgramLimits& limits = {}) {
  std::vector<std::string> out;
  for (const Program& program :
       programs_of(test, *spec::make(spec), limits).programs) {
    out.push_back(describe(test, program));
  }
  return out;
}

// Straight from the definition: all programs there are, then one of each orbit
// under permutations of threads and of values.
std::size_t count_orbits(const test::Case& test,
                         const std::vector<int>& values) {
  const auto threads = static_cast<std::size_t>(test.generate->threads);
  const auto most = static_cast<std::size_t>(test.generate->calls);
  const int calls = static_cast<int>(test.calls.size());
  Words words = {{}};
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].size() == most) continue;
    for (int call = 0; call < calls; ++call) {
      std::vector<int> longer = words[i];
      longer.push_back(call);
      words.push_back(longer);
    }
  }
  std::vector<Words> all = {{}};
  for (std::size_t t = 0; t < threads; ++t) {
    std::vector<Words> next;
    for (const Words& shorter : all) {
      for (const auto& word : words) {
        next.push_back(shorter);
        next.back().push_back(word);
      }
    }
    all = next;
  }
  const auto renamed = [&](int call, const std::map<int, int>& names) {
    const auto& one = test.calls[static_cast<std::size_t>(call)];
    if (!one.argument) return call;
    const auto value = static_cast<int>(one.argument->as_integer());
    const auto other = names.find(value);
    if (other == names.end()) return call;
    for (int i = 0; i < calls; ++i) {
      const auto& candidate = test.calls[static_cast<std::size_t>(i)];
      if (candidate.operation == one.operation &&
          candidate.argument == Value::integer(other->second)) {
        return i;
      }
    }
    ADD_FAILURE() << "not closed under renaming";
    return call;
  };
  std::set<Words> orbits;
  for (const Words& program : all) {
    Words least = program;
    std::vector<int> to = values;
    do {
      std::map<int, int> names;
      for (std::size_t i = 0; i < values.size(); ++i) names[values[i]] = to[i];
      Words other = program;
      for (auto& thread : other) {
        for (int& call : thread) call = renamed(call, names);
      }
      std::sort(other.begin(), other.end());
      do {
        least = std::min(least, other);
      } while (std::next_permutation(other.begin(), other.end()));
    } while (std::next_permutation(to.begin(), to.end()));
    orbits.insert(least);
  }
  return orbits.size() - 1;  // without the empty program
}

TEST(Programs, ComeSmallestFirst) {
  EXPECT_THAT(programs(made_of({{"inc"}, {"get"}}, 2, 1), "counter"),
              ElementsAre("inc()", "get()", "inc() | inc()", "inc() | get()",
                          "get() | get()"));
}

TEST(Programs, AreMadeOnceUpToNamesOfThreads) {
  for (const auto& [threads, calls] :
       {std::pair(2, 2), {3, 1}, {3, 2}, {2, 3}}) {
    const test::Case test = made_of({{"inc"}, {"get"}}, threads, calls);
    EXPECT_EQ(programs(test, "counter").size(), count_orbits(test, {}))
        << threads << " threads, " << calls << " calls";
  }
}

TEST(Programs, AreMadeOnceUpToNamesOfValues) {
  for (const auto& [threads, calls] : {std::pair(2, 2), {3, 1}, {3, 2}}) {
    const test::Case test =
        made_of({{"enq", {1, 2, 3}}, {"deq"}}, threads, calls);
    EXPECT_EQ(programs(test, "queue", {.values_alike = true}).size(),
              count_orbits(test, {1, 2, 3}))
        << threads << " threads, " << calls << " calls";
  }
}

// Code may treat values differently though the specification does not.
TEST(Programs, HaveAllValuesUnlessTold) {
  for (const auto& [threads, calls] : {std::pair(2, 2), {3, 1}}) {
    const test::Case test =
        made_of({{"enq", {1, 2, 3}}, {"deq"}}, threads, calls);
    EXPECT_EQ(programs(test, "queue").size(), count_orbits(test, {}));
  }
}

TEST(Programs, TellWhatWasRenamed) {
  const test::Case distinct = made_of({{"enq", {1, 2}, true}, {"deq"}}, 2, 2);
  EXPECT_THAT(programs_of(distinct, *spec::make("queue"), {}).renamed_values,
              ElementsAre(Value::integer(1), Value::integer(2)));
  const test::Case all = made_of({{"enq", {1, 2}}, {"deq"}}, 2, 2);
  EXPECT_TRUE(
      programs_of(all, *spec::make("queue"), {}).renamed_values.empty());
}

// Threads that know their numbers are all different.
TEST(Programs, HaveAllThreadsIfTheyAreNotAlike) {
  EXPECT_THAT(programs(made_of({{"inc"}, {"get"}}, 2, 1), "counter",
                       {.threads_alike = false}),
              ElementsAre("inc()", "get()", "inc()", "get()", "inc() | inc()",
                          "inc() | get()", "get() | inc()", "get() | get()"));
}

TEST(Programs, TellValuesApartThatTheObjectDoes) {
  const test::Case test = made_of({{"insert", {1, 2}}, {"remove_min"}}, 2, 2);
  EXPECT_EQ(programs(test, "priority_queue").size(), count_orbits(test, {}));
}

TEST(Programs, TellValuesApartThatTheyUseDifferently) {
  // Nobody removes 2, so 1 and 2 are not the same but for their names.
  const test::Case test = made_of({{"add", {1, 2}}, {"remove", {1}}}, 2, 1);
  EXPECT_EQ(programs(test, "set").size(), count_orbits(test, {}));
}

TEST(Programs, GiveDistinctValuesInTheOrderOfCalls) {
  EXPECT_THAT(programs(made_of({{"enq", {1, 2}, true}}, 2, 2), "queue"),
              ElementsAre("enq(1)", "enq(1); enq(2)", "enq(1) | enq(2)"));
}

TEST(Programs, LoseNoOrderOfDistinctValuesThatAreNotAlike) {
  EXPECT_THAT(
      programs(made_of({{"insert", {1, 2}, true}, {"remove_min"}}, 2, 2),
               "priority_queue"),
      ::testing::IsSupersetOf({"insert(1); remove_min() | insert(2)",
                               "insert(1) | insert(2); remove_min()"}));
}

TEST(Programs, KeepToWhatThreadsMayCall) {
  const test::Case test =
      made_of({{"push", {1}, false, test::Restriction{0, false}},
               {"pop", {-1}, false, test::Restriction{0, true}}},
              3, 1);
  EXPECT_THAT(programs(test, "stack"),
              ElementsAre("push(1)", "pop()", "push(1) | pop()",
                          "pop() | pop()", "push(1) | pop() | pop()"));
}

TEST(Programs, CallWithoutArgumentsOnlyWhereNoValuesWereGiven) {
  test::Case test = made_of({{"enq", {-1, 7}}, {"deq"}}, 1, 1);
  test.calls[0].by_default = true;
  test.calls[2].by_default = true;
  EXPECT_THAT(programs(test, "queue"), ElementsAre("enq(7)", "deq()"));
}

TEST(Programs, TakeOutWhatTheyPutInIfAskedTo) {
  test::Case test = made_of({{"enq", {1}}, {"deq"}}, 1, 2);
  test.drain = 1;
  EXPECT_THAT(programs(test, "queue"),
              ElementsAre("enq(1), after: deq(); deq()", "deq(), after: deq()",
                          "enq(1); enq(1), after: deq(); deq(); deq()",
                          "enq(1); deq(), after: deq(); deq()",
                          "deq(); enq(1), after: deq(); deq()",
                          "deq(); deq(), after: deq()"));
}

TEST(Programs, AreSampledWhereThereAreTooMany) {
  const test::Case test = made_of({{"inc"}, {"get"}, {"dec"}}, 3, 4);
  const auto object = spec::make("counter");
  const ProgramList list = programs_of(test, *object, {.programs = 200});
  EXPECT_FALSE(list.complete);
  EXPECT_EQ(list.programs.size(), 200u);
  EXPECT_GE(list.whole_up_to, 2u);
  std::size_t small = 0;
  for (const Program& program : list.programs) {
    std::size_t calls = 0;
    for (const auto& thread : program.threads) calls += thread.size();
    small += calls <= list.whole_up_to;
  }
  const test::Case whole = made_of({{"inc"}, {"get"}, {"dec"}}, 3,
                                   static_cast<int>(list.whole_up_to));
  std::size_t expected = 0;
  for (const Program& program : programs_of(whole, *object, {}).programs) {
    std::size_t calls = 0;
    for (const auto& thread : program.threads) calls += thread.size();
    expected += calls <= list.whole_up_to;
  }
  EXPECT_EQ(small, expected) << "all small ones are there";
  EXPECT_EQ(programs_of(test, *object, {.programs = 200}).programs,
            list.programs)
      << "the same seed gives the same programs";
  EXPECT_NE(programs_of(test, *object, {.programs = 200, .seed = 2}).programs,
            list.programs);
}

TEST(Programs, WrittenByHandComeFirstAndAsTheyAre) {
  test::Case test = made_of({{"inc"}}, 1, 1);
  test.programs.push_back({{0}, {{0, 0}, {}, {0}}, {0}});
  EXPECT_THAT(programs(test, "counter"),
              ElementsAre("before: inc(), then inc(); inc() | inc(), after: "
                          "inc()",
                          "inc()"));
}

}  // namespace
}  // namespace plumb::harness
