// SPDX-License-Identifier: Apache-2.0
#include "base/input_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/terminal_text.h"

namespace plumb {

namespace {

// A line is shown around the caret only, so that a file without line ends
// does not flood the terminal.
constexpr std::size_t kShown = 100;

std::string excerpt(const Place& place) {
  const std::size_t at = std::min(place.column - 1, place.text.size());
  const bool whole = place.text.size() <= kShown;
  const std::size_t from = !whole && at > kShown / 2 ? at - kShown / 2 : 0;
  std::string line = place.text.substr(from, kShown);
  std::size_t caret = at - from;
  if (from > 0) {
    line = "..." + line;
    caret += 3;
  }
  if (from + kShown < place.text.size()) line += "...";
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  const std::size_t room = line.size() > caret ? line.size() - caret : 1;
  const std::size_t length =
      std::clamp<std::size_t>(place.length, 1, std::max<std::size_t>(room, 1));
  const std::string number = fmt::format("{}", place.line);
  return fmt::format("  {} | {}\n  {} | {}^{}\n", number, line,
                     std::string(number.size(), ' '), std::string(caret, ' '),
                     std::string(length - 1, '~'));
}

}  // namespace

std::string InputError::describe() const {
  std::string out;
  if (!place_.source.empty()) {
    out += one_line(place_.source) + ':';
    if (place_.line > 0) {
      out += fmt::format("{}:{}:", place_.line,
                         std::max<std::size_t>(place_.column, 1));
    }
    out += ' ';
  } else {
    out += "plumb: ";
  }
  out += fmt::format("error: {}\n", what());
  if (place_.line > 0 && place_.column > 0) out += excerpt(place_);
  if (!hint_.empty()) out += fmt::format("hint: {}\n", hint_);
  return terminal_text(out);
}

namespace {

// Letters that differ in case alone count as the same: `CAS` means `cas`.
bool are_alike(char a, char b) {
  const auto lower = [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  };
  return lower(a) == lower(b);
}

// How many single-character edits turn one word into the other [Levenshtein].
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1,
                         diagonal + (are_alike(a[i - 1], b[j - 1]) ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

}  // namespace

std::string nearest(const std::string& word,
                    const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t least = word.size() / 3 + 2;
  for (const std::string& candidate : candidates) {
    const std::size_t d = distance(word, candidate);
    if (d < least) {
      least = d;
      best = candidate;
    }
  }
  return best;
}

}  // namespace plumb
