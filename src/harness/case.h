// SPDX-License-Identifier: Apache-2.0
// A test as it was declared: the object, its operations, calls and programs.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/input_error.h"
#include "base/value.h"
#include "harness/settings.h"
#include "plumb/test/abi.h"

namespace plumb::harness {

// What is called before, in and after the threads, by numbers of calls.
struct Program {
  std::vector<int> before;
  std::vector<std::vector<int>> threads;
  std::vector<int> after;

  friend bool operator==(const Program&, const Program&) = default;
};

// Programs are to be made of so many threads with at most so many calls.
struct Bounds {
  int threads = 0;
  int calls = 0;
};

}  // namespace plumb::harness

namespace plumb::test {

// Who may make an operation.
struct Restriction {
  int thread = 0;       // of a program, from 0
  bool others = false;  // every thread but that one
};

struct DeclaredOperation {
  std::string name;
  std::optional<Restriction> restriction;
  // In programs that are generated, no two calls of it have one argument, and
  // arguments come in the order in which they were given.
  bool distinct = false;
  std::string file = {};  // where it is declared
  int line = 0;

  bool allowed_in(int thread) const {
    return !restriction ||
           (restriction->thread == thread) != restriction->others;
  }
};

struct DeclaredCall {
  int operation = 0;
  std::optional<Value> argument;  // nothing: it takes none
  std::unique_ptr<Action> action;
  std::unique_ptr<Action> model;  // null: there is no model
  bool generated = false;         // programs that are generated use it
  // ... unless there is another one of this operation that they use: it is
  // there because nobody gave values.
  bool by_default = false;
};

struct Case {
  std::string name;
  std::string file;  // "": it does not stand in a file that is known
  int line = 0;

  std::unique_ptr<Maker> object;  // null: a free-form test
  std::unique_ptr<Maker> model;   // null: there is none
  std::vector<DeclaredOperation> operations;
  std::vector<DeclaredCall> calls;
  std::vector<harness::Program> programs;   // those written by hand
  std::optional<harness::Bounds> generate;  // those to be made
  std::optional<int> drain;    // a call made after the threads, often enough
  std::unique_ptr<Body> body;  // of a free-form test
  harness::Settings settings;

  // What is wrong with how it was declared: the first thing.  Kept here, since
  // no exception should pass through the frames of a test.
  std::optional<InputError> error;

  std::string report;         // of the last plumb_check()
  std::optional<int> status;  // ... and what it gave

  // Remembers an error at the place of this test, unless there is one.
  void complain(const std::string& what, const std::string& hint = "");
  void complain(const DeclaredOperation& of, const std::string& what,
                const std::string& hint);
  Place place() const;

  // "enq(1)", "cas(1, 2)", "deq()".
  std::string describe(int call) const;
};

}  // namespace plumb::test
