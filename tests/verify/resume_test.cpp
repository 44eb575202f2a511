// SPDX-License-Identifier: Apache-2.0
// Checks that stop and are resumed, by another way of searching or the same.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lts/path.h"
#include "support/model_search.h"
#include "verify/counterexample.h"
#include "verify/exact_moves.h"
#include "verify/follower.h"
#include "verify/journal.h"
#include "verify/learner.h"
#include "verify/lossy_search.h"
#include "verify/outcome.h"
#include "verify/pair_search.h"
#include "verify/pair_steps.h"
#include "verify/point_moves.h"

namespace plumb::verify {
namespace {

using check::Answer;
using testing::SearchedModel;
using testing::shipped_text;
using End = Search::End;
using Found = SearchedModel::Found;
using How = SearchedModel::How;
using Method = Options::Method;

lts::Reductions keeping_marks() {
  lts::Reductions reductions;
  reductions.keep_marks = true;
  return reductions;
}

std::string treiber_text() {
  return shipped_text("treiber_stack") +
         "check treiber linearizable with 2 processes, values 1..2;\n";
}
std::string without_marks(std::string text) {
  const std::string mark = "linearize ";
  for (std::size_t at = text.find(mark); at != std::string::npos;
       at = text.find(mark)) {
    text.erase(at, mark.size());
  }
  return text;
}

class Resume : public ::testing::Test {
 protected:
  Resume()
      : file_(::testing::TempDir() + "plumb_resume_" +
              std::to_string(getpid())) {
    remove();
  }
  ~Resume() override { remove(); }
  void remove() const {
    std::filesystem::remove(file_);
    std::filesystem::remove(file_ + ".new");
  }
  Journal::Settings settings() const {
    return {.save_to = file_,
            .resume_from = std::filesystem::exists(file_) ? file_ : "",
            .seconds = 1e9,
            .identity = "this test"};
  }
  Found search(const SearchedModel& model, How how) const {
    Journal journal(settings());
    how.limits.journal = &journal;
    return model.search(how);
  }
  Outcome check(const SearchedModel& model, Options options) const {
    Journal journal(settings());
    options.journal = &journal;
    return check_alone(model, options);
  }
  static Outcome check_alone(const SearchedModel& model,
                             const Options& options) {
    const Question question{model.system(), model.model().specification.get(),
                            model.model().codes, nullptr, &model.reduced()};
    Budget budget;
    return check_linearizable(question, options, budget);
  }
  // Points that explain the whole model.
  static Policy learnt(const SearchedModel& model) {
    SpecificationGraph graph(*model.model().specification, model.model().codes);
    Budget budget;
    Learner learner(graph, *model.model().specification, budget);
    EXPECT_EQ(learner.learn(model.system(), model.reduced(), {}),
              Learner::End::kPassed);
    return learner.policy();
  }

  std::string file_;
  const SearchedModel treiber_{without_marks(treiber_text()), {}};
};

// The same, but nothing is certain: it explains no less.
Policy doubtful(Policy policy) {
  for (auto& [edge, effects] : policy.effects) {
    for (Effect& effect : effects) effect.may = true;
  }
  return policy;
}

TEST_F(Resume, ACourseSaysAllOfAPolicy) {
  Policy policy{.marks = true, .effects = {}};
  const Value pair[] = {Value::integer(-7), Value()};
  policy.effects[3] = {Effect{}, Effect{.whose = Effect::Whose::kOthersBefore,
                                        .may = true,
                                        .only = Value::list(pair),
                                        .operation = 300}};
  policy.effects[70'000] = {Effect{.only = Value::boolean(false)}};
  SpecificationGraph graph(*treiber_.model().specification, {});
  Configurations all(graph, 2);
  const PointMoves moves(all, policy);
  EXPECT_EQ(PointMoves::policy_of(moves.course()), policy);
  for (const Policy& other : {Policy{}, doubtful(policy)}) {
    EXPECT_NE(PointMoves(all, other).course(), moves.course());
  }
  EXPECT_EQ(PointMoves::policy_of("exact"), std::nullopt);
  EXPECT_EQ(PointMoves::policy_of("points\n"), std::nullopt);
}

// Sets are saved by how they were made, and other points make others of them.
TEST_F(Resume, SearchesDoNotTakeWhatAnotherPolicyHasSaved) {
  const Policy good = learnt(treiber_);
  const Policy policies[] = {good, doubtful(good), Policy{}};
  for (const Policy& before : policies) {
    for (const Policy& after : policies) {
      remove();
      How how;
      how.exact = false;
      how.policy = before;
      how.limits.states = 100;
      search(treiber_, how);
      const bool has_saved = std::filesystem::exists(file_);
      EXPECT_EQ(has_saved, !(before == Policy{})) << "that fails at once";
      how.policy = after;
      how.limits.states = 0;
      const Found whole = treiber_.search(how);
      const Found found = search(treiber_, how);
      EXPECT_EQ(found.end, whole.end);
      EXPECT_EQ(found.end, after == Policy{} ? End::kEmpty : End::kComplete);
      EXPECT_EQ(found.statistics.pairs, whole.statistics.pairs);
      EXPECT_EQ(found.statistics.sets, whole.statistics.sets);
    }
  }
}

TEST_F(Resume, AnExactSearchDoesNotTakeWhatPointsHaveSaved) {
  How how;
  how.exact = false;
  how.policy = doubtful(learnt(treiber_));
  how.limits.states = 100;
  EXPECT_EQ(search(treiber_, how).end, End::kLimit);
  how.exact = true;
  how.limits.states = 0;
  const Found whole = treiber_.search(how);
  const Found found = search(treiber_, how);
  EXPECT_EQ(found.end, End::kComplete);
  EXPECT_EQ(found.statistics.pairs, whole.statistics.pairs);
}

TEST_F(Resume, ACheckGoesOnWithThePointsThatWereSaved) {
  How how;
  how.exact = false;
  how.policy = doubtful(learnt(treiber_));
  how.limits.states = 100;
  EXPECT_EQ(search(treiber_, how).end, End::kLimit);
  const Outcome fresh = check_alone(treiber_, {});
  const Outcome resumed = check(treiber_, {});
  EXPECT_EQ(fresh.answer, Answer::kHolds);
  EXPECT_EQ(resumed.answer, Answer::kHolds);
  EXPECT_EQ(resumed.statistics.states, fresh.statistics.states);
  ASSERT_FALSE(resumed.points.empty());
  EXPECT_TRUE(std::ranges::all_of(resumed.points, &Point::may));
  EXPECT_FALSE(std::ranges::all_of(fresh.points, &Point::may));
}

// Points that were saved may turn out to be wrong.
TEST_F(Resume, ACheckTriesOtherPointsWhereThoseSavedFail) {
  How how;
  how.exact = false;
  how.policy = learnt(treiber_);
  how.policy.effects.erase(std::prev(how.policy.effects.end()));
  for (how.limits.states = 2; how.limits.states < 100; ++how.limits.states) {
    if (search(treiber_, how).end != End::kLimit) break;
  }
  ASSERT_TRUE(std::filesystem::exists(file_));
  const Outcome resumed = check(treiber_, {});
  EXPECT_EQ(resumed.answer, Answer::kHolds);
  EXPECT_EQ(resumed.statistics.method, "linearization points");
}

TEST_F(Resume, ACheckGoesOnExactlyWhereAnExactSearchWasSaved) {
  How how;
  how.limits.states = 100;
  EXPECT_EQ(search(treiber_, how).end, End::kLimit);
  const Outcome fresh = check_alone(treiber_, {});
  EXPECT_EQ(fresh.statistics.method, "linearization points");
  const Outcome resumed = check(treiber_, {});
  EXPECT_EQ(resumed.answer, Answer::kHolds);
  EXPECT_EQ(resumed.statistics.method, "antichain");
  EXPECT_EQ(resumed.statistics.states, fresh.statistics.states);
}

TEST_F(Resume, ChecksEndAsIfTheyHadNeverStopped) {
  const SearchedModel marked(treiber_text(), keeping_marks());
  for (const Method method : {Method::kPoints, Method::kMarks}) {
    remove();
    const SearchedModel& model = method == Method::kMarks ? marked : treiber_;
    Options options;
    options.method = method;
    const Outcome whole = check_alone(model, options);
    EXPECT_EQ(whole.answer, Answer::kHolds);
    std::size_t pieces = 0;
    Outcome found;
    while (found.answer == Answer::kUnknown && pieces++ < 100) {
      options.state_limit += whole.statistics.states / 5;
      options.threads = 1 + pieces % 2;
      found = check(model, options);
    }
    EXPECT_GT(pieces, 4u);
    EXPECT_EQ(found.answer, Answer::kHolds);
    EXPECT_EQ(found.statistics.states, whole.statistics.states);
    EXPECT_EQ(found.statistics.method, whole.statistics.method);
    EXPECT_EQ(found.points.size(), whole.points.size());
    EXPECT_FALSE(found.points.empty());
  }
}

// Steps of the machine are taken again to show a run: those must not be cut
// short.
TEST_F(Resume, ShowsTheRunThatFailsAfterAnInterrupt) {
  const SearchedModel model(
      shipped_text("snapshot") +
          "check value_compare linearizable with 3 processes, values 0..1;\n",
      {});
  How how;
  how.limits.states = 60;
  EXPECT_EQ(search(model, how).end, End::kLimit);
  const spec::Specification& object = *model.model().specification;
  for (const bool lossy : {false, true}) {
    SpecificationGraph graph(object, model.model().codes);
    Configurations all(graph, model.system().processes());
    Budget budget;
    ExactMoves moves(all, budget);
    Journal journal(settings());
    SearchLimits limits;
    limits.journal = &journal;
    std::unique_ptr<Search> search = std::make_unique<PairSearch>(
        model.system(), model.reduced(), moves, limits, budget);
    if (lossy) {
      search = std::make_unique<LossySearch>(
          model.system(), model.reduced(), moves, limits, budget, LossyTable{});
    }
    ASSERT_EQ(search->run(), End::kEmpty);
    Budget::interrupted = true;
    const lts::Path path = search->path();
    Budget::interrupted = false;
    EXPECT_TRUE(lts::is_run_of(path, model.system()));
    EXPECT_EQ(judge(history_of(path, graph), object, budget),
              Answer::kViolated);
  }
}

TEST_F(Resume, KeepsTheMarksThatWerePassed) {
  SpecificationGraph graph(*treiber_.model().specification, {});
  Configurations all(graph, 2);
  const Policy policy{.marks = true, .effects = {}};
  PointMoves before(all, policy), after(all, policy);
  lts::Label label;
  label.marked = true;
  for (const std::uint32_t edge : {3u, 70u}) {
    label.edge = edge;
    before.after(before.initial(), label);
  }
  after.add_notes(before.notes());
  EXPECT_EQ(after.marked(), before.marked());
  EXPECT_EQ(std::ranges::count(after.marked(), true), 2);
}

// Another search may have kept another one of the sets that differ by names.
TEST_F(Resume, TransitionsLeadToSetsByOtherNames) {
  lts::Reductions symmetry_alone = lts::Reductions::none();
  symmetry_alone.process_symmetry = true;
  const SearchedModel model(
      shipped_text("herlihy_wing_queue") +
          "check herlihy_wing_queue linearizable with 4 processes, values 1, 1 "
          "operation;\n",
      symmetry_alone);
  const lts::Symmetry& symmetry = *model.reduced().symmetry();
  SpecificationGraph graph(*model.model().specification, model.model().codes);
  Configurations all(graph, model.system().processes());
  Budget budget;
  ExactMoves moves(all, budget);
  moves.set_values(symmetry.values());
  Follower follower(moves);
  PairSteps steps(model.reduced(), follower, {});
  const PairSteps::First first = steps.first();
  using Pair = std::pair<lts::StateBytes, SetId>;
  std::vector<Pair> pairs = {{first.state, first.set}};
  std::size_t others = 0;
  for (std::size_t at = 0; at < pairs.size(); ++at) {
    const Pair from = pairs[at];
    ASSERT_EQ(steps.expand(from.first, from.second), PairSteps::Result::kFine);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const lts::StateView state = steps.state(i);
      const Pair to{{state.begin(), state.end()}, steps.set(i)};
      if (std::ranges::find(pairs, to) == pairs.end()) pairs.push_back(to);
      const FoldedStep usual = steps.folded(i);
      lts::StateBytes canonical = usual.after;
      const lts::Canonical how = symmetry.canonicalize(canonical);
      for (std::size_t p = 0; p + 1 < model.system().processes(); ++p) {
        if ((how.twins >> p & 1) == 0) continue;
        const lts::Renaming swap{lts::Permutation::swap(p, p + 1), {}};
        const SetId other = moves.renamed(to.second, swap);
        others += other != to.second;
        const auto step = steps.folded_to(i, other);
        ASSERT_TRUE(step);
        const lts::Renaming back = usual.renaming.inverse();
        EXPECT_EQ(moves.renamed(moves.renamed(to.second, back), step->renaming),
                  other);
        EXPECT_EQ(symmetry.rename(usual.after, step->renaming), to.first);
      }
    }
  }
  EXPECT_GT(others, 0u);
}

}  // namespace
}  // namespace plumb::verify
