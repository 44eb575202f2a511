// SPDX-License-Identifier: Apache-2.0
#include "harness/left_out.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>

#include "report/words.h"

namespace plumb::harness {

namespace {

using test::Case;
using test::DeclaredCall;
using test::DeclaredOperation;

bool calls(const Case& test, const std::vector<int>& list,
           std::size_t operation) {
  return std::any_of(list.begin(), list.end(), [&](int call) {
    const auto number = static_cast<std::size_t>(call);
    return static_cast<std::size_t>(test.calls[number].operation) == operation;
  });
}

bool is_written(const Case& test, std::size_t operation) {
  return std::any_of(
      test.programs.begin(), test.programs.end(), [&](const Program& program) {
        return calls(test, program.before, operation) ||
               calls(test, program.after, operation) ||
               std::any_of(program.threads.begin(), program.threads.end(),
                           [&](const std::vector<int>& thread) {
                             return calls(test, thread, operation);
                           });
      });
}

// Calls that generated programs can make.
std::size_t given(const Case& test, std::size_t operation, bool by_default) {
  return static_cast<std::size_t>(std::count_if(
      test.calls.begin(), test.calls.end(), [&](const DeclaredCall& call) {
        return call.generated && call.by_default == by_default &&
               static_cast<std::size_t>(call.operation) == operation;
      }));
}

bool some_thread_may(const Case& test, const DeclaredOperation& operation) {
  for (int thread = 0; thread < test.generate->threads; ++thread) {
    if (operation.allowed_in(thread)) return true;
  }
  return false;
}

void require_used(Case& test, std::size_t number) {
  if (is_written(test, number)) return;
  const bool drains = test.drain && calls(test, {*test.drain}, number);
  const DeclaredOperation& operation = test.operations[number];
  const std::string subject =
      fmt::format("no program of '{}' calls '{}'", test.name, operation.name);
  if (drains &&
      (!test.generate || some_thread_may(test, test.operations[number]))) {
    return;
  }
  if (!test.generate) {
    return test.complain(operation, subject,
                         "put it into a program(), or do not declare it");
  }
  if (!drains && given(test, number, false) + given(test, number, true) == 0) {
    return test.complain(
        operation, subject + ": it takes arguments, and none were given to try",
        "give it values(1, 2), or arguments(1, 2) for several at once; a "
        "lambda that needs none turns other results into an optional");
  }
  if (!some_thread_may(test, operation)) {
    const test::Restriction& restriction = *operation.restriction;
    test.complain(
        operation,
        fmt::format(
            "{}: {}, and programs({}, {}) have {}", subject,
            restriction.others
                ? fmt::format("thread {} may not", restriction.thread)
                : fmt::format("only thread {} may", restriction.thread),
            test.generate->threads, test.generate->calls,
            test.generate->threads == 1
                ? std::string("thread 0 only")
                : fmt::format("threads 0 to {}", test.generate->threads - 1)),
        "threads count from 0");
  }
}

}  // namespace

void require_nothing_left_out(Case& test) {
  if (test.operations.empty()) {
    test.complain("the object has no operation, so there is nothing to call",
                  "add some with operation()");
  }
  for (const Program& program : test.programs) {
    const bool is_empty =
        program.before.empty() && program.after.empty() &&
        std::all_of(program.threads.begin(), program.threads.end(),
                    [](const auto& thread) { return thread.empty(); });
    if (is_empty) {
      test.complain("a program calls nothing",
                    "give it calls: program().thread(push(1), pop())");
    }
  }
  for (std::size_t i = 0; i < test.operations.size(); ++i) {
    require_used(test, i);
  }
}

std::vector<std::string> left_out(const Case& test,
                                  const spec::Specification& object) {
  std::vector<std::string> out;
  std::vector<std::string> missing;
  for (const spec::Signature& signature : object.operations()) {
    const auto has_its_name = [&](const DeclaredOperation& operation) {
      return operation.name == signature.name;
    };
    if (std::none_of(test.operations.begin(), test.operations.end(),
                     has_its_name)) {
      missing.push_back(fmt::format("'{}'", signature.name));
    }
  }
  if (!missing.empty() && missing.size() < object.operations().size()) {
    out.push_back(fmt::format("the test has no {} of the specification",
                              fmt::join(missing, ", ")));
  }
  if (!test.generate) return out;
  for (std::size_t i = 0; i < test.operations.size(); ++i) {
    const DeclaredOperation& operation = test.operations[i];
    if (!operation.distinct) continue;
    std::size_t threads = 0;
    for (int thread = 0; thread < test.generate->threads; ++thread) {
      threads += operation.allowed_in(thread);
    }
    const std::size_t values = given(test, i, false);
    if (values < threads * static_cast<std::size_t>(test.generate->calls)) {
      out.push_back(fmt::format(
          "no program calls '{}' more than {}: so many values it has",
          operation.name,
          values == 1 ? "once" : fmt::format("{} times", values)));
    }
  }
  return out;
}

}  // namespace plumb::harness
