// SPDX-License-Identifier: Apache-2.0
// Runs a specification: its built-in functions.
#include <fmt/format.h>

#include <algorithm>

#include "base/map_value.h"
#include "lang/spec_tree.h"
#include "lang/types.h"

namespace plumb::lang {

Value SpecWalk::builtin(const Expression& e) {
  switch (e.builtin) {
    case Builtin::kCas:
    case Builtin::kFetchAdd:
    case Builtin::kExchange:
      return swap(e);
    case Builtin::kDcas:
      return double_swap(e);
    case Builtin::kMin:
    case Builtin::kMax: {
      const std::int64_t x = number(*e.operands[0]);
      const std::int64_t y = number(*e.operands[1]);
      return Value::integer(e.builtin == Builtin::kMin ? std::min(x, y)
                                                       : std::max(x, y));
    }
    case Builtin::kAny: {
      constexpr std::uint64_t kMostChoices = 1'000'000;
      const std::int64_t low = number(*e.operands[0]);
      const std::int64_t high = number(*e.operands[1]);
      if (low > high) fault(e.span, "there is nothing to choose from");
      const auto count =
          static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
      if (count >= kMostChoices) {
        fault(e.span, fmt::format("more than {} choices are to be tried",
                                  kMostChoices));
      }
      return Value::integer(
          low + static_cast<std::int64_t>(choices_.choose(count + 1)));
    }
    case Builtin::kIndex: {
      const Value process = value(*e.operands[0]);
      return process.is_null() ? Value::integer(-1) : process;
    }
    default:
      return container(e);
  }
}

Value SpecWalk::swap(const Expression& e) {
  const Type& type = *e.operands[0]->type;
  if (e.builtin == Builtin::kCas) {
    const Value old = value(*e.operands[1]);
    const Value next = value(*e.operands[2]);
    Stored& at = located(*e.operands[0]);
    if (at.value != old) return Value::boolean(false);
    at.value = fit(type, next, e.span);
    return Value::boolean(true);
  }
  Value next = value(*e.operands[1]);
  Stored& at = located(*e.operands[0]);
  const Value before = at.value;
  if (e.builtin == Builtin::kFetchAdd) {
    std::int64_t sum = 0;
    if (__builtin_add_overflow(number(before, e.span), number(next, e.span),
                               &sum)) {
      fault(e.span, "the number is too large");
    }
    next = Value::integer(sum);
  }
  at.value = fit(type, next, e.span);
  return before;
}

Value SpecWalk::double_swap(const Expression& e) {
  Value given[4];
  for (std::size_t i = 0; i < 4; ++i) given[i] = value(*e.operands[i + 2]);
  Stored& x = located(*e.operands[0]);
  Stored& y = located(*e.operands[1]);
  if (x.value != given[0] || y.value != given[1]) return Value::boolean(false);
  x.value = fit(*e.operands[0]->type, given[2], e.span);
  y.value = fit(*e.operands[1]->type, given[3], e.span);
  return Value::boolean(true);
}

// Of `c[i]`, or of a built-in function whose second argument is the index.
// It may be so much beyond the last item.  What it calls may change `items`.
std::size_t SpecWalk::index(const Expression& e,
                            const std::vector<Value>& items,
                            std::size_t beyond) {
  const std::int64_t i = number(*e.operands[1]);
  if (i < 0 || static_cast<std::size_t>(i) >= items.size() + beyond) {
    fault(e.span, fmt::format("the index {} is out of range", i));
  }
  return static_cast<std::size_t>(i);
}

Value SpecWalk::container(const Expression& e) {
  const Type& type = *e.operands[0]->type;
  if (type.kind == TypeKind::kValue) {
    const Value whole = value(*e.operands[0]);
    if (!whole.is_list() && !is_map(whole)) {
      fault(e.span, fmt::format("{} is no list", whole.to_string()));
    }
    const auto items = is_map(whole) ? keys_and_values(whole) : whole.items();
    const std::size_t stride = is_map(whole) ? 2 : 1;
    if (e.builtin == Builtin::kLen) {
      return Value::integer(static_cast<std::int64_t>(items.size() / stride));
    }
    const Value wanted = value(*e.operands[1]);
    for (std::size_t i = 0; i < items.size(); i += stride) {
      if (items[i] == wanted) return Value::boolean(true);
    }
    return Value::boolean(false);
  }
  const std::size_t stride = type.kind == TypeKind::kMap ? 2 : 1;
  switch (e.builtin) {
    case Builtin::kLen:
      return Value::integer(static_cast<std::int64_t>(
          located(*e.operands[0]).items.size() / stride));
    case Builtin::kClear:
      located(*e.operands[0]).items.clear();
      return Value();
    case Builtin::kContains:
    case Builtin::kInsert:
    case Builtin::kRemove:
      return members(e, type, located(*e.operands[0]).items);
    default:
      return sequence(e, located(*e.operands[0]).items);
  }
}

Value SpecWalk::members(const Expression& e, const Type& type,
                        std::vector<Value>& items) {
  Value wanted = value(*e.operands[1]);
  if (type.kind == TypeKind::kSeq) {
    return Value::boolean(std::find(items.begin(), items.end(), wanted) !=
                          items.end());
  }
  const std::size_t stride = type.kind == TypeKind::kMap ? 2 : 1;
  if (e.builtin == Builtin::kInsert) {
    wanted = fit(*type.element, wanted, e.operands[1]->span);
  }
  const std::size_t at = find_sorted(items, stride, wanted);
  const bool found = at < items.size() && items[at] == wanted;
  const auto place = items.begin() + static_cast<std::ptrdiff_t>(at);
  if (e.builtin == Builtin::kInsert && !found) items.insert(place, wanted);
  if (e.builtin == Builtin::kRemove && found) {
    items.erase(place, place + static_cast<std::ptrdiff_t>(stride));
  }
  return Value::boolean(found != (e.builtin == Builtin::kInsert));
}

Value SpecWalk::sequence(const Expression& e, std::vector<Value>& items) {
  const auto given = [&](const Expression& item) {
    return fit(*e.operands[0]->type->element, value(item), item.span);
  };
  switch (e.builtin) {
    case Builtin::kPushBack:
      items.push_back(given(*e.operands[1]));
      return Value();
    case Builtin::kPushFront: {
      const Value item = given(*e.operands[1]);
      items.insert(items.begin(), item);
      return Value();
    }
    case Builtin::kInsertAt: {
      const Value item = given(*e.operands[2]);
      const auto at = static_cast<std::ptrdiff_t>(index(e, items, 1));
      items.insert(items.begin() + at, item);
      return Value();
    }
    case Builtin::kRemoveAt: {
      const auto i = static_cast<std::ptrdiff_t>(index(e, items, 0));
      const auto at = items.begin() + i;
      const Value removed = *at;
      items.erase(at);
      return removed;
    }
    default:
      return taken(e, items);
  }
}

Value SpecWalk::taken(const Expression& e, std::vector<Value>& items) {
  if (items.empty()) fault(e.span, "there is nothing to take");
  switch (e.builtin) {
    case Builtin::kPopBack: {
      const Value last = items.back();
      items.pop_back();
      return last;
    }
    case Builtin::kPopFront: {
      const Value first = items.front();
      items.erase(items.begin());
      return first;
    }
    case Builtin::kBack:
      return items.back();
    case Builtin::kAnyOf:
      return items[choices_.choose(items.size())];
    default:
      return items.front();  // front, smallest
  }
}

}  // namespace plumb::lang
