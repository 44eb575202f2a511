// SPDX-License-Identifier: Apache-2.0
// Single processes: events, channels, conditions, references.
#include "support/csp_walker_rules.h"

#include <algorithm>
#include <utility>

namespace plumb::walked {

ProcessPtr shared(Process process) {
  return std::make_shared<const Process>(std::move(process));
}

ProcessPtr skip() {
  Process made;
  made.kind = ProcessKind::kSkip;
  return shared(std::move(made));
}

ProcessPtr Rules::reached(const ProcessPtr& p) const {
  try {
    return opened(p, [](const Expression& e) {
      if (!is_value(e)) throw WalkedFault{"not known yet"};
      return value_of_literal(e);
    });
  } catch (const WalkedFault&) {
    return p;
  }
}

Moves Rules::moves(const ProcessPtr& p) {
  try {
    return moves_of(p);
  } catch (const WalkedFault& fault) {
    Move move;
    move.kind = Move::Kind::kFault;
    move.text = fault.what;
    return {move};
  }
}

WalkedStore Rules::applied(const Move& move) const {
  WalkedStore after = store_;
  for (const Effect& effect : move.effects) {
    if (effect.pops >= 0) {
      after.buffers[static_cast<std::size_t>(effect.pops)].pop_front();
    }
    if (effect.pushes >= 0) {
      after.buffers[static_cast<std::size_t>(effect.pushes)].push_back(
          effect.message);
    }
    if (effect.block == nullptr) continue;
    WalkedEvaluation(module_, after, counter_).run(*effect.block);
  }
  return after;
}

WalkedDatum Rules::value(const Expression& e) const {
  WalkedStore scratch = store_;
  return WalkedEvaluation(module_, scratch, counter_).value(e);
}

std::int64_t Rules::number(const Expression& e) const {
  const WalkedDatum datum = value(e);
  if (!datum.is_plain()) throw WalkedFault{"no number"};
  return datum.number;
}

Moves Rules::moves_of(const ProcessPtr& p) {
  switch (p->kind) {
    case ProcessKind::kStop:
      return {};
    case ProcessKind::kSkip:
      return {terminated()};
    case ProcessKind::kAssert:
      if (!holds(p->condition)) throw WalkedFault{"an assertion fails"};
      return {terminated()};
    case ProcessKind::kPrefix:
    case ProcessKind::kEventSet:
      return prefix(*p);
    case ProcessKind::kSend:
      return send(*p);
    case ProcessKind::kReceive:
      return receive(p);
    case ProcessKind::kGuard:
      return holds(p->condition) ? moves(p->children[0]) : Moves();
    case ProcessKind::kIf:
      return {tau_to(p->children[holds(p->condition) ? 0 : 1])};
    case ProcessKind::kIfAtomic:
      return moves(p->children[holds(p->condition) ? 0 : 1]);
    case ProcessKind::kIfBlocking:
      if (!holds(p->condition)) return {};
      return {tau_to(p->children[0])};
    case ProcessKind::kCase:
      return {one_case(*p)};
    case ProcessKind::kGeneral:
      return general(*p);
    case ProcessKind::kInternal:
      return internal(*p);
    case ProcessKind::kReference:
      return reference(*p);
    default:
      return operator_moves(p);
  }
}

Moves Rules::operator_moves(const ProcessPtr& p) {
  if (!runs(*p)) {
    const ProcessPtr open =
        opened(p, [this](const Expression& e) { return value(e); });
    return moves(open);
  }
  switch (p->kind) {
    case ProcessKind::kSequence:
      return in_sequence(p);
    case ProcessKind::kAtomic:
      return in_atomic(p);
    case ProcessKind::kHide:
      return hidden(p);
    case ProcessKind::kInterrupt:
      return interrupted(p);
    case ProcessKind::kExternal:
      return external(p);
    case ProcessKind::kInterleave:
      return interleaved(p);
    default:
      return in_parallel(std::static_pointer_cast<const RunningParallel>(p));
  }
}

Move Rules::terminated() {
  Move move;
  move.kind = Move::Kind::kTerminate;
  move.after = skip();
  return move;
}

Move Rules::tau_to(const ProcessPtr& p) const {
  Move move;
  move.after = reached(p);
  return move;
}

// The event's name is evaluated before its program runs.
Moves Rules::prefix(const Process& p) const {
  Moves made;
  for (const EventName& event : p.events) {
    Move move = tau_to(p.children[0]);
    if (!event.name.empty()) {
      move.kind = Move::Kind::kEvent;
      move.text = event.name;
    }
    for (const ExprPtr& field : event.fields) {
      move.text += "." + text_of(value(*field));
    }
    move.alone = p.block != nullptr;
    move.effects.emplace_back().block = p.block;
    made.push_back(std::move(move));
  }
  return made;
}

std::size_t Rules::buffer_of(const Process& p) const {
  const Channel& channel = module_.channels[p.channel];
  const std::int64_t index =
      p.channel_index == nullptr ? 0 : number(*p.channel_index);
  if (index < 0 || index >= channel.elements) {
    throw WalkedFault{"no such channel"};
  }
  return channel.first + static_cast<std::size_t>(index);
}

std::string Rules::event_of(const Process& p, std::size_t buffer, char sign,
                            const std::vector<WalkedDatum>& message) const {
  const Channel& channel = module_.channels[p.channel];
  std::string text = channel.name;
  if (channel.is_array) {
    text += "[" + std::to_string(buffer - channel.first) + "]";
  }
  for (std::size_t i = 0; i < message.size(); ++i) {
    text += (i == 0 ? std::string(1, sign) : ".") + text_of(message[i]);
  }
  return text;
}

bool Rules::is_synchronous(const Process& p) const {
  return module_.channels[p.channel].capacity == 0;
}

Moves Rules::send(const Process& p) const {
  Move move = tau_to(p.children[0]);
  move.alone = true;
  move.buffer = buffer_of(p);
  for (const ExprPtr& field : p.fields) {
    move.message.push_back(value(*field));
  }
  Effect& effect = move.effects.emplace_back();
  effect.block = p.block;
  if (is_synchronous(p)) {
    move.kind = Move::Kind::kSend;
    move.text = event_of(p, move.buffer, '.', move.message);
    return {move};
  }
  const Channel& channel = module_.channels[p.channel];
  if (store_.buffers[move.buffer].size() >= channel.capacity) return {};
  move.kind = Move::Kind::kEvent;
  move.text = event_of(p, move.buffer, '!', move.message);
  effect.pushes = static_cast<std::int64_t>(move.buffer);
  effect.message = move.message;
  return {move};
}

Moves Rules::receive(const ProcessPtr& p) const {
  const std::size_t buffer = buffer_of(*p);
  if (is_synchronous(*p)) {
    Move move;
    move.kind = Move::Kind::kReceive;
    move.buffer = buffer;
    move.receiver = p;
    return {move};
  }
  if (store_.buffers[buffer].empty()) return {};
  return taken(*p, buffer, store_.buffers[buffer].front());
}

// At most one: the input of a message.
Moves Rules::taken(const Process& p, std::size_t buffer,
                   const std::vector<WalkedDatum>& message) const {
  if (message.size() != p.patterns.size()) return {};
  Substitution inputs;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const Pattern& pattern = p.patterns[i];
    if (pattern.slot) {
      inputs[*pattern.slot] = literal_of(message[i]);
    } else if (!equal_values(value(*pattern.value), message[i])) {
      return {};
    }
  }
  if (p.condition != nullptr && !holds(substituted(p.condition, inputs))) {
    return {};
  }
  Process with_inputs = p;
  const ProcessPtr bound = substituted(shared(std::move(with_inputs)), inputs);
  Move move = tau_to(bound->children[0]);
  move.kind = Move::Kind::kEvent;
  move.alone = true;
  move.text = event_of(p, buffer, '?', message);
  Effect& effect = move.effects.emplace_back();
  if (!is_synchronous(p)) effect.pops = static_cast<std::int64_t>(buffer);
  effect.block = bound->block;
  return {move};
}

Move Rules::one_case(const Process& p) const {
  for (std::size_t i = 0; i < p.conditions.size(); ++i) {
    if (holds(p.conditions[i])) return tau_to(p.children[i]);
  }
  const bool has_default = p.children.size() > p.conditions.size();
  return tau_to(has_default ? p.children.back() : skip());
}

Moves Rules::general(const Process& p) {
  Moves made;
  for (const ProcessPtr& each :
       operands(p, [this](const Expression& e) { return value(e); })) {
    for (Move& move : moves(each)) made.push_back(std::move(move));
  }
  return made;
}

Moves Rules::internal(const Process& p) const {
  Moves made;
  for (const ProcessPtr& each :
       operands(p, [this](const Expression& e) { return value(e); })) {
    made.push_back(tau_to(each));
  }
  return made;
}

Moves Rules::reference(const Process& p) {
  constexpr int kMostCalls = 300;
  const bool is_first = calls_ == 0;
  if (calls_ == kMostCalls) throw Unguarded();
  ++calls_;
  try {
    Moves made = called(p);
    --calls_;
    return made;
  } catch (const Unguarded&) {
    --calls_;
    if (!is_first) throw;
    throw WalkedFault{"a process calls itself without a step"};
  } catch (const WalkedFault&) {
    --calls_;
    throw;
  }
}

// Arguments are evaluated now, not when the reference was reached.
Moves Rules::called(const Process& p) {
  const Definition& definition = module_.processes[p.number];
  Substitution values;
  for (std::uint32_t i = 0; i < p.arguments.size(); ++i) {
    const WalkedDatum argument = value(*p.arguments[i]);
    values[i] = literal_of(argument);
    if (i >= definition.ranges.size() || !definition.ranges[i]) continue;
    const Range& range = *definition.ranges[i];
    if (!argument.is_plain() || (range.low && argument.number < *range.low) ||
        (range.high && argument.number > *range.high)) {
      throw WalkedFault{"an argument is out of range"};
    }
  }
  return moves(reached(substituted(definition.body, values)));
}

}  // namespace plumb::walked
