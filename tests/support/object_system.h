// SPDX-License-Identifier: Apache-2.0
// Implementations of an object in terms of the object itself: right or wrong.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lts/system.h"
#include "spec/specification.h"

namespace plumb::testing {

// One step of an operation.  The shared memory is a state of the object; a
// process has a copy of it, what it made of the copy, and a result.
enum class Act : std::uint8_t {
  kSkip,    // nothing
  kEffect,  // the call runs on the shared object, unless somebody helped it
  kLoad,    // copy := shared
  kApply,   // changed, result := the call run on the copy
  kStore,   // shared := changed
  kCas,     // if shared == copy then shared := changed, else go to `target`,
            // but no more than three times in a call, then the call is stuck
  kPeek,    // result := what the call would give now
  kSpoil,   // result := `value`
  kFork,    // go on, or go to `target`, which is this step or a later one
  kHelp,    // the effects of all others that have calls, one after the other
  kFault,
};

struct Step {
  Act act = Act::kSkip;
  bool marked = false;
  std::uint8_t target = 0;
  Value value = {};
};

// A call that runs where it would block waits, except in kPeek and kApply,
// where it gives null.
struct ObjectProgram {
  spec::SpecificationPtr object;
  std::vector<spec::Call> calls;         // that clients make
  std::vector<std::vector<Step>> steps;  // by operation
  std::size_t processes = 2;
  std::size_t calls_each = 1;  // 0: any number
};

// Clients make any of the calls, in any order.  Not for several threads.
class ObjectSystem : public lts::System {
 public:
  explicit ObjectSystem(ObjectProgram program);

  const ObjectProgram& program() const { return program_; }
  std::string to_string() const;  // for messages of tests

  std::size_t processes() const override { return program_.processes; }
  std::span<const std::string> operations() const override { return names_; }
  lts::StateBytes initial() const override;
  void successors(lts::StateView state, lts::Successors& out) const override;
  lts::Edge edge(std::uint32_t edge) const override;
  std::string fault(std::uint16_t) const override { return "spoilt"; }
  lts::StepText explain(lts::StateView, const lts::Label&,
                        lts::StateView) const override {
    return {};
  }
  std::vector<lts::Variable> describe(lts::StateView) const override {
    return {};
  }

 private:
  struct Process {
    std::uint8_t calls = 0;  // made so far, if they are counted
    std::uint8_t call = 0;   // 0: idle, else its index + 1
    std::uint8_t at = 0;
    std::uint8_t has_effect = 0;
    std::uint8_t retries = 0;
    std::uint8_t unused = 0;
    std::uint16_t result = 0;
    std::uint16_t copy = 0, changed = 0;
  };
  struct State {
    std::uint16_t object = 0;
    std::vector<Process> processes;
  };
  class Expansion;

  lts::StateBytes encode(const State& state) const;
  State decode(lts::StateView bytes) const;
  std::uint16_t intern(const spec::State& state) const;
  std::uint16_t intern(Value value) const;

  ObjectProgram program_;
  std::vector<std::string> names_;
  mutable std::vector<spec::State> objects_;
  mutable absl::flat_hash_map<spec::State, std::uint16_t> object_ids_;
  mutable std::vector<Value> values_;
};

// Steps that implement any operation rightly.
std::vector<Step> atomic_steps();
std::vector<Step> cas_loop_steps();

// Mostly right: every operation begins as one of the above, with skips, and is
// then changed in some places, or not.
ObjectProgram random_program(std::mt19937& random);
ObjectProgram random_program(std::mt19937& random,
                             spec::SpecificationPtr object);

}  // namespace plumb::testing
