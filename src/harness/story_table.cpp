// SPDX-License-Identifier: Apache-2.0
#include "harness/story_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/words.h"

namespace plumb::harness {

using report::fitted;
using What = StoryStep::What;

namespace {

// Narrower columns than this tell nothing.
constexpr std::size_t kNarrowest = 16;
constexpr std::size_t kMargins = 4;  // of a column: the sign, and a gap
constexpr std::size_t kNumber = 6;   // "step  "
constexpr std::size_t kWidestPlace = 24;

constexpr const char* kBold = "1";
constexpr const char* kDim = "2";
constexpr const char* kRed = "1;31";

// The end of a place says more than its beginning.
std::string fitted_place(const std::string& place) {
  if (place.size() <= kWidestPlace) return place;
  return "..." + place.substr(place.size() - (kWidestPlace - 3));
}

bool same_line(const CodePlace& a, const CodePlace& b) {
  return a.file.empty() ? a == b : a.file == b.file && a.line == b.line;
}

}  // namespace

StoryTable::StoryTable(Story& story, const StoryOptions& options)
    : story_(story), options_(options) {
  add_lines();
  lay_out();
}

void StoryTable::add_lines() {
  for (const Story::Row& row : story_.rows(options_.fold)) {
    lines_.push_back(line_of(row));
  }
}

StoryTable::Line StoryTable::line_of(const Story::Row& row) {
  const StoryStep& step = story_.input_.steps[row.step];
  Line line;
  line.thread = step.event.thread;
  if (!row.remark.empty()) {
    line.statement = row.remark;
    line.colour = kDim;
    last_thread_ = sched::kNoThread;  // the next one shows its source
    return line;
  }
  line.number = row.step + 1;
  line.statement = step.text;
  switch (step.what) {
    case What::kEvent:
      line.effect = story_.effect_of(step);
      line.note = story_.source_of(step);
      show_place(step, line);
      break;
    case What::kCallBegins:
      last_place_ = {};
      line.sign = '>';
      line.colour = kBold;
      calls_[line.thread] = step.text;
      break;
    case What::kCallReturns:
      line.sign = '<';
      line.colour = kBold;
      line.statement = calls_[line.thread] + " " + step.text;
      break;
    case What::kFault:
      line.sign = '!';
      line.colour = kRed;
      show_place(step, line);
      line.statement = step.text;
      break;
  }
  last_thread_ = line.thread;
  return line;
}

// Neither the place nor its text is repeated while a thread stays there.
void StoryTable::show_place(const StoryStep& step, Line& line) {
  const CodePlace place = story_.place_of(step);
  const bool is_known = !step.stack.empty();
  if (is_known &&
      (!same_line(place, last_place_) || last_thread_ != line.thread)) {
    // Of a library, the offset says nothing that its function does not.
    const bool by_function = place.file.empty() && !place.function.empty();
    line.place = fitted_place(by_function ? place.function : to_string(place));
    line.statement = story_.symbols_.source_line(place.file, place.line);
  }
  if (line.statement.empty()) {
    line.statement = std::exchange(line.effect, "");
  }
  last_place_ = place;
}

void StoryTable::lay_out() {
  for (const Line& line : lines_) {
    Column& column = columns_[line.thread];
    const std::size_t statement = line.statement.size();
    const std::size_t effect = line.effect.size();
    const std::size_t both = statement + (effect ? effect + 3 : 0) + kMargins;
    column.width =
        std::max({column.width, std::min(both, options_.width), kNarrowest});
    place_width_ = std::max(place_width_, line.place.size());
  }
  const std::size_t left = options_.indent.size() + kNumber + place_width_ + 2;
  room_ =
      options_.width > left + kNarrowest ? options_.width - left : kNarrowest;
  by_columns_ = columns_.size() * kNarrowest <= room_;
  if (by_columns_) share_room();
}

// Columns that need little get that; the others share what is left.
void StoryTable::share_room() {
  std::vector<Column*> narrow_first;
  for (auto& entry : columns_) narrow_first.push_back(&entry.second);
  std::stable_sort(
      narrow_first.begin(), narrow_first.end(),
      [](const Column* a, const Column* b) { return a->width < b->width; });
  std::size_t left = room_, columns = narrow_first.size();
  for (Column* column : narrow_first) {
    column->width = std::min(column->width, left / columns--);
    left -= column->width;
  }
  std::size_t begin = 0;
  for (auto& [thread, column] : columns_) {
    column.begin = begin;
    begin += column.width;
  }
}

std::string StoryTable::painted(const std::string& text,
                                const std::string& colour) const {
  if (!options_.colour || colour.empty() || text.empty()) return text;
  return fmt::format("\033[{}m{}\033[0m", colour, text);
}

std::string StoryTable::header() const {
  std::string out =
      fmt::format("{}step  {:<{}}", options_.indent, "place", place_width_ + 2);
  const std::size_t begin = out.size();
  if (!by_columns_) return out + "  thread\n";
  for (const auto& [thread, column] : columns_) {
    out.resize(begin + column.begin, ' ');
    out += "  " + story_.thread_name(thread);
  }
  return out + '\n';
}

// The effect stands beside the statement if the column holds both, else below
// it.  A line is one thread's alone, so a long text may run on to the right.
std::string StoryTable::drawn(const Line& line) const {
  const Column column =
      by_columns_ ? columns_.at(line.thread) : Column{0, room_};
  const std::string who =
      by_columns_ ? "" : fmt::format("{}: ", story_.thread_name(line.thread));
  const std::size_t used = column.begin + 2 + who.size();
  const std::size_t room = room_ > used + 8 ? room_ - used : 8;
  const std::string statement = fitted(line.statement, room);
  const std::string effect = fitted(line.effect, room - 2);
  const std::string number =
      line.number == 0 ? "" : fmt::format("{}", line.number);
  const std::string gap(column.begin, ' ');
  std::string out = fmt::format(
      "{}{:>4}  {}{}  {}{} {}{}", options_.indent, number,
      painted(line.place, kDim),
      std::string(place_width_ - std::min(place_width_, line.place.size()),
                  ' '),
      gap, painted(std::string(1, line.sign), line.colour), who,
      painted(statement, line.colour));
  if (!effect.empty()) {
    const bool beside =
        statement.size() + effect.size() + 3 + kMargins <= column.width;
    out +=
        beside
            ? "   " + effect
            : fmt::format(
                  "\n{}{}    {}", options_.indent,
                  std::string(kNumber + place_width_ + 2 + column.begin, ' '),
                  effect);
  }
  while (out.ends_with(' ')) out.pop_back();
  return out + '\n' + drawn_note(line.note, column.begin);
}

// Never cut: moved to the left where it would not fit.
std::string StoryTable::drawn_note(const std::string& note,
                                   std::size_t begin) const {
  if (note.empty()) return "";
  const std::size_t room = room_ > note.size() ? room_ - note.size() : 0;
  const std::size_t left = options_.indent.size() + kNumber + place_width_ + 2 +
                           std::min(begin + 4, room);
  return std::string(left, ' ') + painted(note, kDim) + '\n';
}

std::string StoryTable::draw() const {
  if (lines_.empty()) return "";
  std::string out = header();
  for (const Line& line : lines_) out += drawn(line);
  return out;
}

}  // namespace plumb::harness
