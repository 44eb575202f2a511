// SPDX-License-Identifier: Apache-2.0
// Checks that compare two specifications: are there such, do they fit?
#include <fmt/format.h>

#include <algorithm>

#include "lang/types.h"
#include "lang/types_module.h"
#include "spec/catalogue.h"

namespace plumb::lang {
namespace {

const std::vector<std::string> kRelaxations = {"quasi", "out_of_order", "late",
                                               "stuttering"};

// What clients of a specification pass and see.  A null pointer stands for
// any value.
struct OperationKinds {
  std::string name;
  std::vector<TypePtr> parameters;
  TypePtr result;
};

std::vector<OperationKinds> kinds_of(const Object& specification) {
  std::vector<OperationKinds> all;
  for (const auto& function : specification.functions) {
    if (!function->is_operation) continue;
    OperationKinds& one = all.emplace_back();
    one.name = function->name;
    for (const auto& parameter : function->parameters) {
      one.parameters.push_back(parameter->type);
    }
    one.result = function->result;
  }
  return all;
}

TypePtr kind_of(spec::Result result) {
  switch (result) {
    case spec::Result::kNone:
      return simple_type(TypeKind::kVoid);
    case spec::Result::kBoolean:
    case spec::Result::kSuccess:
      return simple_type(TypeKind::kBool);
    case spec::Result::kInteger:
      return simple_type(TypeKind::kInt);
    case spec::Result::kValue:
      break;
  }
  return nullptr;
}

std::vector<OperationKinds> kinds_of(const spec::Specification& built_in) {
  std::vector<OperationKinds> all;
  for (const spec::Signature& signature : built_in.operations()) {
    OperationKinds& one = all.emplace_back();
    one.name = signature.name;
    if (signature.argument == spec::Argument::kPriority) {
      one.parameters = {simple_type(TypeKind::kInt)};
    } else if (signature.argument != spec::Argument::kNone) {
      one.parameters.resize(signature.argument == spec::Argument::kPair ? 2
                                                                        : 1);
    }
    one.result = kind_of(signature.result);
  }
  return all;
}

bool are_alike(const TypePtr& a, const TypePtr& b) {
  if (a != nullptr && b != nullptr) return same_kind(*a, *b);
  const TypePtr& known = a != nullptr ? a : b;
  return known == nullptr || known->kind != TypeKind::kVoid;
}

class RefinementChecker {
 public:
  RefinementChecker(Check& check, const Module& module, Names& names,
                    Diagnostics& diagnostics)
      : check_(check),
        module_(module),
        expressions_(names, diagnostics),
        diagnostics_(diagnostics) {}

  void run() {
    const bool has_left = check_side(check_.refinement->left, left_);
    const bool has_right = check_side(check_.refinement->right, right_);
    check_bounds();
    for (Check::Setting& setting : check_.settings) check_setting(setting);
    if (has_left && has_right) compare();
  }

 private:
  // Is there such a specification?
  bool check_side(Side& side, std::vector<OperationKinds>& operations);
  void check_relaxation(const Side& side);
  void check_arguments(Side& side);
  spec::SpecificationPtr make_built_in(const Side& side);
  void check_bounds();
  void check_bound(Expression* bound, std::string_view what);
  void refuse_bound(const Expression* bound, std::string_view what);
  void check_setting(Check::Setting& setting);
  void compare();
  void compare(const OperationKinds& left, const OperationKinds& right);
  void require_operations(const std::vector<OperationKinds>& in,
                          const std::vector<OperationKinds>& of,
                          const Side& side, const Side& other);
  std::string described(const TypePtr& type) const {
    if (type == nullptr) return "any value";
    if (type->kind == TypeKind::kVoid) return "nothing";
    return describe(*type, diagnostics_.source());
  }
  void report_difference(std::string what, std::string hint = "") {
    diagnostics_.report(check_.refinement->right.span, std::move(what),
                        std::move(hint));
  }

  Check& check_;
  const Module& module_;
  ExpressionChecker expressions_;
  Diagnostics& diagnostics_;
  std::vector<OperationKinds> left_, right_;
};

bool RefinementChecker::check_side(Side& side,
                                   std::vector<OperationKinds>& operations) {
  if (!side.relaxation.empty()) check_relaxation(side);
  for (const auto& object : module_.objects) {
    if (object->name != side.name || !object->is_specification) continue;
    side.specification = object.get();
    operations = kinds_of(*object);
  }
  check_arguments(side);
  if (side.specification != nullptr) {
    const bool needs_processes = side.specification->mentions_processes ||
                                 module_.constants_mention_processes;
    if (check_.processes == nullptr && needs_processes) {
      diagnostics_.report(
          side.span,
          fmt::format("'{}' depends on how many processes there are",
                      side.name),
          "write '... with 2 processes;'");
    }
    return true;
  }
  const spec::SpecificationPtr made = make_built_in(side);
  if (made == nullptr) return false;
  operations = kinds_of(*made);
  return true;
}

void RefinementChecker::check_relaxation(const Side& side) {
  std::size_t begin = 0;
  while (begin <= side.relaxation.size()) {
    const std::size_t end = std::min(side.relaxation.find_first_of("+(", begin),
                                     side.relaxation.size());
    const std::string word = side.relaxation.substr(begin, end - begin);
    if (std::find(kRelaxations.begin(), kRelaxations.end(), word) ==
        kRelaxations.end()) {
      return diagnostics_.report(
          side.relaxation_span,
          fmt::format("'{}' relaxes no specification", word),
          suggestion(word, kRelaxations,
                     "'quasi(...)', 'out_of_order(...)', 'late(...)' and "
                     "'stuttering(...)' do"));
    }
    begin = next_part(side.relaxation, end);
  }
}

void RefinementChecker::check_arguments(Side& side) {
  const std::size_t given = side.arguments.size();
  const auto* wanted =
      side.specification != nullptr ? &side.specification->parameters : nullptr;
  for (std::size_t i = 0; i < given; ++i) {
    const bool is_known = wanted != nullptr && i < wanted->size();
    expressions_.check_constant(*side.arguments[i],
                                wanted == nullptr ? TypeKind::kInt
                                : is_known        ? (*wanted)[i]->type->kind
                                                  : TypeKind::kError,
                                wanted == nullptr ? "a capacity is"
                                : is_known
                                    ? fmt::format("'{}' is", (*wanted)[i]->name)
                                    : "");
  }
  if (wanted != nullptr && given != wanted->size()) {
    diagnostics_.report(
        side.span,
        fmt::format(
            "'{}' is given {} argument{}, but it takes {}", side.name, given,
            given == 1 ? "" : "s",
            wanted->empty() ? "none" : fmt::format("{}", wanted->size())));
  }
  if (wanted == nullptr && given > 1) {
    diagnostics_.report(
        side.arguments[1]->span,
        fmt::format("'{}' takes one argument, its capacity", side.name));
  }
}

// Null if there is no such specification, which is then reported.
spec::SpecificationPtr RefinementChecker::make_built_in(const Side& side) {
  std::vector<std::string> own;
  bool is_object = false;
  for (const auto& object : module_.objects) {
    if (object->is_specification) own.push_back(object->name);
    is_object |= object->name == side.name && !object->is_specification;
  }
  try {
    spec::parse_name(side.name);
    own.clear();  // so it is no misspelt name
    // Its value is seen later; here, only whether it is bounded matters.
    return spec::make(side.name + (side.arguments.empty() ? "" : "(1)"));
  } catch (const InputError& error) {
    if (is_object) {
      diagnostics_.report(
          side.span,
          fmt::format("'{}' is an object, not a specification", side.name),
          fmt::format("objects are checked by 'check {} linearizable ...'",
                      side.name));
    } else {
      diagnostics_.report(side.span, error.what(),
                          suggestion(side.name, own, error.hint()));
    }
    return nullptr;
  }
}

void RefinementChecker::check_bound(Expression* bound, std::string_view what) {
  if (bound == nullptr) return;
  expressions_.check_constant(*bound, TypeKind::kInt, what);
}

void RefinementChecker::refuse_bound(const Expression* bound,
                                     std::string_view what) {
  if (bound == nullptr) return;
  diagnostics_.report(
      bound->span,
      fmt::format("'{}' is no bound of a comparison of specifications", what),
      "these are: 'values 1..2', '6 operations', '2 processes' and "
      "'NAME = 4'");
}

void RefinementChecker::check_bounds() {
  check_bound(check_.processes.get(), "a number of processes is");
  check_bound(check_.low.get(), "values are");
  check_bound(check_.high.get(), "values are");
  check_bound(check_.operations.get(), "a number of operations is");
  refuse_bound(check_.busy.get(), "busy");
  refuse_bound(check_.cells.get(), "cells");
}

void RefinementChecker::check_setting(Check::Setting& setting) {
  std::vector<std::string> names;
  const auto look = [&](const std::vector<std::unique_ptr<Constant>>& some) {
    for (const auto& constant : some) {
      names.push_back(constant->name);
      if (constant->name != setting.name) continue;
      if (setting.constant != nullptr && setting.constant != constant.get()) {
        diagnostics_.report(
            setting.span,
            fmt::format("'{}' is a constant of both specifications",
                        setting.name),
            "give them different names, or declare one outside");
      }
      setting.constant = constant.get();
    }
  };
  for (const Side* side :
       {&check_.refinement->left, &check_.refinement->right}) {
    if (side->specification != nullptr) look(side->specification->constants);
  }
  look(module_.constants);
  if (setting.constant == nullptr) {
    diagnostics_.report(setting.span,
                        fmt::format("unknown constant '{}'", setting.name),
                        suggestion(setting.name, names));
    return expressions_.check(*setting.value);
  }
  expressions_.check_constant(*setting.value, setting.constant->type->kind,
                              fmt::format("'{}' is", setting.name));
}

void RefinementChecker::require_operations(
    const std::vector<OperationKinds>& in,
    const std::vector<OperationKinds>& of, const Side& side,
    const Side& other) {
  for (const OperationKinds& one : of) {
    const bool is_there = std::any_of(
        in.begin(), in.end(),
        [&](const OperationKinds& each) { return each.name == one.name; });
    if (is_there) continue;
    return report_difference(
        fmt::format("'{}' has no operation '{}', but '{}' has", side.text,
                    one.name, other.text),
        "only specifications with the same operations can be compared");
  }
}

void RefinementChecker::compare() {
  const Side& left = check_.refinement->left;
  const Side& right = check_.refinement->right;
  require_operations(left_, right_, left, right);
  require_operations(right_, left_, right, left);
  for (const OperationKinds& one : left_) {
    for (const OperationKinds& other : right_) {
      if (one.name == other.name) compare(one, other);
    }
  }
}

void RefinementChecker::compare(const OperationKinds& left,
                                const OperationKinds& right) {
  const std::string& a = check_.refinement->left.text;
  const std::string& b = check_.refinement->right.text;
  const auto count = [](std::size_t n) {
    return n == 0 ? std::string("no parameters")
                  : fmt::format("{} parameter{}", n, n == 1 ? "" : "s");
  };
  if (left.parameters.size() != right.parameters.size()) {
    return report_difference(fmt::format(
        "'{}' of '{}' has {}, but that of '{}' has {}", left.name, a,
        count(left.parameters.size()), b, count(right.parameters.size())));
  }
  for (std::size_t i = 0; i < left.parameters.size(); ++i) {
    if (are_alike(left.parameters[i], right.parameters[i])) continue;
    return report_difference(fmt::format(
        "'{}' of '{}' takes {}, but that of '{}' takes {}", left.name, a,
        described(left.parameters[i]), b, described(right.parameters[i])));
  }
  if (are_alike(left.result, right.result)) return;
  const bool is_bounded = (check_.refinement->left.specification == nullptr &&
                           !check_.refinement->left.arguments.empty()) ||
                          (check_.refinement->right.specification == nullptr &&
                           !check_.refinement->right.arguments.empty());
  report_difference(
      fmt::format("'{}' of '{}' returns {}, but that of '{}' returns {}",
                  left.name, a, described(left.result), b,
                  described(right.result)),
      is_bounded ? "the puts of a bounded container return whether there was "
                   "room"
                 : "");
}

}  // namespace

void check_refinement(Check& check, const Module& module, Names& names,
                      Diagnostics& diagnostics) {
  RefinementChecker(check, module, names, diagnostics).run();
}

}  // namespace plumb::lang
