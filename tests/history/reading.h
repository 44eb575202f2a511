// SPDX-License-Identifier: Apache-2.0
// Short ways to read a text, for the tests of the readers.
#pragma once

#include <string>
#include <string_view>

#include "base/input_error.h"
#include "history/read.h"
#include "spec/catalogue.h"

namespace plumb::history {

inline ReadResult read_text(std::string_view text, const char* object,
                            const ReadOptions& options = {}) {
  return read_histories_from(text, "h.jsonl", *spec::make(object), options);
}

// "0 enq(1)=null [0,1]" for each operation: process, call, result, moments.
inline std::string shown(const History& history, const char* object) {
  const auto specification = spec::make(object);
  std::string out;
  for (const Operation& op : history.operations) {
    out += history.processes[op.process].to_string() + " ";
    out += specification->operations()[op.code].name;
    out += "(" + op.argument.to_string() + ")=";
    out += op.pending() ? "?" : op.result.to_string();
    out += " [" + std::to_string(op.invoked) + ",";
    out += (op.pending() ? "-" : std::to_string(op.returned)) + "]\n";
  }
  return out;
}

// All histories of a text, each below its key.
inline std::string shown_text(std::string_view text, const char* object,
                              const ReadOptions& options = {}) {
  std::string out;
  for (const History& history : read_text(text, object, options).histories) {
    out += "key " + history.object.to_string() + "\n" + shown(history, object);
  }
  return out;
}

// The whole message; empty if the text can be read.
inline std::string error_of(std::string_view text, const char* object,
                            const ReadOptions& options = {}) {
  try {
    read_text(text, object, options);
  } catch (const InputError& error) {
    return error.describe();
  }
  return "";
}

}  // namespace plumb::history
