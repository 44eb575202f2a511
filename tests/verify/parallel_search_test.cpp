// SPDX-License-Identifier: Apache-2.0
// Several threads search as one does.
#include <gtest/gtest.h>
#include <pthread.h>

#include <string>
#include <system_error>
#include <thread>

#include "base/input_error.h"
#include "lts/path.h"
#include "support/model_search.h"
#include "verify/pair_search.h"

namespace plumb::verify {
namespace {

using testing::SearchedModel;
using testing::shipped_text;
using End = Search::End;
using Found = SearchedModel::Found;
using How = SearchedModel::How;

Found search(const SearchedModel& model, std::size_t threads,
             bool exact = true) {
  How how;
  how.exact = exact;
  how.limits.threads = threads;
  return model.search(how);
}

// Levels of more than 4,096 pairs are shared out; these have some.
const char* const kCounter =
    "check counter linearizable with 4 processes, N = 2;\n";
const char* const kMarked =
    "check marked_counter linearizable at marks with 4 processes, N = 2;\n";

struct Case {
  const char *file, *check;
  bool exact, reduced;
};

class Parallel : public ::testing::TestWithParam<Case> {
 protected:
  static SearchedModel model() {
    lts::Reductions reductions;
    if (!GetParam().reduced) reductions = lts::Reductions::none();
    reductions.keep_marks = !GetParam().exact;
    return SearchedModel(shipped_text(GetParam().file) + GetParam().check,
                         reductions);
  }
};

TEST_P(Parallel, FindsWhatOneThreadFinds) {
  const SearchedModel searched = model();
  const Found alone = search(searched, 1, GetParam().exact);
  for (const std::size_t threads : {2u, 4u}) {
    const Found found = search(searched, threads, GetParam().exact);
    EXPECT_EQ(found.end, alone.end);
    EXPECT_EQ(found.statistics.depth, alone.statistics.depth);
    ASSERT_EQ(found.path.has_value(), alone.path.has_value());
    if (found.path) {
      EXPECT_TRUE(is_run_of(*found.path, searched.system()));
      EXPECT_EQ(found.path->size(), alone.path->size());
      continue;
    }
    EXPECT_EQ(found.statistics.states, alone.statistics.states);
    EXPECT_EQ(found.statistics.transitions, alone.statistics.transitions);
    EXPECT_EQ(found.statistics.represented, alone.statistics.represented);
    if (GetParam().exact) continue;
    EXPECT_EQ(found.statistics.pairs, alone.statistics.pairs);
    EXPECT_EQ(found.work, alone.work);
  }
}

// Whatever thread meets it, an error of the specification gets out.
TEST(ParallelThreads, HandOnWhatIsWrongWithASpecification) {
  const SearchedModel model(
      "spec small { seq<int, 6> items;\n"
      "  void put(int v) { push_back(items, v); } }\n"
      "object o implements small { shared int c = 0;\n"
      "  void put(int v) { c = v; c = 0; c = v; } }\n"
      "check o linearizable with 4 processes, values 1..3;\n",
      lts::Reductions::none());
  EXPECT_THROW(search(model, 1), InputError);
  EXPECT_THROW(search(model, 4), InputError);
}

INSTANTIATE_TEST_SUITE_P(
    Models, Parallel,
    ::testing::Values(
        Case{"counter", kCounter, true, false},
        Case{"counter", kMarked, false, false},
        Case{"counter", kMarked, false, true},
        Case{"treiber_stack",
             "check treiber linearizable with 3 processes, values 1;\n", true,
             false},
        Case{"ms_queue",
             "check ms_queue linearizable with 2 processes, values 1..2, "
             "2 operations;\n",
             true, true},
        Case{"snapshot",
             "check value_compare linearizable with 3 processes, values "
             "0..1;\n",
             true, false},
        Case{"counter",
             "check badly_marked_counter linearizable at marks with 4 "
             "processes;\n",
             false, false},
        Case{"ticket_lock",
             "check ticket_lock linearizable with 3 processes, T = 3;\n", true,
             false}),
    [](const auto& one) { return "model_" + std::to_string(one.index); });

// Of the states that something goes wrong from, the same one each time,
// whoever was faster.
TEST(ParallelFailures, AreFoundInTheSameStateEachTime) {
  const SearchedModel model(
      shipped_text("snapshot") +
          "check value_compare linearizable with 3 processes, values 0..1;\n",
      lts::Reductions::none());
  const Found first = search(model, 4);
  ASSERT_EQ(first.end, End::kEmpty);
  const std::size_t last = first.path->size() - 1;
  for (int again = 0; again < 5; ++again) {
    const Found found = search(model, 4);
    ASSERT_EQ(found.end, End::kEmpty);
    ASSERT_EQ(found.path->size(), last + 1);
    EXPECT_EQ(found.path->states[last], first.path->states[last]);
  }
}

TEST(ParallelLimits, AreKept) {
  const SearchedModel model(shipped_text("counter") + kCounter,
                            lts::Reductions::none());
  How how;
  how.limits.threads = 4;
  how.limits.states = 9'000;
  const Found found = model.search(how);
  EXPECT_EQ(found.end, End::kLimit);
  EXPECT_LE(found.statistics.states, 9'000u);
  how.limits.states = 0;
  how.budget = Budget().with_steps(5'000);
  EXPECT_EQ(model.search(how).end, End::kLimit);
  how.budget = Budget();
  how.limits.transitions = 20'000;
  EXPECT_EQ(model.search(how).end, End::kTransitions);
}

// Once the machine's budget is spent, its sets mean nothing: whatever then
// seems to fail is not reported.
TEST(SpentBudgets, NeverLookLikeAViolation) {
  const SearchedModel model(
      shipped_text("ms_queue") +
          "check ms_queue linearizable with 2 processes, values 1..2, "
          "2 operations;\n",
      lts::Reductions());
  const Question question{model.system(), model.model().specification.get(),
                          model.model().codes, nullptr, &model.reduced()};
  Options options;
  options.method = Options::Method::kExact;
  int limited = 0;
  for (std::uint64_t steps = 1; steps < 4'000; steps += steps / 9 + 1) {
    Budget budget = Budget().with_steps(steps);
    const Outcome outcome = check_linearizable(question, options, budget);
    EXPECT_NE(outcome.answer, check::Answer::kViolated) << steps;
    limited += outcome.answer == check::Answer::kUnknown ? 1 : 0;
  }
  EXPECT_GT(limited, 20);
}

// A violation that is found at the last moment is still shown.
TEST(SpentBudgets, DoNotHideTheRunThatWasFound) {
  const SearchedModel model(
      shipped_text("treiber_stack") +
          "check unguarded_stack linearizable with 2 processes, values "
          "1..2;\n",
      lts::Reductions());
  const Question question{model.system(), model.model().specification.get(),
                          model.model().codes, nullptr, &model.reduced()};
  Options options;
  options.method = Options::Method::kExact;
  int violated = 0, unknown = 0;
  for (std::uint64_t steps = 1; steps < 600; ++steps) {
    Budget budget = Budget().with_steps(steps);
    const Outcome outcome = check_linearizable(question, options, budget);
    EXPECT_NE(outcome.answer, check::Answer::kHolds);
    ++(outcome.answer == check::Answer::kViolated ? violated : unknown);
  }
  EXPECT_GT(violated, 10);
  EXPECT_GT(unknown, 10);
}

// Threads with more address space than there is cannot be started.
class HugeStacks {
 public:
  HugeStacks() {
    pthread_attr_init(&usual_);
    pthread_getattr_default_np(&usual_);
    pthread_attr_t huge;
    pthread_attr_init(&huge);
    pthread_attr_setstacksize(&huge, std::size_t{1} << 50);
    pthread_setattr_default_np(&huge);
    pthread_attr_destroy(&huge);
  }
  ~HugeStacks() {
    pthread_setattr_default_np(&usual_);
    pthread_attr_destroy(&usual_);
  }
  HugeStacks(const HugeStacks&) = delete;

 private:
  pthread_attr_t usual_;
};

TEST(ParallelThreads, AreNotNeeded) {
  const SearchedModel model(shipped_text("counter") + kCounter,
                            lts::Reductions::none());
  const Found several = search(model, 2);
  const HugeStacks no_threads;
  ASSERT_THROW(std::thread([] {}).join(), std::system_error);
  const Found found = search(model, 2);
  EXPECT_EQ(found.end, End::kComplete);
  EXPECT_EQ(found.statistics.states, several.statistics.states);
}

}  // namespace
}  // namespace plumb::verify
