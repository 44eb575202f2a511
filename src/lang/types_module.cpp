// SPDX-License-Identifier: Apache-2.0
#include "lang/types_module.h"

#include <fmt/format.h>

#include <algorithm>

#include "lang/types.h"

namespace plumb::lang {
namespace {

// The names of objects and specifications are apart from all others.
void check_names(const std::vector<Object*>& objects,
                 Diagnostics& diagnostics) {
  absl::flat_hash_map<std::string, Span> seen;
  for (const Object* object : objects) {
    const auto [other, is_new] = seen.emplace(object->name, object->span);
    if (is_new) continue;
    diagnostics.report(
        object->span,
        fmt::format("the name '{}' is taken already", object->name),
        fmt::format("it was declared on line {}",
                    diagnostics.source().line(other->second)));
  }
}

using Checkers = std::vector<std::unique_ptr<ObjectChecker>>;

void declare_file(const Module& module, Names& names) {
  for (const auto& constant : module.constants) names.add(*constant);
  for (const auto& enumeration : module.enums) names.add(*enumeration);
}

void check_line(Check& check, const Module& module, Names& names,
                const Checkers& checkers, Diagnostics& diagnostics) {
  if (check.refinement != nullptr) {
    check_refinement(check, module, names, diagnostics);
  } else {
    check_check(check, module, checkers, diagnostics);
  }
}

}  // namespace

void check_module(Parsed& parsed, Diagnostics& diagnostics) {
  Module& module = *parsed.module;
  Names names(nullptr, diagnostics);
  declare_file(module, names);
  check_constants(module.constants, names, diagnostics);

  std::vector<Object*> objects;
  Checkers checkers;
  for (std::size_t i = 0; i < module.objects.size(); ++i) {
    objects.push_back(module.objects[i].get());
    checkers.push_back(std::make_unique<ObjectChecker>(
        *module.objects[i], parsed.types[i], names, diagnostics));
    checkers.back()->check();
  }
  check_names(objects, diagnostics);
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (!objects[i]->implements.empty()) {
      check_implements(*objects[i], objects, checkers[i]->expressions());
    }
  }
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (objects[i]->relation == nullptr) continue;
    check_relation(*objects[i], checkers[i]->names(),
                   checkers[i]->expressions());
  }
  for (Check& check : module.checks) {
    check_line(check, module, names, checkers, diagnostics);
  }
}

// Names have meanings and types already; here they only need to be known.
void check_added(Check& check, const Module& module, Diagnostics& diagnostics) {
  Names names(nullptr, diagnostics);
  declare_file(module, names);
  std::vector<TypeUse> none;
  Checkers checkers;
  for (const auto& object : module.objects) {
    checkers.push_back(
        std::make_unique<ObjectChecker>(*object, none, names, diagnostics));
    checkers.back()->declare();
  }
  check_line(check, module, names, checkers, diagnostics);
}

}  // namespace plumb::lang
