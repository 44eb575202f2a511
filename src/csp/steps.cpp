// SPDX-License-Identifier: Apache-2.0
// The steps of single processes: events, channels, conditions, references.
#include "csp/steps.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace plumb::csp {

class Steps::Counter : public ProcessCounter {
 public:
  explicit Counter(const Steps& steps) : steps_(steps) {}
  std::int32_t count(std::uint32_t process) const override {
    return steps_.terms_.count(process, steps_.term_);
  }

 private:
  const Steps& steps_;
};

Steps::Steps(const Nodes& nodes, Edges& edges)
    : nodes_(nodes),
      valuation_(*nodes.layout),
      after_(*nodes.layout),
      context_{valuation_},
      after_context_{after_},
      events_(nodes, edges),
      terms_(nodes, context_, values_),
      alphabets_(nodes, events_, terms_),
      counter_(std::make_unique<Counter>(*this)) {
  context_.processes = counter_.get();
  after_context_.processes = counter_.get();
}

Steps::~Steps() = default;

void Steps::read(lts::StateView state) {
  const std::uint8_t* end = state.data() + state.size();
  const std::uint8_t* term = valuation_.decode(state.data(), end);
  valuation_bytes_ = {state.data(), term};
  term_ = {term, end};
}

void Steps::find(lts::StateView state) {
  read(state);
  values_.reset();
  moves_.clear();
  waiting_.clear();
  failures_.clear();
  bytes_.clear();
  place_ = Place();
  walks_ = 0;
  too_deep_ = too_many_ = false;
  try {
    catching([this] { walk(term_); });
  } catch (const TooMany&) {
    // Half of what an operator does would be wrong.
    moves_.clear();
    too_many_ = true;
  }
}

Valuation& Steps::apply(const Move& move) {
  after_ = valuation_;
  for (std::uint8_t i = 0; i < move.effects; ++i) {
    const Effect& effect = move.effect[i];
    if (effect.pops) after_.pop(effect.buffer);
    if (effect.pushes) after_.push(effect.buffer, effect.message);
    if (effect.node->has_block) {
      after_context_.bound = effect.holes;
      run(effect.node->block, after_context_);
    }
  }
  return after_;
}

std::size_t Steps::components(lts::StateView term) {
  lts::StateBytes now(term.begin(), term.end());
  for (std::size_t i = 0; i < kMostUnfoldings; ++i) {
    const std::uint8_t* at = now.data();
    const Node& node = nodes_[static_cast<NodeId>(read_number(at))];
    const Holes holes = terms_.read_holes(node.holes, at);
    lts::StateBytes next;
    const bool has_parts =
        node.kind == NodeKind::kInterleave || node.kind == NodeKind::kParallel;
    if (has_parts && node.is_frame) {
      return static_cast<std::size_t>(read_number(at));
    }
    if (!node.is_frame && (has_parts || node.kind == NodeKind::kHide)) {
      terms_.unfold(static_cast<NodeId>(&node - nodes_.nodes.data()), holes,
                    next);
    } else if (node.kind == NodeKind::kReference) {
      const DefinitionShape& definition = nodes_.definitions[node.process];
      std::vector<Datum> arguments;
      for (const Compiled& argument : node.arguments) {
        arguments.push_back(terms_.value(argument, holes));
      }
      terms_.write(definition.body, arguments, next);
    } else if (node.is_frame && (node.kind == NodeKind::kSequence ||
                                 node.kind == NodeKind::kAtomic ||
                                 node.kind == NodeKind::kHide)) {
      next.assign(at, const_cast<const std::uint8_t*>(now.data()) + now.size());
    } else {
      return 1;
    }
    now = std::move(next);
  }
  return 1;
}

Move& Steps::add(const Move& move) {
  if (moves_.size() >= kMostMoves || ++walks_ > kMostWalks ||
      bytes_.size() > kMostBytes) {
    throw TooMany{};
  }
  return moves_.emplace_back(move);
}

Move& Steps::add(Move::Kind kind, const Node& node, EventId event) {
  Move& move = add(Move());
  move.kind = kind;
  move.atomic = place_.atomic;
  move.node = static_cast<NodeId>(&node - nodes_.nodes.data());
  move.event = event;
  move.actors = place_.actors;
  move.low = move.high = place_.at;
  return move;
}

void Steps::add_termination(std::uint64_t actors) {
  Move& move = add(Move::Kind::kTerminate, nodes_[kSkipNode],
                   events_.find(nodes_.terminate, {}));
  move.actors = actors;
}

void Steps::add_fault(Failure failure) {
  // Who sends is looked at twice.
  if (place_.mode == Mode::kSends) return;
  Move& move = add(Move());
  move.kind = Move::Kind::kFault;
  move.actors = place_.actors;
  move.atomic = place_.atomic;
  move.fault = static_cast<std::uint32_t>(failures_.size());
  failures_.push_back(std::move(failure));
}

void Steps::lead_to(Move& move, const Child& child, Holes holes) {
  move.begin = bytes_.size();
  terms_.write(child, holes, bytes_);
  move.length = bytes_.size() - move.begin;
}

void Steps::lead_to(Move& move, NodeId node, Holes holes) {
  move.begin = bytes_.size();
  terms_.write(node, holes, bytes_);
  move.length = bytes_.size() - move.begin;
}

void Steps::wrap(Move& move, Bytes before, Bytes after) {
  const std::size_t begin = bytes_.size();
  bytes_.resize(begin + before.size() + move.length + after.size());
  std::uint8_t* to = bytes_.data() + begin;
  to = std::copy(before.begin(), before.end(), to);
  const std::uint8_t* from = bytes_.data() + move.begin;
  to = std::copy(from, from + move.length, to);
  std::copy(after.begin(), after.end(), to);
  move.begin = begin;
  move.length = bytes_.size() - begin;
}

// What goes wrong in a process is a step of its own; what others can do is
// not lost.
template <typename Look>
void Steps::catching(const Look& look) {
  const std::size_t before = moves_.size();
  const Entered entered(*this);
  try {
    look();
  } catch (RuntimeFault& fault) {
    moves_.resize(before);
    add_fault({true, std::move(fault), {}});
  } catch (StepFault& fault) {
    // A process that calls itself is found deep inside of itself.
    if (fault.kind == StepFault::Kind::kUnguarded && place_.unfoldings > 0) {
      throw;
    }
    moves_.resize(before);
    add_fault({false, {}, std::move(fault)});
  }
}

bool Steps::enter() {
  if (++walks_ > kMostWalks) throw TooMany{};
  if (++place_.depth <= kDeepest) return true;
  if (place_.unfoldings > kManyUnfoldings) {
    const std::uint32_t process = calls_[place_.unfoldings - 1].process;
    throw StepFault{StepFault::Kind::kUnguarded,
                    nodes_.definitions[process].span, ""};
  }
  too_deep_ = true;
  return false;
}

void Steps::walk_leaf(const Node& node, const std::uint8_t* at) {
  catching([&] { walk_node(node, terms_.read_holes(node.holes, at)); });
}

void Steps::walk_whole(const Node& frame, Bytes term, const std::uint8_t* at) {
  catching([&] { walk_frame(frame, term, at); });
}

void Steps::walk_node(const Node& node, Holes holes) {
  const bool moves = place_.mode == Mode::kMoves;
  switch (node.kind) {
    case NodeKind::kStop:
    case NodeKind::kChoose:
      return;
    case NodeKind::kSkip:
      if (moves) add_termination(place_.actors);
      return;
    case NodeKind::kPrefix:
      if (moves) prefix(node, holes);
      return;
    case NodeKind::kSend:
      send(node, holes);
      return;
    case NodeKind::kReceive:
      receive(node, holes);
      return;
    case NodeKind::kGuard:
      if (terms_.holds(node.conditions[0], holes)) {
        walk_child(node.children[0], holes);
      }
      return;
    case NodeKind::kIf:
    case NodeKind::kIfBlocking:
      if (moves) branch(node, holes);
      return;
    case NodeKind::kIfAtomic: {
      const bool holds = terms_.holds(node.conditions[0], holes);
      if (holds || node.children.size() > 1) {
        walk_child(node.children[holds ? 0 : 1], holes);
      } else {
        walk_node(nodes_[kSkipNode], {});
      }
      return;
    }
    case NodeKind::kCase:
      if (moves) choose_case(node, holes);
      return;
    case NodeKind::kGeneral:
      choose(node, holes);
      return;
    case NodeKind::kInternal:
      if (moves) pick(node, holes);
      return;
    case NodeKind::kReference:
      refer(node, holes);
      return;
    case NodeKind::kAssert:
      if (moves) check(node, holes);
      return;
    default:
      unfold(node, holes);
  }
}

void Steps::walk_child(const Child& child, Holes holes) {
  const Entered entered(*this);
  if (!enter()) return;
  catching(
      [&] { walk_node(nodes_[child.node], terms_.holes_of(child, holes)); });
}

// An operator that is not part of the term yet.
void Steps::unfold(const Node& node, Holes holes) {
  const Entered entered(*this);
  place_.unfolded = true;
  Room& room = enter_room();
  room.scratch.clear();
  terms_.unfold(static_cast<NodeId>(&node - nodes_.nodes.data()), holes,
                room.scratch);
  walk(room.scratch);
}

EventId Steps::event_of(const EventShape& event, Holes holes) {
  const std::span<Datum> fields = values_.take(event.fields.size());
  for (std::size_t i = 0; i < fields.size(); ++i) {
    fields[i] = terms_.value(event.fields[i], holes);
  }
  return events_.find(event.name, fields);
}

void Steps::prefix(const Node& node, Holes holes) {
  for (const EventShape& event : node.events) {
    const EventId id = event_of(event, holes);
    Move& move =
        add(event.is_tau ? Move::Kind::kTau : Move::Kind::kEvent, node, id);
    move.alone = node.has_block;
    if (node.has_block) {
      move.effects = 1;
      move.effect[0].node = &node;
      move.effect[0].holes = holes;
    }
    lead_to(move, node.children[0], holes);
  }
}

std::uint32_t Steps::buffer_of(const Node& node, Holes holes) {
  const Channel& channel = nodes_.module->channels[node.channel];
  if (!node.has_channel_index) return channel.first;
  const Datum index = terms_.value(node.channel_index, holes);
  if (!index.is_plain() || index.number() < 0 ||
      static_cast<std::uint32_t>(index.number()) >= channel.elements) {
    throw RuntimeFault{
        FaultKind::kIndex,
        index.text() + " is not in 0.." + std::to_string(channel.elements - 1),
        node.channel_index.tree->span};
  }
  return channel.first + static_cast<std::uint32_t>(index.number());
}

// c[2]!3.4: the index comes first.
EventId Steps::event_of(const Node& node, Holes holes, Holes message) {
  const std::size_t before = node.has_channel_index ? 1 : 0;
  const std::span<Datum> fields = values_.take(before + message.size());
  if (before == 1) fields[0] = terms_.value(node.channel_index, holes);
  std::copy(message.begin(), message.end(),
            fields.begin() + static_cast<std::ptrdiff_t>(before));
  return events_.find(node.events[0].name, fields);
}

void Steps::send(const Node& node, Holes holes) {
  if (place_.mode == Mode::kReceives) return;
  if (place_.mode == Mode::kSends && !node.synchronous) return;
  const std::uint32_t buffer = buffer_of(node, holes);
  const std::span<Datum> message = values_.take(node.fields.size());
  for (std::size_t i = 0; i < message.size(); ++i) {
    message[i] = terms_.value(node.fields[i], holes);
  }
  // What was evaluated could have gone wrong, and is looked at once.
  if (node.synchronous && place_.mode == Mode::kMoves) return;
  if (!node.synchronous && valuation_.full(buffer)) return;
  Move& move = add(node.synchronous ? Move::Kind::kSend : Move::Kind::kEvent,
                   node, event_of(node, holes, message));
  move.alone = true;
  move.buffer = buffer;
  move.message = message;
  move.effects = 1;
  move.effect[0] = {&node, holes, message, buffer, false, !node.synchronous};
  lead_to(move, node.children[0], holes);
}

void Steps::receive(const Node& node, Holes holes) {
  if (place_.mode == Mode::kSends) return;
  if (place_.mode == Mode::kReceives && !node.synchronous) return;
  const std::uint32_t buffer = buffer_of(node, holes);
  if (place_.mode == Mode::kReceives) {
    if (buffer == place_.buffer) {
      take_message(node, holes, buffer, place_.message);
    }
  } else if (!node.synchronous && valuation_.size(buffer) > 0) {
    take_message(node, holes, buffer, valuation_.front(buffer));
  }
}

void Steps::take_message(const Node& node, Holes holes, std::uint32_t buffer,
                         Holes message) {
  if (message.size() != node.patterns.size()) return;
  const std::span<Datum> with_inputs = values_.take(holes.size() + node.inputs);
  auto input = std::copy(holes.begin(), holes.end(), with_inputs.begin());
  for (std::size_t i = 0; i < message.size(); ++i) {
    const PatternShape& pattern = node.patterns[i];
    if (pattern.binds) {
      *input++ = message[i];
    } else if (!same_value(terms_.value(pattern.value, holes), message[i])) {
      return;
    }
  }
  if (!node.conditions.empty() &&
      !terms_.holds(node.conditions[0], with_inputs)) {
    return;
  }
  Move& move = add(Move::Kind::kEvent, node, event_of(node, holes, message));
  move.alone = true;
  move.effects = 1;
  move.effect[0] = {&node, with_inputs, {}, buffer, !node.synchronous, false};
  lead_to(move, node.children[0], with_inputs);
}

void Steps::branch(const Node& node, Holes holes) {
  const bool holds = terms_.holds(node.conditions[0], holes);
  if (node.kind == NodeKind::kIfBlocking && !holds) return;
  const std::size_t way = holds ? 0 : 1;
  const EventId text = event_of(node.events[way], holes);
  Move& move = add(Move::Kind::kTau, node, text);
  if (way < node.children.size()) {
    lead_to(move, node.children[way], holes);
  } else {
    lead_to(move, kSkipNode, {});
  }
}

// Without a default, what fits no case is done.
void Steps::choose_case(const Node& node, Holes holes) {
  std::size_t way = 0;
  while (way < node.conditions.size() &&
         !terms_.holds(node.conditions[way], holes)) {
    ++way;
  }
  const EventId text = event_of(node.events[way], holes);
  Move& move = add(Move::Kind::kTau, node, text);
  if (way < node.children.size()) {
    lead_to(move, node.children[way], holes);
  } else {
    lead_to(move, kSkipNode, {});
  }
}

void Steps::choose(const Node& node, Holes holes) {
  const Entered entered(*this);
  place_.outermost = false;
  if (!node.is_indexed) {
    for (const Child& child : node.children) walk_child(child, holes);
    return;
  }
  terms_.for_each(node.indices, holes, node.span, [&](Holes with_indices) {
    walk_child(node.children[0], with_indices);
  });
}

void Steps::pick(const Node& node, Holes holes) {
  const EventId text = events_.find(nodes_.pick, {});
  const auto add_way = [&](const Child& child, Holes over) {
    lead_to(add(Move::Kind::kTau, node, text), child, over);
  };
  if (!node.is_indexed) {
    for (const Child& child : node.children) add_way(child, holes);
    return;
  }
  terms_.for_each(node.indices, holes, node.span, [&](Holes with_indices) {
    add_way(node.children[0], with_indices);
  });
}

// Variables do not change while we look, so that a call of itself with the same
// arguments goes on for ever.
void Steps::check_call(const DefinitionShape& definition, const Call& call) {
  const auto calls = std::span(calls_).first(place_.unfoldings);
  const bool is_known =
      std::any_of(calls.begin(), calls.end(), [&](const Call& before) {
        return before.process == call.process &&
               std::equal(before.arguments.begin(), before.arguments.end(),
                          call.arguments.begin(), call.arguments.end());
      });
  if (is_known || calls.size() >= kMostUnfoldings) {
    throw StepFault{StepFault::Kind::kUnguarded, definition.span, ""};
  }
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    if (i >= definition.ranges.size() || !definition.ranges[i]) continue;
    const Range& range = *definition.ranges[i];
    const Datum& argument = call.arguments[i];
    if (!argument.is_plain() || (range.low && argument.number() < *range.low) ||
        (range.high && argument.number() > *range.high)) {
      throw StepFault{StepFault::Kind::kArgument, definition.span,
                      argument.text()};
    }
  }
}

void Steps::refer(const Node& node, Holes holes) {
  const Entered entered(*this);
  const DefinitionShape& definition = nodes_.definitions[node.process];
  const std::span<Datum> arguments = values_.take(node.arguments.size());
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    arguments[i] = terms_.value(node.arguments[i], holes);
  }
  const Call call{node.process, arguments};
  check_call(definition, call);
  calls_.resize(place_.unfoldings);
  calls_.push_back(call);
  ++place_.unfoldings;
  walk_child(definition.body, arguments);
}

void Steps::check(const Node& node, Holes holes) {
  if (!terms_.holds(node.conditions[0], holes)) {
    throw StepFault{StepFault::Kind::kAssert, node.span, ""};
  }
  add_termination(place_.actors);
}

}  // namespace plumb::csp
