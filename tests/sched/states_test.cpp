// SPDX-License-Identifier: Apache-2.0
#include "sched/states.h"

#include <gtest/gtest.h>

#include <functional>

#include "support/toy_machine.h"

namespace plumb::sched {
namespace {

using test_support::run_toy;
using test_support::ToyPlace;
using test_support::ToyProgram;
using test_support::ToyResults;
using test_support::ToyRun;
using Do = test_support::ToyStep::Do;

enum class Key : std::uint8_t {
  kHistories,  // all that calls can tell
  kStates,     // only what decides how it goes on
};

class ToyWatch final : public StateWatch {
 public:
  explicit ToyWatch(Key key) : key_(key) {}

  bool invokes(const Event&) override {
    return key_ == Key::kHistories && place.invokes;
  }
  View look(std::size_t events) override {
    std::string text = place.state;
    if (key_ == Key::kHistories) text += place.outcome + place.history;
    const std::hash<std::string> hash;
    View view;
    view.state = {hash(text), hash(text + "again")};
    view.returned = key_ == Key::kHistories && events > 0 && place.returns;
    return view;
  }

  ToyPlace place;

 private:
  Key key_;
};

struct Explored : ToyResults {
  std::uint64_t states = 0, transitions = 0;
  bool has_no_way_out = false;
};

Explored explore(const ToyProgram& program, Key key) {
  Explored explored;
  ToyWatch watch(key);
  States search(watch);
  while (search.start_run()) {
    const ToyRun run = run_toy(program, search, &watch.place);
    EXPECT_FALSE(search.diverged());
    ++explored.runs;
    if (run.end == RunEnd::kAbandoned) continue;
    explored.outcomes.insert(run.outcome);
    explored.histories.insert(run.outcome + run.history);
    explored.memories.insert(run.memory);
  }
  explored.states = search.states();
  explored.transitions = search.transitions();
  explored.has_no_way_out = search.has_no_way_out();
  return explored;
}

TEST(States, MeetEachOnce) {
  // Two variables, two steps each: nine places before the end.
  const ToyProgram program = {{{Do::kStore, 0, 1}, {Do::kStore, 0, 2}},
                              {{Do::kStore, 1, 1}, {Do::kStore, 1, 2}}};
  const Explored explored = explore(program, Key::kStates);
  EXPECT_EQ(explored.states, 8u);
  EXPECT_EQ(explored.outcomes.size(), 1u);
}

TEST(States, OfIndependentStepsAreLinkedOnce) {
  const ToyProgram program = {
      {{Do::kStore, 0, 1}}, {{Do::kStore, 1, 1}}, {{Do::kStore, 2, 1}}};
  const Explored explored = explore(program, Key::kStates);
  EXPECT_EQ(explored.states, 7u);
  // Of twelve transitions: one less than states, and ends.
  EXPECT_LT(explored.transitions, 9u);
}

TEST(States, TellHowCallsOverlap) {
  // Steps that have nothing to do with each other; calls are of two events.
  const ToyProgram program = {{{Do::kStore, 0, 1}, {Do::kStore, 0, 2}},
                              {{Do::kStore, 1, 1}, {Do::kStore, 1, 2}}};
  const ToyResults all = all_runs(program);
  EXPECT_EQ(all.histories.size(), 3u);
  EXPECT_EQ(explore(program, Key::kHistories).histories, all.histories);
}

TEST(States, FindADeadlock) {
  const ToyProgram program = {{{Do::kLock, 4, 0},
                               {Do::kLock, 5, 0},
                               {Do::kUnlock, 5, 0},
                               {Do::kUnlock, 4, 0}},
                              {{Do::kLock, 5, 0},
                               {Do::kLock, 4, 0},
                               {Do::kUnlock, 4, 0},
                               {Do::kUnlock, 5, 0}}};
  EXPECT_EQ(explore(program, Key::kStates).memories,
            all_runs(program).memories);
}

void compare(std::mt19937& random, bool weak, int rounds) {
  std::uint64_t runs = 0, all_of_them = 0;
  for (int round = 0; round < rounds; ++round) {
    const int threads = 2 + static_cast<int>(random() % 2);
    ToyProgram program =
        test_support::random_toy(random, threads, threads == 2 ? 5 : 3);
    for (auto& thread : program) {
      for (auto& step : thread) {
        if (weak && step.what == Do::kCas) step.what = Do::kWeakCas;
      }
    }
    const ToyResults all = all_runs(program);
    SCOPED_TRACE(to_string(program) + " in round " + std::to_string(round));
    const Explored histories = explore(program, Key::kHistories);
    ASSERT_TRUE(histories.histories == all.histories);
    const Explored states = explore(program, Key::kStates);
    ASSERT_TRUE(states.memories == all.memories);
    ASSERT_FALSE(states.has_no_way_out);
    runs += states.runs;
    all_of_them += all.runs;
  }
  EXPECT_LT(runs, all_of_them / 4) << "states are matched";
}

TEST(States, TellAllHistoriesOfRandomPrograms) {
  std::mt19937 random(21);
  compare(random, false, 400);
}

TEST(States, TellAllHistoriesWhereThingsFailForNoReason) {
  std::mt19937 random(22);
  compare(random, true, 200);
}

// A machine whose threads go round: thread t adds 1 to its place, modulo a
// length; from the last place it may leave if that is open.
struct Rounds final : StateWatch {
  bool invokes(const Event&) override { return false; }
  View look(std::size_t) override {
    View view;
    view.state = {static_cast<std::uint64_t>(place[0] * 100 + place[1]), 1};
    return view;
  }
  // Runs it; `exits`: by thread, may it leave?
  void run(States& search, const bool (&exits)[2]) {
    place[0] = place[1] = 0;
    Event pending[2];
    for (;;) {
      ThreadMask enabled = 0;
      for (const ThreadId t : {ThreadId{0}, ThreadId{1}}) {
        pending[t] = {};
        pending[t].thread = t;
        pending[t].address = 8u * (t + 1u);
        pending[t].size = 8;
        pending[t].writes = true;
        pending[t].outcomes = exits[t] && place[t] == 2 ? 2 : 0;
        if (place[t] != kLeft) enabled |= bit(t);
      }
      if (enabled == 0) return search.end_run(RunEnd::kComplete, 0, pending);
      const ThreadId t = search.pick({enabled, 0, 0, pending});
      if (t == kNoThread) {
        return search.end_run(RunEnd::kAbandoned, enabled, pending);
      }
      Event event = pending[t];
      if (event.outcomes == 2) {
        event.choice = static_cast<std::uint16_t>(search.choose(t, 2));
      }
      place[t] = event.choice != 0 ? kLeft : (place[t] + 1) % 3;
      search.saw(event);
    }
  }
  static constexpr int kLeft = 9;
  int place[2] = {};
};

bool has_no_way_out(bool first_exits, bool second_exits) {
  Rounds rounds;
  States search(rounds);
  const bool exits[2] = {first_exits, second_exits};
  while (search.start_run()) {
    rounds.run(search, exits);
    if (search.states() > 1000) break;
  }
  EXPECT_LE(search.states(), 16u);
  return search.has_no_way_out();
}

TEST(States, WhereThreadsGoRoundHaveAWayOut) {
  EXPECT_FALSE(has_no_way_out(true, true));
}

TEST(States, WhereAThreadCannotLeaveHaveNone) {
  EXPECT_TRUE(has_no_way_out(true, false));
  EXPECT_TRUE(has_no_way_out(false, true));
  EXPECT_TRUE(has_no_way_out(false, false));
}

}  // namespace
}  // namespace plumb::sched
