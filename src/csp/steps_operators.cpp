// SPDX-License-Identifier: Apache-2.0
// The steps of operators: what their operands do, and what is left of them.
#include <algorithm>
#include <functional>
#include <utility>

#include "csp/steps.h"

namespace plumb::csp {

namespace {

bool is_partner(const Move& move, EventId event) {
  return move.kind == Move::Kind::kEvent && !move.alone && move.event == event;
}

}  // namespace

void Steps::walk(Bytes term) {
  const Entered entered(*this);
  if (!enter()) return;
  if (!place_.unfolded) place_.at = term.data();
  const std::uint8_t* at = term.data();
  const Node& node = nodes_[static_cast<NodeId>(read_number(at))];
  if (node.is_frame) {
    walk_whole(node, term, at);
  } else {
    walk_leaf(node, at);
  }
}

void Steps::walk_frame(const Node& frame, Bytes term, const std::uint8_t* at) {
  switch (frame.kind) {
    case NodeKind::kSequence:
      walk_sequence(frame, term, at);
      return;
    case NodeKind::kAtomic:
      walk_atomic(term, at);
      return;
    case NodeKind::kHide:
      walk_hide(frame, term, at);
      return;
    case NodeKind::kInterrupt:
      walk_interrupt(term, at);
      return;
    case NodeKind::kExternal:
      walk_external(frame, term, at);
      return;
    case NodeKind::kInterleave:
      walk_interleave(frame, term, at);
      return;
    case NodeKind::kParallel:
      walk_parallel(frame, term, at);
      return;
    default:
      walk_copies(frame, term, at);
  }
}

void Steps::walk_sequence(const Node& frame, Bytes term,
                          const std::uint8_t* at) {
  const Holes rest = terms_.read_holes(frame.holes, at);
  const NodeId next = frame.children[0].node;
  const Bytes head(term.data(), at);
  const std::size_t from = moves_.size();
  walk({at, term.data() + term.size()});
  for (std::size_t i = from; i < moves_.size(); ++i) {
    Move& move = moves_[i];
    if (move.kind == Move::Kind::kFault) continue;
    const bool terminates = move.kind == Move::Kind::kTerminate;
    if (terminates) move.kind = Move::Kind::kTau;
    if (terminates || leads_to_skip(move)) {
      lead_to(move, next, rest);
    } else {
      wrap(move, head, {});
    }
  }
}

void Steps::walk_atomic(Bytes term, const std::uint8_t* at) {
  const Entered entered(*this);
  place_.atomic = true;
  const std::size_t from = moves_.size();
  walk({at, term.data() + term.size()});
  for (std::size_t i = from; i < moves_.size(); ++i) {
    if (!leads_to_skip(moves_[i])) wrap(moves_[i], {term.data(), at}, {});
  }
}

void Steps::walk_hide(const Node& frame, Bytes term, const std::uint8_t* at) {
  const Alphabets::Set& hidden =
      alphabets_.hidden(frame, terms_.read_holes(frame.holes, at));
  const std::size_t from = moves_.size();
  walk({at, term.data() + term.size()});
  for (std::size_t i = from; i < moves_.size(); ++i) {
    Move& move = moves_[i];
    // What may be received is no step yet: it passes as it is.
    if (place_.mode == Mode::kMoves && move.kind == Move::Kind::kEvent &&
        hidden.contains(move.event)) {
      move.kind = Move::Kind::kTau;
      move.event = events_.hidden(move.event);
    }
    wrap(move, {term.data(), at}, {});
  }
}

// The second one takes over with its first visible event.
void Steps::walk_interrupt(Bytes term, const std::uint8_t* at) {
  const Entered entered(*this);
  place_.outermost = false;
  const std::uint8_t* middle = terms_.end_of(at);
  const Bytes second(middle, term.data() + term.size());
  std::size_t from = moves_.size();
  walk({at, middle});
  for (; from < moves_.size(); ++from) {
    wrap(moves_[from], {term.data(), at}, second);
  }
  walk(second);
  for (; from < moves_.size(); ++from) {
    if (moves_[from].kind == Move::Kind::kTau) {
      wrap(moves_[from], {term.data(), middle}, {});
    }
  }
}

// Internal steps leave the choice open.
void Steps::walk_external(const Node& frame, Bytes term,
                          const std::uint8_t* at) {
  const Entered entered(*this);
  place_.outermost = false;
  Room& room = enter_room();
  const std::uint64_t count = operands_of(frame, at);
  split(count, at, room);
  const std::uint8_t* end = term.data() + term.size();
  for (std::size_t i = 0; i < room.parts.size(); ++i) {
    const Bytes part = room.parts[i];
    std::size_t from = moves_.size();
    walk(part);
    for (; from < moves_.size(); ++from) {
      if (moves_[from].kind != Move::Kind::kTau) continue;
      wrap(moves_[from], {term.data(), part.data()},
           {part.data() + part.size(), end});
    }
  }
}

Steps::Room& Steps::enter_room() {
  if (place_.rooms == rooms_.size()) rooms_.emplace_back();
  return rooms_[place_.rooms++];
}

const std::uint8_t* Steps::split(std::uint64_t count, const std::uint8_t* at,
                                 Room& room) const {
  room.parts.clear();
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint8_t* end = terms_.end_of(at);
    room.parts.emplace_back(at, end);
    at = end;
  }
  return at;
}

void Steps::walk_part(Bytes part, std::size_t number) {
  const Entered entered(*this);
  if (place_.outermost) {
    place_.outermost = false;
    place_.actors = number < 64 ? std::uint64_t{1} << number : 0;
  }
  walk(part);
}

std::uint64_t Steps::all_parts(std::size_t count) const {
  if (!place_.outermost) return place_.actors;
  if (count >= 64) return ~std::uint64_t{0};
  return (std::uint64_t{1} << count) - 1;
}

bool Steps::take_terminations(std::size_t from) {
  for (std::size_t i = from; i < moves_.size(); ++i) {
    if (moves_[i].kind == Move::Kind::kTerminate) {
      waiting_.push_back(moves_[i].low);
    }
  }
  const auto first = moves_.begin() + static_cast<std::ptrdiff_t>(from);
  const auto gone = std::remove_if(first, moves_.end(), [](const Move& move) {
    return move.kind == Move::Kind::kTerminate;
  });
  const bool any = gone != moves_.end();
  moves_.erase(gone, moves_.end());
  return any;
}

void Steps::find_sends(Bytes part, std::size_t number, Room& room) {
  const Entered entered(*this);
  const std::size_t from = moves_.size();
  place_.mode = Mode::kSends;
  walk_part(part, number);
  const auto first = moves_.begin() + static_cast<std::ptrdiff_t>(from);
  room.sends.assign(first, moves_.end());
  moves_.erase(first, moves_.end());
}

void Steps::join(const Move& other, Move& both) {
  both.atomic |= other.atomic;
  both.actors |= other.actors;
  both.low = std::min(both.low, other.low, std::less<>());
  both.high = std::max(both.high, other.high, std::less<>());
}

// The sender's program runs first.
Move Steps::joined(const Move& sent, const Move& received) {
  Move both = sent;
  both.kind = Move::Kind::kEvent;
  join(received, both);
  both.effects = 2;
  both.effect[1] = received.effect[0];
  return both;
}

void Steps::pair(Bytes term, std::size_t sender, Room& room) {
  find_sends(room.parts[sender], sender, room);
  for (std::size_t s = 0; s < room.sends.size(); ++s) {
    for (std::size_t other = 0; other < room.parts.size(); ++other) {
      if (other == sender) continue;
      const Entered entered(*this);
      place_.mode = Mode::kReceives;
      place_.buffer = room.sends[s].buffer;
      place_.message = room.sends[s].message;
      const std::size_t from = moves_.size();
      walk_part(room.parts[other], other);
      for (std::size_t i = from; i < moves_.size(); ++i) {
        const Move received = moves_[i];
        if (received.kind == Move::Kind::kFault) continue;
        moves_[i] = joined(room.sends[s], received);
        room.pieces.assign(room.parts.size(), {});
        room.pieces[sender] = {nullptr, room.sends[s].begin,
                               room.sends[s].length};
        room.pieces[other] = {nullptr, received.begin, received.length};
        put_pieces(term, room, moves_[i]);
      }
    }
  }
}

// The term, with each piece that is given in place of a part.
void Steps::put_pieces(Bytes term, Room& room, Move& move) {
  std::size_t total = term.size();
  for (std::size_t i = 0; i < room.parts.size(); ++i) {
    if (room.pieces[i].length == 0) continue;
    total += room.pieces[i].length;
    total -= room.parts[i].size();
  }
  move.begin = bytes_.size();
  move.length = total;
  bytes_.resize(move.begin + total);
  std::uint8_t* to = bytes_.data() + move.begin;
  const std::uint8_t* from = term.data();
  for (std::size_t i = 0; i < room.parts.size(); ++i) {
    const Piece& piece = room.pieces[i];
    if (piece.length == 0) continue;
    to = std::copy(from, room.parts[i].data(), to);
    const std::uint8_t* changed = bytes_.data() + piece.begin;
    to = std::copy(changed, changed + piece.length, to);
    from = room.parts[i].data() + room.parts[i].size();
  }
  std::copy(from, term.data() + term.size(), to);
}

void Steps::walk_interleave(const Node& frame, Bytes term,
                            const std::uint8_t* at) {
  const Entered entered(*this);
  Room& room = enter_room();
  const std::uint64_t count = operands_of(frame, at);
  split(count, at, room);
  const std::uint8_t* end = term.data() + term.size();
  bool all_done = true;
  for (std::size_t i = 0; i < room.parts.size(); ++i) {
    const Bytes part = room.parts[i];
    const std::size_t from = moves_.size();
    walk_part(part, i);
    all_done &= take_terminations(from);
    for (std::size_t m = from; m < moves_.size(); ++m) {
      wrap(moves_[m], {term.data(), part.data()},
           {part.data() + part.size(), end});
    }
    if (nodes_.has_synchronous && place_.mode == Mode::kMoves) {
      pair(term, i, room);
    }
  }
  if (all_done && place_.mode == Mode::kMoves) {
    add_termination(all_parts(room.parts.size()));
  }
}

void Steps::gather(Room& room) {
  const std::size_t from = moves_.size();
  room.moves.clear();
  room.first.clear();
  for (std::size_t i = 0; i < room.parts.size(); ++i) {
    room.first.push_back(room.moves.size());
    walk_part(room.parts[i], i);
    room.moves.insert(room.moves.end(),
                      moves_.begin() + static_cast<std::ptrdiff_t>(from),
                      moves_.end());
    moves_.resize(from);
  }
  room.first.push_back(room.moves.size());
}

void Steps::walk_parallel(const Node& frame, Bytes term,
                          const std::uint8_t* at) {
  const Holes holes = terms_.read_holes(frame.holes, at);
  if (place_.mode != Mode::kMoves) {
    walk_interleave(frame, term, at);
    return;
  }
  const Entered entered(*this);
  Room& room = enter_room();
  const std::uint64_t count = operands_of(frame, at);
  split(count, at, room);
  const Alphabets::Partners& partners = alphabets_.partners(frame, holes);
  gather(room);
  std::size_t done = 0;
  for (std::size_t i = 0; i < room.parts.size(); ++i) {
    const auto begin = room.moves.begin();
    const auto first = begin + static_cast<std::ptrdiff_t>(room.first[i]);
    const auto last = begin + static_cast<std::ptrdiff_t>(room.first[i + 1]);
    if (std::any_of(first, last, [](const Move& move) {
          return move.kind == Move::Kind::kTerminate;
        })) {
      ++done;
    }
    emit(term, partners, i, room);
    if (nodes_.has_synchronous) pair(term, i, room);
  }
  if (done == room.parts.size()) add_termination(all_parts(done));
}

// What component i does alone, and what it does with others behind it.
void Steps::emit(Bytes term, const Alphabets::Partners& partners,
                 std::size_t component, Room& room) {
  const Bytes part = room.parts[component];
  const std::uint8_t* end = term.data() + term.size();
  for (std::size_t m = room.first[component]; m < room.first[component + 1];
       ++m) {
    const Move move = room.moves[m];
    if (move.kind == Move::Kind::kTerminate) {
      waiting_.push_back(move.low);
      continue;
    }
    if (move.kind == Move::Kind::kEvent && !move.alone) {
      const auto found = partners.find(move.event);
      if (found != partners.end() &&
          std::binary_search(found->second.begin(), found->second.end(),
                             static_cast<std::uint32_t>(component))) {
        if (found->second.size() > 1) waiting_.push_back(move.low);
        if (found->second[0] == component) {
          synchronise(term, move, found->second, room);
        }
        continue;
      }
    }
    wrap(add(move), {term.data(), part.data()},
         {part.data() + part.size(), end});
  }
}

bool Steps::can_join(const Move& move, std::uint32_t part, const Room& room) {
  const auto begin = room.moves.begin();
  return std::any_of(
      begin + static_cast<std::ptrdiff_t>(room.first[part]),
      begin + static_cast<std::ptrdiff_t>(room.first[part + 1]),
      [&](const Move& other) { return is_partner(other, move.event); });
}

// Each partner must be able to do it, in one way or in several.
void Steps::synchronise(Bytes term, const Move& move,
                        const std::vector<std::uint32_t>& partners,
                        Room& room) {
  if (!std::all_of(partners.begin(), partners.end(), [&](std::uint32_t part) {
        return can_join(move, part, room);
      })) {
    return;
  }
  room.pieces.assign(room.parts.size(), {});
  room.pieces[partners[0]] = {nullptr, move.begin, move.length};
  const auto go = [&](const auto& self, std::size_t next,
                      const Move& so_far) -> void {
    if (next == partners.size()) {
      put_pieces(term, room, add(so_far));
      return;
    }
    const std::uint32_t part = partners[next];
    for (std::size_t m = room.first[part]; m < room.first[part + 1]; ++m) {
      const Move& other = room.moves[m];
      if (!is_partner(other, move.event)) continue;
      Move both = so_far;
      join(other, both);
      room.pieces[part] = {nullptr, other.begin, other.length};
      self(self, next + 1, both);
    }
  };
  go(go, 1, move);
}

}  // namespace plumb::csp
