// SPDX-License-Identifier: Apache-2.0
#include "support/table_system.h"

#include <algorithm>
#include <cassert>

namespace plumb::testing {
namespace {

lts::Label make_label(lts::LabelKind kind, std::size_t process,
                      std::size_t operation, Value value) {
  lts::Label label;
  label.kind = kind;
  label.process = static_cast<std::uint16_t>(process);
  label.operation = static_cast<std::uint16_t>(operation);
  label.value = value;
  return label;
}

// Which operation each process has called in a state; kIdle: none.
constexpr int kIdle = -1;
using Calls = std::vector<int>;

class RandomMaker {
 public:
  RandomMaker(const RandomTable& wanted, std::mt19937& random)
      : wanted_(wanted), random_(random) {}

  TableSystem make();

 private:
  std::size_t below(std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random_);
  }
  bool chance(double share) {
    return std::uniform_real_distribution<double>(0, 1)(random_) < share;
  }
  Value value(int up_to) {
    if (up_to == 0) return {};
    return Value::integer(
        1 + static_cast<int>(below(static_cast<std::size_t>(up_to))));
  }
  std::vector<std::size_t> states_with(const Calls& calls) const;
  void add_transition(TableSystem& system);
  void add_step(TableSystem& system, std::size_t from, std::size_t process,
                const std::vector<std::size_t>& targets);
  void finish(TableSystem& system);

  const RandomTable& wanted_;
  std::mt19937& random_;
  std::vector<Calls> calls_;  // of each state
};

std::vector<std::size_t> RandomMaker::states_with(const Calls& calls) const {
  std::vector<std::size_t> found;
  for (std::size_t s = 0; s < calls_.size(); ++s) {
    if (calls_[s] == calls) found.push_back(s);
  }
  return found;
}

void RandomMaker::add_step(TableSystem& system, std::size_t from,
                           std::size_t process,
                           const std::vector<std::size_t>& targets) {
  const std::size_t to = targets[below(targets.size())];
  const auto before = static_cast<std::size_t>(calls_[from][process]);
  const int after = calls_[to][process];
  if (calls_[from][process] == kIdle) {
    system.invoke(from, process, static_cast<std::size_t>(after),
                  value(wanted_.arguments), to);
  } else if (after == kIdle) {
    system.returns(from, process, before, value(wanted_.results), to);
  } else if (chance(wanted_.faults)) {
    system.fault(from, process, below(3), to);
  } else {
    system.internal(from, process, to, below(wanted_.edges), before);
  }
}

void RandomMaker::add_transition(TableSystem& system) {
  const std::size_t from = below(wanted_.states);
  const std::size_t process = below(wanted_.processes);
  Calls next = calls_[from];
  if (next[process] == kIdle) {
    next[process] = static_cast<int>(below(wanted_.operations));
  } else if (chance(0.4)) {
    next[process] = kIdle;
  }
  const auto targets = states_with(next);
  if (!targets.empty()) add_step(system, from, process, targets);
}

void RandomMaker::finish(TableSystem& system) {
  for (std::size_t s = 0; s < system.states(); ++s) {
    for (std::size_t p = 0; p < wanted_.processes; ++p) {
      if (calls_[s][p] == kIdle || !chance(wanted_.waits)) continue;
      const auto& steps = system.state(s).transitions;
      const bool moves = std::ranges::any_of(
          steps, [p](const auto& step) { return step.label.process == p; });
      if (!moves) system.wait(s, p);
    }
    if (chance(wanted_.cuts)) system.cut(s, 0);
  }
}

TableSystem RandomMaker::make() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < wanted_.operations; ++i) {
    names.push_back("op" + std::to_string(i));
  }
  TableSystem system(wanted_.processes, names);
  system.add_bound({"3 cells", wanted_.cut_by_user, "raise 'cells'"});
  calls_.assign(wanted_.states, Calls(wanted_.processes, kIdle));
  for (std::size_t s = 1; s < wanted_.states; ++s) {
    for (int& call : calls_[s]) {
      call = static_cast<int>(below(wanted_.operations + 1)) - 1;
    }
  }
  for (std::size_t i = 0; i < wanted_.transitions; ++i) {
    add_transition(system);
  }
  finish(system);
  if (chance(0.5)) system.vary_lengths();
  return system;
}

}  // namespace

TableSystem::State& TableSystem::at(std::size_t state) {
  assert(state < 0xFFFF);
  if (state >= table_.size()) table_.resize(state + 1);
  return table_[state];
}

void TableSystem::add(std::size_t from, const lts::Label& label,
                      std::size_t to) {
  at(to);
  at(from).transitions.push_back({label, to});
}

void TableSystem::invoke(std::size_t from, std::size_t process,
                         std::size_t operation, Value argument,
                         std::size_t to) {
  add(from, make_label(lts::LabelKind::kInvoke, process, operation, argument),
      to);
}

void TableSystem::internal(std::size_t from, std::size_t process,
                           std::size_t to, std::size_t edge_number,
                           std::size_t operation, bool marked) {
  lts::Label label =
      make_label(lts::LabelKind::kInternal, process, operation, {});
  label.edge = static_cast<std::uint32_t>(edge_number);
  label.marked = marked;
  add(from, label, to);
}

void TableSystem::returns(std::size_t from, std::size_t process,
                          std::size_t operation, Value result, std::size_t to) {
  add(from, make_label(lts::LabelKind::kReturn, process, operation, result),
      to);
}

void TableSystem::fault(std::size_t from, std::size_t process,
                        std::size_t number, std::size_t to) {
  lts::Label label = make_label(lts::LabelKind::kFault, process, 0, {});
  label.fault = static_cast<std::uint16_t>(number);
  add(from, label, to);
}

void TableSystem::wait(std::size_t state, std::size_t process) {
  at(state).waiting |= std::uint64_t{1} << process;
}

void TableSystem::cut(std::size_t state, std::size_t bound) {
  at(state).cut |= std::uint64_t{1} << bound;
}

lts::StateBytes TableSystem::encode(std::size_t state) const {
  lts::StateBytes bytes(vary_lengths_ ? 2 + state % 5 : 2, 0x55);
  bytes[0] = static_cast<std::uint8_t>(state & 0xFF);
  bytes[1] = static_cast<std::uint8_t>(state >> 8);
  return bytes;
}

std::size_t TableSystem::decode(lts::StateView state) const {
  assert(state.size() >= 2);
  return state[0] | static_cast<std::size_t>(state[1]) << 8;
}

void TableSystem::successors(lts::StateView state, lts::Successors& out) const {
  out.clear();
  const State& entry = table_[decode(state)];
  for (const Transition& t : entry.transitions) {
    out.add(t.label, encode(t.to));
  }
  out.waiting = entry.waiting;
  out.cut = entry.cut;
}

lts::Edge TableSystem::edge(std::uint32_t number) const {
  lts::Edge edge;
  edge.line = number + 1;
  edge.statement = "step " + std::to_string(number);
  return edge;
}

std::string TableSystem::fault(std::uint16_t number) const {
  return "fault " + std::to_string(number);
}

lts::StepText TableSystem::explain(lts::StateView before,
                                   const lts::Label& label,
                                   lts::StateView after) const {
  lts::StepText text;
  text.line = label.edge + 1;
  text.statement = "step " + std::to_string(label.edge);
  text.effects = {{lts::Effect::Kind::kWrite, "state",
                   std::to_string(decode(before)),
                   std::to_string(decode(after))}};
  return text;
}

std::vector<lts::Variable> TableSystem::describe(lts::StateView state) const {
  return {{"state", std::to_string(decode(state))}};
}

TableSystem random_table_system(const RandomTable& wanted,
                                std::mt19937& random) {
  return RandomMaker(wanted, random).make();
}

}  // namespace plumb::testing
