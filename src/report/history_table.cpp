// SPDX-License-Identifier: Apache-2.0
#include "report/history_table.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace plumb::report {

namespace {

using check::Answer;
using history::Operation;

class HistoryTable {
 public:
  HistoryTable(const HistoryResult& result, Window window)
      : result_(result),
        history_(*result.history),
        first_(window.first),
        count_(window.count) {}

  Json json();

 private:
  void add_names(Json& out) const;
  void add_calls(Json& out) const;
  void add_moments(Json& out) const;
  void add_times(Json& out) const;
  void add_order(Json& out) const;
  void add_explanation(Json& out) const;
  void add_two_orders(Json& out) const;
  void add_quiescent(Json& out) const;
  void add_remarks(Json& out) const;

  bool is_inside(std::size_t operation) const {
    return operation >= first_ && operation < first_ + count_;
  }
  // Those that are in the window, by their place in it.
  Json inside(const std::vector<std::uint32_t>& operations) const;
  // A column: what `entry` gives for each operation of the window.
  template <typename Entry>
  Json column(Entry entry) const {
    Json out = Json::array();
    out.get_ref<Json::array_t&>().reserve(count_);
    for (std::size_t i = first_; i < first_ + count_; ++i) {
      out.push_back(entry(history_.operations[i]));
    }
    return out;
  }

  const HistoryResult& result_;
  const history::History& history_;
  const std::size_t first_, count_;
};

Json HistoryTable::inside(const std::vector<std::uint32_t>& operations) const {
  Json out = Json::array();
  for (const std::uint32_t i : operations) {
    if (is_inside(i)) out.push_back(i - first_);
  }
  return out;
}

void HistoryTable::add_names(Json& out) const {
  out["processes"] = Json::array();
  for (const Value process : history_.processes) {
    out["processes"].push_back(process.is_text()
                                   ? std::string(process.as_text())
                                   : process.to_string());
  }
  out["process"] = column([](const Operation& o) { return Json(o.process); });
  out["functions"] = Json::array();
  for (const spec::Signature& signature : result_.object->operations()) {
    out["functions"].push_back(std::string(signature.name));
  }
  out["function"] = column([](const Operation& o) { return Json(o.code); });
}

void HistoryTable::add_calls(Json& out) const {
  if (result_.keyed_arguments) {
    out["keys"] = Json::array();
    std::map<std::uint64_t, std::size_t> seen;  // by word of the key
    out["key"] = column([&](const Operation& o) {
      const Value key = o.argument.items()[0];
      const auto [entry, is_new] = seen.try_emplace(key.word(), seen.size());
      if (is_new) out["keys"].push_back(key.to_string());
      return Json(entry->second);
    });
  }
  out["argument"] = column([&](const Operation& o) {
    return to_json(result_.keyed_arguments ? o.argument.items()[1]
                                           : o.argument);
  });
  out["result"] = column([](const Operation& o) { return to_json(o.result); });
}

void HistoryTable::add_moments(Json& out) const {
  out["status"] = column([](const Operation& o) { return Json(+o.pending()); });
  const auto line = [](std::uint32_t number) {
    return number > 0 ? Json(number) : Json();
  };
  out["line"] = column([&](const Operation& o) { return line(o.line); });
  out["returned_line"] =
      column([&](const Operation& o) { return line(o.returned_line); });
  out["invoked"] = column([](const Operation& o) { return Json(o.invoked); });
  out["returned"] = column([](const Operation& o) {
    return o.pending() ? Json() : Json(o.returned);
  });
}

void HistoryTable::add_times(Json& out) const {
  if (result_.times.empty()) return;
  const auto at = [&](std::uint32_t line) {
    const auto found = result_.times.find(line);
    return found == result_.times.end() ? Json() : Json(found->second);
  };
  out["invoked_at"] = column([&](const Operation& o) { return at(o.line); });
  out["returned_at"] = column([&](const Operation& o) {
    return o.pending() ? Json() : at(o.returned_line);
  });
}

void HistoryTable::add_explanation(Json& out) const {
  const check::Explanation& why = *result_.explanation;
  out["order"] = inside(why.order);
  out["culprits"] = inside(why.culprits);
  out["obstacles"] = Json::array();
  for (const check::Obstacle& obstacle : why.obstacles) {
    if (!is_inside(obstacle.operation)) continue;
    out["obstacles"].push_back(
        Json::array({obstacle.operation - first_, obstacle.reason}));
  }
  if (is_inside(why.last)) out["last"] = why.last - first_;
  out["state"] = why.state;
}

void HistoryTable::add_order(Json& out) const {
  if (result_.explanation) {
    add_explanation(out);
  } else if (result_.verdict.answer == Answer::kHolds &&
             !result_.verdict.order.empty()) {
    out["order"] = inside(result_.verdict.order);
  }
}

// pi and pi', and how far each operation is from its place among those of its
// class.  What would have to follow has no row: null.
void HistoryTable::add_two_orders(Json& out) const {
  const check::TwoOrders* const orders = result_.excess
                                             ? &result_.excess->orders
                                         : result_.orders ? &*result_.orders
                                                          : nullptr;
  if (orders == nullptr || orders->operations.empty()) return;
  out["factors"] = Json::array();
  for (const auto& [name, factor] : result_.factors) {
    out["factors"].push_back(Json::array({name, factor}));
  }
  const auto row = [&](std::uint32_t i) {
    const auto index = orders->operations[i].index;
    return index && is_inside(*index) ? Json(*index - first_) : Json();
  };
  out["moves"] = Json::array();
  for (std::uint32_t i = 0; i < orders->operations.size(); ++i) {
    const check::PlacedOperation& placed = orders->operations[i];
    const Json operation = row(i);
    if (operation.is_null()) continue;
    out["moves"].push_back(
        Json::array({operation, placed.kept, placed.legal,
                     placed.in_class >= 0 ? Json(placed.in_class) : Json()}));
  }
  for (const auto& [name, order] :
       {std::pair{"pi", &orders->kept}, {"pi_prime", &orders->legal}}) {
    out[name] = Json::array();
    for (const std::uint32_t i : *order) out[name].push_back(row(i));
  }
}

// Moments at which something begins and nothing is pending, and the end.
void HistoryTable::add_quiescent(Json& out) const {
  if (!result_.quiescent) return;
  out["quiescent"] = Json::array();
  history::Moment until = 0;  // when all calls so far have returned
  for (std::size_t i = 0; i < history_.size(); ++i) {
    const Operation& o = history_.operations[i];
    if (o.invoked >= until && is_inside(i)) {
      out["quiescent"].push_back(o.invoked);
    }
    const history::Moment end = o.pending() ? history::kNever : o.returned + 1;
    until = std::max(until, end);
  }
  if (until != history::kNever && count_ > 0 &&
      first_ + count_ == history_.size()) {
    out["quiescent"].push_back(until);
  }
}

// Before which event each of them was made.
void HistoryTable::add_remarks(Json& out) const {
  if (result_.remarks.empty()) return;
  std::vector<std::pair<std::uint32_t, history::Moment>> events;  // by line
  for (std::size_t i = first_; i < first_ + count_; ++i) {
    const Operation& o = history_.operations[i];
    events.emplace_back(o.line, o.invoked);
    if (!o.pending()) events.emplace_back(o.returned_line, o.returned);
  }
  std::ranges::sort(events);
  auto next = events.begin();
  for (const history::Remark& remark : result_.remarks) {
    while (next != events.end() && next->first < remark.line) ++next;
    if (next == events.end()) break;
    out["remarks"].push_back(Json::array({next->second, remark.text}));
  }
}

Json HistoryTable::json() {
  Json out;
  out["total"] = history_.size();
  out["first"] = first_;
  add_names(out);
  add_calls(out);
  add_moments(out);
  add_times(out);
  add_order(out);
  add_two_orders(out);
  add_quiescent(out);
  add_remarks(out);
  return out;
}

}  // namespace

// All operations that cannot be explained together, if they fit; in any case
// the last one, and more of what came before it than of what follows.
Window window_of(const HistoryResult& result, std::size_t most) {
  const std::size_t size = result.history->size();
  const std::size_t count = std::min(size, most);
  if (count == size || !result.explanation) return {0, count};
  const check::Explanation& why = *result.explanation;
  std::size_t from = why.last, to = why.last;
  for (const std::uint32_t i : why.culprits) {
    from = std::min<std::size_t>(from, i);
    to = std::max<std::size_t>(to, i);
  }
  const std::size_t needed = to - from + 1;
  const bool fits = needed <= count;
  const std::size_t before = (fits ? count - needed : count) * 3 / 4;
  const std::size_t anchor = fits ? from : why.last;
  return {std::min(anchor - std::min(anchor, before), size - count), count};
}

Json history_table(const HistoryResult& result, std::size_t most) {
  return HistoryTable(result, window_of(result, most)).json();
}

}  // namespace plumb::report
