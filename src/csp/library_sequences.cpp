// SPDX-License-Identifier: Apache-2.0
// PAT's List, Queue, Stack and HashTable.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "csp/library_parts.h"

namespace plumb::csp {

namespace {

using Contents = Datum::Contents;

Datum integer(std::size_t number) {
  return Datum::integer(static_cast<std::int32_t>(number));
}

[[noreturn]] void empty(const char* what) {
  throw RuntimeFault{FaultKind::kEmpty, what};
}

const Contents& list_of(const Datum& argument) {
  return contents_of(argument, ClassId::kList);
}

std::span<const std::int32_t> items_of(const Datum& list) {
  return std::span<const std::int32_t>(list_of(list)).subspan(1);
}

Datum list_add(Datum& self, Arguments arguments) {
  self.own_contents().push_back(number_of(arguments[0]));
  return nothing();
}

Datum list_get(Datum& self, Arguments arguments) {
  const auto items = items_of(self);
  return Datum::integer(
      items[checked_index(number_of(arguments[0]), items.size())]);
}

Datum list_contains(Datum& self, Arguments arguments) {
  const auto items = items_of(self);
  return Datum::boolean(std::find(items.begin(), items.end(),
                                  number_of(arguments[0])) != items.end());
}

Datum list_count(Datum& self, Arguments) {
  return integer(items_of(self).size());
}

Datum list_concat(Datum&, Arguments arguments) {
  Contents result = {0};
  for (const Datum& list : arguments) {
    const auto items = items_of(list);
    result.insert(result.end(), items.begin(), items.end());
  }
  return Datum::object(ClassId::kList, std::move(result));
}

// Says whether there was one, as C# does.
Datum list_remove(Datum& self, Arguments arguments) {
  const auto items = items_of(self);
  const auto at =
      std::find(items.begin(), items.end(), number_of(arguments[0]));
  if (at == items.end()) return Datum::boolean(false);
  const auto offset = at - items.begin();
  Contents& contents = self.own_contents();
  contents.erase(contents.begin() + 1 + offset);
  return Datum::boolean(true);
}

// PAT lets an index equal to the count pass its own check and then throws all
// the same: a fault either way.
Datum list_remove_at(Datum& self, Arguments arguments) {
  const std::size_t at =
      checked_index(number_of(arguments[0]), items_of(self).size());
  Contents& contents = self.own_contents();
  contents.erase(contents.begin() + 1 + static_cast<std::ptrdiff_t>(at));
  return nothing();
}

Datum read_field(const Datum& self) {
  return Datum::integer(list_of(self)[0]);
}

void write_field(Datum& self, const Datum& value) {
  self.own_contents()[0] = number_of(value);
}

Datum copy_list(const Datum& self) {
  if (list_of(self)[0] == 0) return self;
  Datum copy = self;
  copy.own_contents()[0] = 0;
  return copy;
}

constexpr MethodInfo kListMethods[] = {
    {"Add", 1, false, true, list_add},
    {"Get", 1, true, false, list_get},
    {"Contains", 1, true, false, list_contains},
    {"Count", 0, true, false, list_count},
    {"Concat", 2, true, false, list_concat},
    {"Remove", 1, true, true, list_remove},
    {"RemoveAt", 1, false, true, list_remove_at},
};

constexpr FieldInfo kListFields[] = {{"Field", read_field, write_field},
                                     {"Property", read_field, write_field}};

Datum append(Datum& self, Arguments arguments) {
  self.own_contents().push_back(number_of(arguments[0]));
  return nothing();
}

Datum first(Datum& self, Arguments) {
  if (self.contents().empty()) empty("First of an empty Queue");
  return Datum::integer(self.contents().front());
}

Datum last(Datum& self, Arguments) {
  if (self.contents().empty()) empty("Last of an empty Queue");
  return Datum::integer(self.contents().back());
}

Datum dequeue(Datum& self, Arguments) {
  if (self.contents().empty()) empty("Dequeue of an empty Queue");
  Contents& items = self.own_contents();
  items.erase(items.begin());
  return nothing();
}

Datum concat_queues(Datum&, Arguments arguments) {
  Contents result = contents_of(arguments[0], ClassId::kQueue);
  const Contents& second = contents_of(arguments[1], ClassId::kQueue);
  result.insert(result.end(), second.begin(), second.end());
  return Datum::object(ClassId::kQueue, std::move(result));
}

Datum pop(Datum& self, Arguments) {
  if (self.contents().empty()) empty("Pop of an empty Stack");
  Contents& items = self.own_contents();
  const std::int32_t top = items.back();
  items.pop_back();
  return Datum::integer(top);
}

Datum peek(Datum& self, Arguments) {
  if (self.contents().empty()) empty("Peek of an empty Stack");
  return Datum::integer(self.contents().back());
}

Datum contains(Datum& self, Arguments arguments) {
  const Contents& items = self.contents();
  return Datum::boolean(std::find(items.begin(), items.end(),
                                  number_of(arguments[0])) != items.end());
}

Datum clear(Datum& self, Arguments) {
  self.own_contents().clear();
  return nothing();
}

Datum count(Datum& self, Arguments) {
  return integer(self.contents().size());
}

constexpr MethodInfo kQueueMethods[] = {
    {"Enqueue", 1, false, true, append},
    {"Dequeue", 0, false, true, dequeue},
    {"First", 0, true, false, first},
    {"Last", 0, true, false, last},
    {"Contains", 1, true, false, contains},
    {"Concat", 2, true, false, concat_queues},
    {"Clear", 0, false, true, clear},
    {"Count", 0, true, false, count},
};

constexpr MethodInfo kStackMethods[] = {
    {"Push", 1, false, true, append}, {"Pop", 0, true, true, pop},
    {"Peek", 0, true, false, peek},   {"Contains", 1, true, false, contains},
    {"Clear", 0, false, true, clear}, {"Count", 0, true, false, count},
};

// Sorted by key.  PAT's states show the order that its table happens to have,
// so equal tables may be different states there; no method can see the order,
// so one state for all of them is sound.
struct Found {
  std::size_t place;  // of the key, or where it belongs
  bool there;
};

Found find_key(const Contents& contents, std::int32_t key) {
  std::size_t low = 0, high = contents.size() / 2;
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (contents[2 * middle] < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {2 * low, 2 * low < contents.size() && contents[2 * low] == key};
}

Datum table_add(Datum& self, Arguments arguments) {
  const std::int32_t key = number_of(arguments[0]);
  const std::int32_t value = number_of(arguments[1]);
  const Found at = find_key(self.contents(), key);
  if (at.there) return nothing();  // the old value stays
  Contents& contents = self.own_contents();
  contents.insert(contents.begin() + static_cast<std::ptrdiff_t>(at.place),
                  {key, value});
  return nothing();
}

Datum contains_key(Datum& self, Arguments arguments) {
  return Datum::boolean(
      find_key(self.contents(), number_of(arguments[0])).there);
}

Datum get_value(Datum& self, Arguments arguments) {
  const std::int32_t key = number_of(arguments[0]);
  const Found at = find_key(self.contents(), key);
  if (!at.there) {
    throw RuntimeFault{FaultKind::kKey,
                       "GetValue(" + std::to_string(key) + ")"};
  }
  return Datum::integer(self.contents()[at.place + 1]);
}

constexpr MethodInfo kTableMethods[] = {
    {"Add", 2, false, true, table_add},
    {"ContainsKey", 1, true, false, contains_key},
    {"GetValue", 1, true, false, get_value},
};

}  // namespace

constinit const ClassInfo kListClass = {
    "List",
    ClassId::kList,
    kListMethods,
    kListFields,
    0,
    [](Arguments) { return Datum::object(ClassId::kList, {0}); },
    copy_list};
constinit const ClassInfo kQueueClass = {
    "Queue", ClassId::kQueue, kQueueMethods, {}, 0, [](Arguments) {
      return Datum::object(ClassId::kQueue, {});
    }};
constinit const ClassInfo kStackClass = {
    "Stack", ClassId::kStack, kStackMethods, {}, 0, [](Arguments) {
      return Datum::object(ClassId::kStack, {});
    }};
constinit const ClassInfo kHashTableClass = {
    "HashTable", ClassId::kHashTable, kTableMethods, {}, 0, [](Arguments) {
      return Datum::object(ClassId::kHashTable, {});
    }};

}  // namespace plumb::csp
