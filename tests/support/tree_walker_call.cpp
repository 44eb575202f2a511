// SPDX-License-Identifier: Apache-2.0
#include "support/tree_walker_call.h"

#include <algorithm>
#include <utility>

namespace plumb::lang {

std::size_t WalkChoices::choose(std::size_t count) {
  if (count == 1) return 0;
  if (position == made.size()) made.push_back({0, count});
  return made[position++].taken;
}

bool WalkChoices::next() {
  while (!made.empty() && made.back().taken + 1 == made.back().count) {
    made.pop_back();
  }
  if (made.empty()) return false;
  ++made.back().taken;
  return true;
}

WalkEnd WalkedCall::run(const Function& function) {
  WalkEnd end;
  locals_.emplace_back();
  result_types_.push_back(function.result.get());
  WalkedProcess& process = state_.processes[static_cast<std::size_t>(process_)];
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    locals_.back()[function.parameters[i].get()] = process.arguments[i];
  }
  try {
    const Flow flow = statement(*function.body);
    end.kind = WalkEnd::Kind::kReturn;
    end.result = result_;
    if (flow != Flow::kReturn && function.result->kind != TypeKind::kVoid) {
      walk_fault("no result is returned by");
    }
  } catch (const WalkAtRest&) {
    end.kind = WalkEnd::Kind::kRest;
  } catch (const WalkBlocked&) {
    end.kind = WalkEnd::Kind::kBlocked;
  } catch (const WalkCut&) {
    end.kind = WalkEnd::Kind::kCut;
  } catch (const WalkFault& caught) {
    end.kind = WalkEnd::Kind::kFault;
    end.fault = caught.what;
  }
  return end;
}

void WalkedCall::run_init() {
  atomic_ = 1;
  locals_.emplace_back();
  const Object& object = walker_.object();
  for (std::size_t i = 0; i < object.variables.size(); ++i) {
    const Variable& variable = *object.variables[i];
    if (!variable.initial) continue;
    const Datum first = fit(*variable.type, value(*variable.initial));
    escape(*variable.type, first);
    state_.variables[i] = first;
  }
  if (object.init) statement(*object.init);
  for (auto& [name, cell] : state_.cells) cell.owner = -1;
}

// ---- accesses

Datum WalkedCall::event(const std::function<Datum()>& effect) {
  std::vector<Datum>& log =
      state_.processes[static_cast<std::size_t>(process_)].log;
  if (position_ == log.size()) log.push_back(effect());
  return log[position_++];
}

// A process rests in front of what it has no budget for.
void WalkedCall::boundary() {
  if (atomic_ != 0) return;
  event([&] {
    if (budget_ == 0) throw WalkAtRest{};
    --budget_;
    return Datum{};
  });
}

void WalkedCall::mark() {
  event([&] {
    marked_ = true;
    return Datum{};
  });
}

bool WalkedCall::is_private(std::int64_t cell) const {
  const auto found = state_.cells.find(cell);
  return found != state_.cells.end() && found->second.owner == process_;
}

void WalkedCall::begin_access(const WalkedPlace& place) {
  if (place.base == WalkedPlace::Base::kLocal) return;
  // Whether it was private then is known from the log only: the cell may
  // have become known to all since.
  const Datum was_private = event([&] {
    const bool is =
        place.base == WalkedPlace::Base::kCell && is_private(place.cell);
    return Datum{is ? 1 : 0, {}};
  });
  if (was_private.number == 0) boundary();
}

WalkedCell& WalkedCall::cell_at(std::int64_t cell) {
  if (cell == 0) walk_fault("null reference in");
  WalkedCell& found = state_.cells.at(cell);
  if (found.freed && walker_.object().memory == Memory::kManual) {
    walk_fault("freed cell used in");
  }
  return found;
}

Datum& WalkedCall::locate(const WalkedPlace& place) {
  Datum* at = nullptr;
  if (place.base == WalkedPlace::Base::kLocal) {
    at = &locals_.back().at(place.variable);
  } else if (place.base == WalkedPlace::Base::kShared) {
    at = &state_.variables[place.index];
  } else {
    at = &cell_at(place.cell).fields[place.index];
  }
  for (const auto& [type, index] : place.path) {
    if (type->kind == TypeKind::kMap) {
      Datum* found = nullptr;
      for (Datum& pair : at->items) {
        if (pair.items[0] == index) found = &pair.items[1];
      }
      if (found == nullptr) walk_fault("missing key in");
      at = found;
      continue;
    }
    const bool inside =
        index.number >= 0 &&
        static_cast<std::size_t>(index.number) < at->items.size();
    if (!inside) walk_fault("index out of range in");
    at = &at->items[static_cast<std::size_t>(index.number)];
  }
  return *at;
}

Datum WalkedCall::read(const WalkedPlace& place) {
  begin_access(place);
  if (place.base == WalkedPlace::Base::kLocal) return locate(place);
  return event([&] { return locate(place); });
}

void WalkedCall::escape(const Type& type, const Datum& datum) {
  if (type.kind != TypeKind::kReference) return;
  const auto found = state_.cells.find(datum.number);
  if (found != state_.cells.end()) found->second.owner = -1;
}

// Requires: begin_access().
void WalkedCall::write(const WalkedPlace& place, const Datum& datum) {
  const bool map =
      !place.path.empty() && place.path.back().first->kind == TypeKind::kMap;
  const auto effect = [&] {
    if (place.base != WalkedPlace::Base::kLocal || !place.path.empty()) {
      escape(*place.type, datum);
    }
    if (!map) {
      locate(place) = datum;
      return Datum{};
    }
    WalkedPlace whole = place;
    whole.path.pop_back();
    const Type& type = *place.path.back().first;
    const Datum key = fit(*type.key, place.path.back().second);
    std::vector<Datum>& items = locate(whole).items;
    auto at = items.begin();
    while (at != items.end() && at->items[0] < key) ++at;
    if (at != items.end() && at->items[0] == key) {
      at->items[1] = datum;
    } else {
      if (items.size() == walker_.capacity(type)) throw WalkCut{};
      items.insert(at, Datum{0, {key, datum}});
    }
    return Datum{};
  };
  if (place.base == WalkedPlace::Base::kLocal) {
    effect();
  } else {
    event(effect);
  }
}

// ---- statements

WalkedCall::Flow WalkedCall::statements(const std::vector<StatementPtr>& all) {
  for (const StatementPtr& one : all) {
    const Flow flow = statement(*one);
    if (flow != Flow::kNext) return flow;
  }
  return Flow::kNext;
}

WalkedCall::Flow WalkedCall::statement(const Statement& of) {
  if (--fuel_ < 0) walk_fault("runs for ever without a step:");
  switch (of.kind) {
    case StatementKind::kBlock:
      return statements(of.body);
    case StatementKind::kDeclare:
      for (const auto& variable : of.variables) {
        locals_.back()[variable.get()] =
            variable->initial ? fit(*variable->type, value(*variable->initial))
                              : walker_.default_of(*variable->type);
      }
      return Flow::kNext;
    case StatementKind::kAssign: {
      const WalkedPlace to = place(*of.target);
      const Datum datum = fit(*to.type, value(*of.value));
      begin_access(to);
      write(to, datum);
      return Flow::kNext;
    }
    case StatementKind::kEvaluate:
      value(*of.value);
      return Flow::kNext;
    case StatementKind::kIf:
      if (condition(*of.value)) return statement(*of.body[0]);
      return of.body.size() > 1 ? statement(*of.body[1]) : Flow::kNext;
    case StatementKind::kWhile:
    case StatementKind::kDoWhile:
    case StatementKind::kFor:
      return loop(of);
    case StatementKind::kBreak:
      return Flow::kBreak;
    case StatementKind::kContinue:
      return Flow::kContinue;
    case StatementKind::kReturn:
      if (of.value) result_ = fit(*result_types_.back(), value(*of.value));
      return Flow::kReturn;
    case StatementKind::kAtomic: {
      boundary();
      ++atomic_;
      const Flow flow = statements(of.body);
      --atomic_;
      return flow;
    }
    case StatementKind::kAwait: {
      boundary();
      ++atomic_;
      const bool holds = value(*of.value).number != 0;
      --atomic_;
      if (!holds) throw WalkBlocked{};
      return Flow::kNext;
    }
    case StatementKind::kChoose:
      return choose(of);
    case StatementKind::kAssert:
      if (value(*of.value).number == 0) walk_fault("assertion failed:");
      return Flow::kNext;
    case StatementKind::kDelete:
      delete_cell(of);
      return Flow::kNext;
    case StatementKind::kSkip:
      boundary();
      return Flow::kNext;
    case StatementKind::kLinearize:
      return linearize(of);
  }
  return Flow::kNext;
}

WalkedCall::Flow WalkedCall::loop(const Statement& of) {
  if (of.first) statement(*of.first);
  bool first = of.kind == StatementKind::kDoWhile;
  for (;;) {
    if (--fuel_ < 0) walk_fault("runs for ever without a step:");
    if (!first && of.value && !condition(*of.value)) return Flow::kNext;
    first = false;
    const Flow flow = statement(*of.body[0]);
    if (flow == Flow::kBreak) return Flow::kNext;
    if (flow == Flow::kReturn) return flow;
    if (of.next) statement(*of.next);
  }
}

WalkedCall::Flow WalkedCall::choose(const Statement& of) {
  const Datum taken = event([&] {
    if (atomic_ == 0 && budget_ == 0) throw WalkAtRest{};
    return Datum{static_cast<std::int64_t>(choices_.choose(of.body.size())),
                 {}};
  });
  return statement(*of.body[static_cast<std::size_t>(taken.number)]);
}

WalkedCall::Flow WalkedCall::linearize(const Statement& of) {
  Flow flow = Flow::kNext;
  if (of.body.empty()) {
    mark();
    return flow;
  }
  const Statement& inner = *of.body[0];
  if (inner.kind == StatementKind::kIf) {
    if (!condition(*inner.value)) {
      return inner.body.size() > 1 ? statement(*inner.body[1]) : Flow::kNext;
    }
    mark();
    return statement(*inner.body[0]);
  }
  flow = statement(inner);
  mark();
  return flow;
}

void WalkedCall::delete_cell(const Statement& of) {
  const Datum cell = value(*of.value);
  boundary();
  event([&] {
    if (cell.number == 0) walk_fault("null reference in");
    WalkedCell& found = state_.cells.at(cell.number);
    if (found.freed) walk_fault("cell deleted twice in");
    found.freed = true;
    return Datum{};
  });
}

}  // namespace plumb::lang
