// SPDX-License-Identifier: Apache-2.0
#include "support/event_system.h"

#include <utility>

namespace plumb::testing {

using lts::Label;
using lts::LabelKind;

void EventSystem::add_step(std::size_t from, Label label, std::size_t to,
                           std::uint64_t actors) {
  const std::string name =
      std::to_string(static_cast<int>(label.kind)) + label.value.to_string();
  std::size_t edge = 0;
  while (edge < names_.size() &&
         (names_[edge] != name || actors_[edge] != actors)) {
    ++edge;
  }
  if (edge == names_.size()) {
    names_.push_back(name);
    actors_.push_back(actors);
  }
  label.edge = static_cast<std::uint32_t>(edge);
  add(from, label, to);
}

void EventSystem::event(std::size_t from, const std::string& name,
                        std::size_t to, std::uint64_t actors) {
  Label label;
  label.kind = LabelKind::kEvent;
  label.value = Value::text(name);
  add_step(from, label, to, actors);
}

void EventSystem::tau(std::size_t from, std::size_t to, std::uint64_t actors) {
  add_step(from, Label(), to, actors);
}

void EventSystem::terminate(std::size_t from, std::size_t to) {
  Label label;
  label.kind = LabelKind::kTerminate;
  add_step(from, label, to, ~std::uint64_t{0} >> (64 - processes()));
}

void EventSystem::goes_wrong(std::size_t from, std::size_t number) {
  Label label;
  label.kind = LabelKind::kFault;
  label.fault = static_cast<std::uint16_t>(number);
  add_step(from, label, from, 1);
}

std::string EventSystem::words(const lts::Path& path) {
  std::string text;
  for (const Label& label : path.labels) {
    if (!text.empty()) text += ' ';
    switch (label.kind) {
      case LabelKind::kEvent:
        text += label.value.as_text();
        break;
      case LabelKind::kTerminate:
        text += "terminate";
        break;
      case LabelKind::kFault:
        text += "fault";
        break;
      default:
        text += "tau";
    }
  }
  return text;
}

EventSystem random_event_system(const RandomEvents& wanted,
                                std::mt19937& random) {
  EventSystem system(wanted.processes);
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  std::uniform_real_distribution<double> share(0, 1);
  for (std::size_t i = 0; i < wanted.steps; ++i) {
    const std::size_t from = below(wanted.states), to = below(wanted.states);
    const std::uint64_t actors =
        1 + below((std::size_t{1} << wanted.processes) - 1);
    const double kind = share(random);
    if (kind < wanted.taus) {
      system.tau(from, to, actors);
    } else if (kind < wanted.taus + wanted.terminations) {
      // Nothing follows.
      system.terminate(from, wanted.states);
    } else if (kind < wanted.taus + wanted.terminations + wanted.faults) {
      system.goes_wrong(from, below(3));
    } else {
      system.event(from,
                   std::string(1, static_cast<char>('a' + below(wanted.names))),
                   to, actors);
    }
  }
  return system;
}

}  // namespace plumb::testing
