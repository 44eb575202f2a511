// SPDX-License-Identifier: Apache-2.0
// Checks one object or specification.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <string_view>
#include <vector>

#include "lang/ast.h"
#include "lang/parser.h"
#include "lang/resolve.h"
#include "lang/types_expressions.h"
#include "text/diagnostics.h"

namespace plumb::lang {

class ObjectChecker {
 public:
  ObjectChecker(Object& object, std::vector<TypeUse>& types, const Names& outer,
                Diagnostics& diagnostics)
      : object_(object),
        types_(types),
        names_(&outer, diagnostics),
        expressions_(names_, diagnostics),
        diagnostics_(diagnostics) {
    expressions_.context.in_specification = object.is_specification;
  }
  ObjectChecker(const ObjectChecker&) = delete;  // its parts refer to it
  ObjectChecker& operator=(const ObjectChecker&) = delete;

  void check();
  // Makes the names of the object known.
  void declare();

  const Object& object() const { return object_; }
  Names& names() { return names_; }
  ExpressionChecker& expressions() { return expressions_; }

 private:
  void resolve_types();
  void resolve(TypeUse& use);
  void resolve_name(TypeUse& use);
  void check_container(const TypeUse& use);
  void check_part(const Type& part, std::string_view what, Span span);
  void check_fields(const Struct& structure);
  void check_variables();
  void check_initial(const Expression& e, const Variable& variable);
  void check_literal(const Expression& e);
  bool is_list_of_values(const Type& type) const;
  void check_signature(const Function& function);
  void check_body(const Function& function);
  void check_init();
  void check_roles();
  void check_no_void(const Variable& variable);

  Object& object_;
  std::vector<TypeUse>& types_;
  Names names_;
  ExpressionChecker expressions_;
  Diagnostics& diagnostics_;
  absl::flat_hash_map<const Function*, Facts> facts_;
  Facts init_facts_;
};

// Checks the statements of one body; `function` is null for `init`.
// Requires: the parameters are in `names`.
void check_statements(Statement& body, const Function* function,
                      const Object& object, Names& names,
                      ExpressionChecker& expressions);

// What `value`, a state of a built-in specification, is taken for: its type,
// or any int.  Reports what is no such state.
TypePtr abstract_type(const std::string& built_in, const Expression& value,
                      ExpressionChecker& expressions);

// Checks the relation of an object.  Requires: it has one, and what the object
// implements is known.
void check_relation(Object& object, Names& names,
                    ExpressionChecker& expressions);
// The names of the functions that `body` calls.
std::vector<std::string> called_in(const Statement& body);

// Can control reach the end of `statement`?  Conditions count as unknown,
// but for the literal `true` of a loop.
bool can_end(const Statement& statement);

// What depends on who calls whom: no recursion, nothing that needs `atomic`
// outside, nothing that `init` may not do.  An `await` outside `atomic`
// accesses one shared place.
void check_calls(const Object& object,
                 const absl::flat_hash_map<const Function*, Facts>& facts,
                 const Facts& init, Diagnostics& diagnostics);

// Do operations with different keys have nothing to do with each other? Reports
// what touches more than `m[key]`.  Requires: there is a `partition`, and types
// were checked.
void check_partition(const Object& object, Diagnostics& diagnostics);

// Sets the types of `constants`, which may depend on each other in any order.
void check_constants(const std::vector<std::unique_ptr<Constant>>& constants,
                     Names& names, Diagnostics& diagnostics);

}  // namespace plumb::lang
