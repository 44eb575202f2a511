// SPDX-License-Identifier: Apache-2.0
// Streams against the definition: after every event, of every object.
#include "check/stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "check/condition.h"
#include "check/container_window.h"
#include "check/decide.h"
#include "check/part_monitors.h"
#include "oracle/definition.h"
#include "spec/catalogue.h"
#include "spec/initial.h"
#include "support/generate.h"
#include "support/histories.h"
#include "support/random_histories.h"

namespace plumb::check {
namespace {

using history::EventType;
using history::History;
using history::Operation;

struct Event {
  bool begins;
  std::uint32_t operation;
};

std::vector<Event> events_of(const History& history) {
  std::vector<Event> events(2 * history.size());
  std::vector<bool> used(2 * history.size());
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    events[o.invoked] = {true, i};
    used[o.invoked] = true;
    if (o.pending()) continue;
    events[o.returned] = {false, i};
    used[o.returned] = true;
  }
  std::vector<Event> out;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (used[i]) out.push_back(events[i]);
  }
  return out;
}

// The history of the first `count` events: what has not returned is pending,
// what has failed did not happen.
History prefix_of(const History& history, const std::vector<Event>& events,
                  std::size_t count, const std::vector<bool>& fails = {}) {
  History prefix = history;
  prefix.operations.clear();
  std::vector<std::size_t> place(history.size());
  std::vector<bool> gone(history.size());
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t o = events[i].operation;
    gone[o] = !fails.empty() && fails[o] && !events[i].begins;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t o = events[i].operation;
    if (gone[o]) continue;
    if (events[i].begins) {
      place[o] = prefix.size();
      prefix.operations.push_back(history.operations[o]);
      prefix.operations.back().invoked = static_cast<history::Moment>(i);
      prefix.operations.back().returned = history::kNever;
      prefix.operations.back().result = Value();
    } else {
      prefix.operations[place[o]].returned = static_cast<history::Moment>(i);
      prefix.operations[place[o]].result = history.operations[o].result;
    }
  }
  return prefix;
}

void feed(Stream& stream, const History& history, const Event& event,
          bool gives_up, bool fails = false) {
  const Operation& o = history.operations[event.operation];
  // Each operation has a slot of its own here.
  if (event.begins) {
    stream.invoked(0, Value(), event.operation, o);
    if (o.pending() && gives_up) {
      stream.completed(0, event.operation, o, EventType::kInfo);
    }
  } else {
    stream.completed(0, event.operation, o,
                     fails ? EventType::kFail : EventType::kOk);
  }
}

void compare(const spec::Specification& object, const std::string& words,
             std::mt19937& random) {
  const Condition condition = parse_condition(words);
  const History history =
      testing::random_history(random, object, testing::random_shape(random, 6));
  const std::vector<Event> events = events_of(history);
  const bool gives_up = random() % 2 == 0;
  std::vector<bool> fails(history.size());
  const unsigned one_in = random() % 3 == 0 ? 100 : 4;
  for (std::size_t i = 0; i < fails.size(); ++i) {
    fails[i] = random() % one_in == 0;
  }
  Budget budget;
  int told = 0;
  Stream stream(object, condition, budget,
                [&](const Stream::Part&) { ++told; });
  bool violated = false;
  for (std::size_t i = 0; i < events.size() && !violated; ++i) {
    feed(stream, history, events[i], gives_up, fails[events[i].operation]);
    stream.waiting();
    const History prefix = prefix_of(history, events, i + 1, fails);
    violated = !oracle::holds(prefix, object, condition);
    const Answer answer = stream.parts()[0].answer;
    ASSERT_EQ(answer, violated ? Answer::kViolated : Answer::kHolds)
        << object.name() << " " << words << " after event " << i + 1 << " of "
        << events.size();
    ASSERT_EQ(told, violated ? 1 : 0);
    ASSERT_EQ(stream.parts()[0].operations, prefix.size());
  }
}

TEST(Stream, AgreesWithTheDefinitionAfterEveryEvent) {
  for (const char* name : {"queue", "stack", "deque", "priority_queue", "set",
                           "map", "register", "counter", "mutex", "snzi", "bag",
                           "queue(2)", "blocking_queue", "blocking_stack(1)"}) {
    const auto object = spec::make(name);
    for (unsigned seed = 0; seed < 60; ++seed) {
      std::mt19937 random(seed);
      compare(*object, "linearizable", random);
      if (HasFatalFailure()) return;
    }
  }
}

// Judged after every event, or only in the end.
void compare_window(const spec::Specification& object, const History& history,
                    unsigned seed, Decider decider, std::size_t& forgotten) {
  const bool looks = seed % 3 != 0;
  const std::vector<Event> events = events_of(history);
  Budget budget;
  ContainerWindow window(object, budget);
  std::vector<ContainerWindow::Handle> handles(history.size());
  for (std::size_t i = 0; i < events.size(); ++i) {
    const std::uint32_t o = events[i].operation;
    const Operation& operation = history.operations[o];
    if (events[i].begins) {
      handles[o] = window.invoked(operation);
      if (operation.pending() && seed % 2 == 0) window.gave_up(handles[o]);
    } else {
      window.returned(handles[o], operation);
    }
    if (!looks && i + 1 < events.size()) continue;
    window.judge();
    const bool violated = decide(prefix_of(history, events, i + 1), object, {},
                                 {.decider = decider}, budget)
                              .answer == Answer::kViolated;
    ASSERT_EQ(window.answer(), violated ? Answer::kViolated : Answer::kHolds)
        << object.name() << " seed " << seed << " after event " << i + 1;
    if (violated) return;
  }
  forgotten += history.size() - window.size();
}

TEST(ContainerWindow, ForgetsNothingThatMatters) {
  for (const char* name : {"queue", "stack", "priority_queue", "blocking_queue",
                           "blocking_stack"}) {
    const auto object = spec::make(name);
    std::size_t forgotten = 0;
    for (unsigned seed = 0; seed < 10000; ++seed) {
      std::mt19937 random(seed);
      testing::RandomShape shape = testing::random_shape(random, 9);
      shape.distinct = seed % 4 != 0;
      compare_window(*object, testing::random_history(random, *object, shape),
                     seed, Decider::kGeneral, forgotten);
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(forgotten, 2000u) << name;
  }
}

TEST(ContainerWindow, ForgetsNothingThatMattersInLongerHistories) {
  for (const char* name : {"queue", "stack", "priority_queue"}) {
    const auto object = spec::make(name);
    std::size_t forgotten = 0;
    for (unsigned seed = 0; seed < 50'000; ++seed) {
      std::mt19937 random(seed);
      testing::RandomShape shape = testing::random_shape(random, 6 + seed % 14);
      shape.processes = 2 + seed % 5;
      shape.distinct = true;
      shape.pending = seed % 5 == 0 ? 10 : 0;
      shape.wrong = 5;
      compare_window(*object, testing::random_history(random, *object, shape),
                     seed, Decider::kAuto, forgotten);
      if (HasFatalFailure()) return;
    }
    EXPECT_GT(forgotten, 50'000u) << name;
  }
}

// The long take that found nothing was explained by one in flight, which might
// have taken 5; until that has returned, 3 must not be forgotten.
TEST(ContainerWindow, WhatATakeInFlightMayHaveTakenIsOpen) {
  const auto object = spec::make("queue");
  const History history = testing::draw(*object, R"(
    p0:          [enq 3           ]  [deq -> 4            ]
    p1:            [enq 4          ]         [deq -> 3]
    p2: [enq 1] [enq 2                        ]        [deq -> null]
    p3:             [deq -> null]     [enq 5]            [deq -> null]
    p4:  [deq -> 1]  [deq -> 2   ]  [deq -> null        ]
  )");
  std::size_t forgotten = 0;
  compare_window(*object, history, 1, Decider::kGeneral, forgotten);
}

// Likewise of a stack: 2 is not forgotten while it tells where 1 was.
TEST(ContainerWindow, OnlyWhatIsEliminatedAloneIsForgotten) {
  const auto object = spec::make("stack");
  const History history = testing::draw(*object, R"(
    p1:                [push 2  ] [push 4]
    p2: [pop -> null] [push 1      ]          [pop -> 1]
    p3:                 [push 3]    [pop -> 2] [push 5] [push 6]
  )");
  std::size_t forgotten = 0;
  compare_window(*object, history, 1, Decider::kGeneral, forgotten);
}

// 3 is removed while 1 is inside, and then 2; but 1 is gone before that removal
// returns.
TEST(ContainerWindow, WhatATakeInFlightMeetsIsKept) {
  const auto object = spec::make("priority_queue");
  Budget budget;
  ContainerWindow window(*object, budget);
  const auto made = [&](const char* name, Value argument, Value result) {
    Operation operation;
    operation.code = *spec::find_operation(*object, name);
    operation.argument = argument;
    operation.result = result;
    return operation;
  };
  const auto run = [&](const Operation& operation) {
    window.returned(window.invoked(operation), operation);
    window.judge();
  };
  run(made("insert", Value::integer(1), Value()));
  run(made("insert", Value::integer(3), Value()));
  const Operation slow = made("remove_min", Value(), Value::integer(3));
  const auto handle = window.invoked(slow);
  run(made("insert", Value::integer(2), Value()));
  run(made("remove_min", Value(), Value::integer(1)));
  EXPECT_EQ(window.answer(), Answer::kHolds);
  window.returned(handle, slow);
  window.judge();
  EXPECT_EQ(window.answer(), Answer::kViolated);
}

// A long stream that goes wrong once: the window has forgotten nearly all of
// it, and tells the same line as the whole history does.
TEST(ContainerWindow, LongStreamsAreTold) {
  for (const char* name : {"queue", "stack", "priority_queue"}) {
    testing::Load load;
    load.object = name;
    load.operations = 40'000;
    for (const bool violate : {false, true}) {
      load.violate = violate;
      const auto object = spec::make(name);
      const History history = testing::generate(load);
      Budget budget;
      Stream stream(*object, {}, budget, [](const Stream::Part&) {});
      for (const Event& event : events_of(history)) {
        feed(stream, history, event, false);
      }
      stream.waiting();
      EXPECT_EQ(stream.parts()[0].answer,
                violate ? Answer::kViolated : Answer::kHolds)
          << name << ": " << stream.parts()[0].reason;
      if (!violate) continue;
      const history::Moment last = stream.parts()[0].last.returned;
      const auto until = [&](history::Moment moment) {
        History prefix = history;
        std::erase_if(prefix.operations,
                      [&](const Operation& o) { return o.invoked > moment; });
        for (Operation& o : prefix.operations) {
          if (o.returned > moment) o.returned = history::kNever;
        }
        return decide(prefix, *object, {}, {}, budget).answer;
      };
      EXPECT_EQ(until(last), Answer::kViolated) << name;
      EXPECT_EQ(until(last - 1), Answer::kHolds) << name;
    }
  }
}

// Of a queue that is always a few items long, little is kept.
TEST(ContainerWindow, ForgetsWhatIsOver) {
  const auto object = spec::make("queue");
  const auto enq = *spec::find_operation(*object, "enq");
  const auto deq = *spec::find_operation(*object, "deq");
  Budget budget;
  ContainerWindow window(*object, budget);
  std::size_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    Operation put, take;
    put.argument = Value::integer(i);
    put.code = enq;
    take.code = deq;
    const auto a = window.invoked(put);
    if (i >= 3) {
      const auto b = window.invoked(take);
      take.result = Value::integer(i - 3);
      window.returned(b, take);
    }
    window.returned(a, put);
    if (window.is_due()) {
      window.judge();
      most = std::max(most, window.size());
    }
  }
  window.judge();
  EXPECT_EQ(window.answer(), Answer::kHolds);
  EXPECT_LE(window.size(), 8u);
  EXPECT_LE(most, 16u);
  Operation again;
  again.result = Value::integer(5);
  again.code = deq;
  again.returned_line = 7;
  window.returned(window.invoked(again), again);
  window.judge();
  EXPECT_EQ(window.answer(), Answer::kViolated);
  EXPECT_EQ(window.last().returned_line, 7u);
}

// One that was given up may have taken what others must not find later.
TEST(ContainerWindow, WhatWasGivenUpTookSomething) {
  const auto object = spec::make("queue");
  Budget budget;
  for (const bool found_nothing : {false, true}) {
    ContainerWindow window(*object, budget);
    const auto run = [&](const char* name, Value argument, Value result) {
      Operation operation;
      operation.code = *spec::find_operation(*object, name);
      operation.argument = argument;
      operation.result = result;
      window.returned(window.invoked(operation), operation);
      window.judge();
    };
    run("enq", Value::integer(1), Value());
    if (!found_nothing) run("enq", Value::integer(2), Value());
    Operation lost;
    lost.code = *spec::find_operation(*object, "deq");
    window.gave_up(window.invoked(lost));
    run("deq", Value(), found_nothing ? Value() : Value::integer(2));
    EXPECT_EQ(window.answer(), Answer::kHolds);
    run("deq", Value(), Value::integer(1));
    EXPECT_EQ(window.answer(), Answer::kViolated);
  }
}

TEST(Stream, OtherConditions) {
  const auto queue = spec::make("queue");
  const auto counter = spec::make("counter");
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    compare(*queue, "quiescent", random);
    compare(*queue, "out_of_order(deq=1)", random);
    compare(*queue, "late(deq=1)", random);
    compare(*counter, "stuttering(inc=1)", random);
    compare(*counter, "quiescent+stuttering(inc=1)", random);
    if (HasFatalFailure()) return;
  }
}

// While it was under way it hid a quiescent moment, which is there once it has
// failed, and also if something else is under way then.
TEST(Stream, WhatFailedHidesNoQuiescentMoment) {
  const auto queue = spec::make("queue");
  Operation put, take;
  put.code = *spec::find_operation(*queue, "enq");
  put.argument = Value::integer(1);
  take.code = *spec::find_operation(*queue, "deq");
  for (const EventType how : {EventType::kOk, EventType::kInfo}) {
    Budget budget;
    Stream stream(*queue, parse_condition("quiescent"), budget,
                  [](const Stream::Part&) {});
    stream.invoked(0, Value(), 0, take);
    stream.invoked(0, Value(), 1, put);
    stream.completed(0, 1, put, EventType::kOk);
    stream.invoked(0, Value(), 1, take);
    stream.completed(0, 1, take, EventType::kOk);
    stream.invoked(0, Value(), 1, put);
    stream.completed(0, 1, put, how);
    EXPECT_EQ(stream.parts()[0].answer, Answer::kHolds);
    stream.completed(0, 0, take, EventType::kFail);
    EXPECT_EQ(stream.parts()[0].answer, Answer::kViolated);
    EXPECT_EQ(stream.parts()[0].operations, 3u);
  }
}

TEST(Stream, RefusesWhatOnlyTheEndTells) {
  const auto queue = spec::make("queue");
  Budget budget;
  const auto tell = [](const Stream::Part&) {};
  for (const char* words : {"quasi(deq=1)", "sequential"}) {
    EXPECT_THROW(Stream(*queue, parse_condition(words), budget, tell),
                 InputError);
  }
}

}  // namespace
}  // namespace plumb::check
