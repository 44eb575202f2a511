// SPDX-License-Identifier: Apache-2.0
#include "report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/terminal_text.h"
#include "check/explain.h"

namespace plumb::report {

namespace {

using history::History;
using history::Operation;

struct Bar {
  const Operation* operation;
  std::string label;
  std::size_t from = 0, to = 0;  // columns
};

// Gives every end of a bar a column, in the order of their moments, with room
// for the labels.  Returns the width.
std::size_t assign_columns(std::vector<Bar>& bars) {
  struct End {
    history::Moment moment;
    bool is_return;
    Bar* bar;
  };
  std::vector<End> ends;
  for (Bar& bar : bars) {
    ends.push_back({bar.operation->invoked, false, &bar});
    ends.push_back({bar.operation->returned, true, &bar});
  }
  // At equal moments, invocations come first: such operations overlap.
  std::stable_sort(ends.begin(), ends.end(), [](const End& a, const End& b) {
    return std::pair(a.moment, a.is_return) < std::pair(b.moment, b.is_return);
  });
  std::size_t column = 0;
  for (const End& end : ends) {
    if (!end.is_return) {
      end.bar->from = column;
    } else {
      const std::size_t room = end.bar->label.size() + 5;
      column = std::max(column, end.bar->from + room);
      end.bar->to = column;
    }
    column += 2;
  }
  return column;
}

std::string draw(const Bar& bar) {
  const std::size_t inner = bar.to - bar.from - 1;
  const std::size_t dashes = inner - bar.label.size() - 2;
  return "|" + std::string(dashes / 2, '-') + ' ' + bar.label + ' ' +
         std::string(dashes - dashes / 2, '-') +
         (bar.operation->pending() ? "..." : "|");
}

std::string list(const std::vector<Bar>& bars, const History& history,
                 const std::string& indent, const char* unit) {
  std::string out;
  for (const Bar& bar : bars) {
    const Operation& o = *bar.operation;
    std::string lines = fmt::format("{} {}", unit, o.line);
    if (o.returned_line > 0) lines += fmt::format("-{}", o.returned_line);
    out += fmt::format("{}{:<20} {:<12} {}\n", indent, lines,
                       process_name(history, o), bar.label);
  }
  return out;
}

}  // namespace

std::string lines_of(const history::Operation& operation) {
  if (operation.line == operation.returned_line) {
    return fmt::format("line {}", operation.line);
  }
  return fmt::format("lines {}-{}", operation.line, operation.returned_line);
}

std::string process_name(const History& history, const Operation& o) {
  const Value process = o.process < history.processes.size()
                            ? history.processes[o.process]
                            : Value::integer(o.process);
  return fmt::format("process {}", process.is_text()
                                       ? one_line(process.as_text())
                                       : process.to_string());
}

std::string draw_timeline(const History& history,
                          const spec::Specification& object,
                          const std::vector<std::uint32_t>& operations,
                          const std::string& indent, std::size_t width,
                          const char* unit) {
  std::vector<Bar> bars;
  for (const std::uint32_t i : operations) {
    const Operation& o = history.operations[i];
    bars.push_back({&o, check::describe(o, object), 0, 0});
  }
  const std::size_t columns = assign_columns(bars);
  std::size_t name_width = 0;
  // By process: two where clocks leave open whether its operations overlap.
  std::map<std::uint32_t, std::pair<std::string, std::vector<std::string>>>
      lanes;
  for (const Bar& bar : bars) {
    auto& [name, of_process] = lanes[bar.operation->process];
    name = process_name(history, *bar.operation);
    name_width = std::max(name_width, name.size());
    auto lane = std::find_if(
        of_process.begin(), of_process.end(),
        [&](const std::string& one) { return one.size() <= bar.from; });
    if (lane == of_process.end()) lane = of_process.emplace(lane);
    lane->resize(bar.from, ' ');
    *lane += draw(bar);
  }
  if (indent.size() + name_width + 3 + columns > width) {
    return list(bars, history, indent, unit);
  }
  std::string out;
  for (const auto& [process, named] : lanes) {
    for (const std::string& lane : named.second) {
      out +=
          fmt::format("{}{:<{}}   {}\n", indent, named.first, name_width, lane);
    }
  }
  return out;
}

}  // namespace plumb::report
