// SPDX-License-Identifier: Apache-2.0
#include "history/event_lines.h"

#include <simdjson.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "history/decimals.h"

namespace plumb::history {
namespace {

constexpr std::string_view kApart = " \t\r(),";

bool is_decimal_digit(char c) {
  return c >= '0' && c <= '9';
}

bool is_plain_number(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  const auto point = std::ranges::find(word, '.');
  const std::string_view whole(word.begin(), point);
  const std::string_view part(point == word.end() ? point : point + 1,
                              word.end());
  return !whole.empty() && std::ranges::all_of(whole, is_decimal_digit) &&
         (point == word.end() || !part.empty()) &&
         std::ranges::all_of(part, is_decimal_digit);
}

// What others call operations, and what ours may be called.
struct OtherName {
  std::string_view theirs, ours;
};
constexpr OtherName kOtherNames[] = {
    {"enqueue", "enq"}, {"add", "enq"},         {"dequeue", "deq"},
    {"remove", "deq"},  {"poll", "deq"},        {"insert", "add"},
    {"add", "insert"},  {"poll", "remove_min"}, {"remove", "remove_min"},
    {"add", "push"},    {"remove", "pop"},
};

}  // namespace

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  for (;;) {
    const std::size_t from = line.find_first_not_of(kApart);
    if (from == std::string_view::npos) return words;
    line.remove_prefix(from);
    const std::size_t size = std::min(line.find_first_of(kApart), line.size());
    words.push_back(line.substr(0, size));
    line.remove_prefix(size);
  }
}

Value word_value(std::string_view word) {
  if (is_plain_number(word)) return *decimal(word);
  if (word == "true" || word == "false") return Value::boolean(word == "true");
  if (word == "nil" || word == "null") return Value();
  return Value::text(word);
}

std::uint16_t operation_called(const Assembler& assembler,
                               std::string_view name) {
  std::string small(name);
  for (char& c : small) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  std::uint16_t code = assembler.code_of(name);
  if (code == kUnknownCode) code = assembler.code_of(small);
  for (const auto& [theirs, ours] : kOtherNames) {
    if (code != kUnknownCode) break;
    if (theirs == small) code = assembler.code_of(ours);
  }
  return code;
}

bool EventLines::next() {
  words_.fill({});
  if (poll_.spent()) return false;
  if (follow_ && lines_.ahead().find('\n') == std::string_view::npos) {
    assembler_.waiting();
  }
  // A line that was read when the budget ended may be cut off.
  if (!lines_.next() || poll_.limit() != Limit::kNone) return false;
  if (!simdjson::validate_utf8(line().data(), line().size())) {
    fail({}, "this line is not UTF-8");
  }
  return true;
}

std::uint32_t EventLines::number() const {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(
      lines_.number(), std::numeric_limits<std::uint32_t>::max()));
}

Place EventLines::place(std::string_view word) const {
  if (word.data() == nullptr) return lines_.place(0, 1);
  return lines_.place(static_cast<std::size_t>(word.data() - line().data()),
                      word.size());
}

void EventLines::fail(std::string_view word, std::string what,
                      std::string hint) const {
  throw InputError(place(word), std::move(what), std::move(hint));
}

}  // namespace plumb::history
