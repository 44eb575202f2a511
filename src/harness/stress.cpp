// SPDX-License-Identifier: Apache-2.0
#include "harness/stress.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <string>
#include <thread>
#include <utility>

#include "base/input_error.h"
#include "harness/child_process.h"
#include "harness/given.h"
#include "harness/run_program.h"
#include "report/json_value.h"

namespace plumb::harness {

namespace {

using Clock = std::chrono::steady_clock;
using report::Json;

constexpr double kGraceSeconds = 10;  // to end after the time is up
// Threads are started for so many runs of a program; only when they have ended
// is there time to judge.
constexpr std::size_t kRunsAtOnce = 200;

// One call, when it was made and what it gave.
struct NativeCall {
  std::uint16_t call = 0;
  std::uint8_t thread = 0;
  std::uint32_t invoked = 0, returned = 0;
  Value result;
};

// One run of a program.
struct NativeRun {
  void* object = nullptr;
  std::vector<NativeCall> before, calls, after;
};

// Runs of one program, one after another on the same threads.
class Slice {
 public:
  Slice(const test::Case& test, const Program& program, std::uint64_t seed)
      : test_(test), program_(program), seed_(seed) {}

  std::vector<NativeRun> run(std::size_t runs) {
    prepare(runs);
    const std::size_t threads = program_.threads.size();
    ProgramRun::native_thread = static_cast<int>(threads);
    std::vector<std::thread> workers;
    for (std::size_t t = 0; t < threads; ++t) {
      workers.emplace_back([this, t] { work(t); });
    }
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      now_.store(0);
      make_calls(runs_[i], runs_[i].before);
      done_.store(0);
      begun_.store(i + 1);
      wait([&] { return done_.load() == threads; });
      make_calls(runs_[i], runs_[i].after);
      test_.object->destroy(runs_[i].object);
    }
    for (std::thread& worker : workers) worker.join();
    return std::move(runs_);
  }

 private:
  void prepare(std::size_t runs) {
    NativeRun one;
    const auto add = [](std::vector<NativeCall>& to, int call,
                        std::size_t thread) {
      to.push_back({static_cast<std::uint16_t>(call),
                    static_cast<std::uint8_t>(thread), 0, 0, Value()});
    };
    for (const int call : program_.before) add(one.before, call, 0);
    for (const int call : program_.after) add(one.after, call, 0);
    for (std::size_t t = 0; t < program_.threads.size(); ++t) {
      first_.push_back(one.calls.size());
      for (const int call : program_.threads[t]) add(one.calls, call, t + 1);
    }
    runs_.assign(runs, one);
    for (NativeRun& run : runs_) run.object = test_.object->make();
  }

  template <typename Done>
  static void wait(const Done& done) {
    constexpr int kSpins = 1000;
    for (int i = 0; !done(); ++i) {
      if (i > kSpins) std::this_thread::yield();
    }
  }

  void work(std::size_t thread) {
    ProgramRun::native_thread = static_cast<int>(thread);
    std::uint64_t random = seed_ * 0x9E3779B97F4A7C15u + thread + 1;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      wait([&] { return begun_.load() > i; });
      NativeRun& run = runs_[i];
      for (std::size_t c = 0; c < program_.threads[thread].size(); ++c) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        pause(random >> 57);
        make_call(run.object, run.calls[first_[thread] + c]);
      }
      ++done_;
    }
  }

  // So that threads do not always meet in the same way.
  static void pause(std::uint64_t rounds) {
    for (std::uint64_t i = 0; i < rounds; ++i) asm volatile("");
  }

  void make_calls(const NativeRun& run, std::vector<NativeCall>& calls) {
    for (NativeCall& call : calls) make_call(run.object, call);
  }
  void make_call(void* object, NativeCall& call) {
    Given& given = given_of_this_thread();
    given.clear();
    call.invoked = now_++;
    test_.calls[call.call].action->run(object);
    call.returned = now_++;
    call.result = given.value();
  }

  const test::Case& test_;
  const Program& program_;
  std::uint64_t seed_;
  std::vector<std::size_t> first_;  // by thread: its first call
  std::vector<NativeRun> runs_;
  std::atomic<std::size_t> begun_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<std::uint32_t> now_ = 0;
};

void fill(const NativeRun& run, CallTrace& trace,
          std::vector<std::uint8_t>& ends) {
  trace.clear();
  for (const NativeCall& call : run.before) {
    trace.first.push_back({call.call, false, call.result});
  }
  for (const NativeCall& call : run.after) {
    trace.after.push_back({call.call, false, call.result});
  }
  std::vector<std::pair<std::uint32_t, std::uint8_t>> moments;
  for (const NativeCall& call : run.calls) {
    const std::size_t i = trace.size++;
    trace.call[i] = call.call;
    trace.thread[i] = call.thread;
    trace.result[i] = call.result;
    moments.emplace_back(call.invoked, static_cast<std::uint8_t>(2 * i));
    moments.emplace_back(call.returned, static_cast<std::uint8_t>(2 * i + 1));
  }
  std::sort(moments.begin(), moments.end());
  ends.clear();
  for (const auto& [moment, end] : moments) ends.push_back(end);
}

// What the child tells: everything but crashes.
Json solo_json(const std::vector<SoloCall>& calls) {
  Json out = Json::array();
  for (const SoloCall& call : calls) {
    out.push_back({call.call, report::to_json(call.result)});
  }
  return out;
}

std::string to_text(const StressOutcome& outcome) {
  Json out;
  out["runs"] = outcome.runs;
  out["histories"] = outcome.histories;
  if (outcome.program) {
    out["program"] = *outcome.program;
    out["ends"] = outcome.ends;
    out["first"] = solo_json(outcome.calls.first);
    out["after"] = solo_json(outcome.calls.after);
    out["calls"] = Json::array();
    for (std::size_t i = 0; i < outcome.calls.size; ++i) {
      out["calls"].push_back({outcome.calls.call[i], outcome.calls.thread[i],
                              report::to_json(outcome.calls.result[i])});
    }
  }
  return out.dump();
}

void read_solo(const Json& json, std::vector<SoloCall>& calls) {
  for (const Json& call : json) {
    calls.push_back({call[0].get<std::uint16_t>(), false,
                     report::value_of(call[1]).value_or(Value())});
  }
}

void read_text(const std::string& text, StressOutcome& outcome) {
  const Json in = Json::parse(text, nullptr, false);
  if (!in.is_object()) return;
  outcome.runs = in["runs"].get<std::uint64_t>();
  outcome.histories = in["histories"].get<std::uint64_t>();
  if (!in.contains("program")) return;
  outcome.program = in["program"].get<std::size_t>();
  outcome.ends = in["ends"].get<std::vector<std::uint8_t>>();
  read_solo(in["first"], outcome.calls.first);
  read_solo(in["after"], outcome.calls.after);
  for (const Json& call : in["calls"]) {
    const std::size_t i = outcome.calls.size++;
    outcome.calls.call[i] = call[0].get<std::uint16_t>();
    outcome.calls.thread[i] = call[1].get<std::uint8_t>();
    outcome.calls.result[i] = report::value_of(call[2]).value_or(Value());
  }
}

// Program after program until the time is up or one is violated.
StressOutcome run_calls(const StressPlan& plan) {
  StressOutcome outcome;
  const auto end = Clock::now() + std::chrono::duration<double>(plan.seconds);
  Budget budget;
  for (std::size_t turn = 0; Clock::now() < end && !budget.spent_now();
       ++turn) {
    const std::size_t number = turn % plan.programs->size();
    Slice slice(*plan.test, (*plan.programs)[number], plan.seed + turn);
    for (const NativeRun& run : slice.run(kRunsAtOnce)) {
      ++outcome.runs;
      fill(run, outcome.calls, outcome.ends);
      const Judgement& judgement =
          plan.judge->judge_history(outcome.calls, outcome.ends, budget);
      outcome.histories = plan.judge->histories();
      if (judgement.answer != check::Answer::kViolated) continue;
      outcome.program = number;
      return outcome;
    }
  }
  return outcome;
}

void note_signal(int signal, StressOutcome& outcome) {
  outcome.finding.fault =
      signal == SIGABRT ? runtime::Fault::kAssertion : runtime::Fault::kCrash;
  const std::string text =
      fmt::format("with real threads, it was ended by signal {} ({})", signal,
                  strsignal(signal));
  text.copy(outcome.finding.text, sizeof(outcome.finding.text) - 1);
}

// Runs `work` in a child until it ends or `seconds` are over; what it gave.
template <typename Work>
std::string in_child(const Work& work, double seconds, StressOutcome& outcome) {
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw InputError("cannot make a pipe");
  std::fflush(nullptr);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw InputError("cannot start a process");
  if (child == 0) {
    end_with(parent);
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) {
      std::signal(signal, SIG_DFL);
    }
    const std::string text = work();
    [[maybe_unused]] const auto written =
        write(ends[1], text.data(), text.size());
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  bool told = false;
  std::array<char, 4096> block;
  const auto until = Clock::now() + std::chrono::duration<double>(seconds);
  while (true) {
    pollfd file = {ends[0], POLLIN, 0};
    if (poll(&file, 1, 100) > 0) {
      const ssize_t got = read(ends[0], block.data(), block.size());
      if (got <= 0) break;
      text.append(block.data(), static_cast<std::size_t>(got));
    } else if (Clock::now() > until) {
      outcome.hangs = true;
      kill(child, SIGKILL);
      break;
    }
    if (Budget::interrupted && !told) {
      told = true;
      kill(child, SIGINT);
    }
  }
  close(ends[0]);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status) && !outcome.hangs) {
    note_signal(WTERMSIG(status), outcome);
  }
  return text;
}

// A free-form test starts from the same state every time: in a new process.
StressOutcome run_body(const StressPlan& plan) {
  StressOutcome outcome;
  const auto end = Clock::now() + std::chrono::duration<double>(plan.seconds);
  Budget budget;
  while (Clock::now() < end && !budget.spent_now()) {
    in_child(
        [&] {
          plan.test->body->run();
          return std::string();
        },
        kGraceSeconds, outcome);
    if (outcome.hangs) return outcome;
    ++outcome.runs;
    if (outcome.finding.fault != runtime::Fault::kNone) {
      outcome.program = 0;
      return outcome;
    }
  }
  return outcome;
}

}  // namespace

StressOutcome stress(const StressPlan& plan) {
  if (!plan.judge) return run_body(plan);
  StressOutcome outcome;
  const std::string text = in_child([&] { return to_text(run_calls(plan)); },
                                    plan.seconds + kGraceSeconds, outcome);
  read_text(text, outcome);
  return outcome;
}

}  // namespace plumb::harness
