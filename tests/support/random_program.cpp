// SPDX-License-Identifier: Apache-2.0
// Random programs of ObjectSystem.
#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "spec/catalogue.h"
#include "support/all_histories.h"
#include "support/object_system.h"
#include "support/random_histories.h"

namespace plumb::testing {

std::vector<Step> atomic_steps() {
  return {{.act = Act::kEffect}};
}

std::vector<Step> cas_loop_steps() {
  return {{.act = Act::kLoad}, {.act = Act::kApply}, {.act = Act::kCas}};
}

namespace {

using Steps = std::vector<Step>;

class Maker {
 public:
  explicit Maker(std::mt19937& random) : random_(random) {}

  ObjectProgram make() {
    constexpr const char* kObjects[] = {
        "register", "counter",        "queue",          "stack",
        "set",      "blocking_queue", "blocking_stack", "bag",
        "mutex",    "stack(1)",       "blocking_bag",   "priority_queue"};
    return make(spec::make(kObjects[pick(std::size(kObjects))]));
  }

  ObjectProgram make(spec::SpecificationPtr object) {
    ObjectProgram program;
    program.object = std::move(object);
    program.processes = pick(3) == 0 ? 3 : 2;
    program.calls_each = program.processes == 3 ? 1 : 1 + pick(2);
    choices_ = choices_over_two_values(*program.object);
    const std::size_t calls = 1 + pick(3);
    for (std::size_t i = 0; i < calls; ++i) {
      const spec::Call& call = choices_[pick(choices_.size())].call;
      if (std::ranges::find(program.calls, call) == program.calls.end()) {
        program.calls.push_back(call);
      }
    }
    marks_ = pick(2) == 0;
    for (std::size_t i = 0; i < program.object->operations().size(); ++i) {
      program.steps.push_back(steps(static_cast<std::uint16_t>(i)));
    }
    return program;
  }

 private:
  std::uint32_t pick(std::size_t limit) {
    return below(random_, static_cast<std::uint32_t>(limit));
  }

  Steps steps(std::uint16_t code) {
    Steps steps = pick(2) == 0 ? atomic_steps() : cas_loop_steps();
    if (pick(4) == 0) insert(steps, {.act = Act::kHelp});
    for (std::uint32_t skips = pick(3); skips > 0; --skips) insert(steps, {});
    if (pick(2) == 0) change(steps, code);
    if (pick(8) == 0) change(steps, code);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      if (steps[i].act != Act::kFork) continue;
      const auto least = static_cast<std::uint8_t>(i);
      steps[i].target = std::max(steps[i].target, least);
      steps[i].target =
          std::min(steps[i].target, static_cast<std::uint8_t>(steps.size()));
    }
    if (marks_) steps[pick(steps.size())].marked = pick(8) != 0;
    return steps;
  }

  // Keeps what `target` means, but for those behind the new step.
  void insert(Steps& steps, Step step) {
    steps.insert(steps.begin() + pick(steps.size() + 1), step);
    for (Step& each : steps) {
      if (each.act == Act::kCas) each.target = load_of(steps);
    }
  }
  static std::uint8_t load_of(const Steps& steps) {
    const auto found = std::ranges::find(steps, Act::kLoad, &Step::act);
    return found == steps.end()
               ? std::uint8_t{0}
               : static_cast<std::uint8_t>(found - steps.begin());
  }

  void change(Steps& steps, std::uint16_t code) {
    constexpr Act kActs[] = {Act::kEffect, Act::kLoad,  Act::kApply,
                             Act::kStore,  Act::kPeek,  Act::kSpoil,
                             Act::kFork,   Act::kHelp,  Act::kStore,
                             Act::kPeek,   Act::kFault, Act::kSpoil};
    Step step{.act = kActs[pick(std::size(kActs))]};
    step.value = some_result(code);
    if (step.act == Act::kFault && pick(3) != 0) step.act = Act::kFork;
    if (step.act == Act::kFork) {
      step.target = static_cast<std::uint8_t>(pick(steps.size() + 1));
    }
    if (pick(2) == 0) {
      insert(steps, step);
    } else {
      steps[pick(steps.size())] = step;
    }
    if (steps.size() > 1 && pick(6) == 0) {
      steps.erase(steps.begin() + pick(steps.size()));
    }
  }

  Value some_result(std::uint16_t code) {
    for (const Choice& choice : choices_) {
      if (choice.call.code == code) {
        return choice.results[pick(choice.results.size())];
      }
    }
    return {};
  }

  std::mt19937& random_;
  std::vector<Choice> choices_;
  bool marks_ = false;
};

}  // namespace

ObjectProgram random_program(std::mt19937& random) {
  return Maker(random).make();
}

ObjectProgram random_program(std::mt19937& random,
                             spec::SpecificationPtr object) {
  return Maker(random).make(std::move(object));
}

}  // namespace plumb::testing
