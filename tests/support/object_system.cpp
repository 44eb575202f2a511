// SPDX-License-Identifier: Apache-2.0
#include "support/object_system.h"

#include <absl/hash/hash.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace plumb::testing {

using lts::LabelKind;

namespace {

// Edges of operation o: (o * 32 + place) * 2 + branch; the last two places
// are the invocation and the return.
constexpr std::uint32_t kPlaces = 32;
constexpr std::uint32_t kInvocation = kPlaces - 2, kReturn = kPlaces - 1;

std::uint32_t edge_id(std::size_t operation, std::uint32_t place,
                      std::uint32_t branch) {
  return (static_cast<std::uint32_t>(operation) * kPlaces + place) * 2 + branch;
}

const char* name_of(Act act) {
  constexpr const char* kNames[] = {"skip",  "effect", "load", "apply",
                                    "store", "cas",    "peek", "spoil",
                                    "fork",  "help",   "fault"};
  return kNames[static_cast<std::size_t>(act)];
}

}  // namespace

ObjectSystem::ObjectSystem(ObjectProgram program)
    : program_(std::move(program)) {
  for (const spec::Signature& each : program_.object->operations()) {
    names_.emplace_back(each.name);
  }
  intern(program_.object->initial());
  intern(Value());
}

std::string ObjectSystem::to_string() const {
  std::string text = program_.object->name() + ", " +
                     std::to_string(program_.processes) + " processes, " +
                     std::to_string(program_.calls_each) + " calls each\n";
  for (const spec::Call& call : program_.calls) {
    text += "  " + names_[call.code] + "(" + call.argument.to_string() + "):";
    for (const Step& step : program_.steps[call.code]) {
      text += std::string(" ") + name_of(step.act);
      if (step.act == Act::kCas || step.act == Act::kFork) {
        text += "/" + std::to_string(step.target);
      }
      if (step.act == Act::kSpoil) text += "=" + step.value.to_string();
      if (step.marked) text += "*";
    }
    text += "\n";
  }
  return text;
}

std::uint16_t ObjectSystem::intern(const spec::State& state) const {
  const auto next = static_cast<std::uint16_t>(objects_.size());
  const auto [entry, is_new] = object_ids_.try_emplace(state, next);
  if (is_new) objects_.push_back(state);
  return entry->second;
}

std::uint16_t ObjectSystem::intern(Value value) const {
  const auto found = std::ranges::find(values_, value);
  if (found == values_.end()) {
    values_.push_back(value);
    return static_cast<std::uint16_t>(values_.size() - 1);
  }
  return static_cast<std::uint16_t>(found - values_.begin());
}

lts::StateBytes ObjectSystem::encode(const State& state) const {
  lts::StateBytes bytes(sizeof state.object +
                        state.processes.size() * sizeof(Process));
  std::memcpy(bytes.data(), &state.object, sizeof state.object);
  std::memcpy(bytes.data() + sizeof state.object, state.processes.data(),
              state.processes.size() * sizeof(Process));
  return bytes;
}

ObjectSystem::State ObjectSystem::decode(lts::StateView bytes) const {
  State state;
  state.processes.resize(program_.processes);
  std::memcpy(&state.object, bytes.data(), sizeof state.object);
  std::memcpy(state.processes.data(), bytes.data() + sizeof state.object,
              state.processes.size() * sizeof(Process));
  return state;
}

lts::StateBytes ObjectSystem::initial() const {
  return encode({0, std::vector<Process>(program_.processes)});
}

// All steps from one state.
class ObjectSystem::Expansion {
 public:
  Expansion(const ObjectSystem& system, lts::StateView bytes,
            lts::Successors& out)
      : system_(system), from_(system.decode(bytes)), out_(out) {}

  void run() {
    for (std::size_t p = 0; p < from_.processes.size(); ++p) {
      label_ = lts::Label();
      label_.process = static_cast<std::uint16_t>(p);
      if (from_.processes[p].call == 0) {
        invoke(p);
      } else {
        step(p);
      }
    }
  }

 private:
  const ObjectProgram& program() const { return system_.program_; }
  const spec::Call& call_of(std::size_t p) const {
    return program().calls[from_.processes[p].call - 1u];
  }

  void invoke(std::size_t p) {
    const Process& before = from_.processes[p];
    if (program().calls_each != 0 && before.calls == program().calls_each) {
      return;
    }
    label_.kind = LabelKind::kInvoke;
    for (std::size_t i = 0; i < program().calls.size(); ++i) {
      const spec::Call& call = program().calls[i];
      label_.operation = call.code;
      label_.edge = edge_id(call.code, kInvocation, 0);
      label_.value = call.argument;
      State next = from_;
      Process& process = next.processes[p];
      process = Process();
      process.calls = before.calls;
      if (program().calls_each != 0) ++process.calls;
      process.call = static_cast<std::uint8_t>(i + 1);
      add(next);
    }
  }

  void returns(std::size_t p) {
    label_.kind = LabelKind::kReturn;
    label_.edge = edge_id(label_.operation, kReturn, 0);
    State next = from_;
    Process& process = next.processes[p];
    label_.value = system_.values_[process.result];
    process = Process();
    process.calls = from_.processes[p].calls;
    add(next);
  }

  void step(std::size_t p) {
    const std::uint16_t code = call_of(p).code;
    const std::uint8_t place = from_.processes[p].at;
    label_.operation = code;
    if (place == program().steps[code].size()) return returns(p);
    const Step& step = program().steps[code][place];
    label_.marked = step.marked;
    label_.edge = edge_id(code, place, 0);
    State next = from_;
    Process& process = next.processes[p];
    process.at = static_cast<std::uint8_t>(place + 1);
    switch (step.act) {
      case Act::kSkip:
        return add(next);
      case Act::kEffect:
        return process.has_effect != 0 ? add(next) : effect(next, {p}, 0);
      case Act::kLoad:
        process.copy = process.changed = next.object;
        return add(next);
      case Act::kStore:
        next.object = process.changed;
        return add(next);
      case Act::kCas:
        return cas(next, process, step.target);
      case Act::kApply:
      case Act::kPeek:
        return local_run(next, p, step.act == Act::kPeek);
      case Act::kSpoil:
        process.result = system_.intern(step.value);
        return add(next);
      case Act::kFork:
        add(next);
        process.at = step.target;
        label_.edge = edge_id(code, place, 1);
        return add(next);
      case Act::kHelp:
        return help(next, p);
      case Act::kFault:
        label_.kind = LabelKind::kFault;
        return add(next);
    }
  }

  void cas(State& next, Process& process, std::uint8_t target) {
    if (next.object == process.copy) {
      next.object = process.changed;
    } else {
      if (++process.retries > 3) return;
      process.at = target;
      ++label_.edge;
    }
    add(next);
  }

  std::vector<spec::Outcome> outcomes(std::uint16_t object,
                                      std::size_t p) const {
    std::vector<spec::Outcome> all;
    program().object->apply(system_.objects_[object], call_of(p), all);
    return all;
  }

  void local_run(const State& next, std::size_t p, bool peek) {
    const std::uint16_t object = peek ? next.object : next.processes[p].copy;
    auto all = outcomes(object, p);
    if (all.empty()) all.push_back({Value(), system_.objects_[object]});
    for (const spec::Outcome& outcome : all) {
      State other = next;
      other.processes[p].result = system_.intern(outcome.result);
      if (!peek) other.processes[p].changed = system_.intern(outcome.next);
      add(other);
    }
  }

  void help(const State& next, std::size_t p) {
    std::vector<std::size_t> others;
    for (std::size_t q = 0; q < next.processes.size(); ++q) {
      const Process& other = next.processes[q];
      if (q != p && other.call != 0 && other.has_effect == 0) {
        others.push_back(q);
      }
    }
    effect(next, others, 0);
  }

  // The effects of these processes from number `i` on.  One that would block
  // is left out if it is only helped.
  void effect(const State& next, const std::vector<std::size_t>& whose,
              std::size_t i) {
    if (i == whose.size()) return add(next);
    const std::size_t p = whose[i];
    const auto all = outcomes(next.object, p);
    if (all.empty() && p != label_.process) effect(next, whose, i + 1);
    for (const spec::Outcome& outcome : all) {
      State other = next;
      other.object = system_.intern(outcome.next);
      other.processes[p].result = system_.intern(outcome.result);
      other.processes[p].has_effect = 1;
      effect(other, whose, i + 1);
    }
  }

  void add(const State& next) { out_.add(label_, system_.encode(next)); }

  const ObjectSystem& system_;
  const State from_;
  lts::Successors& out_;
  lts::Label label_;
};

void ObjectSystem::successors(lts::StateView state,
                              lts::Successors& out) const {
  out.clear();
  Expansion(*this, state, out).run();
}

lts::Edge ObjectSystem::edge(std::uint32_t edge) const {
  const std::uint32_t place = edge / 2 % kPlaces;
  lts::Edge result;
  result.operation = static_cast<std::uint16_t>(edge / 2 / kPlaces);
  result.line = place + 1;
  if (place >= program_.steps[result.operation].size()) {
    result.statement = place == kReturn ? "return" : "call";
    return result;
  }
  const Act act = program_.steps[result.operation][place].act;
  result.statement = name_of(act);
  result.writes = act == Act::kEffect || act == Act::kStore ||
                  act == Act::kHelp || (act == Act::kCas && edge % 2 == 0);
  return result;
}

}  // namespace plumb::testing
