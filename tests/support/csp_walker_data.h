// SPDX-License-Identifier: Apache-2.0
// Values of CSP# models and what expressions make of them, slowly: for tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "csp/ast.h"

// A namespace of its own, so that nothing is shared by accident with what is
// tested.
namespace plumb::walked {

using csp::Channel;
using csp::Definition;
using csp::EventName;
using csp::Expression;
using csp::ExprKind;
using csp::ExprPtr;
using csp::Index;
using csp::Module;
using csp::Operator;
using csp::Pattern;
using csp::Process;
using csp::ProcessKind;
using csp::ProcessPtr;
using csp::Range;
using csp::Statement;
using csp::StatementKind;
using csp::StatementPtr;
using csp::Variable;

// A value of a model.
struct WalkedDatum {
  enum class Kind : std::uint8_t { kNumber, kBoolean, kArray, kObject };
  Kind kind = Kind::kNumber;
  std::int64_t number = 0;  // of a List: its Field
  std::string type;         // of an object
  std::vector<WalkedDatum> items;

  bool is_plain() const {
    return kind == Kind::kNumber || kind == Kind::kBoolean;
  }
  bool operator==(const WalkedDatum&) const = default;
};

WalkedDatum walked_number(std::int64_t number);  // of 32 bits
WalkedDatum walked_boolean(bool value);

// As events show it; with the class of an object, for keys.
std::string text_of(const WalkedDatum& datum);
std::string key_of(const WalkedDatum& datum);

// CSP#'s ==.
bool equal_values(const WalkedDatum& left, const WalkedDatum& right);

// Something that a model does went wrong.
struct WalkedFault {
  std::string what;
};

// Variables and channels of a state.
struct WalkedStore {
  std::map<std::string, WalkedDatum> variables;
  std::vector<std::deque<std::vector<WalkedDatum>>> buffers;
};

// Evaluates trees without free names; all of it may throw WalkedFault.
class WalkedEvaluation {
 public:
  using Counter = std::function<std::int64_t(std::uint32_t process)>;

  WalkedEvaluation(const Module& module, WalkedStore& store, Counter counter)
      : module_(module), store_(store), counter_(std::move(counter)) {}

  WalkedDatum value(const Expression& e);
  std::int64_t number(const Expression& e);
  bool holds(const Expression& e) { return number(e) != 0; }
  void run(const Statement& statement);

  // The initial value of a variable, from those before it.
  void declare(const Variable& variable);

 private:
  WalkedDatum& place(const Expression& e);
  WalkedDatum& element(const Expression& e, WalkedDatum& array);
  void check_assigned(const Expression& to, const WalkedDatum& datum) const;
  void check_range(const Variable& variable, const WalkedDatum& datum) const;
  const Variable* variable_of(const Expression& e) const;
  WalkedDatum unary(const Expression& e);
  WalkedDatum binary(const Expression& e);
  WalkedDatum arithmetic(Operator op, std::int64_t left, std::int64_t right);
  WalkedDatum assign(const Expression& e);
  WalkedDatum channel(const Expression& e);
  WalkedDatum method(const Expression& e);
  WalkedDatum function(const Expression& e);
  WalkedDatum field(const Expression& e);
  WalkedDatum last_value(const Statement& statement);
  bool indexed(const Expression& e, std::size_t level);
  WalkedDatum& local(std::int64_t slot);

  const Module& module_;
  WalkedStore& store_;
  Counter counter_;
  std::map<std::int64_t, WalkedDatum> locals_;
  std::size_t rounds_ = 0;
};

// The methods of Set, List, Queue and Stack.
WalkedDatum call_method(WalkedDatum& object, const std::string& name,
                        const std::vector<WalkedDatum>& arguments);

}  // namespace plumb::walked
