// SPDX-License-Identifier: Apache-2.0
// Does an object have the operations of its specification?
#include <fmt/format.h>

#include <algorithm>

#include "lang/types.h"
#include "lang/types_module.h"
#include "spec/catalogue.h"

namespace plumb::lang {
namespace {

class ImplementsChecker {
 public:
  ImplementsChecker(Object& object, ExpressionChecker& expressions)
      : object_(object), expressions_(expressions) {}

  void check_own(const Object& specification);
  void check_built_in(const std::vector<Object*>& objects);

 private:
  void arguments_of_own(const Object& specification);
  void operation_of_own(const Function& operation, const Function& wanted);
  void report_missing(const Function& operation,
                      const std::vector<std::string>& names);
  void operation_of_built_in(const Function& operation,
                             const spec::Signature& wanted);
  void report_count(const Function& operation, std::size_t wanted);
  void report_result(const Function& operation, std::string_view wanted);
  spec::SpecificationPtr make_built_in(const std::vector<Object*>& objects);

  std::string described(const Type& type) const {
    return describe(type, expressions_.source());
  }

  Object& object_;
  ExpressionChecker& expressions_;
};

std::vector<std::string> operation_names(const Object& object) {
  std::vector<std::string> names;
  for (const auto& function : object.functions) {
    if (function->is_operation) names.push_back(function->name);
  }
  return names;
}

void ImplementsChecker::report_missing(const Function& operation,
                                       const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) {
    list += fmt::format("{}'{}'", list.empty() ? "" : ", ", name);
  }
  const std::string meant = nearest(operation.name, names);
  expressions_.report(
      operation.span,
      fmt::format("the specification '{}' has no operation '{}'",
                  object_.implements, operation.name),
      meant.empty()
          ? fmt::format("it has {}; mark a helper with 'function'",
                        list.empty() ? "none" : list)
          : fmt::format("did you mean '{}'? (mark a helper with 'function')",
                        meant));
}

void ImplementsChecker::report_count(const Function& operation,
                                     std::size_t wanted) {
  const std::size_t given = operation.parameters.size();
  expressions_.report(
      operation.span,
      fmt::format("'{}' has {} parameter{}, but that of '{}' has {}",
                  operation.name, given == 0 ? "no" : fmt::format("{}", given),
                  given == 1 ? "" : "s", object_.implements,
                  wanted == 0 ? "none" : fmt::format("{}", wanted)));
}

void ImplementsChecker::report_result(const Function& operation,
                                      std::string_view wanted) {
  expressions_.report(
      operation.span,
      fmt::format("'{}' returns {}, but that of '{}' returns {}",
                  operation.name, described(*operation.result),
                  object_.implements, wanted));
}

void ImplementsChecker::check_own(const Object& specification) {
  object_.specification = &specification;
  arguments_of_own(specification);
  const std::vector<std::string> names = operation_names(specification);
  for (const auto& operation : object_.functions) {
    if (!operation->is_operation) continue;
    const auto wanted = std::find_if(
        specification.functions.begin(), specification.functions.end(),
        [&](const auto& function) {
          return function->is_operation && function->name == operation->name;
        });
    if (wanted == specification.functions.end()) {
      report_missing(*operation, names);
    } else {
      operation_of_own(*operation, **wanted);
    }
  }
}

void ImplementsChecker::arguments_of_own(const Object& specification) {
  const auto& given = object_.implements_arguments;
  const auto& wanted = specification.parameters;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const TypeKind kind =
        i < wanted.size() ? wanted[i]->type->kind : TypeKind::kError;
    expressions_.check_constant(
        *given[i], kind,
        i < wanted.size() ? fmt::format("'{}' is", wanted[i]->name) : "");
  }
  if (given.size() == wanted.size()) return;
  expressions_.report(
      object_.implements_span,
      fmt::format("'{}' is given {} argument{}, but it takes {}",
                  specification.name, given.size(),
                  given.size() == 1 ? "" : "s",
                  wanted.empty() ? "none" : fmt::format("{}", wanted.size())));
}

void ImplementsChecker::operation_of_own(const Function& operation,
                                         const Function& wanted) {
  if (operation.parameters.size() != wanted.parameters.size()) {
    return report_count(operation, wanted.parameters.size());
  }
  for (std::size_t i = 0; i < wanted.parameters.size(); ++i) {
    const Variable& parameter = *operation.parameters[i];
    const Type& type = *wanted.parameters[i]->type;
    if (same_kind(*parameter.type, type)) continue;
    expressions_.report(
        parameter.span,
        fmt::format("'{}' is {}, but '{}' of '{}' takes {}", parameter.name,
                    described(*parameter.type), operation.name,
                    object_.implements, described(type)));
  }
  if (operation.result->kind == TypeKind::kVoid ||
      same_kind(*operation.result, *wanted.result)) {
    return;
  }
  const std::string type = described(*wanted.result);
  if (wanted.result->kind == TypeKind::kVoid) {
    report_result(operation, "nothing");
  } else if (type == described(*operation.result)) {
    report_result(operation, "another " + type);
  } else {
    report_result(operation, type);
  }
}

// Null if there is no such specification, which is then reported.
spec::SpecificationPtr ImplementsChecker::make_built_in(
    const std::vector<Object*>& objects) {
  std::vector<std::string> own;
  for (const Object* object : objects) {
    if (object->is_specification) own.push_back(object->name);
  }
  const bool is_bounded = !object_.implements_arguments.empty();
  try {
    spec::parse_name(object_.implements);
    own.clear();  // so it is no misspelt name
    // Its value is seen when the model is compiled; here, only whether it is
    // bounded matters.
    return spec::make(object_.implements + (is_bounded ? "(1)" : ""));
  } catch (const InputError& error) {
    expressions_.report(object_.implements_span, error.what(),
                        suggestion(object_.implements, own, error.hint()));
    return nullptr;
  }
}

void ImplementsChecker::check_built_in(const std::vector<Object*>& objects) {
  for (const ExpressionPtr& argument : object_.implements_arguments) {
    expressions_.check_constant(*argument, TypeKind::kInt, "a capacity is");
  }
  const spec::SpecificationPtr made = make_built_in(objects);
  if (made == nullptr) return;
  if (object_.implements_arguments.size() > 1) {
    expressions_.report(object_.implements_arguments[1]->span,
                        fmt::format("'{}' takes one argument, its capacity",
                                    object_.implements));
  }
  std::vector<std::string> names;
  for (const spec::Signature& signature : made->operations()) {
    names.emplace_back(signature.name);
  }
  for (const auto& operation : object_.functions) {
    if (!operation->is_operation) continue;
    if (const auto code = spec::find_operation(*made, operation->name)) {
      operation_of_built_in(*operation, made->operations()[*code]);
    } else {
      report_missing(*operation, names);
    }
  }
}

void ImplementsChecker::operation_of_built_in(const Function& operation,
                                              const spec::Signature& wanted) {
  const std::size_t count = wanted.argument == spec::Argument::kNone   ? 0
                            : wanted.argument == spec::Argument::kPair ? 2
                                                                       : 1;
  if (operation.parameters.size() != count) {
    return report_count(operation, count);
  }
  if (wanted.argument == spec::Argument::kPriority &&
      !fits(*operation.parameters[0]->type, *simple_type(TypeKind::kInt))) {
    expressions_.report(operation.parameters[0]->span,
                        fmt::format("'{}' is {}, but '{}' of '{}' takes int",
                                    operation.parameters[0]->name,
                                    described(*operation.parameters[0]->type),
                                    operation.name, object_.implements));
  }
  const TypeKind kind = operation.result->kind;
  if (kind == TypeKind::kVoid || kind == TypeKind::kError) return;
  switch (wanted.result) {
    case spec::Result::kNone:
      return report_result(operation, "nothing");
    case spec::Result::kBoolean:
    case spec::Result::kSuccess:
      if (kind != TypeKind::kBool) report_result(operation, "bool");
      return;
    case spec::Result::kInteger:
      if (kind != TypeKind::kInt) report_result(operation, "int");
      return;
    case spec::Result::kValue:
      return;
  }
}

}  // namespace

void check_implements(Object& object, const std::vector<Object*>& objects,
                      ExpressionChecker& expressions) {
  ImplementsChecker checker(object, expressions);
  const auto found =
      std::find_if(objects.begin(), objects.end(), [&](const Object* other) {
        return other->name == object.implements && other->is_specification;
      });
  if (found != objects.end()) return checker.check_own(**found);
  const bool is_object = std::any_of(
      objects.begin(), objects.end(),
      [&](const Object* other) { return other->name == object.implements; });
  if (is_object) {
    bool is_built_in = true;
    try {
      spec::parse_name(object.implements);
    } catch (const InputError&) {
      is_built_in = false;
    }
    if (!is_built_in) {
      return expressions.report(
          object.implements_span,
          fmt::format("'{}' is an object, not a specification",
                      object.implements),
          "write 'spec' instead of 'object' where it is declared");
    }
  }
  checker.check_built_in(objects);
}

}  // namespace plumb::lang
