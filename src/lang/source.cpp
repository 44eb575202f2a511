// SPDX-License-Identifier: Apache-2.0
#include "lang/source.h"

#include <algorithm>
#include <utility>

namespace plumb::lang {

Source::Source(std::string name, std::string text)
    : name_(std::move(name)), text_(std::move(text)), line_begins_{0} {
  for (std::size_t i = 0; i < text_.size(); ++i) {
    if (text_[i] == '\n') {
      line_begins_.push_back(static_cast<std::uint32_t>(i + 1));
    }
  }
}

std::size_t Source::line(Span span) const {
  const auto after =
      std::upper_bound(line_begins_.begin(), line_begins_.end(), span.begin);
  return static_cast<std::size_t>(after - line_begins_.begin());
}

Place Source::place(Span span) const {
  const std::size_t number = line(span);
  const std::size_t begin = line_begins_[number - 1];
  const std::size_t end =
      number < line_begins_.size() ? line_begins_[number] - 1 : text_.size();
  std::string shown = text_.substr(begin, end - begin);
  if (shown.ends_with('\r')) shown.pop_back();
  const std::size_t column = span.begin - begin;
  const std::size_t room = shown.size() > column ? shown.size() - column : 1;
  return {name_, number, column + 1,
          std::clamp<std::size_t>(span.length, 1, room), std::move(shown)};
}

}  // namespace plumb::lang
