// SPDX-License-Identifier: Apache-2.0
#include "spec/catalogue.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/input_error.h"

namespace plumb::spec {
namespace {

// The whole message, or "" if the name is accepted.
std::string complaint(std::string_view text) {
  try {
    make(text);
  } catch (const InputError& error) {
    return error.describe();
  }
  return "";
}

TEST(Catalogue, ListsTheObjectsInTheOrderOfTheManual) {
  std::vector<std::string_view> names;
  for (const Entry& entry : catalogue()) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string_view>{
                       "queue", "stack", "deque", "priority_queue", "set",
                       "map", "register", "counter", "mutex", "snzi", "bag"}));
}

TEST(Catalogue, GivesEveryObjectASummaryAndEveryOperationItsResult) {
  for (const Entry& entry : catalogue()) {
    EXPECT_FALSE(entry.summary.empty()) << entry.name;
    const auto object = entry.make({});
    EXPECT_EQ(object->name(), entry.name);
    std::set<std::string_view> names;
    for (const Signature& operation : object->operations()) {
      EXPECT_TRUE(names.insert(operation.name).second) << operation.name;
      EXPECT_EQ(operation.meaning.empty(), operation.result == Result::kNone)
          << entry.name << " " << operation.name;
    }
  }
}

TEST(Catalogue, MakesWhatTheNameSays) {
  for (const char* name :
       {"queue", "blocking_queue", "queue(1)", "blocking_queue(4294967295)",
        "stack(3)", "deque(3)", "priority_queue(3)", "bag(3)", "blocking_bag",
        "blocking_priority_queue(2)", "mutex", "snzi", "map"}) {
    EXPECT_EQ(make(name)->name(), name);
  }
  EXPECT_EQ(make("queue(007)")->name(), "queue(7)");
}

TEST(Catalogue, TakesANameApart) {
  const Named named = parse_name("blocking_stack(12)");
  EXPECT_EQ(named.entry->name, "stack");
  EXPECT_TRUE(named.shape.blocking);
  EXPECT_EQ(named.shape.capacity, 12u);
  EXPECT_FALSE(parse_name("stack").shape.blocking);
  EXPECT_EQ(parse_name("stack").shape.capacity, std::nullopt);
}

TEST(Catalogue, SaysWhichNameMayHaveBeenMeant) {
  EXPECT_EQ(complaint("queu"),
            "plumb: error: unknown specification 'queu'\n"
            "hint: did you mean 'queue'? ('plumb specs' lists them all)\n");
  EXPECT_EQ(complaint("Register"),
            "plumb: error: unknown specification 'Register'\n"
            "hint: did you mean 'register'? ('plumb specs' lists them all)\n");
  EXPECT_EQ(
      complaint("blockin_queue(3)"),
      "plumb: error: unknown specification 'blockin_queue(3)'\n"
      "hint: did you mean 'blocking_queue'? ('plumb specs' lists them all)\n");
}

TEST(Catalogue, GuessesNothingWhenNoNameIsNear) {
  EXPECT_EQ(complaint("spreadsheet"),
            "plumb: error: unknown specification 'spreadsheet'\n"
            "hint: 'plumb specs' lists them all\n");
}

TEST(Catalogue, RefusesNamesThatAreOnlyPartOfOne) {
  for (const char* name : {"", "(", "(3)", "blocking_", "blocking_(3)",
                           "blocking_blocking_queue", " queue", "queue "}) {
    EXPECT_EQ(complaint(name).find("plumb: error: unknown specification '" +
                                   std::string(name) + "'\n"),
              0u)
        << complaint(name);
  }
}

TEST(Catalogue, RefusesACapacityThatIsNoNumberFromOne) {
  for (const char* digits : {"0", "x", "", "-1", "+3", "3x", " 3", "3 ", "1.5",
                             "00", "4294967296", "99999999999999999999999"}) {
    const std::string name = "queue(" + std::string(digits) + ")";
    EXPECT_EQ(complaint(name),
              "plumb: error: the capacity in '" + name + "' is '" + digits +
                  "', but it must be a whole number from 1 to 4294967295\n");
  }
}

TEST(Catalogue, RefusesACapacityWithoutItsParenthesis) {
  EXPECT_EQ(complaint("queue(3"),
            "plumb: error: 'queue(3' has no closing parenthesis\n"
            "hint: a capacity is written as in 'queue(3)'\n");
  EXPECT_EQ(complaint("queue("),
            "plumb: error: 'queue(' has no closing parenthesis\n"
            "hint: a capacity is written as in 'queue(3)'\n");
}

TEST(Catalogue, RefusesWhatFollowsTheParenthesis) {
  EXPECT_EQ(
      complaint("queue(3)x"),
      "plumb: error: unexpected 'x' after the parenthesis in 'queue(3)x'\n"
      "hint: a capacity is written as in 'queue(3)'\n");
  EXPECT_EQ(
      complaint("queue(3)(4)"),
      "plumb: error: unexpected '(4)' after the parenthesis in 'queue(3)(4)'\n"
      "hint: a capacity is written as in 'queue(3)'\n");
}

TEST(Catalogue, BoundsOnlyWhatHasAPutWithoutAResult) {
  for (const char* name :
       {"set", "map", "register", "counter", "mutex", "snzi"}) {
    EXPECT_EQ(complaint(std::string(name) + "(3)"),
              "plumb: error: '" + std::string(name) +
                  "' cannot have a capacity\n"
                  "hint: these can: 'queue', 'stack', 'deque', "
                  "'priority_queue', 'bag'\n");
  }
}

TEST(Catalogue, BlocksOnlyWhatHasATake) {
  for (const char* name :
       {"set", "map", "register", "counter", "mutex", "snzi"}) {
    EXPECT_EQ(complaint("blocking_" + std::string(name)),
              "plumb: error: '" + std::string(name) +
                  "' has no blocking variant\n"
                  "hint: these have one: 'queue', 'stack', 'deque', "
                  "'priority_queue', 'bag'\n");
  }
}

TEST(Catalogue, FindsOperationsByName) {
  const auto queue = make("queue");
  EXPECT_EQ(find_operation(*queue, "enq"), 0);
  EXPECT_EQ(find_operation(*queue, "deq"), 1);
  EXPECT_EQ(find_operation(*queue, "pop"), std::nullopt);
}

}  // namespace
}  // namespace plumb::spec
