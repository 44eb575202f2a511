// SPDX-License-Identifier: Apache-2.0
// Helpers for tests of the front end: models as texts, errors as texts.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lang/parse.h"
#include "lang/sample_models.h"

namespace plumb::lang {

// All that is wrong with a model, as the user sees it.
inline std::string errors_of(const std::string& text) {
  std::string all;
  for (const InputError& error : read_model("m.plumb", text).errors) {
    all += error.describe();
  }
  return all;
}

// The same without places and lines: "message (hint)" for each.
inline std::vector<std::string> messages_of(const std::string& text) {
  std::vector<std::string> all;
  for (const InputError& error : read_model("m.plumb", text).errors) {
    all.push_back(error.what());
    if (!error.hint().empty()) all.back() += " (" + error.hint() + ")";
  }
  return all;
}

// What is wrong with the members of an object: the one message, or all.
inline std::string message_in_object(const std::string& members) {
  std::string all;
  for (const std::string& message :
       messages_of("object a {\n" + members + "\n}\n")) {
    all += (all.empty() ? "" : "; ") + message;
  }
  return all;
}

// What is wrong with the statements of an operation.
inline std::string message_in_body(const std::string& statements) {
  return message_in_object(R"(
    struct Node { int val; Node next; int data[2]; }
    shared Node top, other;
    shared int x, y[4], z[process];
    shared bool flag;
    shared process owner;
    shared set<int> s;
    shared map<int, bool> m;
    shared seq<int> q, r;
    function int helper(int k) { return k; }
    function void proceed() { skip; }
    void op(int v) {
)" + statements + "\n}");
}

// A text and what is said about it: nothing, if it is right.
struct Case {
  const char* text;
  const char* message;
};

inline void expect_messages(std::string (*message_of)(const std::string&),
                            std::span<const Case> cases) {
  for (const Case& wanted : cases) {
    EXPECT_EQ(message_of(wanted.text), wanted.message) << wanted.text;
  }
}

// A model without errors.
inline std::unique_ptr<Module> module_of(const std::string& text) {
  Reading reading = read_model("m.plumb", text);
  for (const InputError& error : reading.errors) {
    ADD_FAILURE() << error.describe();
  }
  return std::move(reading.module);
}

// The body of the only operation of an object with those members.
struct Body {
  std::unique_ptr<Module> module;
  const std::vector<StatementPtr>* statements;

  const Statement& operator[](std::size_t i) const { return *(*statements)[i]; }
  std::string head(std::size_t i) const {
    return std::string(module->source->text((*statements)[i]->head));
  }
};

inline Body body_of(const std::string& members, const std::string& statements) {
  Body body;
  body.module =
      module_of("object a {" + members + " void op() {" + statements + "} }");
  body.statements = &body.module->objects.at(0)->functions.back()->body->body;
  return body;
}

}  // namespace plumb::lang
