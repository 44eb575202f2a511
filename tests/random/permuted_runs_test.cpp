// SPDX-License-Identifier: Apache-2.0
// Quasi-linearizable by construction: legal runs, permuted, and cut off where
// only operations of the relaxed classes are left.  Each of them holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "check/classes.h"
#include "check/decide.h"
#include "spec/catalogue.h"
#include "support/histories.h"
#include "support/random_conditions.h"
#include "support/random_histories.h"

namespace plumb::testing {
namespace {

using check::ClassPattern;
using check::Condition;
using check::MemberPattern;
using history::History;
using history::Operation;

constexpr std::uint32_t kValues = 4;

Value random_argument(std::mt19937& random, spec::Argument kind) {
  const auto one = [&] { return Value::integer(1 + below(random, kValues)); };
  if (kind == spec::Argument::kNone) return Value();
  if (kind != spec::Argument::kPair) return one();
  const Value items[] = {one(), one()};
  return Value::list(items);
}

check::ValueRange random_range(std::mt19937& random) {
  const std::int64_t low = 1 + below(random, kValues);
  return {Value::integer(low), Value::integer(low + below(random, 3))};
}

// One class of some operations, or two; names, ranges, puts with takes.
Condition random_condition(std::mt19937& random,
                           const spec::Specification& object) {
  Condition condition;
  const auto operations = object.operations();
  const std::uint32_t classes = 1 + below(random, 2);
  for (std::uint32_t c = 0; c < classes; ++c) {
    condition.classes.push_back(
        {std::string(1, static_cast<char>('a' + c)), 1 + below(random, 3), {}});
  }
  for (const spec::Signature& signature : operations) {
    const std::uint32_t in = below(random, classes + 1);
    if (in == classes) continue;
    MemberPattern member;
    member.operation = std::string(signature.name);
    if (signature.argument != spec::Argument::kNone && below(random, 4) == 0) {
      member.argument = random_range(random);
    }
    if (signature.result == spec::Result::kValue && below(random, 4) == 0) {
      member.result = random_range(random);
    }
    condition.classes[in].members.push_back(member);
  }
  std::erase_if(condition.classes,
                [](const ClassPattern& one) { return one.members.empty(); });
  return condition;
}

class PermutedRuns : public ::testing::TestWithParam<std::string> {
 protected:
  // A legal run, of which everything from `end_` on is in classes.
  void make_run(const Condition& condition) {
    const check::Classes classes(condition, *object_);
    run_.clear();
    spec::State state = object_->initial();
    const std::uint32_t first = below(random_, 5);
    const std::uint32_t rest = 1 + below(random_, 9);
    // Many of one kind, so that counters count and containers fill up.
    std::uint32_t again = 0;
    std::uint16_t code = 0;
    for (std::uint32_t tries = 0; tries < 200 && run_.size() < first + rest;
         ++tries) {
      if (again == 0 || tries % 20 == 19) {
        code = static_cast<std::uint16_t>(below(
            random_, static_cast<std::uint32_t>(object_->operations().size())));
        again = 1 + below(random_, 4);
      }
      Operation operation;
      operation.code = code;
      operation.argument =
          random_argument(random_, object_->operations()[code].argument);
      std::vector<spec::Outcome> outcomes;
      object_->apply(state, operation.call(), outcomes);
      if (outcomes.empty()) {
        again = 0;
        continue;
      }
      const auto chosen =
          below(random_, static_cast<std::uint32_t>(outcomes.size()));
      operation.result = outcomes[chosen].result;
      if (run_.size() >= first &&
          classes.of(operation.call(), operation.result) < 0) {
        again = 0;
        continue;
      }
      --again;
      state = outcomes[chosen].next;
      run_.push_back(operation);
    }
    end_ = std::min<std::size_t>(first, run_.size());
  }

  // Exchanges operations of a class as far as its factor allows.
  void permute(const Condition& condition) {
    const check::Classes classes(condition, *object_);
    for (std::int32_t c = 0; c < std::ssize(condition.classes); ++c) {
      std::vector<std::size_t> places;
      for (std::size_t i = 0; i < run_.size(); ++i) {
        if (classes.of(run_[i].call(), run_[i].result) == c) {
          places.push_back(i);
        }
      }
      if (places.size() < 2) continue;
      const auto size = static_cast<std::uint32_t>(places.size());
      std::vector<std::uint32_t> who(size);
      for (std::uint32_t i = 0; i < size; ++i) who[i] = i;
      const auto near = [&](std::uint32_t of, std::uint32_t at) {
        return (of > at ? of - at : at - of) <= classes.factor(c);
      };
      for (std::uint32_t swaps = 0; swaps < 3 * size; ++swaps) {
        const std::uint32_t i = below(random_, size);
        const std::uint32_t j = below(random_, size);
        if (near(who[i], j) && near(who[j], i)) std::swap(who[i], who[j]);
      }
      const std::vector<Operation> before = run_;
      for (std::uint32_t i = 0; i < size; ++i) {
        run_[places[i]] = before[places[who[i]]];
      }
    }
  }

  History beginning(std::size_t length) const {
    History history;
    history.processes = {Value::integer(0)};
    for (std::size_t i = 0; i < length; ++i) {
      Operation operation = run_[i];
      operation.invoked = static_cast<history::Moment>(2 * i);
      operation.returned = static_cast<history::Moment>(2 * i + 1);
      history.operations.push_back(operation);
    }
    return history;
  }

  std::mt19937 random_{18};
  spec::SpecificationPtr object_ = spec::make(GetParam());
  std::vector<Operation> run_;
  std::size_t end_ = 0;
};

TEST_P(PermutedRuns, HoldWhereverTheyAreCutOff) {
  const char* const more = std::getenv("PLUMB_PERMUTED");
  const int rounds = 60 * (more == nullptr ? 1 : std::atoi(more));
  if (more != nullptr) random_.seed(static_cast<unsigned>(rounds));
  int judged = 0;
  for (int round = 0; round < rounds; ++round) {
    const Condition condition = random_condition(random_, *object_);
    if (condition.classes.empty()) continue;
    make_run(condition);
    permute(condition);
    for (std::size_t length = end_; length <= run_.size(); ++length) {
      const History history = beginning(length);
      Budget budget;
      const auto verdict =
          check::decide(history, *object_, condition, {}, budget);
      ASSERT_EQ(verdict.answer, check::Answer::kHolds)
          << "round " << round << ", " << object_->name() << ", "
          << condition.to_string() << " " << verdict.reason << "\n"
          << picture(history, *object_);
      ++judged;
    }
  }
  EXPECT_GT(judged, rounds / 2);
}

std::vector<std::string> objects() {
  std::vector<std::string> names = all_objects();
  for (const char* name : {"queue(4)", "stack(4)", "deque(3)", "bag(3)"}) {
    names.emplace_back(name);
  }
  return names;
}

INSTANTIATE_TEST_SUITE_P(Objects, PermutedRuns, ::testing::ValuesIn(objects()),
                         [](const auto& param) {
                           return test_name(param.param);
                         });

}  // namespace
}  // namespace plumb::testing
