// SPDX-License-Identifier: Apache-2.0
#include "history/times.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace plumb::history {

namespace {

constexpr std::string_view kBetween = " \t\r,";

std::string_view without_blanks(std::string_view text) {
  const std::size_t at = text.find_first_not_of(kBetween);
  return at == std::string_view::npos ? "" : text.substr(at);
}

// A number that is a whole one, and the last thing before a comma, a blank or
// the end of the map.
std::optional<std::int64_t> integer_at(std::string_view text) {
  text = without_blanks(text);
  std::int64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc()) return std::nullopt;
  if (at != end && std::string_view(" \t\r,}").find(*at) == std::string::npos) {
    return std::nullopt;
  }
  return number;
}

// The size of the string that begins here, with its quotes.
std::size_t string_size(std::string_view text) {
  std::size_t at = 1;
  while (at < text.size() && text[at] != '"') {
    at += text[at] == '\\' ? std::size_t{2} : std::size_t{1};
  }
  return at < text.size() ? at + 1 : text.size();
}

// Behind the name of the field, if it begins here: `"time":` or `:time `.
std::optional<std::string_view> behind_name(std::string_view text) {
  constexpr std::string_view kJson = "\"time\"", kEdn = ":time";
  if (text.starts_with(kJson)) {
    text = without_blanks(text.substr(kJson.size()));
    if (!text.starts_with(':')) return std::nullopt;
    return text.substr(1);
  }
  if (!text.starts_with(kEdn) || text.size() == kEdn.size()) {
    return std::nullopt;
  }
  text = text.substr(kEdn.size());
  if (kBetween.find(text[0]) == std::string_view::npos) return std::nullopt;
  return text;
}

}  // namespace

std::optional<std::int64_t> time_in(std::string_view line) {
  std::optional<std::int64_t> found;
  int depth = 0, event_depth = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const std::string_view rest = line.substr(at);
    if (event_depth > 0 && depth == event_depth) {
      if (const auto behind = behind_name(rest)) {
        if (found) return std::nullopt;
        found = integer_at(*behind);
      }
    }
    switch (rest[0]) {
      case '{':
      case '[':
      case '(':
        ++depth;
        if (rest[0] == '{' && event_depth == 0) event_depth = depth;
        break;
      case '}':
      case ']':
      case ')':
        --depth;
        break;
      case '"':
        at += string_size(rest) - 1;
        break;
      default:
        break;
    }
  }
  return found;
}

void LineTimes::note(std::string_view line) {
  times_.push_back(time_in(line).value_or(kNone));
}

Times LineTimes::between(std::uint32_t first, std::uint32_t last) const {
  Times out;
  for (std::uint64_t line = std::max(first, 1u);
       line <= last && line <= times_.size(); ++line) {
    if (times_[line - 1] != kNone) {
      out[static_cast<std::uint32_t>(line)] = times_[line - 1];
    }
  }
  return out;
}

}  // namespace plumb::history
