// SPDX-License-Identifier: Apache-2.0
#include "lang/spec_file.h"

#include <gtest/gtest.h>

#include <string>

#include "base/input_error.h"
#include "spec/initial.h"

namespace plumb::lang {
namespace {

TEST(OpenSpecification, KnowsFilesByTheirEnding) {
  EXPECT_TRUE(names_file("a.plumb"));
  EXPECT_TRUE(names_file("b/a.plumb:x(1)"));
  EXPECT_TRUE(names_file("a.plumb.plumb:x"));
  EXPECT_FALSE(names_file("queue"));
  EXPECT_FALSE(names_file("a.plumbx"));
}

TEST(OpenSpecification, BeginsWithSomething) {
  EXPECT_EQ(open_specification("register(-3)")
                ->describe(open_specification("register(-3)")->initial()),
            "-3");
  for (const char* text :
       {"queue[1, 2]", "stack[1, 2]", "deque[1, 2]", "priority_queue[2, 1]",
        "set[2, 1]", "bag[2, 1]", "blocking_queue(3)[1, 2]"}) {
    const auto object = open_specification(text);
    EXPECT_EQ(object->name(), text);
    EXPECT_EQ(object->initial().size() >= 2, true) << text;
  }
  const auto map = open_specification("map{\"a:{\": [1, 2], \"b\": null}");
  EXPECT_NE(map->describe(map->initial()).find("[1, 2]"), std::string::npos);
}

TEST(OpenSpecification, RefusesWhatIsNone) {
  for (const char* text :
       {"queue[1", "queue[1)", "register()", "register(true)", "register(1, 2)",
        "map{1}", "map{1: 2", "queue(1)[1, 2]", "set[1, 1]", "counter[1]",
        "queue[1; void f() { skip; }]", "nothing", "stack[x]",
        "priority_queue[1, null"}) {
    EXPECT_THROW(open_specification(text), InputError) << text;
  }
}

TEST(UnknownResults, FitEverywhere) {
  const auto object =
      spec::with_unknown_results(open_specification("queue[1, 2]"));
  const auto deq = *spec::find_operation(*object, "deq");
  std::vector<spec::State> next;
  object->step(object->initial(), {deq, Value()}, spec::unknown_result(), next);
  EXPECT_EQ(next.size(), 1u);
  next.clear();
  object->step(object->initial(), {deq, Value()}, Value::integer(2), next);
  EXPECT_TRUE(next.empty());
  EXPECT_FALSE(object->changes_nothing({deq, Value()}, spec::unknown_result()));
  EXPECT_EQ(spec::unknown_result().to_string(), "?");
}

}  // namespace
}  // namespace plumb::lang
