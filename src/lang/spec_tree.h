// SPDX-License-Identifier: Apache-2.0
// A specification that runs straight from its tree, on values of any size.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/value.h"
#include "lang/ast.h"
#include "lang/constants.h"
#include "spec/specification.h"

namespace plumb::lang {

// What a variable holds.  Members of an enum are texts, processes are numbers,
// `empty` and `nobody` are null.
struct Stored {
  Value value;                // if it is plain
  std::vector<Value> items;   // of a seq; of a set, sorted; of a map: keys and
                              // values in turn, sorted by key
  std::vector<Stored> parts;  // of an array
};

// What is known of a specification before it runs.  A function is never
// active twice, so each variable has one place, whoever calls whom.
struct SpecTree {
  struct Bounds {
    std::int64_t low = std::numeric_limits<std::int64_t>::min();
    std::int64_t high = std::numeric_limits<std::int64_t>::max();
    std::size_t size = 0;  // of an array
  };

  // Throws InputError: an array that has an element for each process.
  SpecTree(std::shared_ptr<const Module> file, const Object& specification,
           ConstantValues values, std::string words);

  // 0 (or what is nearest to it), false, the first member, nobody, no items.
  Stored first(const Type& type) const;
  Value text(const Expression& e) const { return texts.at(&e); }

  std::shared_ptr<const Module> module;
  const Object& object;
  const Source& source;
  ConstantValues constants;
  std::string name;  // for people
  std::vector<const Function*> operations;
  absl::flat_hash_map<const Variable*, std::size_t> places;
  absl::flat_hash_map<const Type*, Bounds> bounds;
  absl::flat_hash_map<const Expression*, Value> texts;

 private:
  void add(const Variable& variable);
  void add(const Type& type, Span span);
  void add(const Statement& statement);
  void add(const Expression& expression);
};

// The choices of one run of an operation: those made so far, then the first.
class SpecChoices {
 public:
  std::size_t choose(std::size_t count);
  void restart() { at_ = 0; }
  // The next ones to try; false if there are none.
  bool next();

 private:
  struct Choice {
    std::size_t taken, count;
  };
  std::vector<Choice> made_;
  std::size_t at_ = 0;
};

// One run of an operation.
class SpecWalk {
 public:
  SpecWalk(const SpecTree& tree, SpecChoices& choices);

  // In the order of SpecTree::places, first the variables of the
  // specification.
  std::vector<Stored> places;

  // Gives the variables of the specification their initial values.
  void initialize();
  // Runs it with the parameters that `places` has.  False: it waits.
  // Throws InputError if the specification itself goes wrong.
  bool run(const Function& function);
  // What run() returned.
  Stored& result() { return result_; }

  // `value` as `type` has it; nothing if it does not fit.
  static bool fits(const SpecTree& tree, const Type& type, Value value);

 private:
  enum class Flow : std::uint8_t {
    kNext,
    kBreak,
    kContinue,
    kReturn,
    kBlocked
  };

  Stored& place(const Variable& variable) {
    return places[tree_.places.at(&variable)];
  }
  Stored& located(const Expression& e);
  Stored& part(const Expression& e);
  Stored whole(const Expression& e);
  void assign(const Expression& target, const Expression& value);
  void set(Stored& at, const Type& type, const Expression& value);
  Value fit(const Type& type, Value value, Span span);

  Value value(const Expression& e);
  Value named(const Expression& e);
  Value indexed(const Expression& e);
  Value item_of(Value whole, Value at, Span span);
  Value unary(const Expression& e);
  Value binary(const Expression& e);
  Value sum(const Expression& e, Value left, Value right);
  bool less(const Expression& e, Value left, Value right);
  bool condition(const Expression& e) { return value(e).is_true(); }
  std::int64_t number(const Expression& e) { return number(value(e), e.span); }
  std::int64_t number(Value value, Span span);
  Value integer(std::int64_t number) { return Value::integer(number); }
  Stored call(const Expression& e);

  // spec_walk_builtins.cpp
  Value builtin(const Expression& e);
  Value swap(const Expression& e);
  Value double_swap(const Expression& e);
  Value container(const Expression& e);
  Value sequence(const Expression& e, std::vector<Value>& items);
  Value members(const Expression& e, const Type& type,
                std::vector<Value>& items);
  std::size_t index(const Expression& e, const std::vector<Value>& items,
                    std::size_t beyond);
  Value taken(const Expression& e, std::vector<Value>& items);

  Flow statement(const Statement& s);
  Flow statements(const std::vector<StatementPtr>& all);
  Flow loop(const Statement& s);

  [[noreturn]] void fault(Span span, const std::string& what) const;
  void burn(Span span);

  const SpecTree& tree_;
  SpecChoices& choices_;
  std::size_t fuel_;
  Stored result_;
  std::vector<const Type*> result_types_;
};

// The place of `key` in sorted `items`, which are `stride` apart; or where it
// would be.
std::size_t find_sorted(const std::vector<Value>& items, std::size_t stride,
                        Value key);

}  // namespace plumb::lang
