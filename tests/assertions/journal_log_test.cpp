// SPDX-License-Identifier: Apache-2.0
// Assertions that are saved in files and resumed from them.
#include "assertions/journal_log.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>

#include "assertions/assertions.h"
#include "base/input_error.h"
#include "support/event_system.h"

namespace plumb::assertions {
namespace {

using testing::EventSystem;

class JournalLogFile : public ::testing::Test {
 protected:
  JournalLogFile()
      : file_(::testing::TempDir() + "plumb_log_" + std::to_string(getpid())) {
    remove();
    std::mt19937 random(11);
    testing::RandomEvents wanted;
    wanted.states = 1'500;
    wanted.steps = 5'000;
    wanted.names = 12;
    wanted.taus = 0.02;
    wanted.terminations = 0;
    system_ = testing::random_event_system(wanted, random);
    states_ = ask(Journal::Settings(), UINT64_MAX).statistics.states;
  }
  ~JournalLogFile() override { remove(); }
  void remove() const {
    for (const char* end : {"", ".new", "2", "2.new"}) {
      std::filesystem::remove(file_ + end);
    }
  }

  using Journal = verify::Journal;
  // Each record may be the last one: seconds are 0.
  Journal::Settings settings(const std::string& from, const std::string& to,
                             double seconds = 1e9) const {
    return {.save_to = to,
            .resume_from = from,
            .seconds = seconds,
            .identity = "this test"};
  }
  Outcome ask(const Journal::Settings& how, std::uint64_t steps,
              bool is_killed = false) {
    Journal journal(how);
    JournalLog log(journal);
    Options options;
    options.log = &log;
    Budget budget = steps == UINT64_MAX ? Budget() : Budget().with_steps(steps);
    Outcome outcome =
        refines(system_, system_, Semantics::kTraces, options, budget);
    if (budget.limit() != Limit::kNone && !is_killed) log.save();
    return outcome;
  }
  void expect_all(const Outcome& outcome) const {
    EXPECT_EQ(outcome.answer, check::Answer::kHolds);
    EXPECT_EQ(outcome.statistics.states, states_);
  }
  std::string contents(const std::string& file) const {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream out;
    out << in.rdbuf();
    return out.str();
  }

  const std::string file_;
  EventSystem system_;
  std::uint64_t states_ = 0;
};

TEST_F(JournalLogFile, TheSameFileGrowsUntilAllIsSaid) {
  EXPECT_GT(states_, 500u);
  ask(settings("", file_), 300);
  for (std::uint64_t steps = 700; steps < 2'000; steps += 400) {
    const std::string before = contents(file_);
    EXPECT_EQ(ask(settings(file_, file_), steps).answer,
              check::Answer::kUnknown);
    const std::string after = contents(file_);
    EXPECT_GT(after.size(), before.size());
    EXPECT_TRUE(after.starts_with(before));
  }
  expect_all(ask(settings(file_, file_), UINT64_MAX));
  expect_all(ask(settings(file_, ""), UINT64_MAX));
}

TEST_F(JournalLogFile, AnotherFileHasAllOfTheFirstOne) {
  ask(settings("", file_), 300);
  ask(settings(file_, file_ + "2"), 800);
  std::filesystem::remove(file_);
  expect_all(ask(settings(file_ + "2", ""), UINT64_MAX));
}

TEST_F(JournalLogFile, ARunThatEndsWhileItReadsSpoilsNothing) {
  ask(settings("", file_), 900);
  const std::string before = contents(file_);
  ask(settings(file_, file_), 100);
  EXPECT_EQ(contents(file_), before);
  ask(settings(file_, file_ + "2"), 100);
  EXPECT_FALSE(std::filesystem::exists(file_ + "2"));
  EXPECT_FALSE(std::filesystem::exists(file_ + "2.new"));
  expect_all(ask(settings(file_, file_), UINT64_MAX));
}

// What was written before is final, again and again, so that it counts.
TEST_F(JournalLogFile, ARunThatIsKilledHasSavedMostOfIt) {
  ask(settings("", file_, 0), 900, true);
  const std::string saved = contents(file_);
  EXPECT_GT(saved.size(), 5'000u);
  expect_all(ask(settings(file_, ""), UINT64_MAX));
  std::ofstream(file_, std::ios::binary)
      << saved.substr(0, saved.size() * 2 / 3);
  expect_all(ask(settings(file_, file_), UINT64_MAX));
}

TEST_F(JournalLogFile, AFileThatCannotBeWrittenIsGivenUp) {
  ::testing::internal::CaptureStderr();
  const Outcome outcome = ask(settings("", "/no-such/file", 0), UINT64_MAX);
  expect_all(outcome);
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "plumb: cannot write '/no-such/file': No such file or directory: "
            "the checkpoint before still counts\n");
}

TEST_F(JournalLogFile, OtherSystemsAreRefused) {
  ask(settings("", file_), 900);
  system_.event(0, "z", 0);
  EXPECT_THROW(ask(settings(file_, ""), UINT64_MAX), InputError);
}

}  // namespace
}  // namespace plumb::assertions
