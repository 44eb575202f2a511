// SPDX-License-Identifier: Apache-2.0
// Gives every part of an expression its meaning and its type.
#pragma once

#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/ast.h"
#include "lang/resolve.h"
#include "text/diagnostics.h"

namespace plumb::lang {

// Something that is a fault in some surroundings only.
struct Remark {
  Span span;
  std::string what;
  std::string hint;
};

// What a body does; judged once all bodies of the object are known, because
// functions are inlined where they are called.
struct Facts {
  struct Call {
    const Function* callee;
    Span span;
    bool in_atomic;
  };
  std::vector<Call> calls;
  std::vector<Remark> needs_atomic;  // faults unless it runs inside `atomic`
  std::vector<const Statement*> awaits;                   // outside `atomic`
  std::vector<std::pair<Span, std::string>> not_in_init;  // self, choose, ...
};

// What a relation must give.
struct RelationContext {
  // One of the file, whose variables it assigns; else null.
  const Object* specification = nullptr;
  std::string built_in;  // else: "queue"
  TypePtr result;        // of the first `return`; null before
};

class ExpressionChecker {
 public:
  ExpressionChecker(Names& names, Diagnostics& diagnostics)
      : names_(names), diagnostics_(diagnostics) {}

  // Where the expressions stand.
  struct Context {
    bool in_specification = false;
    bool in_init = false;
    // A place where literals may be larger than an int.
    bool is_constant = false;
    std::size_t atomic = 0;                    // how many `atomic` it is in
    Facts* facts = nullptr;                    // null outside bodies
    RelationContext* relation = nullptr;       // null outside relations
    absl::flat_hash_set<std::string> unknown;  // names reported already
  };
  Context context;

  // Sets the types of `e` and all its parts.
  void check(Expression& e);
  // The same, and `e` must fit `wanted`; `whose` begins the second half of
  // the message: "'x' is", "'push' takes".
  void check_fits(Expression& e, const TypePtr& wanted, std::string_view whose);
  void check_condition(Expression& e);
  // Only literals, constants, `processes`, operators, min and max.
  void check_constant(Expression& e, TypeKind wanted, std::string_view whose);
  // Reports the first part of `e` that is no constant expression, if any.
  bool is_constant(const Expression& e);
  // A value that takes more than one step to read, if it is shared.  Returns
  // whether it is one.
  bool note_copy(const Expression& e);
  // Is it something that can be assigned to?  Reports what is not.
  bool check_place(const Expression& e, std::string_view what);

  void report(Span span, std::string what, std::string hint = "") {
    diagnostics_.report(span, std::move(what), std::move(hint));
  }
  std::string describe(const Expression& e) const;
  const Source& source() const { return diagnostics_.source(); }

 private:
  TypePtr type_of(Expression& e);
  TypePtr integer(const Expression& e);
  TypePtr literal(Expression& e);
  TypePtr self(const Expression& e);
  TypePtr name(Expression& e);
  TypePtr unknown_name(const Expression& e);
  TypePtr abstract_name(Expression& e);
  TypePtr field(Expression& e);
  TypePtr index(Expression& e);
  void index_of_array(Expression& e, const Type& array);
  TypePtr unary(Expression& e);
  TypePtr binary(Expression& e);
  TypePtr equality(Expression& e);
  TypePtr conditional(Expression& e);
  TypePtr call(Expression& e);
  TypePtr refused_call(Expression& e);
  TypePtr unknown_function(Expression& e);
  TypePtr new_cell(Expression& e);
  void new_field(Expression& e, std::size_t i);

  // types_builtins.cpp
  TypePtr builtin(Expression& e);
  TypePtr builtin_type(Expression& e);
  bool check_count(Expression& e, std::size_t wanted);
  TypePtr swap(Expression& e);
  TypePtr double_swap(Expression& e);
  bool atomic_place(Expression& e, std::size_t i);
  void argument(Expression& e, std::size_t i, const TypePtr& wanted);
  const Type* container(Expression& e, std::vector<TypeKind> kinds);
  TypePtr sequence(Expression& e);
  TypePtr either_container(Expression& e);
  bool looks_into_value(Expression& e);
  void note_not_in_init(Span span, std::string word);

  Names& names_;
  Diagnostics& diagnostics_;
};

// Can it be assigned to, as far as its form goes?
bool is_place(const Expression& e);
// Is it (a part of) a shared variable, or of a cell?
bool is_shared(const Expression& e);
// ... of a variable of the specification, `spec.q`?
bool is_abstract(const Expression& e);

}  // namespace plumb::lang
