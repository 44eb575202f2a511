// SPDX-License-Identifier: Apache-2.0
// Components whose next steps may be explored without those of the others.
#include "csp/partial_order.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "csp/encoding.h"

namespace plumb::csp {

// What is needed while one state is looked at.
struct AmpleSets::Scratch {
  std::vector<Part> parts;       // in the order of their addresses
  bool meets = false;            // some component may need a partner
  bool atomic = false;           // some component has atomic{...} in it
  std::vector<TouchMask> later;  // by part
  TouchMask some, many;          // cells touched later: by one, by two
  TouchMask fresh;               // by copies that have not begun
  std::vector<Datum> holes;
  TouchMask next;
};

AmpleSets::AmpleSets(std::shared_ptr<const Nodes> nodes,
                     const NodeTouches& touches, const Watched& watched,
                     const Observed& observed)
    : nodes_(std::move(nodes)),
      masks_(nodes_, touches),
      events_(observed.events),
      watched_(masks_.words()) {
  for (NodeId id = 0; id < nodes_->nodes.size(); ++id) {
    held_.push_back(touches.is_held(id));
    atomic_.push_back(touches.has_atomic(id));
  }
  for (const std::string& name : observed.names) {
    names_.push_back(Value::text(name));
  }
  for (const std::uint32_t proposition : watched.propositions) {
    masks_.add_reads(*nodes_->module->propositions[proposition].expression,
                     watched_);
  }
  for (const ExprPtr& expression : watched.expressions) {
    masks_.add_reads(*expression, watched_);
  }
}

bool AmpleSets::is_seen(Steps& steps, const Move& move) const {
  if (move.kind == Move::Kind::kTau) return false;
  if (move.kind != Move::Kind::kEvent) return true;
  switch (events_) {
    case Observed::Events::kNone:
      return false;
    case Observed::Events::kAll:
      return true;
    case Observed::Events::kNamed:
      break;
  }
  const Value name = steps.events().value(move.event);
  return std::find(names_.begin(), names_.end(), name) != names_.end();
}

void AmpleSets::split_copies(Steps& steps, const Node& frame,
                             const std::uint8_t*& at, Scratch& scratch) const {
  const std::uint64_t groups = read_number(at);
  const std::size_t first = scratch.parts.size();
  for (std::uint64_t i = 0; i < groups; ++i) {
    scratch.parts.push_back({{}, read_number(at) > 1, false, 0});
  }
  for (std::uint64_t i = 0; i < groups; ++i) {
    const std::uint8_t* end = steps.terms().end_of(at);
    scratch.parts[first + i].range = {at, end};
    at = end;
  }
  if (frame.kind != NodeKind::kReplicated) return;
  // Somebody else may always begin.
  const NodeId waiting = frame.children[0].node;
  masks_.add_later(waiting, scratch.holes, steps.context(), scratch.fresh);
  scratch.atomic |= atomic_[waiting];
}

// Returns where the term ends.
const std::uint8_t* AmpleSets::split(Steps& steps, const std::uint8_t* at,
                                     bool outermost, Scratch& scratch) const {
  const std::uint8_t* begin = at;
  const Node& node = (*nodes_)[static_cast<NodeId>(read_number(at))];
  const auto kind = node.is_frame ? node.kind : NodeKind::kStop;
  scratch.holes.clear();
  for (std::uint32_t i = 0; i < node.holes; ++i) {
    scratch.holes.push_back(read_datum(at));
  }
  switch (kind) {
    case NodeKind::kHide:
      return split(steps, at, outermost, scratch);
    case NodeKind::kSequence:
      // What waits behind all of the components meets none of them.
      if (outermost) return split(steps, at, true, scratch);
      break;
    case NodeKind::kParallel:
      scratch.meets = true;
      [[fallthrough]];
    case NodeKind::kInterleave:
      for (std::uint64_t left = read_number(at); left > 0; --left) {
        at = split(steps, at, false, scratch);
      }
      return at;
    case NodeKind::kCopies:
    case NodeKind::kReplicated:
      split_copies(steps, node, at, scratch);
      return at;
    default:
      break;
  }
  const std::uint8_t* end = steps.terms().end_of(begin);
  scratch.parts.push_back({{begin, end}, false, false, 0});
  return end;
}

void AmpleSets::split(Steps& steps, Scratch& scratch) const {
  scratch.parts.clear();
  scratch.meets = nodes_->has_synchronous;
  scratch.atomic = false;
  scratch.fresh.reset(masks_.words());
  split(steps, steps.term().data(), true, scratch);
}

AmpleSets::Part* AmpleSets::part_of(const std::uint8_t* at, Scratch& scratch) {
  const auto behind =
      std::upper_bound(scratch.parts.begin(), scratch.parts.end(), at,
                       [](const std::uint8_t* place, const Part& part) {
                         return std::less<>()(place, part.range.begin);
                       });
  if (behind == scratch.parts.begin()) return nullptr;
  Part& part = *std::prev(behind);
  return part.range.contains(at) ? &part : nullptr;
}

void AmpleSets::count_moves(Steps& steps, Scratch& scratch) const {
  for (const Move& move : steps.moves()) {
    Part* first = part_of(move.low, scratch);
    Part* last = part_of(move.high, scratch);
    const bool is_alone = first == last && !is_seen(steps, move);
    for (Part* part : {first, last}) {
      if (part != nullptr && !is_alone) part->fixed = true;
    }
    if (first != nullptr) ++first->moves;
  }
  for (const std::uint8_t* at : steps.waiting()) {
    if (Part* part = part_of(at, scratch)) part->fixed = true;
  }
}

// What all of its leaves may touch, and what waits behind them.
void AmpleSets::look_at(Steps& steps, std::size_t number,
                        Scratch& scratch) const {
  Part& part = scratch.parts[number];
  TouchMask& later = scratch.later[number];
  later.reset(masks_.words());
  const std::uint8_t* at = part.range.begin;
  bool atomic = false;
  while (at < part.range.end) {
    const auto id = static_cast<NodeId>(read_number(at));
    const Node& node = (*nodes_)[id];
    scratch.holes.clear();
    for (std::uint32_t i = 0; i < node.holes; ++i) {
      scratch.holes.push_back(read_datum(at));
    }
    masks_.add_later(id, scratch.holes, steps.context(), later);
    part.fixed |= held_[id];
    atomic |= atomic_[id] || node.kind == NodeKind::kAtomic;
    if (node.is_frame) operands_of(node, at);
  }
  part.fixed |= atomic;
  scratch.atomic |= atomic;
}

void AmpleSets::look_at_parts(Steps& steps, Scratch& scratch) const {
  scratch.later.resize(std::max(scratch.later.size(), scratch.parts.size()));
  scratch.some = scratch.fresh;
  for (std::size_t word = 0; word < masks_.words(); ++word) {
    scratch.some.reads[word] |= scratch.some.writes[word];
  }
  scratch.many.reset(masks_.words());
  const auto join = [](const CellMask& one, bool several, CellMask& some,
                       CellMask& many) {
    for (std::size_t i = 0; i < one.size(); ++i) {
      many[i] |= several ? one[i] : one[i] & some[i];
      some[i] |= one[i];
    }
  };
  for (std::size_t i = 0; i < scratch.parts.size(); ++i) {
    look_at(steps, i, scratch);
    const bool several = scratch.parts[i].several;
    TouchMask& later = scratch.later[i];
    // From here on reads are touches of any kind.
    for (std::size_t word = 0; word < masks_.words(); ++word) {
      later.reads[word] |= later.writes[word];
    }
    join(later.reads, several, scratch.some.reads, scratch.many.reads);
    join(later.writes, several, scratch.some.writes, scratch.many.writes);
  }
}

bool AmpleSets::is_alone(Steps& steps, std::size_t number,
                         Scratch& scratch) const {
  const TermRange& range = scratch.parts[number].range;
  TouchMask& next = scratch.next;
  next.reset(masks_.words());
  for (const std::uint8_t* at = range.begin; at < range.end;) {
    const auto id = static_cast<NodeId>(read_number(at));
    const Node& node = (*nodes_)[id];
    scratch.holes.clear();
    for (std::uint32_t i = 0; i < node.holes; ++i) {
      scratch.holes.push_back(read_datum(at));
    }
    if (node.is_frame) {
      operands_of(node, at);
    } else {
      masks_.add_next(id, scratch.holes, steps.context(), next);
    }
  }
  masks_.add_waiting(steps.valuation(), next);
  // Who waits in atomic{...} and is woken goes before all others.
  if (scratch.atomic) masks_.add_other_ends(next);
  const TouchMask& mine = scratch.later[number];
  for (std::size_t i = 0; i < masks_.words(); ++i) {
    const std::uint64_t touched =
        scratch.many.reads[i] | (scratch.some.reads[i] & ~mine.reads[i]);
    const std::uint64_t written =
        scratch.many.writes[i] | (scratch.some.writes[i] & ~mine.writes[i]);
    if ((next.writes[i] & (touched | watched_[i])) != 0 ||
        (next.reads[i] & written) != 0) {
      return false;
    }
  }
  return true;
}

std::optional<TermRange> AmpleSets::choose(Steps& steps) const {
  const std::span<const Move> moves = steps.moves();
  if (moves.size() < 2 || steps.too_deep() || steps.too_many()) return {};
  bool any = false;
  for (const Move& move : moves) {
    if (move.kind == Move::Kind::kFault) return {};
    if (move.atomic && move.kind != Move::Kind::kTerminate) return {};
    any |= !is_seen(steps, move);
  }
  if (!any) return {};
  thread_local Scratch scratch;
  split(steps, scratch);
  count_moves(steps, scratch);
  const auto may_be_chosen = [&](const Part& part) {
    return part.moves > 0 && !part.fixed && part.moves < moves.size();
  };
  if (std::none_of(scratch.parts.begin(), scratch.parts.end(), may_be_chosen)) {
    return {};
  }
  look_at_parts(steps, scratch);
  // A step might give a partner to somebody in atomic{...}.
  if (scratch.atomic && scratch.meets) return {};
  const Part* best = nullptr;
  for (std::size_t i = 0; i < scratch.parts.size(); ++i) {
    const Part& part = scratch.parts[i];
    if (!may_be_chosen(part)) continue;
    if (best != nullptr && best->moves <= part.moves) continue;
    if (is_alone(steps, i, scratch)) best = &part;
  }
  if (best == nullptr) return {};
  return best->range;
}

}  // namespace plumb::csp
