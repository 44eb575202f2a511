// SPDX-License-Identifier: Apache-2.0
#include "history/edn_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include "history/edn.h"

namespace plumb::history {

namespace {

class EdnEvents : private Origin {
 public:
  EdnEvents(LineReader& lines, Assembler& assembler, Poll& poll)
      : cursor_(lines, poll), assembler_(assembler) {}

  void read() {
    for (;;) {
      cursor_.keep_lines();
      cursor_.skip_blanks();
      if (cursor_.cut_off() || cursor_.peek() == EdnCursor::kEnd) return;
      if (cursor_.peek() == '[') {
        read_all(']');
      } else if (cursor_.peek() == '(') {
        read_all(')');
      } else {
        read_event();
      }
    }
  }

 private:
  void read_all(char close) {
    const EdnCursor::Position opened = cursor_.position();
    cursor_.advance();
    while (!cursor_.skip(close)) {
      if (cursor_.cut_off()) return;
      if (cursor_.peek() == EdnCursor::kEnd) {
        cursor_.fail(opened, fmt::format("there is no '{}' for this", close));
      }
      cursor_.keep_lines();
      read_event();
    }
  }

  void read_event() {
    event_ = Event();
    spans_.fill(Span());
    has_object_ = false;
    cursor_.skip_tags();
    whole_ = cursor_.position();
    if (!cursor_.skip('{')) {
      if (cursor_.cut_off()) return;
      cursor_.fail(whole_, "a map was expected",
                   "an event is {:process 0, :type :invoke, :f :read, "
                   ":value nil}");
    }
    event_.line = static_cast<std::uint32_t>(std::min<std::uint64_t>(
        whole_.line, std::numeric_limits<std::uint32_t>::max()));
    while (!cursor_.skip('}')) {
      if (cursor_.cut_off()) return;
      read_entry();
    }
    // What was cut off by the budget is no event.
    if (!cursor_.cut_off()) assembler_.add(event_, *this);
  }

  void read_entry() {
    const EdnCursor::Position at = cursor_.position();
    if (cursor_.peek() == EdnCursor::kEnd) {
      cursor_.fail(whole_, "this map does not end");
    }
    name_.clear();
    if (!cursor_.read_name(name_)) cursor_.read_form(false);
    cursor_.skip_blanks();
    if (cursor_.peek() == '}') {
      cursor_.fail(at, "a map has a key without a value");
    }
    if (name_ == "process") {
      open_span(Field::kProcess);
      event_.process = cursor_.read_form(true);
      close_span(Field::kProcess);
    } else if (name_ == "type") {
      open_span(Field::kType);
      read_text(type_);
      event_.type_text = type_;
      event_.type = event_type(type_);
      close_span(Field::kType);
    } else if (name_ == "f") {
      read_function();
    } else if (name_ == "value") {
      open_span(Field::kValue);
      event_.value = cursor_.read_form(true);
      close_span(Field::kValue);
    } else if (name_ == "time") {
      read_time();
    } else if (name_ == "result") {
      event_.result_unknown = cursor_.read_form(true) == Value::text("?");
    } else if (name_ == "key" || name_ == "object") {
      read_key();
    } else {
      cursor_.read_form(false);
    }
  }

  void read_function() {
    open_span(Field::kFunction);
    read_text(function_);
    event_.has_function = function_ != "nil";
    event_.function = function_;
    event_.code = assembler_.code_of(function_);
    close_span(Field::kFunction);
  }

  void read_time() {
    open_span(Field::kTime);
    const EdnCursor::Position at = cursor_.position();
    const Value time = cursor_.read_form(true);
    if (time.is_number()) event_.earliest = event_.latest = time;
    if (time.is_list()) {
      const auto items = time.items();
      if (items.size() != 2 || !items[0].is_number() || !items[1].is_number()) {
        cursor_.fail(at, kNoTime, kTimeHint);
      }
      event_.has_bounds = true;
      event_.earliest = items[0];
      event_.latest = items[1];
    }
    close_span(Field::kTime);
  }

  // Both may be given: then the key is within that object.
  void read_key() {
    const bool is_object = name_ == "object";
    if (spans_[index(Field::kKey)].given && has_object_ != is_object) {
      spans_[index(Field::kKey)].given = false;
    }
    open_span(Field::kKey);
    const Value read = cursor_.read_form(true);
    close_span(Field::kKey);
    if (!event_.has_key) {
      event_.key = read;
    } else if (is_object) {
      event_.key = Value::list(std::array{read, event_.key});
    } else {
      event_.key = Value::list(std::array{event_.key, read});
    }
    event_.has_key = true;
    has_object_ = is_object;
  }

  void read_text(std::string& text) {
    if (!cursor_.read_name(text)) text = cursor_.read_form(true).to_string();
  }

  struct Span {
    EdnCursor::Position at;
    std::size_t length = 1;
    bool given = false;
  };
  static std::size_t index(Field field) {
    return static_cast<std::size_t>(field);
  }

  void open_span(Field field) {
    Span& span = spans_[index(field)];
    if (span.given) {
      cursor_.fail(cursor_.position(),
                   fmt::format("the field '{}' is given twice", name_));
    }
    span = {.at = cursor_.position(), .length = 1, .given = true};
  }
  void close_span(Field field) {
    Span& span = spans_[index(field)];
    const EdnCursor::Position end = cursor_.position();
    if (end.line == span.at.line) span.length = end.column - span.at.column;
  }

  Place place_of(Field field) const override {
    const Span& span = spans_[index(field)];
    return span.given ? cursor_.place(span.at, span.length)
                      : cursor_.place(whole_, 1);
  }

  EdnCursor cursor_;
  Assembler& assembler_;
  Event event_;
  EdnCursor::Position whole_;
  std::array<Span, 7> spans_;
  std::string name_, type_, function_;
  bool has_object_ = false;
};

}  // namespace

void read_edn(LineReader& lines, Assembler& assembler, Poll& poll) {
  EdnEvents(lines, assembler, poll).read();
}

}  // namespace plumb::history
