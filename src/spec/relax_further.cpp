// SPDX-License-Identifier: Apache-2.0
//
// Take any sequence of further operations that pays all debts.  "Free" are
// those of its operations that were not late.  Leaving out a free one of a
// class with debts takes away a place, so that deadlines are met as before.
// Free ones that change nothing can be left out at once.
//
// Containers.  A free take of an item that a free put has put in can be left
// out together with that put, and a free put whose item is never taken can be
// left out.  What else happens stays possible: in a queue, stack or deque the
// item stands between others and is only ever touched where it is put in and
// taken out, so the others are met in the same order; in a priority queue,
// what was smallest is so without it; in a bag, any item will do; and a bounded
// one has more room for other puts.  (What is late never found nothing.)  So
// every free put that remains is for one late take, and every free take that
// remains is of an item that was there at first or came by a late put.
//   That excludes one case: a late put that found no room needs a container
// that is full, so none may be left out.  But an item that was put in by a
// free put, and not taken by a late take of which the result is known, can be
// any other that no class tells from it.  So there one value for each cell of
// values that classes tell apart is enough to fill up with, and only those
// that late takes gave need be put in beside, once for each.  In a priority
// queue the size matters, and all values are tried.
//
// Sets.  Only values that late operations speak of matter.
//
// Registers, maps.  A write of a value that no late operation and no pending
// call speaks of (a pending cas waits for one) can be one of any other that no
// class tells from it.  A free cas is of use only
// if it finds what it expects; of the keys of a map, those matter that late
// operations speak of.
//
// Counting objects.  Let `keys` be the numbers at which something changes:
// 0 and 1, where we are, what late operations saw, and the ends of the ranges
// of classes.  Operations of classes with debts take at most P more places.
// Going up from the largest key by more than P to come back, or to stay there,
// is in vain: there is a number that is passed upwards, and the next time
// downwards if at all, by operations of classes without debts, and leaving
// these two out changes nothing, since what comes between gives results that
// nobody tells from the others.  In the same way, where keys are far from each
// other, what classes with debts do in the middle can be done near one of them,
// so that whole stretches are passed at once: numbers up to 4 P + 4 from a key
// are enough to stop at.
//
// Pending calls.  For the same reasons a pending put is of use only if a late
// take gave its item, or may have, or if the container has to be full, where
// items that no class tells apart are as good as each other (but for a priority
// queue); of a set, calls with values that late operations speak of; of a
// register, what writes a value that a late read gave, or that a cas which is
// of use waits for.  Leaving out the others keeps searches small.
//
// LIMIT: where nothing of this applies (specifications that a user wrote), a
// search goes on until it has seen all states, or gives up: relax_liveness.cpp.
#include "spec/relax_further.h"

#include <algorithm>
#include <array>

#include "base/flat_table.h"
#include "spec/built_in.h"
#include "spec/catalogue.h"

namespace plumb::spec {

namespace {

void add_once(std::vector<Value>& values, Value value) {
  if (std::ranges::find(values, value) == values.end()) {
    values.push_back(value);
  }
}

// What late operations take and give, and pending calls take; of lists also
// their items.
std::vector<Value> spoken_of(const Debts& late, std::span<const Call> pending) {
  std::vector<Value> values;
  const auto add = [&](Value value) {
    add_once(values, value);
    if (!value.is_list()) return;
    for (const Value item : value.items()) add_once(values, item);
  };
  for (const Debt& debt : late) {
    add(debt.argument);
    if (debt.result_known) add(debt.result);
  }
  for (const Call& call : pending) add(call.argument);
  return values;
}

Value second_of(Value argument) {
  return argument.is_list() && argument.items().size() == 2
             ? argument.items()[1]
             : Value();
}

}  // namespace

std::string_view built_in_name(const Specification& object) {
  if (dynamic_cast<const BuiltIn*>(&object) == nullptr) return "";
  return parse_name(object.name()).entry->name;
}

Further::Kind Further::kind_of(const Specification& base) {
  const std::string_view name = built_in_name(base);
  constexpr std::array<std::string_view, 4> kContainers = {"queue", "stack",
                                                           "deque", "bag"};
  if (std::ranges::find(kContainers, name) != kContainers.end()) {
    return Kind::kContainer;
  }
  if (name == "priority_queue") return Kind::kPriorityQueue;
  if (name == "set") return Kind::kSet;
  if (name == "register") return Kind::kRegister;
  if (name == "map") return Kind::kMap;
  return Kind::kOther;
}

Further::Further(const Specification& base, const Classes& classes,
                 const Relaxation& relaxation)
    : base_(base),
      classes_(classes),
      relaxation_(relaxation),
      kind_(kind_of(base)),
      domain_(relaxation.arguments.size()),
      cells_(relaxation.arguments.size()) {
  for (std::uint16_t code = 0; code < domain_.size(); ++code) {
    const auto& arguments = relaxation.arguments[code];
    domain_[code].insert(arguments.begin(), arguments.end());
    if (base.operations()[code].argument == Argument::kPair) {
      std::vector<Value> seconds;
      FlatSet<Value> seen;
      for (const Value argument : arguments) {
        const Value second = second_of(argument);
        if (seen.insert(second).second) seconds.push_back(second);
      }
      sort_into_cells(seconds, cells_[code]);
    } else {
      sort_into_cells(arguments, cells_[code]);
    }
  }
}

void Further::sort_into_cells(std::span<const Value> values,
                              Cells& cells) const {
  for (const Value value : values) {
    const auto cell = std::ranges::find_if(cells, [&](const auto& one) {
      return classes_.alike(one.front(), value);
    });
    if (cell == cells.end()) {
      cells.push_back({value});
    } else {
      cell->push_back(value);
    }
  }
}

bool Further::may_be_refused(const Owed& owed) const {
  return std::ranges::any_of(owed.late, [&](const Debt& debt) {
    const Signature& signature = base_.operations()[debt.code];
    return !signature.takes && signature.result == Result::kSuccess &&
           (!debt.result_known || debt.result == Value::boolean(false));
  });
}

bool Further::takes_anything(const Owed& owed) const {
  return std::ranges::any_of(owed.late, [&](const Debt& debt) {
    return takes(debt) && !debt.result_known;
  });
}

Helpers Further::helpers(const Owed& owed) const {
  Helpers enough;
  if (kind_ != Kind::kContainer && kind_ != Kind::kPriorityQueue) {
    return enough;
  }
  std::size_t late_takes = 0;
  std::size_t known_takes = 0;
  for (const Debt& debt : owed.late) {
    if (!takes(debt)) continue;
    ++late_takes;
    known_takes += debt.result_known ? 1 : 0;
  }
  if (may_be_refused(owed)) {
    if (kind_ == Kind::kContainer) enough.with_argument = known_takes;
    return enough;
  }
  enough.with_argument = late_takes;
  enough.without = owed.base.size() + owed.late.size() - late_takes;
  return enough;
}

void Further::append_arguments(const Owed& owed, std::span<const Call> pending,
                               std::uint16_t code,
                               std::vector<Choice>& choices) const {
  const auto& all = relaxation_.arguments[code];
  const Argument argument = base_.operations()[code].argument;
  const auto append_all = [&](bool is_free) {
    for (const Value value : all) choices.push_back({value, is_free});
  };
  if (argument == Argument::kNone || kind_ == Kind::kOther) {
    return append_all(false);
  }
  const std::vector<Value> spoken = spoken_of(owed.late, pending);
  const auto is_spoken_of = [&](Value value) {
    return std::ranges::find(spoken, value) != spoken.end();
  };
  // One of each cell, if need be one that is spoken of.
  const auto for_each_filler = [&](auto use) {
    for (const auto& cell : cells_[code]) {
      const auto other = std::ranges::find_if_not(cell, is_spoken_of);
      use(other == cell.end() ? cell.front() : *other);
    }
  };
  const auto append = [&](Value value, bool is_free) {
    if (domain_[code].contains(value)) choices.push_back({value, is_free});
  };
  switch (kind_) {
    case Kind::kPriorityQueue:
      if (may_be_refused(owed) || takes_anything(owed)) {
        return append_all(false);
      }
      for (const Value value : spoken) append(value, false);
      return;
    case Kind::kContainer: {
      const bool fills = may_be_refused(owed);
      for (const Value value : spoken) append(value, false);
      if (!fills && !takes_anything(owed)) return;
      return for_each_filler([&](Value value) { append(value, fills); });
    }
    case Kind::kSet:
      for (const Value value : spoken) append(value, false);
      return;
    case Kind::kRegister:
    case Kind::kMap:
      break;
    case Kind::kOther:
      return;
  }
  std::vector<Value> values = spoken;
  for_each_filler([&](Value value) { add_once(values, value); });
  if (argument != Argument::kPair) {
    for (const Value value : values) append(value, false);
    return;
  }
  add_once(values, Value());
  const std::vector<Value> firsts =
      kind_ == Kind::kMap ? spoken : std::vector<Value>{owed.base[0]};
  for (const Value first : firsts) {
    for (const Value second : values) {
      append(Value::list(std::array{first, second}), false);
    }
  }
}

std::vector<Call> Further::useful(const Owed& owed,
                                  std::span<const Call> pending) const {
  switch (kind_) {
    case Kind::kContainer:
    case Kind::kPriorityQueue:
      return useful_puts(owed, pending);
    case Kind::kRegister:
      return useful_writes(owed, pending);
    case Kind::kSet: {
      const std::vector<Value> spoken = spoken_of(owed.late, {});
      std::vector<Call> out(pending.begin(), pending.end());
      std::erase_if(out, [&](const Call& call) {
        return std::ranges::find(spoken, call.argument) == spoken.end();
      });
      return out;
    }
    case Kind::kMap:
    case Kind::kOther:
      break;
  }
  return {pending.begin(), pending.end()};
}

std::vector<Call> Further::useful_puts(const Owed& owed,
                                       std::span<const Call> pending) const {
  std::vector<Value> wanted;
  for (const Debt& debt : owed.late) {
    if (takes(debt) && debt.result_known) add_once(wanted, debt.result);
  }
  const bool any = may_be_refused(owed) || takes_anything(owed);
  std::vector<Call> out;
  std::vector<Call> fillers;
  for (Call call : pending) {
    const bool puts = base_.operations()[call.code].argument != Argument::kNone;
    if (puts && std::ranges::find(wanted, call.argument) == wanted.end()) {
      if (!any) continue;
      const auto alike = std::ranges::find_if(fillers, [&](const Call& one) {
        return one.code == call.code &&
               classes_.alike(one.argument, call.argument);
      });
      if (alike == fillers.end()) {
        fillers.push_back(call);
      } else if (kind_ == Kind::kContainer) {
        call = *alike;
      }
    }
    out.push_back(call);
  }
  return out;
}

std::vector<Call> Further::useful_writes(const Owed& owed,
                                         std::span<const Call> pending) const {
  const auto expected = [](const Call& cas) { return cas.argument.items()[0]; };
  const auto made = [&](const Call& call) {
    const bool is_cas =
        base_.operations()[call.code].argument == Argument::kPair;
    return is_cas ? second_of(call.argument) : call.argument;
  };
  bool all = false;
  for (std::uint16_t code = 0; code < base_.operations().size(); ++code) {
    const bool is_cas = base_.operations()[code].argument == Argument::kPair;
    all |= is_cas && classes_.relaxes(code);
  }
  std::vector<Value> wanted;
  for (const Debt& debt : owed.late) {
    const Argument argument = base_.operations()[debt.code].argument;
    if (argument == Argument::kPair || !debt.result_known) all = true;
    if (argument == Argument::kNone) add_once(wanted, debt.result);
  }
  if (all) return {pending.begin(), pending.end()};
  std::vector<Call> out;
  std::vector<Call> left(pending.begin(), pending.end());
  for (bool grew = true; grew;) {
    grew = false;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (std::ranges::find(wanted, made(left[i])) == wanted.end()) continue;
      out.push_back(left[i]);
      if (base_.operations()[left[i].code].argument == Argument::kPair) {
        add_once(wanted, expected(left[i]));
        grew = true;
      }
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(i--));
    }
  }
  return out;
}

std::optional<Stops> Stops::of(const Specification& base,
                               const Classes& classes, const Owed& owed) {
  const std::string_view name = built_in_name(base);
  if (name != "counter" && name != "snzi") return std::nullopt;
  std::vector<std::int64_t> keys = {0, 1, owed.base[0].as_integer()};
  const auto add = [&](Value value) {
    constexpr std::int64_t kFarthest = std::int64_t{1} << 60;
    if (!value.is_integer() || value.as_integer() > kFarthest) return;
    for (const std::int64_t beside : {-1, 0, 1}) {
      keys.push_back(std::max<std::int64_t>(value.as_integer() + beside, 0));
    }
  };
  for (const Range& range : classes.ranges()) {
    add(range.lowest);
    add(range.highest);
  }
  std::vector<bool> owes(classes.size());
  for (const Debt& debt : owed.late) {
    if (debt.result_known) add(debt.result);
    owes[debt.one] = true;
  }
  std::int64_t places = 0;
  for (ClassIndex one = 0; one < classes.size(); ++one) {
    const bool moves =
        std::ranges::any_of(classes.codes(one), [&](std::uint16_t code) {
          return !base.operations()[code].reads_only;
        });
    if (owes[one] && moves) places += std::int64_t{classes.factor(one)} + 1;
  }
  std::ranges::sort(keys);
  const std::int64_t around = 4 * places + 4;
  Stops stops;
  for (const std::int64_t key : keys) {
    std::int64_t next = std::max<std::int64_t>(key - around, 0);
    if (!stops.numbers_.empty()) {
      next = std::max(next, stops.numbers_.back() + 1);
    }
    for (; next <= key + around; ++next) stops.numbers_.push_back(next);
  }
  return stops;
}

bool Stops::settle(const State& from, State& to) const {
  const std::int64_t here = from[0].as_integer();
  const std::int64_t there = to[0].as_integer();
  if (there == here) return true;
  const auto above = std::ranges::lower_bound(numbers_, there);
  if (there > here) {
    if (above == numbers_.end()) return false;
    to[0] = Value::integer(*above);
  } else if (above == numbers_.end() || *above != there) {
    to[0] = Value::integer(*std::prev(above));  // 0 is a stop
  }
  return true;
}

}  // namespace plumb::spec
