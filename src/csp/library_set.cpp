// SPDX-License-Identifier: Apache-2.0
// PAT's Set: sorted numbers.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <utility>

#include "csp/library_parts.h"

namespace plumb::csp {

namespace {

using Contents = Datum::Contents;

const Contents& set_of(const Datum& argument) {
  return contents_of(argument, ClassId::kSet);
}

Datum set(Contents sorted) {
  return Datum::object(ClassId::kSet, std::move(sorted));
}

bool contains(const Contents& items, std::int32_t x) {
  return std::binary_search(items.begin(), items.end(), x);
}

Datum add(Datum& self, Arguments arguments) {
  const std::int32_t x = number_of(arguments[0]);
  if (contains(set_of(self), x)) return Datum::boolean(false);
  Contents& items = self.own_contents();
  items.insert(std::lower_bound(items.begin(), items.end(), x), x);
  return Datum::boolean(true);
}

Datum remove(Datum& self, Arguments arguments) {
  const std::int32_t x = number_of(arguments[0]);
  if (!contains(set_of(self), x)) return Datum::boolean(false);
  Contents& items = self.own_contents();
  items.erase(std::lower_bound(items.begin(), items.end(), x));
  return Datum::boolean(true);
}

Datum has(Datum& self, Arguments arguments) {
  return Datum::boolean(contains(set_of(self), number_of(arguments[0])));
}

Datum set_count(Datum& self, Arguments) {
  return Datum::integer(static_cast<std::int32_t>(set_of(self).size()));
}

Datum get(Datum& self, Arguments arguments) {
  const Contents& items = set_of(self);
  return Datum::integer(
      items[checked_index(number_of(arguments[0]), items.size())]);
}

// These three look at their arguments only; the receiver stays as it is.
Datum make_union(Datum&, Arguments arguments) {
  const Contents &a = set_of(arguments[0]), &b = set_of(arguments[1]);
  Contents result;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(result));
  return set(std::move(result));
}

Datum intersect(Datum&, Arguments arguments) {
  const Contents &a = set_of(arguments[0]), &b = set_of(arguments[1]);
  Contents result;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                        std::back_inserter(result));
  return set(std::move(result));
}

Datum subtract(Datum&, Arguments arguments) {
  const Contents &a = set_of(arguments[0]), &b = set_of(arguments[1]);
  Contents result;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(),
                      std::back_inserter(result));
  return set(std::move(result));
}

bool overlapping(const Contents& a, const Contents& b) {
  return std::any_of(a.begin(), a.end(),
                     [&](std::int32_t x) { return contains(b, x); });
}

Datum is_overlapping(Datum& self, Arguments arguments) {
  return Datum::boolean(overlapping(set_of(self), set_of(arguments[0])));
}

Datum is_disjoint(Datum& self, Arguments arguments) {
  return Datum::boolean(!overlapping(set_of(self), set_of(arguments[0])));
}

// Bit i of the argument keeps the i-th smallest element.  The receiver becomes
// the subset, as in PAT; bits beyond its elements mean nothing.
Datum subset(Datum& self, Arguments arguments) {
  const auto mask = static_cast<std::uint32_t>(number_of(arguments[0]));
  Contents kept;
  Datum::Items items;
  const Contents& all = set_of(self);
  for (std::size_t i = 0; i < std::min<std::size_t>(all.size(), 32); ++i) {
    if ((mask >> i & 1) == 0) continue;
    kept.push_back(all[i]);
    items.push_back(Datum::integer(all[i]));
  }
  self.own_contents() = std::move(kept);
  return Datum::array(std::move(items));
}

// Two bits for each element, the smallest lowest: {1, 3} is 1 + 4 * 3.  PAT
// does so without a check; larger elements would run into each other.
Datum set_data(Datum& self, Arguments) {
  std::int32_t data = 0;
  int shift = 0;
  for (const std::int32_t x : set_of(self)) {
    if (x < 0 || x > 3) {
      throw RuntimeFault{FaultKind::kArgument,
                         "GetData is for sets of 0..3, and " +
                             std::to_string(x) + " is in this one"};
    }
    data |= x << shift;
    shift += 2;
  }
  return Datum::integer(data);
}

constexpr MethodInfo kSetMethods[] = {
    {"Add", 1, true, true, add},
    {"Remove", 1, true, true, remove},
    {"Contains", 1, true, false, has},
    {"Count", 0, true, false, set_count},
    {"Get", 1, true, false, get},
    {"Union", 2, true, false, make_union},
    {"Intersect", 2, true, false, intersect},
    {"Substract", 2, true, false, subtract},
    {"IsOverlapping", 1, true, false, is_overlapping},
    {"IsDisjoint", 1, true, false, is_disjoint},
    {"GetSubsetByIndex", 1, true, true, subset},
    {"GetData", 0, true, false, set_data},
};

}  // namespace

constinit const ClassInfo kSetClass = {
    "Set",       ClassId::kSet,
    kSetMethods, {},
    0,           [](Arguments) { return set({}); }};

}  // namespace plumb::csp
