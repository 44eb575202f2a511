// SPDX-License-Identifier: Apache-2.0
#include "history/jepsen_log.h"

#include <algorithm>
#include <optional>

#include "history/edn.h"
#include "history/event_lines.h"

namespace plumb::history {
namespace {

// process \t :type \t :f \t value, at the end of a line.
struct Entry {
  std::string_view process, type, function;
  std::size_t value = 0;  // where it begins in the line
};

std::optional<Entry> entry_of(std::string_view line) {
  for (const std::string_view type : {":invoke", ":ok", ":fail", ":info"}) {
    for (std::size_t at = line.find(type); at != std::string_view::npos;
         at = line.find(type, at + 1)) {
      const std::size_t after = at + type.size();
      if (at < 2 || line[at - 1] != '\t') continue;
      if (after >= line.size() || line[after] != '\t') continue;
      const std::size_t end = line.find('\t', after + 1);
      if (end == std::string_view::npos || line[after + 1] != ':') continue;
      const std::string_view before = line.substr(0, at - 1);
      const std::size_t blank = before.find_last_of(" \t");
      const std::string_view process =
          before.substr(blank == std::string_view::npos ? 0 : blank + 1);
      if (process.empty()) continue;
      return Entry{process, type.substr(1),
                   line.substr(after + 2, end - after - 2), end + 1};
    }
  }
  return std::nullopt;
}

class JepsenLog {
 public:
  JepsenLog(LineReader& lines, Assembler& assembler, Poll& poll, bool follow)
      : reader_(lines),
        lines_(lines, assembler, poll, follow),
        assembler_(assembler),
        poll_(poll) {}

  void read() {
    while (lines_.next()) {
      if (const auto entry = entry_of(lines_.line())) add(*entry);
    }
  }

 private:
  void add(const Entry& entry) {
    Event event;
    event.line = lines_.number();
    event.type = event_type(entry.type);
    event.type_text = entry.type;
    event.has_function = true;
    event.function = entry.function;
    event.code = assembler_.code_of(entry.function);
    event.process = word_value(entry.process);
    if (!event.process.is_integer()) {
      // The nemesis, whose values may be anything.
      event.process = Value::text("nemesis");
      event.value = word_value(words_to_end(entry.value));
    } else {
      EdnCursor value(reader_, poll_, entry.value);
      event.value = value.read_form(true);
    }
    lines_.note(Field::kProcess, entry.process);
    lines_.note(Field::kType, entry.type);
    lines_.note(Field::kFunction, entry.function);
    lines_.note(Field::kValue, lines_.line().substr(entry.value));
    assembler_.add(event, lines_);
  }

  std::string_view words_to_end(std::size_t at) const {
    std::string_view rest = lines_.line().substr(at);
    while (rest.ends_with('\r') || rest.ends_with('\t')) rest.remove_suffix(1);
    return rest;
  }

  LineReader& reader_;
  EventLines lines_;
  Assembler& assembler_;
  Poll& poll_;
};

}  // namespace

bool is_jepsen_log(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    if (entry_of(text.substr(0, end))) return true;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

void read_jepsen_log(LineReader& lines, Assembler& assembler, Poll& poll,
                     bool follow) {
  JepsenLog(lines, assembler, poll, follow).read();
}

}  // namespace plumb::history
