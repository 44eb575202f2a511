// SPDX-License-Identifier: Apache-2.0
#include "check/forced_order.h"

#include <algorithm>

#include "base/flat_table.h"
#include "check/special.h"
#include "check/special_common.h"

namespace plumb::check {

namespace {

using history::History;
using history::Operation;

// LIMIT: the rules look at all pairs of values.
constexpr std::size_t kMostOperations = 4'000;

}  // namespace

ForcedOrder::ForcedOrder(const History& history,
                         const spec::Specification& object) {
  processes_ = history.processes.size();
  for (const Operation& o : history.operations) {
    processes_ = std::max<std::size_t>(processes_, o.process + 1);
  }
  const std::size_t size = history.size();
  clocks_.assign(size * processes_, 0);
  after_.resize(size);
  std::vector<Index> last(processes_, kNone);
  std::vector<Index> count(processes_, 0);
  for (Index i = 0; i < size; ++i) {
    const Index p = history.operations[i].process;
    process_.push_back(p);
    position_.push_back(count[p]++);
    if (last[p] != kNone) {
      after_[last[p]].push_back(i);
      join(last[p], i);
    }
    last[p] = i;
  }
  if (size > kMostOperations) return;
  const SpecialDecider special = special_decider_for(object).decide;
  if (special == decide_queue) saturate_queue(history);
  if (special == decide_register) saturate_register(history);
}

// Returns whether that says anything new of `to`.
bool ForcedOrder::join(Index from, Index to) {
  bool is_new = false;
  for (std::size_t p = 0; p < processes_; ++p) {
    std::uint32_t behind = clocks_[from * processes_ + p];
    if (p == process_[from]) behind = std::max(behind, position_[from] + 1);
    std::uint32_t& known = clocks_[to * processes_ + p];
    if (behind <= known) continue;
    known = behind;
    is_new = true;
  }
  contradiction_ = contradiction_ || before(to, to);
  return is_new;
}

void ForcedOrder::order(Index a, Index b) {
  if (contradiction_ || before(a, b)) return;
  progress_ = true;
  after_[a].push_back(b);
  if (join(a, b)) spread(b);
}

void ForcedOrder::spread(Index from) {
  changed_.assign(1, from);
  while (!changed_.empty() && !contradiction_) {
    const Index next = changed_.back();
    changed_.pop_back();
    for (const Index later : after_[next]) {
      if (join(next, later)) changed_.push_back(later);
    }
  }
}

void ForcedOrder::saturate_queue(const History& history) {
  if (!list_items(history)) return;
  do {
    progress_ = false;
    apply_queue_rules();
  } while (progress_ && !contradiction_);
}

// False if a value was put twice, or null.
bool ForcedOrder::list_items(const History& history) {
  static const std::uint16_t put = code_of("queue", "enq");
  FlatMap<Value, Index> items;
  for (Index i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (o.code != put) continue;
    const auto next = static_cast<Index>(items_.size());
    if (o.argument.is_null() || !items.try_emplace(o.argument, next).second) {
      return false;
    }
    items_.push_back({.put = i});
  }
  for (Index i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    if (o.code == put) continue;
    if (!o.certain()) {
      pending_takes_ = true;
    } else if (o.result.is_null()) {
      empty_takes_.push_back(i);
    } else {
      const auto found = items.find(o.result);
      const bool fits =
          found != items.end() && items_[found->second].take == kNone;
      if (!fits) {  // never put, or taken twice
        contradiction_ = true;
        return true;
      }
      items_[found->second].take = i;
    }
  }
  // A put that nobody saw need not have happened.
  std::erase_if(items_, [&](const Item& item) {
    return item.take == kNone && !history.operations[item.put].certain();
  });
  return true;
}

// Values leave in the order in which they came, those that stay came after all
// that left, and when nothing was found nothing was inside.
void ForcedOrder::apply_queue_rules() {
  for (const Item& a : items_) {
    const bool stays = a.take == kNone;
    if (stays && pending_takes_) continue;  // or it was taken by one of them
    if (!stays) order(a.put, a.take);
    for (const Item& b : items_) {
      if (b.put == a.put || b.take == kNone) continue;
      if (stays) {
        order(b.put, a.put);
      } else if (before(a.put, b.put)) {
        order(a.take, b.take);
      } else if (before(a.take, b.take)) {
        order(a.put, b.put);
      }
    }
    for (const Index x : empty_takes_) {
      if (stays || before(x, a.take)) {
        order(x, a.put);
      } else if (before(a.put, x)) {
        order(a.take, x);
      }
    }
    if (contradiction_) return;
  }
}

void ForcedOrder::saturate_register(const History& history) {
  if (!list_accesses(history)) return;
  do {
    progress_ = false;
    apply_register_rules();
  } while (progress_ && !contradiction_);
}

// False if a value was written twice, or the first one.
bool ForcedOrder::list_accesses(const History& history) {
  static const std::uint16_t write = code_of("register", "write");
  static const std::uint16_t cas = code_of("register", "cas");
  FlatMap<Value, Index> writers;
  FlatMap<Value, bool> seen;
  for (Index i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    const bool failed = o.certain() && o.result == Value::boolean(false);
    if (o.code != write && (o.code != cas || failed)) {
      if (o.code != cas && o.certain()) seen[o.result] = true;
      continue;
    }
    const Value value = o.code == cas ? o.argument.items()[1] : o.argument;
    if (value.is_null() || !writers.try_emplace(value, i).second) return false;
    if (o.code == cas && o.certain()) seen[o.argument.items()[0]] = true;
  }
  for (Index i = 0; i < history.size(); ++i) {
    const Operation& o = history.operations[i];
    const bool failed = o.certain() && o.result == Value::boolean(false);
    if (o.code == cas && failed) continue;
    Access access{.operation = i};
    access.writes = o.code == write || o.code == cas;
    access.reads = o.code != write;
    Value saw = o.result;
    if (o.code == cas) saw = o.argument.items()[0];
    if (!o.certain()) {  // only if somebody saw what it wrote
      if (!access.writes) continue;
      const Value wrote = access.reads ? o.argument.items()[1] : o.argument;
      if (!seen.contains(wrote)) continue;
    }
    if (access.reads && !saw.is_null()) {
      const auto found = writers.find(saw);
      if (found == writers.end() || found->second == i) {
        contradiction_ = true;
        return true;
      }
      access.writer = found->second;
    }
    accesses_.push_back(access);
  }
  return true;
}

// No other write comes between a write and those that saw it.
void ForcedOrder::apply_register_rules() {
  for (const Access& r : accesses_) {
    if (!r.reads) continue;
    if (r.writer != kNone) order(r.writer, r.operation);
    for (const Access& w : accesses_) {
      if (!w.writes || w.operation == r.operation || w.operation == r.writer) {
        continue;
      }
      if (r.writer == kNone || before(r.writer, w.operation)) {
        order(r.operation, w.operation);
      } else if (before(w.operation, r.operation)) {
        order(w.operation, r.writer);
      }
    }
    if (contradiction_) return;
  }
}

}  // namespace plumb::check
