// SPDX-License-Identifier: Apache-2.0
#include "support/weak_run.h"

#include <algorithm>
#include <memory>
#include <set>
#include <vector>

#include "sched/graph_walk.h"

namespace plumb::test_support {

namespace {

using oracle::WeakProgram;
using oracle::WeakStep;
using oracle::WeakThread;
using sched::Bytes;
using sched::EventId;
using sched::ExecutionGraph;
using sched::GraphEvent;
using sched::GraphKind;
using sched::GraphScheduler;
using sched::ReadLabel;
using sched::ThreadId;
using sched::Updates;
using Do = WeakStep::Do;

// Number of a step in its thread, updates counted once.
std::string name_of(const ExecutionGraph& graph, EventId id) {
  if (id == sched::kInitially) return "-";
  std::size_t number = 0;
  for (std::uint16_t i = 0; i < id.index; ++i) {
    const GraphEvent& event = graph[{id.thread, i}];
    number += !(event.kind == GraphKind::kWrite && event.exclusive);
  }
  const GraphEvent& event = graph[id];
  if (event.kind == GraphKind::kWrite && event.exclusive) --number;
  return std::to_string(id.thread) + '.' + std::to_string(number);
}

ReadLabel label_of(const WeakStep& step, LockStyle style) {
  ReadLabel label;
  label.key = static_cast<std::uint64_t>(step.location);
  label.order = static_cast<std::uint8_t>(step.order);
  label.failure = static_cast<std::uint8_t>(step.failure);
  label.expected.low = static_cast<std::uint64_t>(step.expected);
  if (step.what == Do::kAdd) label.updates = Updates::kAlways;
  if (step.what == Do::kCas) label.updates = Updates::kIfEqual;
  if (step.what == Do::kLock) {
    label.updates = Updates::kIfEqual;
    label.expected.low = 0;
    label.order = 2;
    label.waits = true;
    label.in_place = style == LockStyle::kInPlace;
    label.is_told = style == LockStyle::kTold;
    if (label.is_told) label.updates = Updates::kAlways;
  }
  if (step.what == Do::kUnlock) {
    label.updates = Updates::kAlways;
    label.order = 3;
    label.on_x86 = sched::OnX86::kStore;
  }
  return label;
}

std::uint64_t next_value(const WeakStep& step, std::uint64_t old,
                         LockStyle style) {
  if (style == LockStyle::kTold && step.what == Do::kLock) return 0;
  if (step.what == Do::kLock) return 1;
  if (step.what == Do::kUnlock) return 0;
  const auto value = static_cast<std::uint64_t>(step.value);
  return step.what == Do::kAdd ? old + value : value;
}

// One execution.
class Machine {
 public:
  Machine(const WeakProgram& program, GraphScheduler& search, LockStyle style)
      : program_(program), search_(search), style_(style), at_(program.size()) {
    for (std::size_t t = 0; t < program.size(); ++t) {
      if (program[t].empty()) at_[t] = -1;
    }
  }

  // Returns who did not come to the end, or nothing if it was abandoned.
  bool run(bool& stuck) {
    for (;;) {
      sched::ThreadMask enabled = 0;
      bool all = true;
      for (std::size_t t = 0; t < at_.size(); ++t) {
        if (at_[t] < 0) continue;
        all = false;
        if (!waits(step_of(t))) enabled |= 1u << t;
      }
      stuck = !all;
      if (enabled == 0) {
        tell_who_waits();
        return true;
      }
      const ThreadId next = search_.pick({.enabled = enabled});
      if (next == sched::kNoThread) {
        if (search_.is_stalled()) tell_who_waits();
        return false;
      }
      step(next);
    }
  }

 private:
  const WeakStep& step_of(std::size_t t) const {
    return program_[t][static_cast<std::size_t>(at_[t])];
  }
  // A lock is held if what is latest says so.
  bool waits(const WeakStep& step) const {
    if (step.what != Do::kLock) return false;
    return locked_.count(step.location) != 0;
  }

  void tell_who_waits() {
    for (std::size_t t = 0; t < at_.size(); ++t) {
      if (at_[t] < 0) continue;
      const WeakStep& step = step_of(t);
      search_.waits(static_cast<ThreadId>(t), label_of(step, style_), {},
                    [&](const Bytes& old) {
                      return Bytes{next_value(step, old.low, style_), 0};
                    });
    }
  }

  void step(ThreadId t) {
    const WeakStep& step = step_of(t);
    std::uint64_t seen = 0;
    if (step.what == Do::kFence) {
      search_.fence(t, step.order);
    } else if (step.what == Do::kStore) {
      search_.wrote(t, static_cast<std::uint64_t>(step.location),
                    {static_cast<std::uint64_t>(step.value), 0}, step.order,
                    {});
    } else {
      const auto next = [&](const Bytes& old) {
        return Bytes{next_value(step, old.low, style_), 0};
      };
      const GraphScheduler::Read read =
          search_.read(t, label_of(step, style_), {}, next);
      seen = read.value.low;
      if (read.updates) {
        search_.updated(t, next(read.value));
        if (step.what == Do::kLock) locked_.insert(step.location);
        if (step.what == Do::kUnlock) locked_.erase(step.location);
      }
    }
    at_[t] = step.next[seen % 2];
  }

  const WeakProgram& program_;
  GraphScheduler& search_;
  const LockStyle style_;
  std::vector<int> at_;
  std::set<int> locked_;
};

int pick(std::mt19937& random, std::initializer_list<int> from) {
  return from.begin()[random() % from.size()];
}

WeakStep random_step(std::mt19937& random, int locations) {
  WeakStep step;
  step.location = static_cast<int>(random() % static_cast<unsigned>(locations));
  switch (random() % 7) {
    case 0:
    case 1:
      step.order = pick(random, {0, 2, 5});
      break;
    case 2:
    case 3:
      step.what = Do::kStore;
      step.order = pick(random, {0, 3, 5});
      step.value = pick(random, {1, 2});
      break;
    case 4:
      step.what = Do::kAdd;
      step.order = pick(random, {0, 2, 3, 4, 5});
      step.value = 1;
      break;
    case 5:
      step.what = Do::kCas;
      step.order = pick(random, {0, 2, 3, 4, 5});
      step.failure = pick(random, {0, 2, 5});
      step.expected = pick(random, {0, 1});
      step.value = pick(random, {1, 2, 3});
      break;
    default:
      step.what = Do::kFence;
      step.order = pick(random, {2, 3, 4, 5});
  }
  return step;
}

// Appends a tree of steps; returns the number of its first.
int grow(std::mt19937& random, const WeakShape& shape, int steps,
         WeakThread& thread) {
  if (steps <= 0) return -1;
  const std::size_t number = thread.size();
  const WeakStep step = random_step(random, shape.locations);
  thread.push_back(step);
  const int next = grow(random, shape, steps - 1, thread);
  thread[number].next[0] = thread[number].next[1] = next;
  const bool reads = step.what != Do::kStore && step.what != Do::kFence;
  if (reads && random() % 5 < 2) {
    const int other = grow(random, shape, steps - pick(random, {1, 2}), thread);
    thread[number].next[1] = other;
  }
  return static_cast<int>(number);
}

// Appends steps, some of them with a lock held, or two.
void add_sections(std::mt19937& random, const WeakShape& shape, int steps,
                  int held, WeakThread& thread) {
  for (int i = 0; i < steps; ++i) {
    const int lock = static_cast<int>(random() % 2);
    if ((held >> lock & 1) != 0 || random() % 5 < 2) {
      thread.push_back(random_step(random, shape.locations));
      continue;
    }
    const int location = shape.locations + lock;
    thread.push_back({.what = Do::kLock, .location = location});
    add_sections(random, shape, static_cast<int>(random() % 2),
                 held | 1 << lock, thread);
    thread.push_back({.what = Do::kUnlock, .location = location});
  }
}

oracle::WeakEvent event_for_oracle(const ExecutionGraph& graph,
                                   const GraphEvent& event) {
  oracle::WeakEvent same;
  same.order = event.order;
  same.fence = event.kind == GraphKind::kFence;
  same.reads = event.kind == GraphKind::kRead;
  same.writes = event.kind == GraphKind::kWrite;
  same.locked = same.reads && event.label.updates != Updates::kNever;
  if (!same.fence) {
    same.location = static_cast<int>(graph.location(event.location).key);
  }
  return same;
}

}  // namespace

std::string text_of(const ExecutionGraph& graph, std::size_t locations) {
  std::set<std::string> lines;
  for (std::size_t t = 0; t < graph.threads(); ++t) {
    for (std::size_t i = 0; i < graph.size(t); ++i) {
      const EventId id = {static_cast<std::uint16_t>(t),
                          static_cast<std::uint16_t>(i)};
      const GraphEvent& event = graph[id];
      const bool writes = event.kind == GraphKind::kWrite;
      if ((writes && event.exclusive) || event.blocked) continue;
      std::string line = name_of(graph, id);
      if (event.kind == GraphKind::kRead) {
        line += " reads " + name_of(graph, event.source);
      }
      if (writes || event.exclusive) line += " writes";
      lines.insert(line);
    }
  }
  std::string text;
  for (const std::string& line : lines) text += line + '\n';
  for (std::size_t key = 0; key < locations; ++key) {
    text += "- ";
    for (std::size_t l = 0; l < graph.locations(); ++l) {
      if (graph.location(l).key != key) continue;
      for (const EventId write : graph.location(l).writes) {
        text += name_of(graph, write) + ' ';
      }
    }
    text += '\n';
  }
  return text;
}

MarkedGraph marked(const ExecutionGraph& from, int locations) {
  MarkedGraph out;
  auto& events = out.graph.events;
  std::vector<std::vector<int>> numbers(from.threads());  // by event
  const auto add = [&](oracle::WeakEvent event) {
    events.push_back(event);
    return static_cast<int>(events.size() - 1);
  };
  for (int l = 0; l < locations; ++l) {
    add({.writes = true, .location = l});
    out.graph.mo.push_back({l});
  }
  for (std::uint16_t t = 0; t < from.threads(); ++t) {
    int number = 0;
    for (std::uint16_t i = 0; i < from.size(t); ++i) {
      const GraphEvent& event = from[{t, i}];
      const bool is_second = event.kind == GraphKind::kWrite && event.exclusive;
      if (is_second) {
        oracle::WeakEvent& update =
            events[static_cast<std::size_t>(numbers[t].back())];
        update.writes = true;
        numbers[t].push_back(numbers[t].back());
        out.calls.back().last = {t, i};
        continue;
      }
      oracle::WeakEvent mark;
      mark.thread = t;
      mark.number = number++;
      mark.marks = true;
      MarkedGraph::Call call{{t, i}, {t, i}, add(mark), 0};
      oracle::WeakEvent same = event_for_oracle(from, event);
      same.thread = t;
      same.number = number++;
      numbers[t].push_back(add(same));
      mark.number = number++;
      call.end = add(mark);
      out.calls.push_back(call);
    }
  }
  const auto number_of = [&](EventId id, int location) {
    return id == sched::kInitially ? location : numbers[id.thread][id.index];
  };
  for (std::uint16_t t = 0; t < from.threads(); ++t) {
    for (std::uint16_t i = 0; i < from.size(t); ++i) {
      const GraphEvent& event = from[{t, i}];
      if (event.kind != GraphKind::kRead) continue;
      oracle::WeakEvent& read = events[static_cast<std::size_t>(numbers[t][i])];
      read.source = number_of(event.source, read.location);
    }
  }
  for (std::size_t l = 0; l < from.locations(); ++l) {
    auto& mo = out.graph.mo[from.location(l).key];
    for (const EventId write : from.location(l).writes) {
      mo.push_back(number_of(write, 0));
    }
  }
  return out;
}

namespace {

std::size_t lines_for(const WeakProgram& program, int locations) {
  for (const WeakThread& thread : program) {
    for (const WeakStep& step : thread) {
      locations = std::max(locations, step.location + 1);
    }
  }
  return static_cast<std::size_t>(locations);
}

// Returns false if there is nothing left to run.
bool run_once(Machine machine, GraphScheduler& search, std::size_t lines,
              WeakSearch& found) {
  bool stuck = false;
  const bool ended = machine.run(stuck);
  found.diverged |= search.diverged();
  if (!ended) {
    ++found.abandoned;
  } else if (stuck) {
    ++found.stuck;
    found.graphs.stuck.insert(text_of(search.graph(), lines));
  } else {
    ++found.complete;
    found.graphs.complete.insert(text_of(search.graph(), lines));
  }
  return ended && !stuck;
}

}  // namespace

WeakSearch search(const WeakProgram& program, sched::MemoryModel model,
                  int locations, const WeakVisit& visit, LockStyle style) {
  const std::size_t lines = lines_for(program, locations);
  WeakSearch found;
  sched::Trust trust(model);
  while (trust.start_run()) {
    const bool is_complete =
        run_once(Machine(program, trust, style), trust, lines, found);
    if (is_complete && visit) visit(trust.graph());
    if (found.complete + found.stuck + found.abandoned > 1'000'000) break;
  }
  return found;
}

WeakSearch walk(const WeakProgram& program, sched::MemoryModel model,
                int locations, std::uint64_t runs, std::uint64_t seed) {
  const std::size_t lines = lines_for(program, locations);
  WeakSearch found;
  sched::GraphWalk walk(model, std::make_unique<sched::RandomWalk>(seed), seed);
  for (std::uint64_t i = 0; i < runs && walk.start_run(); ++i) {
    run_once(Machine(program, walk, LockStyle::kInPlace), walk, lines, found);
  }
  return found;
}

WeakProgram random_weak_program(std::mt19937& random, const WeakShape& shape) {
  WeakProgram program;
  for (int t = 0; t < shape.threads; ++t) {
    WeakThread& thread = program.emplace_back();
    const auto steps =
        1 + static_cast<int>(random() % static_cast<unsigned>(shape.steps));
    if (!shape.locks) {
      grow(random, shape, steps, thread);
      continue;
    }
    add_sections(random, shape, steps, 0, thread);
    for (std::size_t i = 0; i + 1 < thread.size(); ++i) {
      thread[i].next[0] = thread[i].next[1] = static_cast<int>(i + 1);
    }
  }
  return program;
}

}  // namespace plumb::test_support
