// SPDX-License-Identifier: Apache-2.0
#include "report/excess.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "check/explain.h"
#include "report/history_json.h"
#include "report/timeline.h"
#include "report/words.h"

namespace plumb::report {

namespace {

using check::Excess;
using check::PlacedOperation;

bool is_too_far(const Excess& excess, std::uint32_t i) {
  return std::any_of(
      excess.too_far.begin(), excess.too_far.end(),
      [&](const check::TooFar& one) { return one.operation == i; });
}

// "deq() -> 1 by process 2 stands 3 places behind its turn, ...".
std::string sentence(const history::History& history,
                     const spec::Specification& object, const Excess& excess,
                     const check::TooFar& one) {
  const PlacedOperation& placed = excess.orders.operations[one.operation];
  const std::string who =
      placed.index
          ? " by " + process_name(history, history.operations[*placed.index]) +
                " stands"
          : ", which would have to follow, stands";
  const bool is_name = std::any_of(
      object.operations().begin(), object.operations().end(),
      [&](const spec::Signature& s) { return s.name == one.class_name; });
  const std::string factor =
      is_name ? fmt::format("its factor {}", one.factor)
              : fmt::format("the factor {} of its class '{}'", one.factor,
                            one.class_name);
  return fmt::format("{}{} {} {} its turn, {} more than {}.",
                     check::describe(placed.operation, object), who,
                     counted(placed.distance(), "place"),
                     placed.kept > placed.legal ? "behind" : "ahead of",
                     placed.distance() - one.factor, factor);
}

// An operation in one of the two orders.
std::string cell(const spec::Specification& object, const Excess& excess,
                 std::uint32_t i) {
  const PlacedOperation& placed = excess.orders.operations[i];
  std::string out = check::describe(placed.operation, object);
  if (!placed.index) out = '[' + out + ']';
  return is_too_far(excess, i) ? '*' + out + '*' : out;
}

std::size_t place_of(const std::vector<std::uint32_t>& order, std::uint32_t i) {
  return static_cast<std::size_t>(std::find(order.begin(), order.end(), i) -
                                  order.begin());
}

// Which places are worth showing: in long orders, those that the operations
// which went too far have gone past.
std::vector<bool> shown_places(const Excess& excess) {
  constexpr std::size_t kShort = 30, kNear = 2;
  const check::TwoOrders& orders = excess.orders;
  const std::size_t count = std::min(orders.kept.size(), orders.legal.size());
  std::vector<bool> shown(count, count <= kShort);
  const auto show_around = [&](std::size_t place) {
    const std::size_t from = place > kNear ? place - kNear : 0;
    for (std::size_t p = from; p <= place + kNear && p < count; ++p) {
      shown[p] = true;
    }
  };
  for (const check::TooFar& one : excess.too_far) {
    const std::size_t kept = place_of(orders.kept, one.operation);
    const std::size_t legal = place_of(orders.legal, one.operation);
    const auto [from, to] = std::minmax(kept, legal);
    show_around(from);
    show_around(to);
    for (std::size_t p = from; p <= to && to - from <= kShort; ++p) {
      shown[p] = true;
    }
  }
  return shown;
}

struct ExcessColumn {
  std::string kept, legal;
  std::size_t width() const { return std::max(kept.size(), legal.size()); }
};

std::vector<ExcessColumn> columns(const spec::Specification& object,
                                  const Excess& excess) {
  const check::TwoOrders& orders = excess.orders;
  const std::vector<bool> shown = shown_places(excess);
  std::vector<ExcessColumn> out;
  std::size_t hidden = 0;
  const auto close_gap = [&] {
    if (hidden == 0) return;
    const std::string gap = fmt::format("({} more)", hidden);
    out.push_back({gap, gap});
    hidden = 0;
  };
  for (std::size_t p = 0; p < shown.size(); ++p) {
    if (!shown[p]) {
      ++hidden;
      continue;
    }
    close_gap();
    out.push_back({cell(object, excess, orders.kept[p]),
                   cell(object, excess, orders.legal[p])});
  }
  close_gap();
  return out;
}

// Place below place, in as many pairs of lines as are needed.
std::string two_lines(const std::vector<ExcessColumn>& all, std::size_t width) {
  constexpr const char* kIndent = "    ";
  std::string out;
  for (std::size_t from = 0; from < all.size();) {
    std::string kept = fmt::format("{}pi: ", kIndent);
    std::string legal = fmt::format("{}pi':", kIndent);
    std::size_t to = from;
    for (; to < all.size(); ++to) {
      const std::size_t wide = all[to].width();
      if (to > from && kept.size() + 2 + wide > width) break;
      kept += fmt::format("  {:<{}}", all[to].kept, wide);
      legal += fmt::format("  {:<{}}", all[to].legal, wide);
    }
    for (std::string* line : {&kept, &legal}) {
      line->erase(line->find_last_not_of(' ') + 1);
    }
    out += (from > 0 ? "\n" : "") + kept + '\n' + legal + '\n';
    from = to;
  }
  return out;
}

Json order_json(const history::History& history,
                const spec::Specification& object, const Excess& excess,
                const std::vector<std::uint32_t>& order) {
  Json out = Json::array();
  for (const std::uint32_t i : order) {
    const PlacedOperation& placed = excess.orders.operations[i];
    Json one;
    one["text"] = check::describe(placed.operation, object);
    if (placed.index) {
      const std::uint32_t index = *placed.index;
      const auto& o = history.operations[index];
      one["process"] = to_json(history.processes[o.process]);
      if (o.line > 0) one["line"] = o.line;
    } else {
      one["further"] = true;
    }
    if (is_too_far(excess, i)) one["too_far"] = true;
    out.push_back(std::move(one));
  }
  return out;
}

}  // namespace

std::string excess_text(const history::History& history,
                        const spec::Specification& object, const Excess& excess,
                        std::size_t width) {
  if (!excess.nearest) {
    std::string out = excess.widest
                          ? fmt::format("Not even {} would explain it",
                                        excess.widest->to_string())
                          : "No factors would explain it";
    if (!excess.never.empty()) out += ": " + excess.never;
    return '\n' + wrapped(out + '.', "  ", width);
  }
  std::string out = "\n";
  constexpr std::size_t kSaid = 4;  // the others are marked below
  for (std::size_t i = 0; i < std::min(kSaid, excess.too_far.size()); ++i) {
    out += wrapped(sentence(history, object, excess, excess.too_far[i]), "  ",
                   width);
  }
  out += wrapped(fmt::format("This history would hold with {}.",
                             excess.nearest->to_string()),
                 "  ", width);
  if (excess.too_far.empty()) return out;
  out += '\n' + two_lines(columns(object, excess), width) + '\n';
  const auto& operations = excess.orders.operations;
  const bool some_follow =
      std::any_of(operations.begin(), operations.end(),
                  [](const PlacedOperation& placed) { return !placed.index; });
  return out + wrapped(fmt::format("pi keeps the history's order; pi' is the "
                                   "nearest that the {} accepts{}.",
                                   object.name(),
                                   some_follow ? "; [...] would follow" : ""),
                       "  ", width);
}

Json excess_json(const history::History& history,
                 const spec::Specification& object, const Excess& excess) {
  Json out;
  out["holds_with"] =
      excess.nearest ? Json(excess.nearest->to_string()) : Json();
  if (!excess.nearest) {
    out["violated_with"] =
        excess.widest ? Json(excess.widest->to_string()) : Json("any factors");
  }
  if (!excess.never.empty()) out["never"] = excess.never;
  out["too_far"] = Json::array();
  for (const check::TooFar& one : excess.too_far) {
    const PlacedOperation& placed = excess.orders.operations[one.operation];
    Json entry;
    entry["text"] = check::describe(placed.operation, object);
    if (placed.index) {
      entry["operation"] =
          operations_json(history, object, std::vector{*placed.index})[0];
    }
    entry["class"] = one.class_name;
    entry["factor"] = one.factor;
    entry["places"] = placed.distance();
    entry["direction"] = placed.kept > placed.legal ? "behind" : "ahead";
    out["too_far"].push_back(std::move(entry));
  }
  out["pi"] = order_json(history, object, excess, excess.orders.kept);
  out["legal_pi"] = order_json(history, object, excess, excess.orders.legal);
  return out;
}

}  // namespace plumb::report
