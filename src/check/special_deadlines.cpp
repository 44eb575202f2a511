// SPDX-License-Identifier: Apache-2.0
#include "check/special_deadlines.h"

#include <algorithm>

namespace plumb::check {

void find_deadlines_of_empty_takes(const Collection& collection,
                                   std::vector<Deadline>& deadlines) {
  const auto cells = static_cast<std::size_t>(collection.cells);
  std::vector<std::int32_t> inside(cells + 1);
  for (const Item& item : collection.items) {
    if (!item.ever_inside()) continue;
    ++inside[static_cast<std::size_t>(item.added.last) + 1];
    --inside[static_cast<std::size_t>(item.taken.first)];
  }
  std::vector<Cell> last(cells + 1), next(cells + 1);
  for (std::size_t c = 0; c <= cells; ++c) {
    if (c > 0) inside[c] += inside[c - 1];
    const Cell before = c > 0 ? last[c - 1] : -1;
    last[c] = inside[c] == 0 ? static_cast<Cell>(c) : before;
  }
  for (std::size_t c = cells + 1; c-- > 0;) {
    const Cell after = c < cells ? next[c + 1] : collection.cells;
    next[c] = inside[c] == 0 ? static_cast<Cell>(c) : after;
  }
  LeastFrom least(collection.cells + 1);
  std::vector<Interval> free;
  for (const Take& take : collection.empty_takes) {
    const auto by = static_cast<std::int32_t>(free.size());
    free.push_back({next[static_cast<std::size_t>(take.when.first)],
                    last[static_cast<std::size_t>(take.when.last)]});
    least.lower(free.back().first, {free.back().last, by});
  }
  for (Deadline& deadline : deadlines) {
    const Item& item =
        collection.items[static_cast<std::size_t>(deadline.item)];
    const auto entry = least.from(item.added.last + 1);
    if (entry.number >= deadline.cell) continue;
    deadline = {deadline.item, entry.number, entry.by, true,
                free[static_cast<std::size_t>(entry.by)]};
  }
}

bool give_out_takes(Collection& collection, std::vector<Deadline> deadlines,
                    std::vector<Deadline>& too_many) {
  std::erase_if(deadlines, [&](const Deadline& deadline) {
    return deadline.cell >= collection.cells;
  });
  std::stable_sort(
      deadlines.begin(), deadlines.end(),
      [](const Deadline& a, const Deadline& b) { return a.cell < b.cell; });
  const auto& takes = collection.pending_takes;
  for (std::size_t i = 0; i < deadlines.size(); ++i) {
    Item& item = collection.items[static_cast<std::size_t>(deadlines[i].item)];
    const bool in_time =
        i < takes.size() &&
        std::max(takes[i].when.first, item.added.first) <= deadlines[i].cell;
    if (!in_time) {
      deadlines.resize(i + 1);
      too_many = std::move(deadlines);
      return false;
    }
    item.take = static_cast<std::int32_t>(takes[i].operation);
    item.taken = {std::max(takes[i].when.first, item.added.first),
                  takes[i].when.last};
  }
  return true;
}

}  // namespace plumb::check
