// SPDX-License-Identifier: Apache-2.0
// Searches that read what they expand from the log of another one.
#include "explore/expansion_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "base/input_error.h"
#include "explore/explorer.h"
#include "support/event_system.h"
#include "support/text_log.h"

namespace plumb::explore {
namespace {

using testing::EventSystem;
using testing::TextLog;

// Counts how often it is asked.
class Counted final : public EventSystem {
 public:
  explicit Counted(const EventSystem& system) : EventSystem(system) {}
  void successors(lts::StateView state, lts::Successors& out) const override {
    ++asked;
    EventSystem::successors(state, out);
  }
  mutable std::size_t asked = 0;
};

EventSystem some_system(unsigned seed = 5) {
  std::mt19937 random(seed);
  EventSystem system = testing::random_event_system(
      {.states = 600, .steps = 2'400, .names = 5, .faults = 0.02}, random);
  system.vary_lengths();
  return system;
}

// All that a visitor is told.
class Told : public Visitor {
 public:
  bool on_state(StateId from, const lts::Successors& out) {
    all += std::to_string(from) + ":" + std::to_string(out.size()) + "," +
           std::to_string(out.cut) + " ";
    return true;
  }
  bool on_transition(StateId from, const lts::Label& label, StateId to,
                     bool is_new) {
    all += std::to_string(from) + " " + std::to_string(label.edge) + " " +
           std::to_string(to) + (is_new ? "! " : " ");
    return true;
  }
  bool on_fault(StateId, const lts::Label& label, lts::StateView after) {
    all += std::to_string(label.fault) + "-" + std::to_string(after.size());
    return true;
  }
  std::string all;
};

std::string told(const lts::System& system, TextLog* log,
                 bool depth_first = false, std::uint64_t steps = UINT64_MAX) {
  Budget budget = steps == UINT64_MAX ? Budget() : Budget().with_steps(steps);
  Told told;
  Explorer(system, {depth_first, 0, {.threads = 1, .alone = 0, .log = log}},
           budget)
      .run(told);
  return told.all;
}

std::vector<std::string> log_of(const lts::System& system,
                                std::uint64_t steps = UINT64_MAX) {
  TextLog log;
  told(system, &log, false, steps);
  log.save();
  return log.saved();
}

TEST(ExpansionLog, ASearchDoesTheSameAgain) {
  const EventSystem system = some_system();
  for (const bool depth_first : {false, true}) {
    const std::string expected = told(system, nullptr, depth_first);
    for (std::uint64_t steps = 0; steps < 640; steps += 13) {
      TextLog first;
      told(system, &first, depth_first, steps);
      first.save();
      TextLog second(first.saved());
      EXPECT_EQ(told(system, &second, depth_first), expected) << steps;
      second.save();
      TextLog third(second.saved());
      EXPECT_EQ(told(system, &third, depth_first), expected) << steps;
    }
  }
}

// Labels that are new, and every 64th state.
TEST(ExpansionLog, FewStatesAreExpandedAnew) {
  const Counted system(some_system());
  TextLog log(log_of(system));
  system.asked = 0;
  told(system, &log);
  EXPECT_GT(system.asked, 8u);
  EXPECT_LT(system.asked, 60u);
}

TEST(ExpansionLog, WhatIsNotSavedDoesNotCount) {
  const EventSystem system = some_system();
  TextLog log;
  told(system, &log, false, 300);
  EXPECT_EQ(log.saved().size(), 0u);
  log.save();
  EXPECT_EQ(log.saved().size(), 1u);
  log.save();  // nothing was added
  EXPECT_EQ(log.saved().size(), 1u);
}

// A journal's entries are whole; here they are cut anywhere.
TEST(ExpansionLog, APartOfARecordIsAnError) {
  const EventSystem system = some_system();
  const std::string expected = told(system, nullptr);
  const std::vector<std::string> saved = log_of(system, 100);
  ASSERT_EQ(saved.size(), 1u);
  std::size_t refused = 0, same = 0;
  for (std::size_t size = 0; size < saved[0].size(); size += 3) {
    TextLog log({saved[0].substr(0, size)});
    try {
      EXPECT_EQ(told(system, &log), expected) << size;
      ++same;
    } catch (const InputError& error) {
      EXPECT_STREQ(error.what(), "the checkpoint is damaged");
      ++refused;
    }
  }
  EXPECT_GT(refused, 300u);
  EXPECT_GT(same, 10u);
}

TEST(ExpansionLog, TheLogOfAnotherSystemIsRefused) {
  const auto saved = log_of(some_system());
  for (unsigned seed = 6; seed < 12; ++seed) {
    TextLog log(saved);
    EXPECT_THROW(told(some_system(seed), &log), InputError);
  }
}

// The same, but for one more step of states that are met late, when all labels
// have occurred.
TEST(ExpansionLog, ASystemThatChangedALittleIsRefused) {
  const EventSystem system = some_system();
  EventSystem other = some_system();
  Budget budget;
  Explorer explorer(system, {}, budget);
  explorer.run();
  for (StateId id = 300; id < explorer.states(); ++id) {
    const std::size_t state = system.decode(explorer.state(id));
    other.event(state, "a", state);
  }
  TextLog log(log_of(system));
  EXPECT_THROW(told(other, &log), InputError);
}

}  // namespace
}  // namespace plumb::explore
