// SPDX-License-Identifier: Apache-2.0
#include "report/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
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

struct Flag {
  std::uint32_t line;
  std::string label;
  std::size_t at = 0;  // column
};

// Gives every end of a bar a column, in the order of their moments, with room
// for the labels; and the flags between them.  Returns the width.
std::size_t assign_columns(std::vector<Bar>& bars, std::vector<Flag>& flags) {
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
  auto flag = flags.begin();
  const auto raise_until = [&](std::uint32_t line) {
    for (; flag != flags.end() && flag->line < line; ++flag) {
      flag->at = column;
      column += flag->label.size() + 2;
    }
  };
  for (const End& end : ends) {
    const Operation& o = *end.bar->operation;
    const bool is_never = end.is_return && o.pending();
    raise_until(is_never        ? UINT32_MAX
                : end.is_return ? o.returned_line
                                : o.line);
    if (!end.is_return) {
      end.bar->from = column;
    } else {
      const std::size_t room = end.bar->label.size() + 5;
      column = std::max(column, end.bar->from + room);
      end.bar->to = column;
    }
    column += 2;
  }
  raise_until(UINT32_MAX);
  return column;
}

// The last ones before the last line of the bars: what came before the first
// bar may still last.
std::vector<Flag> flags_of(std::span<const history::Remark> remarks,
                           const std::vector<Bar>& bars) {
  std::uint32_t last = 0;
  for (const Bar& bar : bars) {
    last = std::max({last, bar.operation->line, bar.operation->returned_line});
  }
  while (!remarks.empty() && remarks.back().line > last) {
    remarks = remarks.first(remarks.size() - 1);
  }
  constexpr std::size_t kMost = 6;
  std::vector<Flag> flags;
  if (remarks.size() > kMost) {
    const std::size_t earlier = remarks.size() - kMost + 1;
    flags.push_back(
        {remarks[earlier - 1].line, fmt::format("! ({} earlier)", earlier)});
    remarks = remarks.subspan(earlier);
  }
  for (const history::Remark& remark : remarks) {
    flags.push_back({remark.line, "! " + one_line(remark.text)});
  }
  return flags;
}

std::string draw(const Bar& bar) {
  const std::size_t inner = bar.to - bar.from - 1;
  const std::size_t dashes = inner - bar.label.size() - 2;
  return "|" + std::string(dashes / 2, '-') + ' ' + bar.label + ' ' +
         std::string(dashes - dashes / 2, '-') +
         (bar.operation->pending() ? "..." : "|");
}

std::string list(const std::vector<Bar>& bars, const std::vector<Flag>& flags,
                 const History& history, const TimelineStyle& style) {
  std::string out;
  for (const Flag& flag : flags) {
    out += fmt::format("{}{:<33} {}\n", style.indent,
                       fmt::format("{} {}", style.unit, flag.line), flag.label);
  }
  for (const Bar& bar : bars) {
    const Operation& o = *bar.operation;
    std::string lines = fmt::format("{} {}", style.unit, o.line);
    if (o.returned_line > 0) lines += fmt::format("-{}", o.returned_line);
    out += fmt::format("{}{:<20} {:<12} {}\n", style.indent, lines,
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
                          const TimelineStyle& style) {
  std::vector<Bar> bars;
  for (const std::uint32_t i : operations) {
    const Operation& o = history.operations[i];
    bars.push_back({&o, check::describe(o, object), 0, 0});
  }
  std::vector<Flag> flags = flags_of(style.remarks, bars);
  const std::size_t columns = assign_columns(bars, flags);
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
  if (std::strlen(style.indent) + name_width + 3 + columns > style.width) {
    return list(bars, flags, history, style);
  }
  std::string out, remarked;
  for (const Flag& flag : flags) {
    remarked.resize(flag.at, ' ');
    remarked += flag.label;
  }
  if (!flags.empty()) {
    out +=
        fmt::format("{}{:<{}}   {}\n", style.indent, "", name_width, remarked);
  }
  for (const auto& [process, named] : lanes) {
    for (const std::string& lane : named.second) {
      out += fmt::format("{}{:<{}}   {}\n", style.indent, named.first,
                         name_width, lane);
    }
  }
  return out;
}

}  // namespace plumb::report
