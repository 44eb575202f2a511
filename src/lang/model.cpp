// SPDX-License-Identifier: Apache-2.0
#include "lang/model.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "lang/compile.h"
#include "lang/program_system.h"
#include "lang/relation.h"
#include "lang/settings.h"
#include "lang/user_spec.h"
#include "spec/catalogue.h"

namespace plumb::lang {
namespace {

constexpr std::int64_t kMostProcesses = 64;
constexpr std::int64_t kMostCalls = 255;
constexpr std::size_t kMostArguments = 10'000;

class ModelMaker {
 public:
  ModelMaker(const Module& module, const Check& check, const Settings& settings,
             std::optional<std::size_t> processes)
      : module_(module),
        check_(check),
        settings_(settings),
        processes_(processes),
        object_(*check.object),
        source_(*check.source) {}

  Model make();

 private:
  void set_constants();
  void count_processes();
  void read_bounds();
  void read_busy();
  void assign_roles();
  void make_specification();
  void make_built_in();
  std::string arguments_text(const std::vector<std::int64_t>& values) const;
  void match_operations(Model& model, const Program& program);
  void check_arguments(const Program& program) const;
  void list_arguments(Model& model, const Program& program) const;
  std::string bounds_text() const;

  std::vector<const Function*> operations() const {
    std::vector<const Function*> all;
    for (const auto& function : object_.functions) {
      if (function->is_operation) all.push_back(function.get());
    }
    return all;
  }
  static bool is_void(const Function& function) {
    return function.result == nullptr ||
           function.result->kind == TypeKind::kVoid;
  }
  std::int64_t evaluated(const Expression& expression) const {
    return evaluate(expression, around_.constants, source_);
  }
  [[noreturn]] void fail(Span span, std::string what,
                         std::string hint = "") const {
    throw InputError(source_.place(span), std::move(what), std::move(hint));
  }

  const Module& module_;
  const Check& check_;
  const Settings& settings_;
  const std::optional<std::size_t> processes_;
  const Object& object_;
  const Source& source_;
  Surroundings around_;
  Client client_;
  std::uint32_t busy_ = 0;
  spec::SpecificationPtr specification_;
};

void ModelMaker::set_constants() {
  ConstantValues& constants = around_.constants;
  use_settings(settings_, module_.constants, constants);
  use_settings(settings_, object_.constants, constants);
  const Object* specification = object_.specification;
  if (specification != nullptr) {
    use_settings(settings_, specification->constants, constants);
  }
  // The value that a check gives may use constants that have one already:
  // those of the command line, and what the check says further left.
  for (const Check::Setting& setting : check_.settings) {
    if (constants.values.contains(setting.constant)) continue;
    ConstantValues now = constants;
    define_constants(module_.constants, now, source_);
    define_constants(object_.constants, now, source_);
    constants.values[setting.constant] = evaluate(*setting.value, now, source_);
  }
  define_constants(module_.constants, constants, source_);
  define_constants(object_.constants, constants, source_);
  if (specification == nullptr) return;
  for (std::size_t i = 0; i < specification->parameters.size(); ++i) {
    constants.values[specification->parameters[i].get()] =
        evaluated(*object_.implements_arguments[i]);
  }
  define_constants(specification->constants, constants, source_);
}

// Their number does not depend on `processes`, but constants may.
void ModelMaker::count_processes() {
  const Surroundings before = around_;
  around_.constants.processes = 1;
  set_constants();
  const std::int64_t count = processes_ ? static_cast<std::int64_t>(*processes_)
                                        : evaluated(*check_.processes);
  if (count < 1 || count > kMostProcesses) {
    fail(check_.processes->span,
         fmt::format("{} processes are not possible", count),
         fmt::format("a check takes 1 to {} processes", kMostProcesses));
  }
  around_ = before;
  around_.constants.processes = count;
  set_constants();
}

void ModelMaker::read_bounds() {
  around_.values = read_values(check_, around_.constants, source_);
  if (check_.operations) {
    const std::int64_t count = evaluated(*check_.operations);
    if (count < 1 || count > kMostCalls) {
      fail(check_.operations->span,
           fmt::format("{} operations are not possible", count),
           fmt::format("each process makes 1 to {} calls; leave it out for "
                       "any number",
                       kMostCalls));
    }
    client_.calls = static_cast<std::uint32_t>(count);
  }
  if (check_.busy) read_busy();
  if (check_.cells) around_.cells = evaluated(*check_.cells);
}

void ModelMaker::read_busy() {
  const std::int64_t count = evaluated(*check_.busy);
  if (count < 1 || count > kMostCalls) {
    fail(check_.busy->span,
         fmt::format("busy periods of {} operations are not possible", count),
         fmt::format("write a number from 1 to {}", kMostCalls));
  }
  busy_ = static_cast<std::uint32_t>(count);
}

void ModelMaker::assign_roles() {
  const std::vector<const Function*> all = operations();
  const auto processes = static_cast<std::size_t>(around_.constants.processes);
  std::vector<std::uint16_t> without_role;
  for (std::uint16_t i = 0; i < all.size(); ++i) {
    const bool named = std::any_of(
        object_.roles.begin(), object_.roles.end(), [&](const Role& role) {
          return std::find(role.operations.begin(), role.operations.end(),
                           all[i]->name) != role.operations.end();
        });
    if (!named) without_role.push_back(i);
  }
  for (const Role& role : object_.roles) {
    const std::size_t left = processes - client_.allowed.size();
    const std::int64_t wanted =
        role.count ? evaluated(*role.count) : static_cast<std::int64_t>(left);
    if (wanted < 0 || wanted > static_cast<std::int64_t>(left)) {
      fail(role.span,
           fmt::format("the role '{}' takes {} processes, but {} of {} are "
                       "left",
                       role.name, wanted, left, processes),
           "check it with more processes");
    }
    std::vector<std::uint16_t> may_call;
    for (std::uint16_t i = 0; i < all.size(); ++i) {
      if (std::find(role.operations.begin(), role.operations.end(),
                    all[i]->name) != role.operations.end()) {
        may_call.push_back(i);
      }
    }
    client_.allowed.insert(client_.allowed.end(),
                           static_cast<std::size_t>(wanted), may_call);
  }
  client_.allowed.resize(processes, without_role);
}

std::string ModelMaker::arguments_text(
    const std::vector<std::int64_t>& values) const {
  return values.empty() ? object_.implements
                        : fmt::format("{}({})", object_.implements,
                                      fmt::join(values, ", "));
}

// A bounded container whose puts return nothing: then the clients see to it
// that it never holds more.
void ModelMaker::make_built_in() {
  std::vector<std::int64_t> values;
  for (const ExpressionPtr& argument : object_.implements_arguments) {
    values.push_back(evaluated(*argument));
  }
  try {
    specification_ = spec::make(arguments_text(values));
  } catch (const InputError& error) {
    fail(object_.implements_span, error.what(), error.hint());
  }
  if (values.empty()) return;
  const spec::SpecificationPtr unbounded = spec::make(object_.implements);
  std::vector<Client::Part> parts;
  bool puts_say_nothing = false;
  for (const Function* operation : operations()) {
    const auto code = spec::find_operation(*unbounded, operation->name);
    Client::Part part = Client::Part::kOther;
    if (code) {
      const spec::Signature& signature = unbounded->operations()[*code];
      if (signature.takes) part = Client::Part::kTake;
      if (signature.result == spec::Result::kNone) part = Client::Part::kPut;
    }
    parts.push_back(part);
    puts_say_nothing |= part == Client::Part::kPut && is_void(*operation);
  }
  if (!puts_say_nothing) return;
  const auto all = operations();
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (parts[i] == Client::Part::kPut && !is_void(*all[i])) {
      fail(all[i]->span,
           fmt::format("'{}' returns something, and other puts do not",
                       all[i]->name),
           "let all of them return whether there was room, or none");
    }
  }
  if (values[0] > 255) {
    fail(object_.implements_span, "the capacity is too large",
         "at most 255 are possible where puts return nothing");
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (parts[i] != Client::Part::kTake || !is_void(*all[i])) continue;
    fail(all[i]->span,
         fmt::format("'{}' returns nothing, so that clients cannot tell how "
                     "many items are inside",
                     all[i]->name),
         fmt::format("let it return what it takes, or write 'implements {}' "
                     "and bound the operations",
                     object_.implements));
  }
  specification_ = unbounded;
  client_.room = static_cast<std::uint32_t>(values[0]);
  client_.parts = std::move(parts);
  client_.choose_debt();
}

void ModelMaker::make_specification() {
  if (object_.implements.empty()) return;
  if (object_.specification == nullptr) {
    make_built_in();
    return;
  }
  std::vector<std::int64_t> values;
  for (const ExpressionPtr& argument : object_.implements_arguments) {
    values.push_back(evaluated(*argument));
  }
  specification_ = make_user_spec(module_.source, *object_.specification,
                                  around_.constants, arguments_text(values));
}

void ModelMaker::match_operations(Model& model, const Program& program) {
  if (specification_ == nullptr) {
    for (std::uint16_t i = 0; i < program.operations.size(); ++i) {
      model.codes.push_back(i);
    }
    return;
  }
  std::vector<bool> forget(specification_->operations().size());
  for (const OperationCode& operation : program.operations) {
    const auto code = spec::find_operation(*specification_, operation.name);
    if (!code) {
      fail(operation.span, fmt::format("'{}' has no operation '{}'",
                                       object_.implements, operation.name));
    }
    model.codes.push_back(*code);
    const spec::Signature& signature = specification_->operations()[*code];
    if (operation.result == nullptr &&
        signature.result != spec::Result::kNone) {
      forget[*code] = true;
      if (signature.takes) model.silent_takes.push_back(*code);
    }
  }
  model.specification = forget_results(specification_, forget);
}

void ModelMaker::check_arguments(const Program& program) const {
  for (const OperationCode& operation : program.operations) {
    std::uint64_t count = 1;
    for (const Parameter& parameter : operation.parameters) {
      count *= static_cast<std::uint64_t>(std::int64_t{parameter.high} -
                                          parameter.low + 1);
      if (count <= kMostArguments) continue;
      fail(operation.span,
           fmt::format("clients have more than {} ways to call '{}'",
                       kMostArguments, operation.name),
           "use smaller ranges");
    }
  }
}

// Requires: match_operations and check_arguments were called.
void ModelMaker::list_arguments(Model& model, const Program& program) const {
  model.arguments.resize(model.specification
                             ? model.specification->operations().size()
                             : program.operations.size());
  for (std::uint16_t i = 0; i < program.operations.size(); ++i) {
    const bool is_called = std::any_of(
        client_.allowed.begin(), client_.allowed.end(), [&](const auto& some) {
          return std::find(some.begin(), some.end(), i) != some.end();
        });
    if (!is_called) continue;
    for (const Arguments& one : arguments_of(program.operations[i])) {
      model.arguments[model.codes[i]].push_back(one.value);
    }
  }
}

std::string ModelMaker::bounds_text() const {
  const auto plural = [](std::int64_t count, const char* word) {
    return fmt::format(
        "{} {}{}", count, word,
        count == 1 ? "" : (std::string_view(word) == "process" ? "es" : "s"));
  };
  std::string text = plural(around_.constants.processes, "process");
  if (around_.values) text += ", " + values_text(*around_.values);
  text += client_.calls
              ? fmt::format(", {} each", plural(*client_.calls, "operation"))
              : ", any number of operations";
  if (busy_ > 0) {
    text += fmt::format(", at most {} between quiescent moments",
                        plural(busy_, "operation"));
  }
  if (client_.room) {
    text += fmt::format(", at most {} inside", plural(*client_.room, "item"));
  }
  if (around_.cells) {
    text += fmt::format(", at most {}", plural(*around_.cells, "cell"));
  }
  for (const Check::Setting& setting : check_.settings) {
    text += fmt::format(", {} = {}", setting.name,
                        around_.constants.values.at(setting.constant));
  }
  return text;
}

Model ModelMaker::make() {
  require_known(settings_, module_);
  count_processes();
  read_bounds();
  assign_roles();
  make_specification();
  around_.client_bytes = client_.bytes();
  Model model;
  Program program = compile_object(module_.source, object_, around_);
  check_arguments(program);
  match_operations(model, program);
  list_arguments(model, program);
  model.busy = busy_;
  model.has_marks = program.has_marks;
  if (object_.relation != nullptr) {
    model.abstraction = make_relation(object_, around_, program);
  }
  model.bounds = bounds_text();
  model.system =
      std::make_shared<ProgramSystem>(std::move(program), std::move(client_));
  return model;
}

}  // namespace

Model compile(const Module& module, const Check& check,
              const Settings& settings, std::optional<std::size_t> processes) {
  if (check.refinement != nullptr) {
    throw InputError(check.source->place(check.span),
                     "this check compares two specifications: there is no "
                     "object to explore");
  }
  return ModelMaker(module, check, settings, processes).make();
}

}  // namespace plumb::lang
