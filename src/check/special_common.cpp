// SPDX-License-Identifier: Apache-2.0
#include "check/special_common.h"

#include <algorithm>
#include <utility>

#include "base/invariant.h"
#include "spec/catalogue.h"
#include "spec/specification.h"

namespace plumb::check {

Timeline::Timeline(const history::History& history) {
  const auto& operations = history.operations;
  PLUMB_CHECK(operations.size() <
              static_cast<std::size_t>(std::numeric_limits<Cell>::max() / 4));
  intervals_.resize(operations.size());
  history::Moment latest = 0;  // of all moments
  history::Moment previous = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const history::Operation& operation = operations[i];
    PLUMB_CHECK(i == 0 || previous <= operation.invoked);
    if (i == 0 || operation.invoked != previous) ++cells_;
    previous = operation.invoked;
    intervals_[i].first = cells_ - 1;
    latest = std::max(latest, operation.invoked);
    if (!operation.pending()) latest = std::max(latest, operation.returned);
  }
  if (latest / 4 <= operations.size()) {
    find_last_cells_by_table(history);
  } else {
    find_last_cells_by_search(history);
  }
}

void Timeline::find_last_cells_by_table(const history::History& history) {
  const auto& operations = history.operations;
  if (operations.empty()) return;
  // By moment, up to the last invocation: the last cell up to it.
  std::vector<Cell> cell_at(operations.back().invoked + std::size_t{1});
  std::size_t next = 0;  // the first moment that has no entry yet
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const Cell cell = intervals_[i].first;
    while (next < operations[i].invoked) cell_at[next++] = cell - 1;
    if (next == operations[i].invoked) cell_at[next++] = cell;
  }
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const history::Moment returned = operations[i].returned;
    intervals_[i].last =
        returned < cell_at.size() ? cell_at[returned] : cells_ - 1;
  }
}

// For a history that is a small part of a large one.  Most operations are
// short, so the search goes forward from the operation in growing strides.
void Timeline::find_last_cells_by_search(const history::History& history) {
  const auto& operations = history.operations;
  const std::size_t size = operations.size();
  for (std::size_t i = 0; i < size; ++i) {
    const history::Moment returned = operations[i].returned;
    std::size_t low = i;  // invoked by then
    std::size_t stride = 1;
    while (low + stride < size &&
           operations[low + stride].invoked <= returned) {
      low += stride;
      stride *= 2;
    }
    for (; stride > 0; stride /= 2) {
      if (low + stride < size && operations[low + stride].invoked <= returned) {
        low += stride;
      }
    }
    intervals_[i].last = intervals_[low].first;
  }
}

void ValueTable::prepare() {
  if (expected_ == 0) return;
  // Integers of 62 bits: the difference cannot overflow.
  if (only_integers_ &&
      static_cast<std::uint64_t>(greatest_ - least_) / 8 <= expected_) {
    direct_ = true;
    slots_.assign(static_cast<std::size_t>(greatest_ - least_) + 1, kNoIndex);
  } else {
    hashed_.reserve(expected_);
  }
}

std::vector<std::uint32_t> ordered_by_cell(std::span<const Placed> placed,
                                           Cell cells) {
  std::vector<std::uint32_t> begins(static_cast<std::size_t>(cells) + 1);
  for (const Placed& one : placed) {
    PLUMB_CHECK(one.cell >= 0 && one.cell < cells);
    ++begins[static_cast<std::size_t>(one.cell) + 1];
  }
  for (std::size_t c = 1; c < begins.size(); ++c) begins[c] += begins[c - 1];
  std::vector<std::uint32_t> order(placed.size());
  for (const Placed& one : placed) {
    order[begins[static_cast<std::size_t>(one.cell)]++] = one.operation;
  }
  return order;
}

std::uint16_t code_of(std::string_view object, std::string_view operation) {
  const auto code = spec::find_operation(*spec::make(object), operation);
  PLUMB_CHECK(code.has_value());
  return *code;
}

Verdict violated_by(std::vector<std::uint32_t> core) {
  std::sort(core.begin(), core.end());
  core.erase(std::unique(core.begin(), core.end()), core.end());
  Verdict verdict;
  verdict.answer = Answer::kViolated;
  verdict.core = std::move(core);
  return verdict;
}

Verdict stopped(const Budget& budget) {
  Verdict verdict;
  verdict.answer = Answer::kUnknown;
  verdict.reason = budget.describe_limit();
  return verdict;
}

// As in the specification: a number is its own priority, a list begins with
// its priority.
Value priority_of(Value item) {
  if (item.is_integer() || !item.is_list()) return item;
  const auto items = item.items();
  return items.empty() ? item : items.front();
}

}  // namespace plumb::check
