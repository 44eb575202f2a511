// SPDX-License-Identifier: Apache-2.0
#include "harness/translate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "base/input_error.h"
#include "spec/notation.h"

namespace plumb::harness {

namespace {

using spec::Argument;
using spec::Signature;

[[noreturn]] void reject_operation(const test::Case& test,
                                   const std::string& name,
                                   const spec::Specification& object) {
  std::vector<std::string> known;
  for (const Signature& one : object.operations()) {
    known.emplace_back(one.name);
  }
  const std::string meant = nearest(name, known);
  throw InputError(
      test.place(),
      fmt::format("the specification '{}' has no operation '{}'", object.name(),
                  name),
      meant.empty() ? fmt::format("its operations: {}", fmt::join(known, ", "))
                    : fmt::format("did you mean '{}'?  Its operations: {}",
                                  meant, fmt::join(known, ", ")));
}

bool is_priority(Value value) {
  if (value.is_number()) return true;
  return value.is_list() && !value.items().empty() &&
         value.items()[0].is_number();
}

// What is wrong with an argument, as a clause, or "".
std::string fault_of(const Signature& signature, Value argument,
                     bool null_means_nothing) {
  switch (signature.argument) {
    case Argument::kNone:
      return "";
    case Argument::kValue:
      if (!argument.is_null() || !null_means_nothing) return "";
      return "takes a value that is not null: null is what a take gives when "
             "it finds nothing";
    case Argument::kPriority:
      if (is_priority(argument)) return "";
      return "takes a number, or a list that begins with one";
    case Argument::kPair:
      if (argument.is_list() && argument.items().size() == 2) return "";
      return "takes two arguments";
  }
  return "";
}

// A model takes whatever its methods take.  A call that is there by default is
// not made if the test gave others.
bool is_checked(const test::Case& test, const test::DeclaredCall& call) {
  if (test.settings.spec.empty()) return false;
  if (!call.by_default) return true;
  return test.generate &&
         std::none_of(test.calls.begin(), test.calls.end(),
                      [&](const test::DeclaredCall& other) {
                        return other.operation == call.operation &&
                               other.generated && !other.by_default;
                      });
}

std::string shown(Value value) {
  return value.is_null() ? "nothing" : value.to_string();
}

}  // namespace

std::vector<spec::Call> calls_of(const test::Case& test,
                                 const spec::Specification& object) {
  const auto signatures = object.operations();
  const bool null_means_nothing =
      std::any_of(signatures.begin(), signatures.end(),
                  [](const Signature& one) { return one.takes; });
  std::vector<spec::Call> out;
  for (std::size_t i = 0; i < test.calls.size(); ++i) {
    const test::DeclaredCall& declared = test.calls[i];
    const std::string& name =
        test.operations[static_cast<std::size_t>(declared.operation)].name;
    const auto code = spec::find_operation(object, name);
    if (!code) reject_operation(test, name, object);
    const Signature& signature = signatures[*code];
    Value argument = declared.argument.value_or(Value());
    if (const auto* notation = dynamic_cast<const spec::Notation*>(&object)) {
      try {
        argument = notation->taken(*code, argument);
      } catch (const InputError& error) {
        if (is_checked(test, declared)) {
          throw InputError(test.place(), error.what(), error.hint());
        }
      }
    }
    const std::string fault = fault_of(signature, argument, null_means_nothing);
    if (!fault.empty() && is_checked(test, declared)) {
      throw InputError(
          test.place(),
          fmt::format("'{}' of the specification '{}' {}, but there is a "
                      "call {}",
                      name, object.name(), fault,
                      test.describe(static_cast<int>(i))));
    }
    out.push_back(
        {*code, signature.argument == Argument::kNone ? Value() : argument});
  }
  return out;
}

Value result_of(const Signature& signature, Value given) {
  switch (signature.result) {
    case spec::Result::kNone:
      return Value();
    case spec::Result::kValue:
      return given;
    case spec::Result::kSuccess:
      return given.is_boolean() ? given : Value::boolean(true);
    case spec::Result::kBoolean:
      if (given.is_boolean()) return given;
      throw InputError(
          fmt::format("'{}' must return true or false, but it gave {}",
                      signature.name, shown(given)),
          "let a lambda turn what it returns into a bool");
    case spec::Result::kInteger:
      if (given.is_integer()) return given;
      throw InputError(
          fmt::format("'{}' must return an integer, but it gave {}",
                      signature.name, shown(given)),
          "let a lambda turn what it returns into an integer");
  }
  return given;
}

}  // namespace plumb::harness
