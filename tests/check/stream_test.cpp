// SPDX-License-Identifier: Apache-2.0
// Streams against the definition: after every event, of every object.
#include "check/stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "check/condition.h"
#include "check/decide.h"
#include "oracle/definition.h"
#include "spec/catalogue.h"
#include "spec/initial.h"
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

// The window of a queue: longer histories, values that are distinct and not.
TEST(Stream, QueuesForgetNothingThatMatters) {
  const auto object = spec::make("queue");
  for (unsigned seed = 0; seed < 3000; ++seed) {
    std::mt19937 random(seed);
    testing::RandomShape shape = testing::random_shape(random, 8);
    shape.distinct = seed % 4 != 0;
    const History history = testing::random_history(random, *object, shape);
    const std::vector<Event> events = events_of(history);
    const Condition condition;
    Budget budget;
    Stream stream(*object, condition, budget, [](const Stream::Part&) {});
    for (std::size_t i = 0; i < events.size(); ++i) {
      feed(stream, history, events[i], seed % 2 == 0);
      if (seed % 3 != 0 || i + 1 == events.size()) stream.waiting();
      const bool violated =
          decide(prefix_of(history, events, i + 1), *object, condition,
                 {.decider = Decider::kGeneral}, budget)
              .answer == Answer::kViolated;
      if (seed % 3 == 0 && i + 1 < events.size()) continue;
      ASSERT_EQ(stream.parts()[0].answer,
                violated ? Answer::kViolated : Answer::kHolds)
          << "seed " << seed << " after event " << i + 1;
      if (violated) break;
    }
  }
}

// Of a queue that is always a few items long, little is kept.
TEST(QueueWindow, ForgetsWhatIsOver) {
  const auto object = spec::make("queue");
  const auto enq = *spec::find_operation(*object, "enq");
  const auto deq = *spec::find_operation(*object, "deq");
  Budget budget;
  QueueWindow window(*object, budget);
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
TEST(QueueWindow, WhatWasGivenUpTookSomething) {
  const auto object = spec::make("queue");
  Budget budget;
  for (const bool found_nothing : {false, true}) {
    QueueWindow window(*object, budget);
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

// An operation that failed did not happen, also if others must have seen it.
TEST(Monitor, WhatFailedDidNotHappen) {
  const auto object = spec::make("register");
  const auto write = *spec::find_operation(*object, "write");
  const auto read = *spec::find_operation(*object, "read");
  Budget budget;
  Monitor monitor(*object, budget);
  const auto w = *monitor.invoked({write, Value::integer(1)});
  const auto r = *monitor.invoked({read, Value()});
  monitor.returned(r, Value::integer(1));
  EXPECT_EQ(monitor.answer(), Answer::kHolds);
  monitor.failed(w);
  EXPECT_EQ(monitor.answer(), Answer::kViolated);
}

TEST(Monitor, WhatWasGivenUpMayHaveHappenedOnceOnly) {
  const auto object = spec::make("counter");
  const auto inc = *spec::find_operation(*object, "inc");
  const auto get = *spec::find_operation(*object, "get");
  for (const int seen : {0, 1, 2}) {
    Budget budget;
    Monitor monitor(*object, budget);
    monitor.gave_up(*monitor.invoked({inc, Value()}));
    monitor.returned(*monitor.invoked({get, Value()}), Value::integer(seen));
    EXPECT_EQ(monitor.answer(), seen == 2 ? Answer::kViolated : Answer::kHolds);
  }
}

TEST(Monitor, ResultsThatNobodyKnows) {
  const auto object = spec::make("queue");
  const auto enq = *spec::find_operation(*object, "enq");
  const auto deq = *spec::find_operation(*object, "deq");
  Budget budget;
  Monitor monitor(*object, budget);
  for (const int v : {1, 2}) {
    monitor.returned(*monitor.invoked({enq, Value::integer(v)}), Value());
  }
  monitor.returned(*monitor.invoked({deq, Value()}), spec::unknown_result());
  EXPECT_EQ(monitor.answer(), Answer::kHolds);
  monitor.returned(*monitor.invoked({deq, Value()}), Value::integer(1));
  EXPECT_EQ(monitor.answer(), Answer::kViolated);
}

// However long it goes on, no more is kept than what overlaps.
TEST(Monitor, KeepsWhatOverlaps) {
  const auto object = spec::make("register");
  const auto write = *spec::find_operation(*object, "write");
  const auto read = *spec::find_operation(*object, "read");
  Budget budget;
  Monitor monitor(*object, budget);
  std::size_t most = 0;
  for (int i = 0; i < 20'000; ++i) {
    const auto a = *monitor.invoked({write, Value::integer(i)});
    const auto b = *monitor.invoked({write, Value::integer(-i)});
    const auto r = *monitor.invoked({read, Value()});
    monitor.returned(a, Value());
    monitor.returned(r, Value::integer(i));
    monitor.returned(b, Value());
    most = std::max(most, monitor.configurations());
  }
  EXPECT_EQ(monitor.answer(), Answer::kHolds);
  EXPECT_LE(most, 8u);
}

}  // namespace
}  // namespace plumb::check
