// SPDX-License-Identifier: Apache-2.0
#include "history/call_lines.h"

#include <absl/container/flat_hash_map.h>

#include <span>
#include <string_view>
#include <vector>

#include "history/event_lines.h"

namespace plumb::history {
namespace {

constexpr const char* kHint =
    "a line is '[1] call push(3)', '[1] return' or '[1] return 3'";

class CallLines {
 public:
  CallLines(LineReader& lines, Assembler& assembler, Poll& poll, bool follow)
      : lines_(lines, assembler, poll, follow), assembler_(assembler) {}

  void read() {
    while (lines_.next()) {
      const auto words = words_of(lines_.line());
      if (words.empty() || words[0].starts_with('#')) continue;
      read_event(words);
    }
  }

 private:
  void read_event(std::span<const std::string_view> words) {
    const std::string_view thread = words[0];
    if (words.size() < 2 || thread.size() < 3 || !thread.starts_with('[') ||
        !thread.ends_with(']')) {
      lines_.fail(thread, "this is no event", kHint);
    }
    Event event;
    event.line = lines_.number();
    event.process = word_value(thread.substr(1, thread.size() - 2));
    lines_.note(Field::kProcess, thread);
    lines_.note(Field::kType, words[1]);
    if (words[1] == "call" && words.size() > 2) {
      read_call(event, words[2], words.subspan(3));
    } else if (words[1] == "return") {
      read_return(event, words.subspan(2));
    } else {
      lines_.fail(words[1], "neither a call nor a return", kHint);
    }
    assembler_.add(event, lines_);
  }

  // A read may say what it returns in its call.
  void read_call(Event& event, std::string_view name,
                 std::span<const std::string_view> arguments) {
    event.type = EventType::kInvoke;
    event.has_function = true;
    event.function = name;
    event.code = operation_called(assembler_, name);
    lines_.note(Field::kFunction, name);
    Value& told = told_[event.process];
    told = Value();
    if (event.code == kUnknownCode) return;
    const Value given = list_or_one(arguments);
    if (assembler_.signature(event.code).argument == spec::Argument::kNone) {
      told = given;
    } else {
      event.value = given;
    }
  }

  // A take that returns nothing has found nothing.
  void read_return(Event& event, std::span<const std::string_view> results) {
    event.type = EventType::kOk;
    event.value = list_or_one(results);
    if (event.value == Value::text("empty")) event.value = Value();
    if (results.empty()) event.value = told_[event.process];
  }

  Value list_or_one(std::span<const std::string_view> words) {
    if (!words.empty()) lines_.note(Field::kValue, words[0]);
    if (words.size() == 1) return word_value(words[0]);
    std::vector<Value> items;
    for (const std::string_view word : words) items.push_back(word_value(word));
    return items.empty() ? Value() : Value::list(items);
  }

  EventLines lines_;
  Assembler& assembler_;
  absl::flat_hash_map<Value, Value> told_;  // by the last call of a process
};

}  // namespace

void read_call_lines(LineReader& lines, Assembler& assembler, Poll& poll,
                     bool follow) {
  CallLines(lines, assembler, poll, follow).read();
}

}  // namespace plumb::history
