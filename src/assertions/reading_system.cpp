// SPDX-License-Identifier: Apache-2.0
#include "assertions/reading_system.h"

#include <cstring>

namespace plumb::assertions {

std::uint32_t ReadingSystem::automaton_state(lts::StateView state) {
  std::uint32_t number = 0;
  std::memcpy(&number, state.data(), kWidth);
  return number;
}

lts::StateBytes ReadingSystem::joined(std::uint32_t automaton,
                                      lts::StateView state) {
  lts::StateBytes bytes(kWidth + state.size());
  std::memcpy(bytes.data(), &automaton, kWidth);
  if (!state.empty()) {
    std::memcpy(bytes.data() + kWidth, state.data(), state.size());
  }
  return bytes;
}

lts::StateBytes ReadingSystem::initial() const {
  return joined(kUnread, system_.initial());
}

void ReadingSystem::read(std::uint32_t from, ltl::Letter letter,
                         const lts::Label& label, lts::StateView to,
                         lts::Successors& out) const {
  for (const auto& transition : automaton_.states[from]) {
    if (transition.reads(letter)) out.add(label, joined(transition.target, to));
  }
}

void ReadingSystem::successors(lts::StateView state,
                               lts::Successors& out) const {
  out.clear();
  const std::uint32_t from = automaton_state(state);
  const lts::StateView own = part(state);
  lts::Label no_step;
  no_step.edge = kNoStep;
  if (from == kUnread) {
    return read(0, atoms_.of_state(own), no_step, own, out);
  }
  // One for each thread, which is never inside twice.
  thread_local lts::Successors scratch;
  system_.successors(own, scratch);
  for (std::size_t i = 0; i < scratch.size(); ++i) {
    const lts::Label& label = scratch.label(i);
    const lts::StateView to = scratch.state(i);
    if (label.kind == lts::LabelKind::kFault) {
      out.add(label, joined(from, to));
    } else {
      read(from, atoms_.of_state(to) | atoms_.of_step(label), label, to, out);
    }
  }
  out.cut = scratch.cut;
  out.left_out = scratch.left_out;
  if (scratch.size() == 0 && scratch.cut == 0) {
    read(from, atoms_.of_state(own), no_step, own, out);
  }
}

bool ReadingSystem::is_decided(lts::StateView state) const {
  const std::uint32_t number = automaton_state(state);
  return number != kUnread && automaton_.accepts_all(number);
}

ReadingSystem::Projected ReadingSystem::project(const lts::Path& path) const {
  Projected out;
  const auto copy = [](lts::StateView state) {
    return lts::StateBytes(state.begin(), state.end());
  };
  out.path.states.push_back(copy(part(path.states[0])));
  for (std::size_t i = 0; i < path.labels.size(); ++i) {
    if (path.labels[i].edge == kNoStep &&
        path.labels[i].kind == lts::LabelKind::kInternal) {
      out.stays += i == 0 ? 0 : 1;
      continue;
    }
    out.path.labels.push_back(path.labels[i]);
    out.path.states.push_back(copy(part(path.states[i + 1])));
  }
  return out;
}

}  // namespace plumb::assertions
