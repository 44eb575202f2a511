// SPDX-License-Identifier: Apache-2.0
// Stateful search of a program: what a state is, and when it can be used.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/configurations.h"
#include "harness/explore.h"
#include "harness/run_program.h"
#include "runtime/loops.h"
#include "sched/states.h"

namespace plumb::harness {

// The state of an execution is what memory holds, where each thread is, and
// which configurations of the specification explain the calls so far: what
// level 3 searches as pairs, of compiled code.
//
// A thread that comes back to a place in its code is anchored there: its
// registers and its stack say where it is, not what it went through.  So
// rounds of loops that were in vain lead to states that are known.
//
// It is for programs whose every write is seen, and that keep nothing beside
// memory and what the runtime knows of locks: why_not() tells.
class StateSearch final : public sched::StateWatch, public runtime::LoopGuard {
 public:
  StateSearch(const Question& question, ProgramRun& run);
  ~StateSearch() override;
  StateSearch(const StateSearch&) = delete;
  StateSearch& operator=(const StateSearch&) = delete;

  // Why states of this question's programs are not searched, before any
  // execution; null: they are.
  static const char* cannot_search(const Question& question);

  sched::States& search() { return search_; }
  // Finds out what an execution asked for, which is then to be repeated.
  void resolve();
  // Why the search stopped, or cannot say all.
  const char* why_not() const;
  // The execution has come to its end: do the calls have an explanation?
  bool explains_end();

  bool invokes(const sched::Event& event) override;
  View look(std::size_t events) override;
  void at_point(sched::ThreadId thread) override;
  runtime::LoopAnswer at_repeat(const runtime::LoopQuestion&) override {
    return runtime::LoopAnswer::kGoOn;
  }
  runtime::LoopAnswer at_weak_success(const sched::Event&) override {
    return runtime::LoopAnswer::kGoOn;
  }

 private:
  // After so many events.
  struct Level {
    Configurations::Set set = Configurations::kNone;
    std::uint32_t returned = 0;
    bool is_known = false;
  };
  enum class Step : std::uint8_t { kKnown, kAsk, kStop };
  Level& level(std::size_t events);
  Step follow(std::size_t events);
  bool is_in_before() const;
  std::uint32_t returned() const;
  sched::Fingerprint with_calls(sched::Fingerprint memory, const Level& level);

  const Question& question_;
  ProgramRun& run_;
  sched::States search_;
  std::optional<Configurations> configurations_;
  std::vector<Level> levels_;
  std::vector<Configurations::Open> open_;
  bool asks_of_before_ = false;
  std::optional<Configurations::Return> asked_;
  const char* why_not_ = nullptr;
};

}  // namespace plumb::harness
