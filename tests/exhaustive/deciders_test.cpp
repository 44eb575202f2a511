// SPDX-License-Identifier: Apache-2.0
// Every decider against the oracle on all small histories: at most 3
// processes, the values 1 and 2, pending calls included.
//
// Queue and stack: all histories of up to 4 operations, for every condition.
// Set and register: all of up to 2 operations; all of 3, and for the set of 4,
// without factors.  Of the rest, every k-th pair of a history and a condition,
// with a fixed k that depends on how many there are (see kGroups), and only
// factors whose sum is at most 3.  PLUMB_EXHAUSTIVE=10 in the environment
// compares ten times as many, PLUMB_EXHAUSTIVE=full leaves nothing out, which
// takes days for the register with factors.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "spec/catalogue.h"
#include "support/all_histories.h"
#include "support/compare.h"

namespace plumb::testing {
namespace {

using check::Condition;
using check::Order;
using check::Reading;
using history::History;

std::vector<Condition> orders(const spec::Specification&) {
  std::vector<Condition> conditions(4);
  conditions[1].order = Order::kProgram;
  conditions[2].order = Order::kQuiescent;
  conditions[3].order = Order::kQuiescentAndProgram;
  return conditions;
}

std::vector<Condition> quasi_open(const spec::Specification& object) {
  return with_all_factors({}, object, 2);
}

std::vector<Condition> quasi_closed(const spec::Specification& object) {
  Condition base;
  base.closed = true;
  return with_all_factors(base, object, 2);
}

std::vector<Condition> quasi_literal(const spec::Specification& object) {
  Condition base;
  base.reading = Reading::kLiteral;
  return with_all_factors(base, object, 2);
}

std::vector<Condition> quasi_quiescent(const spec::Specification& object) {
  Condition base;
  base.order = Order::kQuiescent;
  return with_all_factors(base, object, 2);
}

std::vector<Condition> quasi_sequential(const spec::Specification& object) {
  Condition base;
  base.order = Order::kProgram;
  auto conditions = with_all_factors(base, object, 2);
  base.order = Order::kQuiescentAndProgram;
  base.closed = true;
  for (auto& condition : with_all_factors(base, object, 2)) {
    conditions.push_back(condition);
  }
  return conditions;
}

std::uint32_t wish() {
  const char* text = std::getenv("PLUMB_EXHAUSTIVE");
  if (text == nullptr) return 1;
  if (std::string_view(text) == "full") return UINT32_MAX;
  return static_cast<std::uint32_t>(
      std::max(1ul, std::strtoul(text, nullptr, 10)));
}

std::uint32_t sum_of_factors(const Condition& condition) {
  std::uint32_t sum = 0;
  for (const auto& [name, factor] : condition.factors) sum += factor;
  return sum;
}

struct Group {
  const char* object;
  const char* name;
  std::vector<Condition> (*conditions)(const spec::Specification&);
  // Of the pairs of a history and a condition, every how many-th?
  std::uint32_t every_of_3, every_of_4;
};

void PrintTo(const Group& group, std::ostream* out) {
  *out << group.object << ", " << group.name;
}

constexpr Group kGroups[] = {
    {"queue", "Orders", orders, 1, 1},
    {"queue", "QuasiOpen", quasi_open, 1, 1},
    {"queue", "QuasiClosed", quasi_closed, 1, 1},
    {"queue", "QuasiLiteral", quasi_literal, 1, 1},
    {"queue", "QuasiQuiescent", quasi_quiescent, 1, 1},
    {"queue", "QuasiSequential", quasi_sequential, 1, 1},
    {"stack", "Orders", orders, 1, 1},
    {"stack", "QuasiOpen", quasi_open, 1, 1},
    {"stack", "QuasiClosed", quasi_closed, 1, 1},
    {"stack", "QuasiLiteral", quasi_literal, 1, 1},
    {"stack", "QuasiQuiescent", quasi_quiescent, 1, 1},
    {"stack", "QuasiSequential", quasi_sequential, 1, 1},
    {"set", "Orders", orders, 1, 1},
    {"set", "QuasiOpen", quasi_open, 200, 20000},
    {"set", "QuasiClosed", quasi_closed, 200, 20000},
    {"set", "QuasiLiteral", quasi_literal, 200, 20000},
    {"set", "QuasiQuiescent", quasi_quiescent, 200, 20000},
    {"set", "QuasiSequential", quasi_sequential, 200, 20000},
    {"register", "Orders", orders, 1, 5},
    {"register", "QuasiOpen", quasi_open, 600, 200000},
    {"register", "QuasiClosed", quasi_closed, 600, 200000},
    {"register", "QuasiLiteral", quasi_literal, 600, 200000},
    {"register", "QuasiQuiescent", quasi_quiescent, 600, 200000},
    {"register", "QuasiSequential", quasi_sequential, 600, 200000},
};

// Scatters the numbers, so that a sample has no pattern.
std::uint64_t scattered(std::uint64_t number) {
  number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9u;
  number = (number ^ (number >> 27)) * 0x94D049BB133111EBu;
  return number ^ (number >> 31);
}

class AllHistories : public ::testing::TestWithParam<Group> {
 protected:
  AllHistories()
      : object_(spec::make(GetParam().object)),
        conditions_(GetParam().conditions(*object_)) {
    // With three relaxed classes there are too many ways to go on.
    constexpr std::uint32_t kMostInAll = 3;
    if (object_->operations().size() > 2 && wish() != UINT32_MAX) {
      std::erase_if(conditions_, [](const Condition& condition) {
        return sum_of_factors(condition) > kMostInAll;
      });
    }
    for (const Condition& condition : conditions_) {
      oracles_.emplace_back(*object_, condition);
    }
  }

  void compare(std::uint32_t operations, std::uint32_t every) {
    every = std::max(1u, every / wish());
    for_all_histories(operations, 3, choices_over_two_values(*object_),
                      [&](const History& history) {
                        for (std::size_t i = 0; i < conditions_.size(); ++i) {
                          if (scattered(++number_) % every == 0) {
                            compare(history, i);
                          }
                        }
                      });
  }

  void compare(const History& history, std::size_t i) {
    if (HasFatalFailure()) return;
    ++compared_;
    const bool expected = oracles_[i].holds(history);
    holding_ += expected ? 1 : 0;
    ASSERT_FALSE(dissenter(history, *object_, conditions_[i], expected))
        << explain_dissent(history, *object_, conditions_[i]);
  }

  const spec::SpecificationPtr object_;
  std::vector<Condition> conditions_;
  std::vector<RememberingOracle> oracles_;
  std::uint64_t number_ = 0, compared_ = 0, holding_ = 0;
};

TEST_P(AllHistories, AreJudgedAsTheDefinitionSays) {
  for (std::uint32_t operations = 0; operations <= 2; ++operations) {
    compare(operations, 1);
  }
  compare(3, GetParam().every_of_3);
  compare(4, GetParam().every_of_4);
  EXPECT_GT(holding_, compared_ / 20);
  EXPECT_LT(holding_, compared_ - compared_ / 20);
  RecordProperty("compared", std::to_string(compared_));
}

INSTANTIATE_TEST_SUITE_P(Deciders, AllHistories, ::testing::ValuesIn(kGroups),
                         [](const ::testing::TestParamInfo<Group>& group) {
                           std::string name = group.param.object;
                           name.front() =
                               static_cast<char>(name.front() - 'a' + 'A');
                           return name + group.param.name;
                         });

}  // namespace
}  // namespace plumb::testing
