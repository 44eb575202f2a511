// SPDX-License-Identifier: Apache-2.0
#include "support/toy_machine.h"

#include <algorithm>

namespace plumb::test_support {

namespace {

using Do = ToyStep::Do;
using sched::Event;
using sched::Kind;
using sched::ThreadId;

constexpr int kVariables = 8;

std::uintptr_t address_of(int variable) {
  return 0x1000 + static_cast<std::uintptr_t>(variable) * 8;
}

// The state of a running program.
struct Machine {
  explicit Machine(const ToyProgram& p)
      : program(p), at(p.size()), registers(p.size()), seen(p.size()) {}

  bool done(std::size_t t) const { return at[t] >= program[t].size(); }
  const ToyStep& step(std::size_t t) const { return program[t][at[t]]; }
  // Goes over what is no event.
  void settle(std::size_t t) {
    while (!done(t)) {
      const ToyStep& s = step(t);
      if (s.what == Do::kSkipIf) {
        at[t] += registers[t] == s.constant ? 2u : 1u;
      } else if (s.what == Do::kUnlock &&
                 holders[s.variable] != static_cast<int>(t) + 1) {
        ++at[t];
      } else {
        return;
      }
    }
  }
  bool enabled(std::size_t t) const {
    if (done(t)) return false;
    const ToyStep& s = step(t);
    if (s.what == Do::kLock) return holders[s.variable] == 0;
    if (s.what == Do::kDown) return variables[s.variable] > 0;
    return true;
  }
  Event pending(std::size_t t) const {
    Event e;
    if (done(t)) return e;
    const ToyStep& s = step(t);
    e.thread = static_cast<ThreadId>(t);
    e.address = address_of(s.variable);
    e.size = 8;
    switch (s.what) {
      case Do::kLoad:
        break;
      case Do::kStore:
        e.kind = Kind::kWrite;
        break;
      case Do::kAdd:
        e.kind = Kind::kUpdate;
        break;
      case Do::kCas:
      case Do::kWeakCas: {
        const bool works = variables[s.variable] == registers[t];
        e.kind = works ? Kind::kUpdate : Kind::kRead;
        e.tries = !works;
        break;
      }
      case Do::kLock:
        e.kind = Kind::kLock;
        break;
      case Do::kDown:
        e.kind = Kind::kDown;
        break;
      case Do::kUnlock:
        e.kind = Kind::kUnlock;
        break;
      case Do::kUp:
        e.kind = Kind::kUp;
        break;
      case Do::kChoose:
        e.kind = Kind::kChoose;
        e.address = 0;
        e.size = 0;
        break;
      case Do::kSkipIf:
        break;
    }
    e.writes = e.kind != Kind::kRead && e.kind != Kind::kChoose;
    return e;
  }
  bool may_fail(std::size_t t) const {
    return step(t).what == Do::kWeakCas && pending(t).writes;
  }
  Event perform(std::size_t t, std::uint32_t choice) {
    Event e = pending(t);
    e.choice = static_cast<std::uint16_t>(choice);
    const ToyStep& s = step(t);
    if (s.what == Do::kChoose) e.outcomes = s.constant;
    if (may_fail(t)) {
      e.outcomes = 2;
      if (choice != 0) {
        e.kind = Kind::kRead;
        e.tries = true;
        e.writes = false;
      }
    }
    int& variable = variables[s.variable];
    switch (s.what) {
      case Do::kLoad:
        registers[t] = variable;
        break;
      case Do::kStore:
        variable = s.constant;
        break;
      case Do::kAdd:
        registers[t] = variable;
        variable += s.constant;
        break;
      case Do::kCas:
      case Do::kWeakCas:
        if (e.writes) {
          variable = s.constant;
          registers[t] = 1;
        } else {
          registers[t] = variable;
        }
        break;
      case Do::kLock:
        holders[s.variable] = static_cast<int>(t) + 1;
        break;
      case Do::kUnlock:
        holders[s.variable] = 0;
        break;
      case Do::kDown:
        --variable;
        break;
      case Do::kUp:
        ++variable;
        break;
      case Do::kChoose:
        registers[t] = static_cast<int>(choice);
        break;
      case Do::kSkipIf:
        break;
    }
    seen[t] += std::to_string(registers[t]) + ",";
    if (e.kind == Kind::kChoose) seen[t] += "c";
    ++at[t];
    settle(t);
    return e;
  }

  const ToyProgram& program;
  std::vector<std::size_t> at;
  std::vector<int> registers;
  std::vector<std::string> seen;
  int variables[kVariables] = {};
  int holders[kVariables] = {};  // 0: free; else thread + 1
};

// Sorted so that equivalent runs give equal texts: by thread, each event with
// how many events of each other thread happen before it.
std::string trace_text(const std::vector<Event>& events) {
  std::vector<std::vector<std::uint32_t>> clocks;
  std::vector<std::uint32_t> count(sched::kMaxThreads);
  std::vector<std::string> lines(sched::kMaxThreads);
  for (std::size_t j = 0; j < events.size(); ++j) {
    std::vector<std::uint32_t> clock(sched::kMaxThreads);
    for (std::size_t i = 0; i < j; ++i) {
      if (!sched::dependent(events[i], events[j])) continue;
      for (std::size_t t = 0; t < clock.size(); ++t) {
        clock[t] = std::max(clock[t], clocks[i][t]);
      }
    }
    const auto thread = events[j].thread;
    clock[thread] = ++count[thread];
    clocks.push_back(clock);
    std::string& line = lines[thread];
    line += std::to_string(static_cast<int>(events[j].kind)) + ":" +
            std::to_string(events[j].choice);
    for (const std::uint32_t c : clock) line += "." + std::to_string(c);
    line += ";";
  }
  std::string all;
  for (const std::string& line : lines) all += line + "|";
  return all;
}

std::string outcome_text(const Machine& machine) {
  std::string text;
  for (std::size_t t = 0; t < machine.seen.size(); ++t) {
    text += machine.seen[t] + (machine.done(t) ? "|" : "?|");
  }
  for (const int variable : machine.variables) {
    text += std::to_string(variable) + " ";
  }
  return text;
}

// Tries all orders, one after the other, without any reduction.
class TryAll final : public sched::Scheduler {
 public:
  bool start_run() override {
    at_ = 0;
    if (!started_) {
      started_ = true;
      return true;
    }
    while (!path_.empty() && path_.back().next == path_.back().count) {
      path_.pop_back();
    }
    if (path_.empty()) return false;
    ++path_.back().next;
    return true;
  }
  ThreadId pick(const sched::Situation& situation) override {
    const auto count =
        static_cast<std::uint32_t>(__builtin_popcount(situation.enabled));
    std::uint32_t left = decide(count);
    sched::ThreadMask mask = situation.enabled;
    while (left-- > 0) mask &= mask - 1;
    return static_cast<ThreadId>(__builtin_ctz(mask));
  }
  std::uint32_t choose(ThreadId, std::uint32_t bound) override {
    return decide(bound);
  }
  void saw(const Event&) override {}
  void end_run(sched::RunEnd, sched::ThreadMask, const Event*) override {}

 private:
  struct Point {
    std::uint32_t next;  // the alternative to take, + 1
    std::uint32_t count;
  };
  std::uint32_t decide(std::uint32_t count) {
    if (at_ == path_.size()) path_.push_back({1, count});
    return path_[at_++].next - 1;
  }
  std::vector<Point> path_;
  std::size_t at_ = 0;
  bool started_ = false;
};

}  // namespace

namespace {

std::string memory_text(const Machine& machine) {
  std::string text;
  for (const int variable : machine.variables) {
    text += std::to_string(variable) + " ";
  }
  for (const int holder : machine.holders) text += std::to_string(holder) + ",";
  return text;
}

// How calls overlap.
struct Overlaps {
  explicit Overlaps(std::size_t threads)
      : events(threads), returned(threads), invocations(threads) {}

  void add(std::size_t t, bool is_last, ToyPlace& place) {
    place.invokes = events[t] % 2 == 0;
    place.returns = events[t] % 2 == 1 || is_last;
    ++events[t];
    if (place.invokes) {
      for (const int count : returned) {
        invocations[t] += std::to_string(count) + ",";
      }
      invocations[t] += ";";
    }
    if (place.returns) ++returned[t];
  }
  std::string text() const {
    std::string all;
    for (const std::string& its : invocations) all += its + "|";
    return all;
  }

  std::vector<int> events, returned;
  std::vector<std::string> invocations;
};

}  // namespace

ToyRun run_toy(const ToyProgram& program, sched::Scheduler& scheduler,
               ToyPlace* place) {
  Machine machine(program);
  Overlaps overlaps(program.size());
  ToyPlace unasked;
  if (place == nullptr) place = &unasked;
  *place = {};
  std::vector<Event> events;
  ToyRun run;
  ThreadId current = 0;
  Event pending[sched::kMaxThreads];
  for (std::size_t t = 0; t < program.size(); ++t) machine.settle(t);
  for (;;) {
    sched::ThreadMask enabled = 0, waiting = 0;
    for (std::size_t t = 0; t < program.size(); ++t) {
      pending[t] = machine.pending(t);
      if (!machine.done(t)) waiting |= sched::bit(static_cast<ThreadId>(t));
      if (machine.enabled(t)) enabled |= sched::bit(static_cast<ThreadId>(t));
    }
    ThreadId next = sched::kNoThread;
    place->history = overlaps.text();
    place->outcome = outcome_text(machine);
    place->state = memory_text(machine);
    for (std::size_t t = 0; t < program.size(); ++t) {
      place->state += std::to_string(machine.at[t]) + ":" +
                      std::to_string(machine.registers[t]) + " ";
    }
    if (enabled != 0) {
      next = scheduler.pick({enabled, 0, current, pending});
    }
    if (next == sched::kNoThread) {
      run.end = waiting == 0   ? sched::RunEnd::kComplete
                : enabled == 0 ? sched::RunEnd::kStuck
                               : sched::RunEnd::kAbandoned;
      run.outcome = place->outcome;
      run.history = place->history;
      run.memory = memory_text(machine);
      run.trace = trace_text(events);
      scheduler.end_run(run.end, waiting, pending);
      return run;
    }
    std::uint32_t choice = 0;
    if (pending[next].kind == Kind::kChoose) {
      choice = scheduler.choose(next, machine.step(next).constant);
    } else if (machine.may_fail(next)) {
      choice = scheduler.fails(next);
    }
    events.push_back(machine.perform(next, choice));
    overlaps.add(next, machine.done(next), *place);
    scheduler.saw(events.back());
    current = next;
  }
}

ToyResults all_runs(const ToyProgram& program) {
  ToyResults results;
  TryAll scheduler;
  while (scheduler.start_run()) {
    const ToyRun run = run_toy(program, scheduler);
    results.outcomes.insert(run.outcome);
    results.traces.insert(run.trace);
    results.histories.insert(run.outcome + run.history);
    results.memories.insert(run.memory);
    ++results.runs;
  }
  return results;
}

ToyProgram random_toy(std::mt19937& random, int threads, int steps) {
  const auto below = [&](std::uint32_t n) {
    return static_cast<std::uint8_t>(random() % n);
  };
  ToyProgram program(static_cast<std::size_t>(threads));
  const std::uint32_t flavour = below(4);
  for (auto& thread : program) {
    const std::uint32_t length = 1 + below(static_cast<std::uint32_t>(steps));
    for (std::uint32_t i = 0; i < length; ++i) {
      static constexpr Do kPlain[] = {Do::kLoad, Do::kStore, Do::kAdd,
                                      Do::kCas,  Do::kCas,   Do::kSkipIf};
      static constexpr Do kMore[] = {Do::kLoad,   Do::kStore, Do::kCas,
                                     Do::kSkipIf, Do::kLock,  Do::kUnlock,
                                     Do::kChoose, Do::kLock};
      static constexpr Do kSemaphores[] = {Do::kLoad, Do::kStore, Do::kDown,
                                           Do::kUp,   Do::kUp,    Do::kCas};
      ToyStep step;
      step.what = flavour == 0   ? kMore[below(8)]
                  : flavour == 1 ? kSemaphores[below(6)]
                                 : kPlain[below(6)];
      step.variable = below(2);
      if (step.what == Do::kLock || step.what == Do::kUnlock) {
        step.variable = static_cast<std::uint8_t>(4 + below(2));
      }
      if (step.what == Do::kDown || step.what == Do::kUp) step.variable = 6;
      step.constant =
          step.what == Do::kChoose ? 2 : static_cast<std::uint8_t>(below(3));
      thread.push_back(step);
    }
  }
  return program;
}

std::string to_string(const ToyProgram& program) {
  static constexpr const char* kNames[] = {
      "load",   "store",   "add",    "cas",  "weak cas", "lock",
      "unlock", "skip if", "choose", "down", "up"};
  std::string text;
  for (const auto& thread : program) {
    for (const ToyStep& step : thread) {
      text += std::string(kNames[static_cast<std::size_t>(step.what)]) + " " +
              std::to_string(step.variable) + " " +
              std::to_string(step.constant) + "; ";
    }
    text += "|| ";
  }
  return text;
}

}  // namespace plumb::test_support
