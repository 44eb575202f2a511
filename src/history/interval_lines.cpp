// SPDX-License-Identifier: Apache-2.0
#include "history/interval_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "history/event_lines.h"

namespace plumb::history {
namespace {

constexpr const char* kLikeThis =
    "a line is 'push 1 0 5' (from 0 to 5), '2 push 1 0 5' (of process 2) or "
    "'2 0 5 push 1'";

std::optional<std::uint64_t> whole_number(std::string_view word) {
  std::uint64_t number = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

struct Row {
  std::uint64_t begin = 0, end = 0;
  Value process;  // null: nobody said
  Value argument, result;
  std::uint16_t code = kUnknownCode;
  std::uint32_t line = 0;
  std::size_t text = 0, size = 0;  // of the line, in IntervalLines::text_
};

// A line that was read long ago.
class PastLine : public Origin {
 public:
  explicit PastLine(std::string source) : source_(std::move(source)) {}
  void show(std::uint32_t number, std::string_view text) {
    number_ = number;
    text_ = text;
  }
  Place place_of(Field) const override {
    Place place;
    place.source = source_;
    place.line = number_;
    place.column = 1;
    place.text = std::string(text_);
    return place;
  }

 private:
  std::string source_;
  std::uint32_t number_ = 0;
  std::string_view text_;
};

class IntervalLines {
 public:
  IntervalLines(LineReader& lines, Assembler& assembler, Poll& poll,
                bool follow)
      : lines_(lines, assembler, poll, follow),
        poll_(poll),
        assembler_(assembler),
        origin_(lines.source()) {}

  void read() {
    while (lines_.next()) {
      const auto words = words_of(lines_.line());
      if (words.empty()) continue;
      if (words[0].starts_with('#')) {
        note_object(words);
      } else {
        read_row(words);
      }
    }
    add_events();
  }

 private:
  // Others' priority queues give the largest first, ours the smallest.
  void note_object(std::span<const std::string_view> words) {
    const std::string_view name = words.size() > 1 ? words[1] : "";
    largest_first_ =
        name == "priorityqueue" || name == "priority_queue" || name == "pqueue";
  }

  void read_row(std::span<const std::string_view> words) {
    Row row;
    row.line = lines_.number();
    std::string_view begin, end;
    if (words.size() >= 4 && whole_number(words[0]) && whole_number(words[1])) {
      row.process = word_value(words[0]);
      begin = words[1];
      end = words[2];
      words = words.subspan(3);
    } else {
      if (!words.empty() && whole_number(words[0])) {
        row.process = word_value(words[0]);
        words = words.subspan(1);
      }
      if (words.size() < 3) lines_.fail({}, "this is no operation", kLikeThis);
      begin = words[words.size() - 2];
      end = words.back();
      words = words.first(words.size() - 2);
    }
    row.begin = time(begin);
    row.end = time(end);
    if (row.begin > row.end) {
      lines_.fail(end, fmt::format("it ends before {}, when it began", begin));
    }
    read_operation(row, words);
    row.text = text_.size();
    row.size = lines_.line().size();
    text_ += lines_.line();
    rows_.push_back(row);
  }

  std::uint64_t time(std::string_view word) const {
    const auto number = whole_number(word);
    if (!number || *number > INT64_MAX) {
      lines_.fail(word, "a time is a whole number", kLikeThis);
    }
    return *number;
  }

  // `words`: the operation, then what it takes and returns.
  void read_operation(Row& row, std::span<const std::string_view> words) {
    const std::string_view name = words[0];
    row.code = operation_called(assembler_, name);
    words = words.subspan(1);
    if (row.code == kUnknownCode) {
      Event event;
      event.type = EventType::kInvoke;
      event.process = Value::integer(0);
      event.function = name;
      event.has_function = true;
      lines_.note(Field::kFunction, name);
      assembler_.add(event, lines_);  // throws
    }
    const spec::Signature& signature = assembler_.signature(row.code);
    if (signature.argument != spec::Argument::kNone) {
      row.argument = next_value(words);
      if (signature.argument == spec::Argument::kPair) {
        row.argument = Value::list(std::array{row.argument, next_value(words)});
      }
    }
    if (signature.result != spec::Result::kNone) {
      row.result = result(signature, next_value(words));
    }
    if (!words.empty()) lines_.fail(words[0], "nothing more is known of this");
    if (!largest_first_) return;
    row.argument = by_priority(row.argument);
    row.result = by_priority(row.result);
  }

  Value next_value(std::span<const std::string_view>& words) const {
    if (words.empty()) lines_.fail({}, "a value is missing", kLikeThis);
    const Value value = word_value(words[0]);
    words = words.subspan(1);
    return value;
  }

  // Whether something happened is 0 or 1, and -1 says that nothing is there.
  static Value result(const spec::Signature& signature, Value value) {
    if (signature.result != spec::Result::kValue) {
      if (value == Value::integer(0)) return Value::boolean(false);
      if (value == Value::integer(1)) return Value::boolean(true);
    }
    return signature.takes && value == Value::integer(-1) ? Value() : value;
  }

  Value by_priority(Value value) const {
    if (value.is_null()) return value;
    if (!value.is_integer()) lines_.fail({}, "a priority is a whole number");
    return Value::list(std::array{Value::integer(-value.as_integer()), value});
  }

  // In the order of processes, and for each of them of time.  Returns whether
  // some process begins an operation at the moment at which it ends one.
  bool sort_by_process() {
    for (Row& row : rows_) {
      if (!row.process.is_null()) continue;
      row.process = Value::text(fmt::format("#{}", row.line));
    }
    std::ranges::stable_sort(rows_, {}, [](const Row& row) {
      return std::tuple(row.process.word(), row.begin, row.end);
    });
    bool touches = false;
    for (std::size_t i = 1; i < rows_.size(); ++i) {
      const Row& last = rows_[i - 1];
      const Row& row = rows_[i];
      if (last.process != row.process || last.end < row.begin) continue;
      touches = true;
      if (last.end == row.begin) continue;
      show(row);
      throw InputError(
          origin_.place_of(Field::kWhole),
          fmt::format("process {} begins this before its operation of line {} "
                      "has ended",
                      shown(row.process), last.line),
          "a process runs one operation at a time");
    }
    return touches;
  }

  // What ends when another begins overlaps it, unless one process does both.
  // No order of events says so of all, but bounds of their times do.
  void add_events() {
    if (sort_by_process()) {
      for (const Row& row : rows_) {
        if (poll_.spent()) return;
        add(row, false, true);
        add(row, true, true);
      }
      return;
    }
    struct Moment {
      std::uint64_t time;
      bool is_return;
      std::uint32_t row;
    };
    std::vector<Moment> moments;
    moments.reserve(2 * rows_.size());
    for (std::uint32_t i = 0; i < rows_.size(); ++i) {
      moments.push_back({rows_[i].begin, false, i});
      moments.push_back({rows_[i].end, true, i});
    }
    std::ranges::sort(moments, {}, [&](const Moment& moment) {
      return std::tuple(moment.time, moment.is_return, rows_[moment.row].line);
    });
    for (const Moment& moment : moments) {
      if (poll_.spent()) return;
      add(rows_[moment.row], moment.is_return, false);
    }
  }

  void add(const Row& row, bool is_return, bool has_bounds) {
    Event event;
    event.type = is_return ? EventType::kOk : EventType::kInvoke;
    event.line = row.line;
    event.code = row.code;
    event.process = row.process;
    event.value = is_return ? row.result : row.argument;
    event.has_bounds = has_bounds;
    event.earliest = event.latest = Value::integer(
        static_cast<std::int64_t>(is_return ? row.end : row.begin));
    show(row);
    assembler_.add(event, origin_);
  }

  void show(const Row& row) {
    origin_.show(row.line, std::string_view(text_).substr(row.text, row.size));
  }

  EventLines lines_;
  Poll& poll_;
  Assembler& assembler_;
  PastLine origin_;
  bool largest_first_ = false;
  std::vector<Row> rows_;
  std::string text_;  // of all rows
};

}  // namespace

void read_interval_lines(LineReader& lines, Assembler& assembler, Poll& poll,
                         bool follow) {
  IntervalLines(lines, assembler, poll, follow).read();
}

}  // namespace plumb::history
