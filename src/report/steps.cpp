// SPDX-License-Identifier: Apache-2.0
#include "report/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "report/words.h"

namespace plumb::report {

namespace {

// Narrower columns than this tell nothing.
constexpr std::size_t kNarrowest = 14;
constexpr std::size_t kNumbers = 12;  // "step  line  "
constexpr std::size_t kMargins = 4;   // of a column: the sign, and a gap
constexpr std::size_t kNameWidth = 12;

char sign_of(const TraceStep& step) {
  switch (step.kind) {
    case lts::LabelKind::kInvoke:
      return '>';
    case lts::LabelKind::kReturn:
      return '<';
    case lts::LabelKind::kFault:
      return '!';
    default:
      break;
  }
  return step.marked ? '*' : ' ';
}

// What a step shows besides its statement.
std::string remark_of(const TraceStep& step) {
  if (step.fault.empty()) return words_of(step.effects);
  // The line has a column of its own.
  const std::string line = fmt::format("line {}: ", step.line);
  return step.fault.starts_with(line) ? step.fault.substr(line.size())
                                      : step.fault;
}

struct StepColumn {
  std::size_t begin = 0;
  std::size_t width = kNarrowest;
};

// Of a run of more steps than this, the first and the last ones are shown.
constexpr std::size_t kWholeRun = 1000, kEnds = 100;

class StepTable {
 public:
  StepTable(const Trace& trace, const std::string& indent, std::size_t width);

  std::string draw() const;

 private:
  void share_room();
  std::string header() const;
  std::string row(std::size_t number) const;
  std::string lasso_begins() const;
  std::string lasso_ends() const;

  const Trace& trace_;
  const std::string& indent_;
  std::map<std::size_t, StepColumn> columns_;  // by process
  bool by_columns_ = true;
  std::size_t room_ = 0;  // of all columns together
};

StepTable::StepTable(const Trace& trace, const std::string& indent,
                     std::size_t width)
    : trace_(trace), indent_(indent) {
  for (const TraceStep& step : trace.steps) {
    StepColumn& column = columns_[step.process];
    const std::size_t text = fitted(step.statement, width).size();
    const std::size_t remark = fitted(remark_of(step), width).size();
    column.width = std::max(column.width,
                            text + (remark == 0 ? 0 : remark + 3) + kMargins);
  }
  if (trace.waiting) columns_[*trace.waiting];
  const std::size_t numbers = indent.size() + kNumbers;
  room_ = width > numbers + kNarrowest ? width - numbers : kNarrowest;
  by_columns_ = columns_.size() * kNarrowest <= room_;
  if (by_columns_) {
    share_room();
  } else {
    for (auto& entry : columns_)
      entry.second = {kNameWidth, room_ - kNameWidth};
  }
}

// Columns that need little get that; the others share what is left.
void StepTable::share_room() {
  std::size_t left = room_;
  std::vector<StepColumn*> open;
  for (auto& entry : columns_) open.push_back(&entry.second);
  std::sort(open.begin(), open.end(),
            [](const StepColumn* a, const StepColumn* b) {
              return a->width < b->width;
            });
  for (std::size_t i = 0; i < open.size(); ++i) {
    open[i]->width = std::min(open[i]->width, left / (open.size() - i));
    left -= open[i]->width;
  }
  std::size_t begin = 0;
  for (auto& entry : columns_) {
    entry.second.begin = begin;
    begin += entry.second.width;
  }
}

std::string StepTable::header() const {
  std::string out = indent_ + "step  line  ";
  if (!by_columns_) return out + fmt::format("{:<{}}step\n", "", kNameWidth);
  for (const auto& [process, column] : columns_) {
    out.resize(indent_.size() + kNumbers + column.begin, ' ');
    out += fmt::format("  process {}", process);
  }
  return out + '\n';
}

// The remark stands beside the statement if the column holds both, else below
// it.  A row holds one step only, so a long text may run on to the right.
std::string StepTable::row(std::size_t number) const {
  const TraceStep& step = trace_.steps[number];
  const StepColumn& place = columns_.at(step.process);
  const std::size_t column = place.begin;
  const std::size_t room = room_ > column + 2 ? room_ - column - 2 : 1;
  const std::string statement = fitted(step.statement, room);
  const std::string remark = fitted(remark_of(step), room > 2 ? room - 2 : 1);
  const std::string line =
      step.line > 0 ? fmt::format("{:>4}", step.line) : "    ";
  const std::string who =
      by_columns_
          ? std::string(column, ' ')
          : fmt::format("{:<{}}", fmt::format("process {}", step.process),
                        column);
  std::string out = fmt::format("{}{:>4}  {}  {}{} {}", indent_, number + 1,
                                line, who, sign_of(step), statement);
  if (!remark.empty()) {
    const bool beside =
        statement.size() + remark.size() + 3 + kMargins <= place.width;
    out += beside ? "   " + remark
                  : fmt::format("\n{}{}    {}", indent_,
                                std::string(kNumbers + column, ' '), remark);
  }
  return out + '\n';
}

std::string StepTable::lasso_begins() const {
  return indent_ + "-- then for ever:\n";
}

std::string StepTable::lasso_ends() const {
  if (*trace_.back_to < trace_.steps.size()) {
    return fmt::format("{}-- and again from step {}\n", indent_,
                       *trace_.back_to + 1);
  }
  if (trace_.waiting) {
    return fmt::format("{}-- then process {} waits for ever\n", indent_,
                       *trace_.waiting);
  }
  return indent_ + "-- then nothing can happen any more\n";
}

std::string StepTable::draw() const {
  std::string out = header();
  const std::size_t count = trace_.steps.size();
  const std::size_t left_out = count > kWholeRun ? count - 2 * kEnds : 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (left_out != 0 && i == kEnds) {
      out += fmt::format("{}... steps {} to {} are left out; --json has them\n",
                         indent_, grouped(i + 1), grouped(i + left_out));
      i += left_out;
    }
    if (trace_.back_to == i) out += lasso_begins();
    out += row(i);
  }
  if (trace_.back_to) out += lasso_ends();
  return out;
}

}  // namespace

std::string draw_steps(const Trace& trace, const std::string& indent,
                       std::size_t width) {
  return StepTable(trace, indent, width).draw();
}

}  // namespace plumb::report
