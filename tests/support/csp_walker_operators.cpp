// SPDX-License-Identifier: Apache-2.0
// Operators: how they begin, and what their operands' steps make of them.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "support/csp_walker_rules.h"

namespace plumb::walked {
namespace {

using Around = std::function<ProcessPtr(ProcessPtr)>;

bool is_visible(const Move& move) {
  return move.kind != Move::Kind::kTau && move.kind != Move::Kind::kFault;
}

void put_around(Move& move, const Around& around) {
  if (move.after != nullptr) move.after = around(move.after);
  if (move.kind == Move::Kind::kReceive) {
    move.around = [inner = std::move(move.around), around](ProcessPtr p) {
      return around(inner ? inner(std::move(p)) : std::move(p));
    };
  }
}

}  // namespace

// Throws WalkedFault if `value` does.
ProcessPtr Rules::opened(const ProcessPtr& p, const Value& value) const {
  if (runs(*p)) return p;
  switch (p->kind) {
    case ProcessKind::kSequence:
      return sequence(*p, reached(p->children[0]), rest_of(*p));
    case ProcessKind::kAtomic:
      return atomic(*p, reached(p->children[0]));
    case ProcessKind::kHide: {
      Process made = operator_like(*p, {reached(p->children[0])});
      made.events.clear();
      for (const std::string& event : listed_events(p->events, value)) {
        made.events.emplace_back().name = event;
      }
      return shared(std::move(made));
    }
    case ProcessKind::kInterrupt: {
      // P interrupt Q interrupt R: what is written last comes in last.
      ProcessPtr made = reached(p->children[0]);
      for (std::size_t i = 1; i < p->children.size(); ++i) {
        made = shared(operator_like(*p, {made, reached(p->children[i])}));
      }
      return made;
    }
    case ProcessKind::kExternal:
    case ProcessKind::kInterleave:
      return components(*p, value);
    case ProcessKind::kParallel:
      return parallel(*p, value);
    default:
      return p;
  }
}

std::vector<ProcessPtr> Rules::operands(const Process& p,
                                        const Value& value) const {
  std::vector<ProcessPtr> made;
  const auto number = [&](const Expression& e) { return value(e).number; };
  for (const Substitution& values : all_values(p.indices, number)) {
    for (const ProcessPtr& child : p.children) {
      made.push_back(values.empty() ? child : substituted(child, values));
    }
  }
  return made;
}

ProcessPtr Rules::components(const Process& p, const Value& value) const {
  std::vector<ProcessPtr> made;
  for (const ProcessPtr& each : operands(p, value)) {
    made.push_back(reached(each));
  }
  if (p.copies != nullptr) {
    const std::int64_t copies =
        std::max<std::int64_t>(value(*p.copies).number, 0);
    made.assign(static_cast<std::size_t>(copies), made[0]);
  }
  return shared(operator_like(p, std::move(made)));
}

ProcessPtr Rules::parallel(const Process& p, const Value& value) const {
  RunningParallel made;
  std::vector<ProcessPtr> all;
  for (const ProcessPtr& each : operands(p, value)) {
    made.alphabets.push_back(alphabet_of(each, module_));
    all.push_back(reached(each));
  }
  static_cast<Process&>(made) = operator_like(p, std::move(all));
  return std::make_shared<const RunningParallel>(std::move(made));
}

// P; Q; R is P; (Q; R).
ProcessPtr Rules::rest_of(const Process& p) {
  if (p.children.size() == 2) return p.children[1];
  Process rest = p;
  rest.number = 0;
  rest.children.erase(rest.children.begin());
  return shared(std::move(rest));
}

// Skip; Q is Q.
ProcessPtr Rules::sequence(const Process& like, const ProcessPtr& first,
                           const ProcessPtr& rest) const {
  if (is_skip(*first)) return reached(rest);
  return shared(operator_like(like, {first, rest}));
}

ProcessPtr Rules::atomic(const Process& like, const ProcessPtr& inner) const {
  if (is_skip(*inner)) return inner;
  return shared(operator_like(like, {inner}));
}

Moves Rules::in_sequence(const ProcessPtr& p) {
  const ProcessPtr& rest = p->children[1];
  Moves made = moves(p->children[0]);
  for (Move& move : made) {
    if (move.kind == Move::Kind::kTerminate) {
      const bool is_atomic = move.atomic;
      move = tau_to(rest);
      move.atomic = is_atomic;
      continue;
    }
    put_around(move, [this, p, rest](const ProcessPtr& after) {
      return sequence(*p, after, rest);
    });
  }
  return made;
}

Moves Rules::in_atomic(const ProcessPtr& p) {
  Moves made = moves(p->children[0]);
  for (Move& move : made) {
    move.atomic = true;
    put_around(
        move, [this, p](const ProcessPtr& after) { return atomic(*p, after); });
  }
  return made;
}

Moves Rules::hidden(const ProcessPtr& p) {
  Moves made = moves(p->children[0]);
  for (Move& move : made) {
    const bool is_hidden = move.kind == Move::Kind::kEvent &&
                           std::any_of(p->events.begin(), p->events.end(),
                                       [&](const EventName& event) {
                                         return event.name == move.text;
                                       });
    if (is_hidden) move.kind = Move::Kind::kTau;
    put_around(move, [p](const ProcessPtr& after) {
      return shared(operator_like(*p, {after}));
    });
  }
  return made;
}

Moves Rules::interrupted(const ProcessPtr& p) {
  Moves made = moves(p->children[0]);
  for (Move& move : made) {
    put_around(move, [p](const ProcessPtr& after) {
      return shared(operator_like(*p, {after, p->children[1]}));
    });
  }
  for (Move& move : moves(p->children[1])) {
    if (!is_visible(move)) {
      put_around(move, [p](const ProcessPtr& after) {
        return shared(operator_like(*p, {p->children[0], after}));
      });
    }
    made.push_back(std::move(move));
  }
  return made;
}

ProcessPtr Rules::with_operand(const Process& p, std::size_t i,
                               const ProcessPtr& operand) {
  std::vector<ProcessPtr> all = p.children;
  all[i] = operand;
  return shared(operator_like(p, std::move(all)));
}

Moves Rules::external(const ProcessPtr& p) {
  Moves made;
  for (std::size_t i = 0; i < p->children.size(); ++i) {
    for (Move& move : moves(p->children[i])) {
      if (!is_visible(move)) {
        put_around(move, [p, i](const ProcessPtr& after) {
          return with_operand(*p, i, after);
        });
      }
      made.push_back(std::move(move));
    }
  }
  return made;
}

// What is left of |||{n}@P and |||{..}@P when some copies have moved.
ProcessPtr Rules::counted(const Process& p, std::vector<ProcessPtr> all) const {
  std::multimap<std::string, ProcessPtr> sorted;
  for (ProcessPtr& each : all) {
    std::string key = key_of(*each, owner_);
    sorted.emplace(std::move(key), std::move(each));
  }
  all.clear();
  const ProcessPtr fresh = p.unbounded ? p.children[0] : nullptr;
  if (p.unbounded) {
    // There are always enough that have not begun, and who has ended is gone.
    all.push_back(fresh);
    sorted.erase(key_of(*fresh, owner_));
    sorted.erase(key_of(*skip(), owner_));
  }
  for (const auto& [key, each] : sorted) all.push_back(each);
  return shared(operator_like(p, std::move(all)));
}

ProcessPtr Rules::changed(const Process& p,
                          const std::vector<ProcessPtr>& parts,
                          const Changes& changes) const {
  std::vector<ProcessPtr> all = parts;
  for (const auto& [i, after] : changes) all[i] = after;
  if (p.copies != nullptr || p.unbounded) return counted(p, std::move(all));
  if (p.kind != ProcessKind::kParallel) {
    return shared(operator_like(p, std::move(all)));
  }
  auto made =
      std::make_shared<RunningParallel>(static_cast<const RunningParallel&>(p));
  made->children = std::move(all);
  return made;
}

// A receiver's input of what a sender sends; the sender's program is first.
void Rules::communicate(const Process& p, const std::vector<ProcessPtr>& parts,
                        const std::vector<Moves>& of, Moves& made) const {
  const std::vector<std::size_t> kinds = kinds_of(p, parts);
  std::set<std::pair<std::size_t, std::size_t>> seen;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (std::size_t j = 0; j < parts.size(); ++j) {
      if (i == j || !seen.insert({kinds[i], kinds[j]}).second) continue;
      for (const Move& sent : of[i]) {
        for (const Move& offer : of[j]) {
          auto both = met(sent, offer);
          if (!both) continue;
          both->first.after =
              changed(p, parts, {{i, sent.after}, {j, both->second}});
          made.push_back(std::move(both->first));
        }
      }
    }
  }
}

// A sender and a receiver, if they fit, and what is left of the latter.
std::optional<std::pair<Move, ProcessPtr>> Rules::met(const Move& sent,
                                                      const Move& offer) const {
  if (sent.kind != Move::Kind::kSend || offer.kind != Move::Kind::kReceive ||
      sent.buffer != offer.buffer) {
    return std::nullopt;
  }
  Move both = sent;
  both.atomic |= offer.atomic;
  try {
    const Moves found = taken(*offer.receiver, sent.buffer, sent.message);
    if (found.empty()) return std::nullopt;
    both.kind = Move::Kind::kEvent;
    both.effects.push_back(found[0].effects[0]);
    const ProcessPtr& after = found[0].after;
    return std::pair(both, offer.around ? offer.around(after) : after);
  } catch (const WalkedFault& fault) {
    both.kind = Move::Kind::kFault;
    both.text = fault.what;
    return std::pair(both, offer.receiver);
  }
}

// Numbers that are equal for copies that are alike: they step once for all.
std::vector<std::size_t> Rules::kinds_of(
    const Process& p, const std::vector<ProcessPtr>& parts) const {
  std::map<std::string, std::size_t> known;
  std::vector<std::size_t> made;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const bool is_copy = p.copies != nullptr || p.unbounded;
    const std::string key =
        is_copy ? key_of(*parts[i], owner_) : std::to_string(i);
    made.push_back(known.try_emplace(key, i).first->second);
  }
  return made;
}

Moves Rules::interleaved(const ProcessPtr& p) {
  std::vector<ProcessPtr> parts = p->children;
  if (p->unbounded) parts.push_back(p->children[0]);  // two of these may meet
  const std::vector<std::size_t> kinds = kinds_of(*p, parts);
  bool all_done = !p->unbounded;
  std::vector<Moves> of;
  Moves made;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    of.push_back(moves(parts[i]));
    bool done = false;
    for (Move move : of.back()) {
      if (move.kind == Move::Kind::kTerminate) done = true;
      if (move.kind == Move::Kind::kTerminate || kinds[i] != i) continue;
      put_around(move, [this, p, parts, i](const ProcessPtr& after) {
        return changed(*p, parts, {{i, after}});
      });
      made.push_back(std::move(move));
    }
    all_done &= done;
  }
  communicate(*p, parts, of, made);
  if (all_done) made.push_back(terminated());
  return made;
}

Moves Rules::in_parallel(const std::shared_ptr<const RunningParallel>& p) {
  std::vector<Moves> of;
  std::size_t done = 0;
  Moves made;
  for (const ProcessPtr& part : p->children) {
    of.push_back(moves(part));
    const bool is_done = std::any_of(
        of.back().begin(), of.back().end(),
        [](const Move& move) { return move.kind == Move::Kind::kTerminate; });
    if (is_done) ++done;
  }
  for (std::size_t i = 0; i < of.size(); ++i) {
    for (Move move : of[i]) {
      if (move.kind == Move::Kind::kTerminate) continue;
      const bool is_common = move.kind == Move::Kind::kEvent && !move.alone &&
                             p->alphabets[i].contains(move.text);
      if (is_common) {
        together(*p, i, move, of, made);
        continue;
      }
      put_around(move, [this, p, i](const ProcessPtr& after) {
        return changed(*p, p->children, {{i, after}});
      });
      made.push_back(std::move(move));
    }
  }
  communicate(*p, p->children, of, made);
  if (done == p->children.size()) made.push_back(terminated());
  return made;
}

// All that have the event in their alphabets must do it; the first of them
// speaks for all.
void Rules::together(const RunningParallel& p, std::size_t first,
                     const Move& move, const std::vector<Moves>& of,
                     Moves& made) const {
  std::vector<std::pair<Move, Changes>> ways = {{move, {{first, move.after}}}};
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (i == first || !p.alphabets[i].contains(move.text)) continue;
    if (i < first) return;
    std::vector<std::pair<Move, Changes>> longer;
    for (const auto& [so_far, changes] : ways) {
      for (const Move& other : of[i]) {
        if (other.kind != Move::Kind::kEvent || other.alone) continue;
        if (other.text != move.text) continue;
        longer.emplace_back(so_far, changes);
        longer.back().first.atomic |= other.atomic;
        longer.back().second.emplace_back(i, other.after);
      }
    }
    ways = std::move(longer);
  }
  for (auto& [way, changes] : ways) {
    way.after = changed(p, p.children, changes);
    made.push_back(std::move(way));
  }
}

}  // namespace plumb::walked
