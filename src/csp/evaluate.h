// SPDX-License-Identifier: Apache-2.0
// Runs expressions and blocks of CSP# models.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "csp/ast.h"
#include "csp/datum.h"
#include "csp/fault.h"
#include "csp/library.h"
#include "csp/valuation.h"

namespace plumb::csp {

// Values: numbers have 32 bits and wrap, as in C#.  `/` truncates, `%` is
// never negative.  Booleans and numbers mix: true counts as 1, and a number
// that is not 0 as true; comparisons, !, &&, || and xor give booleans, & and ^
// give a boolean if both sides are one.  Arrays and objects are values:
// assigning, sending and passing them copies.

// A `while` may not go on for longer, all loops of one run taken together.
inline constexpr std::uint32_t kMostRounds = 1'000'000;

// How many P() there are in the state at hand, for `#P()`.
class ProcessCounter {
 public:
  virtual ~ProcessCounter() = default;
  virtual std::int32_t count(std::uint32_t process) const = 0;
};

// What an expression may look at.  One Context serves many evaluations.
struct Context {
  Valuation& valuation;
  std::span<const Datum> bound = {};  // kBound slot k reads bound[k]
  const ProcessCounter* processes = nullptr;
  std::vector<Datum> locals = {};  // of blocks; grows as needed
};

// A place that can go wrong, and how.
struct FaultSite {
  FaultKind kind;
  Span span;
  friend bool operator==(const FaultSite& left, const FaultSite& right) {
    return left.kind == right.kind && left.span.begin == right.span.begin &&
           left.span.length == right.span.length;
  }
};

struct Code;  // csp/instruction.h

// An expression or a block, flattened for speed.  Never changes; copies share
// what they hold, and threads may too.
class Program {
 public:
  Program();  // the number 0
  explicit Program(std::shared_ptr<const Code> code) : code_(std::move(code)) {}

  // May it change the valuation?  If not, a shared one can be used.
  bool writes() const;
  // Has it the same value in every state?
  bool is_constant() const;
  // Every RuntimeFault that leaves it has one of these kinds and places.
  std::vector<FaultSite> fault_sites() const;

  const Code& code() const { return *code_; }

 private:
  std::shared_ptr<const Code> code_;
};

// Requires: the trees are resolved, for the module of `layout`.
Program compile(const Expression& expression, const Layout& layout);
Program compile(const Statement& statement, const Layout& layout);

// All of these throw RuntimeFault.
Datum evaluate(const Program& program, Context& context);
// As a number; a condition.  Faster than evaluate().
std::int32_t evaluate_number(const Program& program, Context& context);
bool holds(const Program& program, Context& context);
void run(const Program& program, Context& context);

// Compiles and runs: for what is evaluated once.
Datum evaluate(const Expression& expression, Context& context);
void run(const Statement& statement, Context& context);

}  // namespace plumb::csp
