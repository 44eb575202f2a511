// SPDX-License-Identifier: Apache-2.0
// The steps of many copies of one process, which are counted, not listed.
#include <algorithm>
#include <utility>

#include "csp/steps.h"

namespace plumb::csp {

// Copies that are alike step once for all of them.  |||{..}@P holds those
// that have taken a step; one more fresh copy may always take its first, and
// one that is fresh again or has ended is forgotten.
void Steps::walk_copies(const Node& frame, Bytes term, const std::uint8_t* at) {
  const Entered entered(*this);
  const Holes holes = terms_.read_holes(frame.holes, at);
  const Bytes head(term.data(), at);
  Room& room = enter_room();
  const bool unbounded = frame.kind == NodeKind::kReplicated;
  const std::uint64_t groups = read_number(at);
  room.counts.clear();
  for (std::uint64_t i = 0; i < groups; ++i) {
    room.counts.push_back(read_number(at));
  }
  split(groups, at, room);
  room.scratch.clear();
  if (unbounded) {
    terms_.write(frame.children[0].node, holes, room.scratch);
    room.parts.emplace_back(room.scratch);
    room.counts.push_back(2);  // as many as anybody needs
  }
  const Bytes fresh = room.scratch;
  place_.outermost = false;
  place_.actors = 0;
  bool all_done = !unbounded;
  for (std::size_t i = 0; i < room.parts.size(); ++i) {
    const std::size_t from = moves_.size();
    // A fresh copy is no part of the state's term.
    place_.unfolded |= unbounded && i + 1 == room.parts.size();
    walk(room.parts[i]);
    all_done &= take_terminations(from);
    walk_copy(head, i, fresh, room, from);
    if (nodes_.has_synchronous && place_.mode == Mode::kMoves) {
      pair_copies(head, i, fresh, room);
    }
  }
  if (all_done && place_.mode == Mode::kMoves) add_termination(0);
}

void Steps::walk_copy(Bytes head, std::size_t number, Bytes fresh, Room& room,
                      std::size_t from) {
  for (; from < moves_.size(); ++from) {
    Move& move = moves_[from];
    if (move.kind == Move::Kind::kFault) continue;
    room.pieces.assign(1, {nullptr, move.begin, move.length});
    put_copies(head, {&number, 1}, fresh, room, move);
  }
}

void Steps::pair_copies(Bytes head, std::size_t sender, Bytes fresh,
                        Room& room) {
  find_sends(room.parts[sender], sender, room);
  for (std::size_t s = 0; s < room.sends.size(); ++s) {
    for (std::size_t other = 0; other < room.parts.size(); ++other) {
      if (other == sender && room.counts[other] < 2) continue;
      const Entered entered(*this);
      place_.mode = Mode::kReceives;
      place_.buffer = room.sends[s].buffer;
      place_.message = room.sends[s].message;
      const std::size_t from = moves_.size();
      walk(room.parts[other]);
      for (std::size_t i = from; i < moves_.size(); ++i) {
        const Move received = moves_[i];
        if (received.kind == Move::Kind::kFault) continue;
        moves_[i] = joined(room.sends[s], received);
        room.pieces.assign(
            {{nullptr, room.sends[s].begin, room.sends[s].length},
             {nullptr, received.begin, received.length}});
        const std::size_t taken[] = {sender, other};
        put_copies(head, taken, fresh, room, moves_[i]);
      }
    }
  }
}

void Steps::put_copies(Bytes head, std::span<const std::size_t> taken,
                       Bytes fresh, Room& room, Move& move) {
  using Group = std::pair<Bytes, std::uint64_t>;
  const auto less = [](Bytes left, Bytes right) {
    return std::lexicographical_compare(left.begin(), left.end(), right.begin(),
                                        right.end());
  };
  const std::size_t known = room.parts.size() - (fresh.empty() ? 0 : 1);
  std::vector<Group> groups;
  for (std::size_t i = 0; i < known; ++i) {
    const auto gone =
        static_cast<std::uint64_t>(std::count(taken.begin(), taken.end(), i));
    if (room.counts[i] > gone) {
      groups.emplace_back(room.parts[i], room.counts[i] - gone);
    }
  }
  for (const Piece& piece : room.pieces) {
    const Bytes added(bytes_.data() + piece.begin, piece.length);
    if (!fresh.empty() &&
        (is_skip(added) ||
         std::equal(added.begin(), added.end(), fresh.begin(), fresh.end()))) {
      continue;
    }
    const auto at = std::lower_bound(groups.begin(), groups.end(), added,
                                     [&](const Group& group, Bytes term) {
                                       return less(group.first, term);
                                     });
    if (at != groups.end() && !less(added, at->first)) {
      ++at->second;
    } else {
      groups.insert(at, {added, 1});
    }
  }
  room.changed.assign(head.begin(), head.end());
  write_number(groups.size(), room.changed);
  for (const Group& group : groups) write_number(group.second, room.changed);
  for (const Group& group : groups) {
    room.changed.insert(room.changed.end(), group.first.begin(),
                        group.first.end());
  }
  move.begin = bytes_.size();
  move.length = room.changed.size();
  bytes_.insert(bytes_.end(), room.changed.begin(), room.changed.end());
}

}  // namespace plumb::csp
