// SPDX-License-Identifier: Apache-2.0
#include "lang/refinement.h"

#include <fmt/format.h>

#include <optional>
#include <utility>

#include "base/input_error.h"
#include "lang/constants.h"
#include "lang/settings.h"
#include "lang/user_spec.h"
#include "spec/catalogue.h"

namespace plumb::lang {
namespace {

constexpr std::int64_t kMostCallers = 64;
constexpr std::int64_t kMostOperations = 10'000;
constexpr std::size_t kMostInstances = 10'000;

class ComparisonMaker {
 public:
  ComparisonMaker(const Module& module, const Check& check,
                  const Settings& settings)
      : module_(module),
        check_(check),
        settings_(settings),
        source_(*check.source),
        left_(check.refinement->left),
        right_(check.refinement->right) {}

  Comparison make();

 private:
  void set_constants();
  // `own`: gets the constants of the side's specification, too.
  spec::SpecificationPtr specification(const Side& side,
                                       ConstantValues& own) const;
  void list_arguments(Comparison& out);
  std::vector<Value> arguments(const spec::Signature& signature) const;
  std::vector<Value> values_of(const Type* type, const ConstantValues& own,
                               Span span) const;
  static const Function* declared(const Side& side, std::string_view name);
  std::string bounds(const Comparison& made) const;
  std::uint32_t number(const ExpressionPtr& bound, std::int64_t most,
                       const char* what) const;
  [[noreturn]] void fail(Span span, std::string what,
                         std::string hint = "") const {
    throw InputError(source_.place(span), std::move(what), std::move(hint));
  }

  const Module& module_;
  const Check& check_;
  const Settings& settings_;
  const Source& source_;
  const Side& left_;
  const Side& right_;
  ConstantValues constants_;  // those of the file
  ConstantValues of_left_, of_right_;
  std::optional<Range> values_;
};

std::uint32_t ComparisonMaker::number(const ExpressionPtr& bound,
                                      std::int64_t most,
                                      const char* what) const {
  const std::int64_t count = evaluate(*bound, constants_, source_);
  if (count < 1 || count > most) {
    fail(bound->span, fmt::format("{} {} are not possible", count, what),
         fmt::format("a comparison takes 1 to {}", most));
  }
  return static_cast<std::uint32_t>(count);
}

// As for objects: what the command line says counts more than what the check
// says, and the values that a check gives may use those that are there already.
void ComparisonMaker::set_constants() {
  use_settings(settings_, module_.constants, constants_);
  for (const Side* side : {&left_, &right_}) {
    if (side->specification == nullptr) continue;
    use_settings(settings_, side->specification->constants, constants_);
  }
  for (const Check::Setting& setting : check_.settings) {
    if (constants_.values.contains(setting.constant)) continue;
    ConstantValues now = constants_;
    define_constants(module_.constants, now, source_);
    constants_.values[setting.constant] =
        evaluate(*setting.value, now, source_);
  }
  define_constants(module_.constants, constants_, source_);
}

// Each side has its own arguments, though both may be the same specification.
spec::SpecificationPtr ComparisonMaker::specification(
    const Side& side, ConstantValues& own) const {
  std::vector<std::int64_t> values;
  for (const ExpressionPtr& argument : side.arguments) {
    values.push_back(evaluate(*argument, constants_, source_));
  }
  const std::string name =
      values.empty()
          ? side.name
          : fmt::format("{}({})", side.name, fmt::join(values, ", "));
  if (side.specification == nullptr) {
    try {
      return spec::make(name);
    } catch (const InputError& error) {
      fail(side.span, error.what(), error.hint());
    }
  }
  own = constants_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    own.values[side.specification->parameters[i].get()] = values[i];
  }
  define_constants(side.specification->constants, own, source_);
  return make_user_spec(module_.source, *side.specification, own, name);
}

const Function* ComparisonMaker::declared(const Side& side,
                                          std::string_view name) {
  if (side.specification == nullptr) return nullptr;
  for (const auto& function : side.specification->functions) {
    if (function->is_operation && function->name == name) return function.get();
  }
  return nullptr;
}

// `type`: null, or what the specification says of it.
std::vector<Value> ComparisonMaker::values_of(const Type* type,
                                              const ConstantValues& own,
                                              Span span) const {
  std::vector<Value> out;
  const auto add = [&](std::int64_t low, std::int64_t high) {
    if (high - low >= static_cast<std::int64_t>(kMostInstances)) {
      fail(
          span,
          fmt::format("more than {} arguments are to be tried", kMostInstances),
          "use smaller ranges");
    }
    for (std::int64_t n = low; n <= high; ++n) out.push_back(Value::integer(n));
  };
  const TypeKind kind = type == nullptr ? TypeKind::kInt : type->kind;
  if (kind == TypeKind::kBool) {
    out = {Value::boolean(false), Value::boolean(true)};
  } else if (kind == TypeKind::kEnum) {
    for (const std::string& member : type->enumeration->members) {
      out.push_back(Value::text(member));
    }
  } else if (kind == TypeKind::kProcess) {
    add(0, constants_.processes - 1);
  } else if (type != nullptr && type->low != nullptr) {
    add(evaluate(*type->low, own, source_),
        evaluate(*type->high, own, source_));
  } else if (values_) {
    add(values_->low, values_->high);
  } else {
    fail(check_.object_span, "which values do the operations take?",
         "add 'values 1..2' to the check");
  }
  return out;
}

// All combinations, the last parameter moving fastest.  Where the left side is
// a built-in one, which takes any value, the right one says what is tried.
std::vector<Value> ComparisonMaker::arguments(
    const spec::Signature& signature) const {
  const Function* function = declared(left_, signature.name);
  const ConstantValues& own = function != nullptr ? of_left_ : of_right_;
  if (function == nullptr) function = declared(right_, signature.name);
  const std::size_t count = function != nullptr ? function->parameters.size()
                            : signature.argument == spec::Argument::kNone ? 0
                            : signature.argument == spec::Argument::kPair ? 2
                                                                          : 1;
  std::vector<std::vector<Value>> all(1);
  for (std::size_t i = 0; i < count; ++i) {
    const Variable* parameter =
        function != nullptr ? function->parameters[i].get() : nullptr;
    const std::vector<Value> values =
        values_of(parameter != nullptr ? parameter->type.get() : nullptr, own,
                  parameter != nullptr ? parameter->span : check_.object_span);
    std::vector<std::vector<Value>> longer;
    for (const std::vector<Value>& so_far : all) {
      for (const Value value : values) {
        longer.push_back(so_far);
        longer.back().push_back(value);
      }
    }
    all = std::move(longer);
    if (all.size() > kMostInstances) {
      fail(
          parameter != nullptr ? parameter->span : check_.object_span,
          fmt::format("more than {} arguments are to be tried", kMostInstances),
          "use smaller ranges");
    }
  }
  std::vector<Value> out;
  for (const std::vector<Value>& one : all) {
    out.push_back(one.empty()       ? Value()
                  : one.size() == 1 ? one[0]
                                    : Value::list(one));
  }
  return out;
}

void ComparisonMaker::list_arguments(Comparison& out) {
  const spec::Specification& right = *out.right.specification;
  out.right.arguments.resize(right.operations().size());
  for (const spec::Signature& one : out.left.specification->operations()) {
    const auto code = spec::find_operation(right, one.name);
    if (!code) {
      fail(right_.span,
           fmt::format("'{}' has no operation '{}'", right_.text, one.name));
    }
    out.codes.push_back(*code);
    out.left.arguments.push_back(arguments(one));
    out.right.arguments[*code] = out.left.arguments.back();
  }
}

std::string ComparisonMaker::bounds(const Comparison& made) const {
  const auto plural = [](std::int64_t n, const char* one, const char* many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  std::vector<std::string> words;
  if (check_.processes) {
    words.push_back(plural(constants_.processes, "process", "processes"));
  }
  if (values_) words.push_back(values_text(*values_));
  words.push_back(made.operations > 0
                      ? "at most " +
                            plural(made.operations, "operation", "operations")
                      : std::string("any number of operations"));
  for (const Check::Setting& setting : check_.settings) {
    words.push_back(fmt::format("{} = {}", setting.name,
                                constants_.values.at(setting.constant)));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

Comparison ComparisonMaker::make() {
  require_known(settings_, module_);
  constants_.processes = 1;
  Comparison out;
  if (check_.processes) {
    ConstantValues before = constants_;
    set_constants();
    const std::uint32_t count =
        number(check_.processes, kMostCallers, "processes");
    constants_ = std::move(before);
    constants_.processes = count;
  }
  set_constants();
  values_ = read_values(check_, constants_, source_);
  if (check_.operations) {
    out.operations = number(check_.operations, kMostOperations, "operations");
  }
  out.left.specification = specification(left_, of_left_);
  out.right.specification = specification(right_, of_right_);
  list_arguments(out);
  out.bounds = bounds(out);
  return out;
}

}  // namespace

Comparison compile_refinement(const Module& module, const Check& check,
                              const Settings& settings) {
  return ComparisonMaker(module, check, settings).make();
}

}  // namespace plumb::lang
