// SPDX-License-Identifier: Apache-2.0
// Searches that stop and are resumed end as if they had never stopped.
#include "verify/pair_saver.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "lts/path.h"
#include "support/model_search.h"
#include "verify/journal.h"

namespace plumb::verify {
namespace {

using testing::SearchedModel;
using testing::shipped_text;
using End = Search::End;
using Found = SearchedModel::Found;
using How = SearchedModel::How;
using PartialOrder = lts::Reductions::PartialOrder;

// A file of this test that is gone afterwards.
class Checkpoint : public ::testing::Test {
 protected:
  Checkpoint() {
    file_ = ::testing::TempDir() + "plumb_saver_" + std::to_string(getpid());
    remove();
  }
  ~Checkpoint() override { remove(); }
  void remove() const {
    std::filesystem::remove(file_);
    std::filesystem::remove(file_ + ".new");
  }
  bool is_there() const { return std::filesystem::exists(file_); }

  Journal::Settings settings(double seconds = 1e9) const {
    return {.save_to = file_,
            .resume_from = is_there() ? file_ : "",
            .seconds = seconds,
            .identity = "this test"};
  }
  Found search(const SearchedModel& model, How how, double seconds = 1e9) {
    Journal journal(settings(seconds));
    how.limits.journal = &journal;
    return model.search(how);
  }
  // Stops after `steps` pairs, and after that many more, until it ends. Numbers
  // are given out in another order each time.
  Found in_pieces(const SearchedModel& model, How how, std::uint64_t steps,
                  double seconds = 1e9) {
    remove();
    how.budget = Budget().with_steps(steps);
    Found found;
    for (pieces_ = 1; pieces_ < 1000; ++pieces_) {
      found = search(model, how, seconds);
      if (found.end != End::kLimit) break;
      how.in_other_order = !how.in_other_order;
    }
    return found;
  }

  std::string file_;
  std::size_t pieces_ = 0;
};

lts::Reductions keeping_marks() {
  lts::Reductions reductions;
  reductions.keep_marks = true;
  return reductions;
}

// What two searches of one model must agree in.  Where a state has several
// sets, how many are kept depends on the order in which they come, and that
// changes a little when a search is resumed in the middle of a level.
void expect_same(const Found& found, const Found& whole,
                 const lts::System& system) {
  EXPECT_EQ(found.end, whole.end);
  EXPECT_EQ(found.statistics.depth, whole.statistics.depth);
  ASSERT_EQ(found.path.has_value(), whole.path.has_value());
  if (found.path) {
    EXPECT_TRUE(is_run_of(*found.path, system));
    EXPECT_EQ(found.path->size(), whole.path->size());
    return;
  }
  EXPECT_EQ(found.statistics.states, whole.statistics.states);
  EXPECT_EQ(found.statistics.transitions, whole.statistics.transitions);
  EXPECT_EQ(found.statistics.represented, whole.statistics.represented);
  EXPECT_EQ(found.statistics.left_out, whole.statistics.left_out);
  EXPECT_EQ(found.statistics.joined, whole.statistics.joined);
  if (whole.statistics.pairs > whole.statistics.states) return;
  EXPECT_EQ(found.statistics.pairs, whole.statistics.pairs);
  EXPECT_EQ(found.statistics.sets, whole.statistics.sets);
  EXPECT_EQ(found.work, whole.work);
}

const char* const kTreiber =
    "check treiber linearizable with 2 processes, values 1..2;\n";
const char* const kLocks =
    "check two_lock_queue linearizable with 2 processes, values 1..2;\n";
const char* const kUnguarded =
    "check unguarded_stack linearizable with 2 processes, values 1..2;\n";
const char* const kHelped =
    "check herlihy_wing_queue linearizable with 2 processes, values 1..2,"
    " 2 operations;\n";

struct Case {
  const char *file, *check;
  bool exact;
};
const Case kCases[] = {{"treiber_stack", kTreiber, true},
                       {"treiber_stack", kTreiber, false},
                       {"two_lock_queue", kLocks, true},
                       {"herlihy_wing_queue", kHelped, true},
                       {"treiber_stack", kUnguarded, true}};

class Pieces : public Checkpoint,
               public ::testing::WithParamInterface<std::size_t> {};

TEST_P(Pieces, EndAsIfTheSearchHadNeverStopped) {
  for (const Case& each : kCases) {
    for (const bool reduced : {false, true}) {
      const SearchedModel model(
          shipped_text(each.file) + each.check,
          reduced ? each.exact ? lts::Reductions() : keeping_marks()
                  : lts::Reductions::none());
      How how;
      how.exact = each.exact;
      how.limits.threads = GetParam();
      const Found whole = model.search(how);
      for (const std::uint64_t parts : {2u, 7u, 23u}) {
        const Found found = in_pieces(
            model, how, whole.statistics.pairs / parts + 1, parts == 7 ? 0 : 9);
        SCOPED_TRACE(std::string(each.check) + (reduced ? "reduced" : "") +
                     (each.exact ? "" : " at marks") + " in " +
                     std::to_string(parts));
        expect_same(found, whole, model.system());
        EXPECT_TRUE(found.path || pieces_ * 2 > parts) << pieces_;
      }
    }
  }
}

// What is saved while something has failed already must not forget it.
TEST_P(Pieces, FailAgainWhenTheyAreResumedAfterAFailure) {
  const SearchedModel model(shipped_text("treiber_stack") + kUnguarded,
                            lts::Reductions::none());
  How how;
  how.limits.threads = GetParam();
  const Found whole = model.search(how);
  ASSERT_EQ(whole.end, End::kEmpty);
  for (const double seconds : {0.0, 0.0001, 0.001}) {
    remove();
    expect_same(search(model, how, seconds), whole, model.system());
    for (int again = 0; again < 3; ++again) {
      expect_same(search(model, how, seconds), whole, model.system());
    }
  }
}

// A limit on states ends a search in the middle of a pair's transitions.
TEST_P(Pieces, GoOnWhereTheLimitOnStatesStoppedThem) {
  for (const Case& each : kCases) {
    const SearchedModel model(shipped_text(each.file) + each.check,
                              lts::Reductions::none());
    How how;
    how.exact = each.exact;
    how.limits.threads = GetParam();
    const Found whole = model.search(how);
    remove();
    how.limits.states = 1;
    Found found;
    do {
      how.limits.states += whole.statistics.states / 9 + 1;
      found = search(model, how);
    } while (found.end == End::kLimit);
    SCOPED_TRACE(each.check);
    expect_same(found, whole, model.system());
  }
}

// Which of the sets that differ by renamings is kept depends on numbers that
// are given out in another order by then.
TEST_P(Pieces, ShowTheRunThatFailsAlsoWhereSetsAreRenamed) {
  const Case checks[] = {
      {"treiber_stack",
       "check unguarded_stack linearizable with 3 processes, values 1..3;\n",
       true},
      {"snapshot",
       "check value_compare linearizable with 3 processes, values 0..1;\n",
       true}};
  for (const Case& each : checks) {
    const SearchedModel model(shipped_text(each.file) + each.check, {});
    How how;
    how.limits.threads = GetParam();
    const Found whole = model.search(how);
    ASSERT_EQ(whole.end, End::kEmpty);
    for (const std::uint64_t parts : {2u, 5u, 11u}) {
      const Found found =
          in_pieces(model, how, whole.statistics.pairs / parts + 1);
      SCOPED_TRACE(each.check + std::to_string(parts));
      expect_same(found, whole, model.system());
      EXPECT_GT(pieces_, 1u);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, Pieces, ::testing::Values(1, 2));

}  // namespace
}  // namespace plumb::verify
