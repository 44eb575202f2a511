// SPDX-License-Identifier: Apache-2.0
// What names mean: in the file, in an object, in a block.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "text/diagnostics.h"

namespace plumb::lang {

using text::Diagnostics;
using text::suggestion;

// What a name for a value means: exactly one of the pointers is set.
struct Symbol {
  const Variable* variable = nullptr;
  const Constant* constant = nullptr;
  const Enum* enumeration = nullptr;  // with the index of its member
  std::int64_t number = 0;
  Span span;  // of the name where it was declared
};

// Values, types and functions have names of their own: `queue` may be a
// variable and an operation.  Within each, no name hides another, so that a
// line of a model can be understood where it stands.
class Names {
 public:
  // `outer` may be null: those of the file, seen from an object.
  Names(const Names* outer, Diagnostics& diagnostics)
      : outer_(outer), diagnostics_(diagnostics) {}

  // Each reports a name that is taken.
  void add(const Constant& constant);
  void add(const Enum& enumeration);
  void add(const Struct& structure);
  void add(const Variable& variable);
  void add(const Function& function);

  // Null if there is none.
  const Symbol* value(const std::string& name) const;
  const Struct* structure(const std::string& name) const;
  const Enum* enumeration(const std::string& name) const;
  const Function* function(const std::string& name) const;

  // All that can be seen from here, for "did you mean".
  std::vector<std::string> values() const;
  std::vector<std::string> types() const;
  std::vector<std::string> structures() const;
  std::vector<std::string> functions() const;

  // Locals come and go with their blocks.
  std::size_t mark() const { return locals_.size(); }
  void forget_since(std::size_t mark);

 private:
  void add_value(const std::string& name, const Symbol& symbol);
  void report_taken(Span span, const std::string& name, const Span& other);

  const Names* outer_;
  Diagnostics& diagnostics_;
  absl::flat_hash_map<std::string, Symbol> values_;
  absl::flat_hash_map<std::string, const Struct*> structures_;
  absl::flat_hash_map<std::string, const Enum*> enums_;
  absl::flat_hash_map<std::string, const Function*> functions_;
  std::vector<std::string> locals_;
};

}  // namespace plumb::lang
