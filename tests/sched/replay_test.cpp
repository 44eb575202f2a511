// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "sched/random.h"

namespace plumb::sched {
namespace {

// Two threads that only read, but for the event with this number.
bool circles_after(int events, int change_at) {
  Replay replay({});
  replay.start_run();
  Situation situation;
  situation.enabled = bit(1) | bit(2);
  situation.current = 1;
  for (int i = 0; i < events; ++i) {
    Event event;
    event.thread = situation.current = replay.pick(situation);
    event.kind = i == change_at ? Kind::kWrite : Kind::kRead;
    event.writes = i == change_at;
    replay.saw(event);
  }
  return replay.goes_in_circles();
}

TEST(Replay, SeesThatNothingChangesAnyMore) {
  EXPECT_TRUE(circles_after(3000, -1));
  EXPECT_TRUE(circles_after(3000, 500));
}

TEST(Replay, IsNotSureWhileSomethingChanged) {
  EXPECT_FALSE(circles_after(3000, 2000));
  EXPECT_FALSE(circles_after(1000, -1));
}

TEST(Replay, LetsEverybodyHaveATurnBeforeItIsSure) {
  Replay replay({});
  replay.start_run();
  Situation situation;
  situation.enabled = bit(1) | bit(2);
  situation.current = 1;
  ThreadMask seen = 0;
  for (int i = 0; i < 150; ++i) {
    Event event;
    event.thread = situation.current = replay.pick(situation);
    seen |= bit(event.thread);
    replay.saw(event);
  }
  EXPECT_EQ(seen, situation.enabled);
}

}  // namespace
}  // namespace plumb::sched
