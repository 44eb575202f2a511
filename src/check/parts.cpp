// SPDX-License-Identifier: Apache-2.0
#include "check/parts.h"

#include <algorithm>
#include <utility>

#include "base/flat_table.h"

namespace plumb::check {

using history::History;
using history::Moment;

std::vector<Part> split_by_part(const History& history,
                                const spec::Specification& object) {
  std::vector<Part> parts;
  FlatMap<Value, std::size_t> index;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const auto key = object.part(history.operations[i].call());
    if (!key) return {};
    const auto [entry, is_new] = index.try_emplace(*key, parts.size());
    if (is_new) {
      parts.emplace_back();
      parts.back().history = history.empty();
    }
    parts[entry->second].add(history, i);
  }
  return parts;
}

std::vector<std::uint32_t> merge_orders(
    const History& history,
    const std::vector<std::vector<std::uint32_t>>& orders) {
  std::vector<std::pair<Moment, std::uint32_t>> placed;
  for (const auto& order : orders) {
    Moment latest = 0;
    for (const std::uint32_t i : order) {
      latest = std::max(latest, history.operations[i].invoked);
      placed.emplace_back(latest, i);
    }
  }
  // Stable: equal moments of one part stay in the order of the part.
  std::stable_sort(placed.begin(), placed.end(),
                   [](auto& a, auto& b) { return a.first < b.first; });
  std::vector<std::uint32_t> merged;
  merged.reserve(placed.size());
  for (const auto& [moment, i] : placed) merged.push_back(i);
  return merged;
}

}  // namespace plumb::check
