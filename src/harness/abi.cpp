// SPDX-License-Identifier: Apache-2.0
// The functions by which a test declares itself (plumb/test/abi.h).
#include "plumb/test/abi.h"

#include <fmt/format.h>

#include <exception>
#include <memory>

#include "harness/call_trace.h"
#include "harness/case.h"
#include "harness/given.h"
#include "harness/left_out.h"
#include "harness/registry.h"
#include "harness/session.h"
#include "runtime/early_memory.h"

namespace plumb::harness {

namespace {

using test::Case;

// Threads of a program; the main thread is one more.
constexpr int kMaxProgramThreads = static_cast<int>(sched::kMaxThreads) - 1;

bool is_operation(Case& test, int number) {
  const bool known =
      number >= 0 && static_cast<std::size_t>(number) < test.operations.size();
  if (!known) test.complain("there is no such operation");
  return known;
}

bool is_call(Case& test, int number) {
  const bool known =
      number >= 0 && static_cast<std::size_t>(number) < test.calls.size();
  if (!known) test.complain("a program calls what was never declared");
  return known;
}

// May this thread make this call?
void require_allowed(Case& test, int thread, int call) {
  const int number = test.calls[static_cast<std::size_t>(call)].operation;
  const test::DeclaredOperation& operation =
      test.operations[static_cast<std::size_t>(number)];
  if (operation.allowed_in(thread)) return;
  const test::Restriction& restriction = *operation.restriction;
  test.complain(
      fmt::format("thread {} of a program calls '{}', which {}", thread,
                  operation.name,
                  restriction.others
                      ? fmt::format("thread {} may not", restriction.thread)
                      : fmt::format("only thread {} may", restriction.thread)),
      "threads count from 0, in the order in which they were added");
}

}  // namespace

std::vector<Registered>& registered_tests() {
  static auto* const tests = new std::vector<Registered>();
  return *tests;
}

std::unique_ptr<Case> declared(const Registered& test) {
  auto out = std::make_unique<Case>();
  out->name = test.name;
  out->file = test.file;
  out->line = test.line;
  try {
    test.declare(out.get());
  } catch (const std::exception& error) {
    out->complain(
        fmt::format("declaring '{}' threw: {}", test.name, error.what()));
  } catch (...) {
    out->complain(fmt::format("declaring '{}' threw something", test.name));
  }
  require_complete(*out);
  return out;
}

void require_complete(Case& test) {
  if (test.body) {
    if (test.object) {
      test.complain("a test has an object or run(), not both");
    }
    return;
  }
  if (!test.object) {
    test.complain("the test declares nothing",
                  "give it an object(), or something to run()");
  } else if (test.programs.empty() && !test.generate) {
    test.complain("the test has no program",
                  "add some with program(), or let programs() make them");
  } else {
    require_nothing_left_out(test);
  }
}

}  // namespace plumb::harness

using plumb::harness::kMaxProgramThreads;
using plumb::test::Case;

extern "C" {

Case* plumb_new_case(const char* name, const char* file, int line) {
  plumb::runtime::close_early_memory();
  auto* const test = new Case();
  test->name = name;
  test->file = file;
  test->line = line;
  return test;
}

void plumb_drop_case(Case* test) {
  delete test;
}

void plumb_set_object(Case* test, plumb::test::Maker* object,
                      plumb::test::Maker* model) {
  if (test->object) test->complain("the test has an object already");
  test->object.reset(object);
  test->model.reset(model);
}

int plumb_add_operation(Case* test, const char* name, const char* file,
                        int line) {
  if (!test->object) test->complain("an operation comes before the object");
  for (const auto& other : test->operations) {
    if (other.name == name) {
      test->complain(fmt::format("there are two operations '{}'", name));
    }
  }
  test->operations.push_back({name, std::nullopt, false, file, line});
  return static_cast<int>(test->operations.size()) - 1;
}

void plumb_restrict_operation(Case* test, int operation, int thread,
                              bool others) {
  if (!plumb::harness::is_operation(*test, operation)) return;
  if (thread < 0 || thread >= kMaxProgramThreads) {
    return test->complain(
        fmt::format("a program has no thread {}: they count from 0", thread));
  }
  test->operations[static_cast<std::size_t>(operation)].restriction = {thread,
                                                                       others};
}

void plumb_make_distinct(Case* test, int operation) {
  if (!plumb::harness::is_operation(*test, operation)) return;
  test->operations[static_cast<std::size_t>(operation)].distinct = true;
}

int plumb_add_call(Case* test, int operation, plumb::test::Action* action,
                   plumb::test::Action* model, bool generated) {
  plumb::test::DeclaredCall call;
  plumb::harness::Given& given = plumb::harness::find_given();
  if (!given.empty()) call.argument = given.value();
  const bool is_refused = given.is_refused();
  given.clear();
  call.operation = operation;
  call.action.reset(action);
  call.model.reset(model);
  call.generated = generated;
  if (!plumb::harness::is_operation(*test, operation)) return -1;
  if (is_refused) {
    test->complain(
        fmt::format("an argument of '{}' does not fit into 64 bits with a sign",
                    test->operations[static_cast<std::size_t>(operation)].name),
        "let a lambda make it of a smaller one");
  }
  test->calls.push_back(std::move(call));
  return static_cast<int>(test->calls.size()) - 1;
}

int plumb_add_default_call(Case* test, int operation,
                           plumb::test::Action* action,
                           plumb::test::Action* model) {
  const int call = plumb_add_call(test, operation, action, model, true);
  if (call >= 0) test->calls.back().by_default = true;
  return call;
}

int plumb_add_program(Case* test) {
  if (!test->object) test->complain("a program comes before the object");
  test->programs.emplace_back();
  return static_cast<int>(test->programs.size()) - 1;
}

void plumb_add_to_program(Case* test, int program, int thread, int call) {
  if (program < 0 ||
      static_cast<std::size_t>(program) >= test->programs.size()) {
    return test->complain("there is no such program");
  }
  if (!plumb::harness::is_call(*test, call)) return;
  plumb::harness::Program& target =
      test->programs[static_cast<std::size_t>(program)];
  if (thread == -1) return target.before.push_back(call);
  if (thread == -2) return target.after.push_back(call);
  if (thread < 0 || thread >= kMaxProgramThreads) {
    return test->complain(
        fmt::format("a program has at most {} threads", kMaxProgramThreads));
  }
  plumb::harness::require_allowed(*test, thread, call);
  const auto index = static_cast<std::size_t>(thread);
  if (target.threads.size() <= index) target.threads.resize(index + 1);
  target.threads[index].push_back(call);
  std::size_t calls = 0;
  for (const auto& each : target.threads) calls += each.size();
  if (calls > plumb::harness::kMaxCalls) {
    test->complain(fmt::format("the threads of a program make at most {} calls",
                               plumb::harness::kMaxCalls));
  }
}

void plumb_generate(Case* test, int threads, int calls) {
  if (!test->object) test->complain("programs() comes before the object");
  constexpr int most = static_cast<int>(plumb::harness::kMaxCalls);
  if (threads < 1 || threads > kMaxProgramThreads || calls < 1 ||
      calls > most / threads) {
    return test->complain(
        fmt::format("programs({}, {}) is not possible", threads, calls),
        fmt::format("1 to {} threads, at least one call in each, at most {} "
                    "calls in all",
                    kMaxProgramThreads, most));
  }
  test->generate = {threads, calls};
}

void plumb_set_drain(Case* test, int call) {
  if (plumb::harness::is_call(*test, call)) test->drain = call;
}

void plumb_set_body(Case* test, plumb::test::Body* body) {
  if (test->body) test->complain("the test has a body already");
  test->body.reset(body);
}

void plumb_set(Case* test, const char* setting, const char* value) {
  try {
    test->settings.set(setting, value);
  } catch (const plumb::InputError& error) {
    test->complain(error.what(), error.hint());
  }
}

int plumb_check(Case* test) {
  if (!test->status) plumb::harness::check_alone(*test);
  return *test->status;
}

const char* plumb_report(Case* test) {
  plumb_check(test);
  return test->report.c_str();
}

void plumb_register(const char* name, const char* file, int line,
                    void (*declare)(Case*)) {
  const plumb::runtime::NotEarly own;
  plumb::harness::registered_tests().push_back({name, file, line, declare});
}

int plumb_whole_program(const char* name, const char* file,
                        int (*main_function)(int, char**, char**), int argc,
                        char** argv) {
  return plumb::harness::run_whole_program(name, file, main_function, argc,
                                           argv);
}

// Not inlined, and not left out: a debugger looks for it.
__attribute__((noinline)) void plumb_stop_here() {
  asm volatile("");
}

}  // extern "C"
