// SPDX-License-Identifier: Apache-2.0
#include "support/counter_system.h"

#include <algorithm>
#include <array>

namespace plumb::testing {
namespace {

// A process's byte: where it is, times 16, and what it has read or returns.
enum Where : std::uint8_t {
  kIdle,
  kPushReads,
  kPushTries,
  kPushReturns,
  kPopReads,
  kPopTries,
  kPopReturns,
};

std::uint8_t at(Where where, int value = 0) {
  return static_cast<std::uint8_t>(where * 16 + value);
}

// Adds one transition of `process` to what a state has.
class Stepper {
 public:
  Stepper(lts::StateView state, std::size_t process, lts::Successors& out)
      : state_(state), process_(process), out_(out) {}

  void step(lts::LabelKind kind, int operation, std::uint8_t counter,
            std::uint8_t next, Value value = Value()) {
    std::array<std::uint8_t, 65> bytes;
    std::copy(state_.begin(), state_.end(), bytes.begin());
    bytes[0] = counter;
    bytes[1 + process_] = next;
    lts::Label label;
    label.kind = kind;
    label.process = static_cast<std::uint16_t>(process_);
    label.operation = static_cast<std::uint16_t>(operation);
    label.edge = next / 16u;
    label.value = value;
    out_.add(label, {bytes.data(), state_.size()});
  }

 private:
  lts::StateView state_;
  std::size_t process_;
  lts::Successors& out_;
};

void steps_of(lts::StateView state, std::size_t process, int bound,
              lts::Successors& out) {
  using enum lts::LabelKind;
  Stepper stepper(state, process, out);
  const std::uint8_t counter = state[0], own = state[1 + process];
  const int read = own % 16;
  const int more = std::min(read + 1, bound), less = std::max(read - 1, 0);
  switch (own / 16) {
    case kIdle:
      stepper.step(kInvoke, 0, counter, at(kPushReads));
      stepper.step(kInvoke, 1, counter, at(kPopReads));
      break;
    case kPushReads:
      stepper.step(kInternal, 0, counter, at(kPushTries, counter));
      break;
    case kPushTries:
      if (counter == read) {
        stepper.step(kInternal, 0, static_cast<std::uint8_t>(more),
                     at(kPushReturns, more));
      } else {
        stepper.step(kInternal, 0, counter, at(kPushReads));
      }
      break;
    case kPushReturns:
      stepper.step(kReturn, 0, counter, at(kIdle), Value::integer(read));
      break;
    case kPopReads:
      stepper.step(kInternal, 1, counter, at(kPopTries, counter));
      break;
    case kPopTries:
      if (counter == read) {
        stepper.step(kInternal, 1, static_cast<std::uint8_t>(less),
                     at(kPopReturns));
      } else {
        stepper.step(kInternal, 1, counter, at(kPopReads));
      }
      break;
    default:
      stepper.step(kReturn, 1, counter, at(kIdle));
  }
}

}  // namespace

void CounterSystem::successors(lts::StateView state,
                               lts::Successors& out) const {
  out.clear();
  for (std::size_t process = 0; process < processes_; ++process) {
    steps_of(state, process, bound_, out);
  }
}

}  // namespace plumb::testing
