// SPDX-License-Identifier: Apache-2.0
#include "history/write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <iterator>
#include <vector>

namespace plumb::history {

namespace {

struct Written {
  Moment moment;
  bool is_return;
  std::size_t operation;
};

std::vector<Written> events_of(const History& history) {
  std::vector<Written> events;
  for (std::size_t i = 0; i < history.size(); ++i) {
    const Operation& operation = history.operations[i];
    events.push_back({operation.invoked, false, i});
    if (!operation.pending()) events.push_back({operation.returned, true, i});
  }
  std::sort(events.begin(), events.end(),
            [](const Written& a, const Written& b) {
              if (a.moment != b.moment) return a.moment < b.moment;
              return !a.is_return && b.is_return;
            });
  return events;
}

class Writer {
 public:
  Writer(const History& history, const spec::Specification& object,
         const WriteOptions& options)
      : history_(history), object_(object), options_(options) {
    // An explicit null keeps the reader from taking lists of a register's
    // values for tuples [key value].
    if (object.name() == "register") {
      names_no_key_ = std::any_of(
          history.operations.begin(), history.operations.end(),
          [cas = spec::find_operation(object, "cas")](const Operation& op) {
            const Value value = op.argument;  // of a cas: the new value
            const auto is_pair = [](Value v) {
              return v.is_list() && v.items().size() == 2;
            };
            return is_pair(value) &&
                   (op.code != cas || is_pair(value.items()[1]));
          });
    }
  }

  std::string write() {
    std::vector<std::size_t> pending(history_.processes.size(), kNone);
    for (const Written& event : events_of(history_)) {
      const Operation& operation = history_.operations[event.operation];
      if (event.is_return) {
        line(operation, "ok", operation.result);
        continue;
      }
      std::size_t& open = pending[operation.process];
      if (open != kNone) line(history_.operations[open], "info", Value());
      open = operation.pending() ? event.operation : kNone;
      line(operation, "invoke", argument_of(operation));
    }
    return std::move(out_);
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  Value argument_of(const Operation& operation) const {
    return options_.together ? operation.argument.items()[1]
                             : operation.argument;
  }
  Value key_of(const Operation& operation) const {
    return options_.together ? operation.argument.items()[0] : history_.object;
  }

  void line(const Operation& operation, const char* type, Value value) {
    const Value key = key_of(operation);
    fmt::format_to(std::back_inserter(out_),
                   R"({{"process": {}, "type": "{}", "f": "{}", "value": {})",
                   history_.processes[operation.process].to_string(), type,
                   object_.operations()[operation.code].name,
                   value.to_string());
    if (!key.is_null() || names_no_key_) {
      fmt::format_to(std::back_inserter(out_), R"(, "key": {})",
                     key.to_string());
    }
    out_ += "}\n";
  }

  const History& history_;
  const spec::Specification& object_;
  WriteOptions options_;
  bool names_no_key_ = false;
  std::string out_;
};

}  // namespace

std::string write_jsonl(const History& history,
                        const spec::Specification& object,
                        const WriteOptions& options) {
  return Writer(history, object, options).write();
}

}  // namespace plumb::history
