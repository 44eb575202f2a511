// SPDX-License-Identifier: Apache-2.0
#include "support/histories.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <tuple>
#include <vector>

#include "base/input_error.h"

namespace plumb::testing {
namespace {

using history::History;
using history::kNever;
using history::Moment;
using history::Operation;

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Value value_of(std::string_view text);

Value list_of(std::string_view inside) {
  std::vector<Value> items;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= inside.size(); ++i) {
    const char c = i < inside.size() ? inside[i] : ',';
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c != ',' || depth > 0) continue;
    items.push_back(value_of(inside.substr(start, i - start)));
    start = i + 1;
  }
  return Value::list(items);
}

Value value_of(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) throw InputError("a picture lacks a value");
  if (text == "null") return Value();
  if (text == "true" || text == "false") return Value::boolean(text == "true");
  if (text.front() == '(' && text.back() == ')') {
    return list_of(text.substr(1, text.size() - 2));
  }
  std::int64_t number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number);
  if (error == std::errc() && end == text.data() + text.size()) {
    return Value::integer(number);
  }
  return Value::text(text);
}

// The call and its result, without its moments.
Operation operation_of(const spec::Specification& object,
                       std::string_view text) {
  const auto arrow = text.find("->");
  const std::string_view call = trimmed(text.substr(0, arrow));
  const std::string_view name = call.substr(0, call.find_first_of(" ("));
  const auto code = spec::find_operation(object, name);
  if (!code) throw InputError("no operation '" + std::string(name) + "'");
  Operation operation;
  operation.code = *code;
  const std::string_view argument = trimmed(call.substr(name.size()));
  if (!argument.empty()) operation.argument = value_of(argument);
  if (arrow != std::string_view::npos) {
    operation.result = value_of(text.substr(arrow + 2));
  }
  return operation;
}

void read_line(const spec::Specification& object, std::string_view line,
               History& history) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos) {
    throw InputError("a line of a picture begins with `process:`");
  }
  const auto process = static_cast<std::uint32_t>(history.processes.size());
  history.processes.push_back(value_of(line.substr(0, colon)));
  auto open = line.find('[', colon);
  while (open != std::string_view::npos) {
    const auto next = line.find('[', open + 1);
    const auto close = std::min(line.find(']', open), line.find("...", open));
    if (close == std::string_view::npos || close > next) {
      throw InputError("a call in a picture ends in `]` or `...`");
    }
    Operation operation =
        operation_of(object, line.substr(open + 1, close - open - 1));
    operation.process = process;
    operation.invoked = static_cast<Moment>(open);
    if (line[close] == ']') operation.returned = static_cast<Moment>(close);
    history.operations.push_back(operation);
    open = next;
  }
}

std::string text_of(Value value) {
  if (value.is_text()) return std::string(value.as_text());
  if (!value.is_list()) return value.to_string();
  std::string text = "(";
  for (const Value item : value.items()) {
    if (text.size() > 1) text += ',';
    text += text_of(item);
  }
  return text + ")";
}

std::string text_of(const Operation& operation,
                    const spec::Specification& object) {
  const spec::Signature& signature = object.operations()[operation.code];
  std::string text(signature.name);
  if (signature.argument != spec::Argument::kNone) {
    text += ' ' + text_of(operation.argument);
  }
  if (operation.pending()) return text + " ...";
  if (signature.result != spec::Result::kNone) {
    text += " -> " + text_of(operation.result);
  }
  return text;
}

void write_at(std::string& line, std::size_t column, std::string_view text) {
  if (line.size() < column) line.resize(column, ' ');
  line += text;
}

}  // namespace

void make_dense(History& history) {
  using Event = std::tuple<Moment, bool, std::uint32_t>;
  std::vector<Event> events;
  for (std::uint32_t i = 0; i < history.size(); ++i) {
    const Operation& operation = history.operations[i];
    events.emplace_back(operation.invoked, false, i);
    if (!operation.pending()) events.emplace_back(operation.returned, true, i);
  }
  std::sort(events.begin(), events.end());
  for (Moment moment = 0; moment < events.size(); ++moment) {
    const auto& [column, is_return, index] = events[moment];
    Operation& operation = history.operations[index];
    (is_return ? operation.returned : operation.invoked) = moment;
  }
  std::sort(history.operations.begin(), history.operations.end(),
            [](const Operation& a, const Operation& b) {
              return a.invoked < b.invoked;
            });
}

History draw(const spec::Specification& object, std::string_view picture) {
  History history;
  while (!picture.empty()) {
    const auto end = std::min(picture.find('\n'), picture.size());
    const std::string_view line = picture.substr(0, end);
    picture.remove_prefix(std::min(end + 1, picture.size()));
    if (!trimmed(line).empty()) read_line(object, line, history);
  }
  make_dense(history);
  return history;
}

History in_sequence(const spec::Specification& object, std::string_view calls) {
  std::string line = "p: ";
  int depth = 0;
  line += '[';
  for (const char c : calls) {
    if (c == '(') ++depth;
    if (c == ')') --depth;
    if (c == ',' && depth == 0) {
      line += "] [";
    } else {
      line += c;
    }
  }
  return draw(object, line + "]");
}

std::string picture(const History& history, const spec::Specification& object) {
  struct Event {
    Moment moment;
    bool is_return;
    const Operation* operation;
  };
  std::vector<Event> events;
  for (const Operation& operation : history.operations) {
    events.push_back({operation.invoked, false, &operation});
    if (!operation.pending()) {
      events.push_back({operation.returned, true, &operation});
    }
  }
  std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
    return std::tie(a.moment, a.is_return) < std::tie(b.moment, b.is_return);
  });
  std::vector<std::string> lines;
  for (const Value process : history.processes) {
    lines.push_back("p" + text_of(process) + ":");
  }
  std::size_t column = 0;
  for (const Event& event : events) {
    std::string& line = lines[event.operation->process];
    column = std::max(column + 1, line.size() + (event.is_return ? 0 : 1));
    write_at(line, column,
             event.is_return ? "]" : "[" + text_of(*event.operation, object));
  }
  std::string all;
  for (const std::string& line : lines) {
    if (line.back() != ':') all += "  " + line + "\n";  // it did something
  }
  return all;
}

}  // namespace plumb::testing
