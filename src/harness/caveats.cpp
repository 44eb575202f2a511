// SPDX-License-Identifier: Apache-2.0
#include "harness/caveats.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <span>

#include "harness/left_out.h"
#include "harness/symbols.h"
#include "runtime/core.h"

namespace plumb::harness {

namespace {

constexpr std::size_t kMostShown = 4;

// Reading debug information takes a while, and tests of a program share it.
Symbols& own_symbols() {
  static const std::unique_ptr<Symbols> symbols = symbols_of_this_process();
  return *symbols;
}

std::vector<std::string> lines_of(const runtime::WeakOrders& orders) {
  std::vector<CodePlace> places;
  const std::size_t known =
      std::min<std::size_t>(orders.count, runtime::WeakOrders::kMost);
  for (std::size_t i = 0; i < known; ++i) {
    const auto& stack = orders.places[i].stack;
    std::size_t depth = 0;
    while (depth < std::size(stack) && stack[depth] != 0) ++depth;
    places.push_back(place_to_show(own_symbols(), std::span(stack, depth)));
  }
  std::sort(places.begin(), places.end(),
            [](const CodePlace& a, const CodePlace& b) {
              return std::pair(a.file, a.line) < std::pair(b.file, b.line);
            });
  std::vector<std::string> lines;
  for (const CodePlace& place : places) {
    const std::string line = to_string(place);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) {
      lines.push_back(line);
    }
  }
  return lines;
}

std::string about_memory(const std::vector<std::string>& lines,
                         const runtime::Finding& beyond_graphs) {
  const std::size_t shown = std::min(lines.size(), kMostShown);
  const bool more = lines.size() > shown;
  return fmt::format(
      "weaker orders at {}{} were not explored{}",
      fmt::join(lines.begin(),
                lines.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
      more ? fmt::format(" and {} other lines", lines.size() - shown) : "",
      why_not_explored(beyond_graphs));
}

// Without data races, and without weaker orders, C++'s memory is sequentially
// consistent.
sched::MemoryModel memory_of(const Statistics& statistics,
                             const Settings& settings) {
  if (settings.allow_races || statistics.has_unseen) {
    return sched::MemoryModel::kSc;
  }
  if (!statistics.weak_orders.any()) return sched::MemoryModel::kRc11;
  const bool is_beyond =
      statistics.beyond_graphs.fault != runtime::Fault::kNone;
  return is_beyond ? sched::MemoryModel::kSc : settings.memory_to_explore();
}

// Operations in whose calls nothing was seen: there was nothing to explore.
std::string about_unseen(const test::Case& test, const SeenOperations& seen) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < test.operations.size(); ++i) {
    if (seen.is_blind(i)) {
      names.push_back(fmt::format("'{}'", test.operations[i].name));
    }
  }
  if (names.empty()) return "";
  return fmt::format(
      "no call of {} touched memory that threads share: is that code called, "
      "and compiled along?",
      fmt::join(names, ", "));
}

}  // namespace

std::string why_not_explored(const runtime::Finding& beyond_graphs) {
  if (beyond_graphs.fault == runtime::Fault::kNone) return "";
  std::string out = fmt::format(": {}", beyond_graphs.text);
  if (beyond_graphs.pc != 0) {
    const std::uintptr_t stack[] = {beyond_graphs.pc};
    const CodePlace place = place_to_show(own_symbols(), stack);
    if (!place.file.empty()) out += fmt::format(" at {}", to_string(place));
  }
  return out;
}

Caveats caveats_of(const test::Case& test, const spec::Specification* object,
                   const ProgramList& list, const Statistics& statistics,
                   const Settings& settings) {
  Caveats out;
  out.memory = memory_of(statistics, settings);
  if (statistics.weak_orders.count > 0) {
    if (out.memory != sched::MemoryModel::kRc11) {
      out.weaker_orders = lines_of(statistics.weak_orders);
      out.clauses.push_back(
          about_memory(out.weaker_orders, statistics.beyond_graphs));
    }
    if (statistics.frees && out.memory != sched::MemoryModel::kSc) {
      out.clauses.push_back(
          "what was freed was used again under sequential consistency only");
    }
  }
  if (statistics.weak_orders.has_volatile &&
      out.memory == sched::MemoryModel::kSc) {
    out.clauses.push_back(
        "volatile accesses count as relaxed atomic ones: to C++ they are "
        "plain");
  }
  if (!list.renamed_values.empty()) {
    std::vector<std::string> values;
    for (const Value value : list.renamed_values) {
      values.push_back(value.to_string());
    }
    out.clauses.push_back(fmt::format("up to renaming of the values {}",
                                      fmt::join(values, ", ")));
  }
  if (statistics.spared) {
    out.clauses.push_back(
        "no thread met more than one weak compare-exchange that fails, or wait "
        "that ends, for no reason");
  }
  if (statistics.compares_times) {
    out.clauses.push_back(
        "no step took longer than its clocks say: they move a millisecond when "
        "they are read, and by what is slept");
  }
  if (statistics.weak_orders.has_untold) {
    out.clauses.push_back(
        "no compare-exchange failed for no reason: of some, compilers do not "
        "tell whether they are weak");
  }
  std::string unseen = about_unseen(test, statistics.seen);
  if (!unseen.empty()) out.clauses.push_back(std::move(unseen));
  if (object != nullptr) {
    for (std::string& clause : left_out(test, *object)) {
      out.clauses.push_back(std::move(clause));
    }
  }
  return out;
}

}  // namespace plumb::harness
