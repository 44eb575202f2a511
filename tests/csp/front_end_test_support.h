// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of the front end of CSP#: errors and trees as texts.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "csp/read.h"
#include "csp/text_of.h"

namespace plumb::csp {

// Reads a model that may include `files`.
inline ReadResult read_text(
    const std::string& text,
    const std::map<std::string, std::string>& files = {}) {
  return read_module("m.csp", text, [&](const std::string& path) {
    const auto found = files.find(path);
    return found == files.end() ? std::nullopt
                                : std::optional<std::string>(found->second);
  });
}

// All that is wrong with a model, as the user sees it.
inline std::string errors_of(
    const std::string& text,
    const std::map<std::string, std::string>& files = {}) {
  std::string all;
  for (const InputError& error : read_text(text, files).errors) {
    all += error.describe();
  }
  return all;
}

// The same without places and lines: "message (hint)" for each.
inline std::vector<std::string> messages_of(const std::string& text) {
  std::vector<std::string> all;
  for (const InputError& error : read_text(text).errors) {
    all.push_back(error.what());
    if (!error.hint().empty()) all.back() += " (" + error.hint() + ")";
  }
  return all;
}

inline std::string message_of(const std::string& text) {
  std::string all;
  for (const std::string& message : messages_of(text)) {
    all += (all.empty() ? "" : "; ") + message;
  }
  return all;
}

// A model without errors.
inline std::shared_ptr<const Module> module_of(
    const std::string& text,
    const std::map<std::string, std::string>& files = {}) {
  ReadResult result = read_text(text, files);
  for (const InputError& error : result.errors) {
    ADD_FAILURE() << error.describe();
  }
  return result.module != nullptr ? result.module
                                  : std::make_shared<const Module>();
}

// "line: message (hint)" for each warning.
inline std::vector<std::string> warnings_of(const std::string& text) {
  const auto module = module_of(text);
  std::vector<std::string> all;
  for (const Warning& warning : module->warnings) {
    all.push_back(std::to_string(module->source->line(warning.span)) + ": " +
                  warning.what);
    if (!warning.hint.empty()) all.back() += " (" + warning.hint + ")";
  }
  return all;
}

// The process `P` of a model, with all operators in parentheses.
inline std::string process_in(const std::string& text,
                              const std::string& name = "P") {
  const auto module = module_of(text);
  for (const Definition& definition : module->processes) {
    if (definition.name == name) return text_of(*definition.body, *module);
  }
  return "";
}

// What `P = ...;` means, beside A, B, C(x), some variables and channels.
inline std::string process_of(const std::string& body) {
  return process_in(
      "A = a -> Skip; B = b -> Skip; C(x) = c.x -> Skip;\n"
      "#define N 3; enum {red, green};\n"
      "var x = 0; var y = 0; var arr[4]; var m[2][3]; var<Set> s;\n"
      "channel ch 0; channel buf 2; channel box[3] 1;\n"
      "P = " +
      body + ";");
}

// What an expression means as a condition.
inline std::string condition_of(const std::string& text) {
  const std::string all = process_of("[" + text + "] Skip");
  return all.size() < 6 ? all : all.substr(1, all.size() - 6);
}

// A text and what is said about it: nothing, if it is right.
struct Case {
  const char* text;
  const char* message;
};

inline void expect_messages(std::span<const Case> cases) {
  for (const Case& wanted : cases) {
    EXPECT_EQ(message_of(wanted.text), wanted.message) << wanted.text;
  }
}

}  // namespace plumb::csp
