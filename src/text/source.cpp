// SPDX-License-Identifier: Apache-2.0
#include "text/source.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace plumb::text {

Source::Source(std::string name, std::string text) {
  append(std::move(name), text);
}

// A newline ends all texts but the last, so that the place behind the last
// word of a text is still its own.
std::uint32_t Source::append(std::string name, const std::string& text) {
  if (!parts_.empty()) text_ += '\n';
  const auto begin = static_cast<std::uint32_t>(text_.size());
  parts_.push_back({std::move(name), begin, line_begins_.size()});
  line_begins_.push_back(begin);
  text_ += text;
  for (std::size_t i = begin; i < text_.size(); ++i) {
    if (text_[i] == '\n') {
      line_begins_.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
  return begin;
}

std::size_t Source::part_at(std::uint32_t offset) const {
  const auto after = std::upper_bound(
      parts_.begin(), parts_.end(), offset,
      [](std::uint32_t at, const Part& part) { return at < part.begin; });
  return static_cast<std::size_t>(after - parts_.begin()) - 1;
}

std::size_t Source::end_of_part(std::uint32_t begin) const {
  const std::size_t next = part_at(begin) + 1;
  return next < parts_.size() ? parts_[next].begin - 1 : text_.size();
}

std::size_t Source::line_of_all(Span span) const {
  const auto after =
      std::upper_bound(line_begins_.begin(), line_begins_.end(), span.begin);
  return static_cast<std::size_t>(after - line_begins_.begin());
}

std::size_t Source::line(Span span) const {
  return line_of_all(span) - parts_[part_at(span.begin)].lines_before;
}

Place Source::place(Span span) const {
  const Part& part = parts_[part_at(span.begin)];
  const std::size_t number = line_of_all(span);
  const std::size_t begin = line_begins_[number - 1];
  const std::size_t end =
      number < line_begins_.size() ? line_begins_[number] - 1 : text_.size();
  std::string shown = text_.substr(begin, end - begin);
  if (shown.ends_with('\r')) shown.pop_back();
  const std::size_t column = span.begin - begin;
  const std::size_t room = shown.size() > column ? shown.size() - column : 1;
  return {part.name, number - part.lines_before, column + 1,
          std::clamp<std::size_t>(span.length, 1, room), std::move(shown)};
}

}  // namespace plumb::text
