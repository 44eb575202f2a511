// SPDX-License-Identifier: Apache-2.0
// PAT's EntryList: the nodes of a linked list, with counted references.
#include <cstdint>
#include <string>
#include <utility>

#include "csp/library_parts.h"

namespace plumb::csp {

// PAT's EntryList is known by the names of its methods and what it is for: a
// pool of nodes whose references are counted, so that a node that nobody can
// reach is free again, and "Out of memory" if none is.  What each method does
// is our reading of its name:
//   new EntryList(n, min, max)  n nodes: 0 is the head with key min, 1 the
//                               tail with key max, head -> tail; others free
//   Create(key)     takes the first free node; the caller holds a reference
//   Next(a)         the successor of a, or -1
//   GetNext(a)      the same, and the caller holds a reference to it
//   SetNext(a, b)   a's successor is b
//   Key(a), Marked(a), SetMarked(a, mark)
//   Assign(a, b)    a variable that held a now holds b; gives b:
//                   `pred = l.Assign(pred, curr)`
//   Reset(a), Reset2(a, b), Reset3(a, b, c)   gives references up
//   GetData()       the keys of unmarked nodes from the head to the tail
// -1 is no node: it may be assigned, reset and be a successor.
// LIMIT: nodes in a ring keep each other; lists have no rings.

namespace {

using Contents = Datum::Contents;

// Numbers of one node; a free one is all zeros but for its successor.
enum Part : std::size_t { kKey, kNext, kMarked, kReferences, kParts };
constexpr std::int32_t kNone = -1;
constexpr std::int32_t kMostNodes = 10'000;

std::size_t nodes_in(const Contents& pool) {
  return pool.size() / kParts;
}

// Where the parts of a node in use begin.
std::size_t node_of(const Contents& pool, std::int32_t node) {
  const std::size_t at = checked_index(node, nodes_in(pool)) * kParts;
  if (pool[at + kReferences] == 0) {
    throw RuntimeFault{FaultKind::kArgument,
                       "node " + std::to_string(node) + " is free"};
  }
  return at;
}

void hold(Contents& pool, std::int32_t node) {
  if (node != kNone) ++pool[node_of(pool, node) + kReferences];
}

// A node that nobody holds gives its successor up, and so on.
void let_go(Contents& pool, std::int32_t node) {
  while (node != kNone) {
    const std::size_t at = node_of(pool, node);
    if (--pool[at + kReferences] > 0) return;
    node = pool[at + kNext];
    pool[at + kKey] = 0;
    pool[at + kNext] = kNone;
    pool[at + kMarked] = 0;
  }
}

Datum make(Arguments arguments) {
  if (arguments.empty()) return Datum::object(ClassId::kEntryList, {});
  const std::int32_t nodes = number_of(arguments[0]);
  if (nodes < 2 || nodes > kMostNodes) {
    throw RuntimeFault{FaultKind::kArgument,
                       "an EntryList has 2 to " + std::to_string(kMostNodes) +
                           " nodes, not " + std::to_string(nodes)};
  }
  Contents pool;
  for (std::int32_t i = 0; i < nodes; ++i) {
    pool.insert(pool.end(), {0, kNone, 0, 0});
  }
  const std::size_t tail = kParts;
  pool[kKey] = number_of(arguments[1]);
  pool[kNext] = 1;
  pool[kReferences] = 1;  // the list itself holds its two ends
  pool[tail + kKey] = number_of(arguments[2]);
  pool[tail + kReferences] = 2;
  return Datum::object(ClassId::kEntryList, std::move(pool));
}

Datum create(Datum& self, Arguments arguments) {
  const std::int32_t key = number_of(arguments[0]);
  Contents& pool = self.own_contents();
  for (std::size_t i = 0; i < nodes_in(pool); ++i) {
    const std::size_t at = i * kParts;
    if (pool[at + kReferences] != 0) continue;
    pool[at + kKey] = key;
    pool[at + kReferences] = 1;
    return Datum::integer(static_cast<std::int32_t>(i));
  }
  throw RuntimeFault{
      FaultKind::kMemory,
      "all " + std::to_string(nodes_in(pool)) + " nodes are in use"};
}

Datum set_next(Datum& self, Arguments arguments) {
  const std::int32_t next = number_of(arguments[1]);
  Contents& pool = self.own_contents();
  const std::size_t at = node_of(pool, number_of(arguments[0]));
  hold(pool, next);
  let_go(pool, std::exchange(pool[at + kNext], next));
  return nothing();
}

Datum part(const Datum& self, const Datum& node, Part part) {
  const Contents& pool = self.contents();
  return Datum::integer(pool[node_of(pool, number_of(node)) + part]);
}

Datum next(Datum& self, Arguments arguments) {
  return part(self, arguments[0], kNext);
}

Datum get_next(Datum& self, Arguments arguments) {
  const Datum found = part(self, arguments[0], kNext);
  hold(self.own_contents(), found.number());
  return found;
}

Datum key(Datum& self, Arguments arguments) {
  return part(self, arguments[0], kKey);
}

Datum marked(Datum& self, Arguments arguments) {
  return Datum::boolean(part(self, arguments[0], kMarked).number() != 0);
}

Datum set_marked(Datum& self, Arguments arguments) {
  Contents& pool = self.own_contents();
  pool[node_of(pool, number_of(arguments[0])) + kMarked] =
      number_of(arguments[1]) != 0;
  return nothing();
}

Datum assign(Datum& self, Arguments arguments) {
  const std::int32_t old = number_of(arguments[0]);
  const std::int32_t now = number_of(arguments[1]);
  Contents& pool = self.own_contents();
  hold(pool, now);
  let_go(pool, old);
  return Datum::integer(now);
}

Datum reset(Datum& self, Arguments arguments) {
  Contents& pool = self.own_contents();
  for (const Datum& node : arguments) let_go(pool, number_of(node));
  return nothing();
}

Datum list_data(Datum& self, Arguments) {
  const Contents& pool = self.contents();
  Datum::Items keys;
  // Node 0 is the head and 1 the tail; a ring of nodes ends the walk too.
  std::int32_t node = pool.empty() ? kNone : pool[kNext];
  for (std::size_t i = 0; i < nodes_in(pool) && node > 1; ++i) {
    const std::size_t at = node_of(pool, node);
    if (pool[at + kMarked] == 0) {
      keys.push_back(Datum::integer(pool[at + kKey]));
    }
    node = pool[at + kNext];
  }
  return Datum::array(std::move(keys));
}

constexpr MethodInfo kEntryListMethods[] = {
    {"Create", 1, true, true, create},
    {"SetNext", 2, false, true, set_next},
    {"GetNext", 1, true, true, get_next},
    {"Next", 1, true, false, next},
    {"Key", 1, true, false, key},
    {"Marked", 1, true, false, marked},
    {"SetMarked", 2, false, true, set_marked},
    {"Assign", 2, true, true, assign},
    {"Reset", 1, false, true, reset},
    {"Reset2", 2, false, true, reset},
    {"Reset3", 3, false, true, reset},
    {"GetData", 0, true, false, list_data},
};

}  // namespace

constinit const ClassInfo kEntryListClass = {
    "EntryList", ClassId::kEntryList, kEntryListMethods, {}, 3, make};

}  // namespace plumb::csp
