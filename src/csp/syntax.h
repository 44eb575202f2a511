// SPDX-License-Identifier: Apache-2.0
// The tree of a CSP# model as it was written, names not looked up yet.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "csp/ast.h"

namespace plumb::csp::syntax {

enum class TermKind : std::uint8_t {
  kInteger,    // number
  kBoolean,    // number
  kName,       // name
  kElement,    // array, then its indices
  kRecord,     // elements; among them kCopies and kUpTo
  kCopies,     // in a record: value (count)
  kUpTo,       // in a record: from .. to
  kUnary,      // op; operand
  kBinary,     // op; left, right
  kAssign,     // place, value
  kStep,       // place; number is 1 or -1
  kCall,       // call(name, arguments)
  kMethod,     // receiver.name(arguments)
  kField,      // receiver$name
  kNew,        // new name(arguments)
  kProcesses,  // #name(arguments)
  kIndexed,    // op indices @ body
  kBlock,      // a macro's block
};

struct Term;
struct Statement;
using TermPtr = std::unique_ptr<Term>;
using StatementPtr = std::unique_ptr<Statement>;

struct Name {
  std::string text;
  Span span;
};

// x:{low..high} or x:{values}.
struct Index {
  Name name;
  std::vector<TermPtr> values;
  TermPtr low, high;
};

struct Term {
  TermKind kind = TermKind::kInteger;
  Operator op = Operator::kAdd;
  std::int64_t number = 0;
  Name name;
  std::vector<TermPtr> children;
  std::vector<Index> indices;
  StatementPtr block;
  Span span;
};

struct Statement {
  StatementKind kind = StatementKind::kBlock;
  Name name;                        // kDeclare
  std::vector<TermPtr> dimensions;  // kDeclare
  TermPtr term;
  std::vector<StatementPtr> children;
  Span span;
};

struct Event {
  Name name;  // empty: tau
  std::vector<TermPtr> fields;
  std::vector<Index> indices;
  Span span;
};

struct Process;
using ProcessPtr = std::unique_ptr<Process>;

struct Process {
  ProcessKind kind = ProcessKind::kStop;
  std::vector<ProcessPtr> children;
  std::vector<Event> events;
  StatementPtr block;
  TermPtr condition;
  std::vector<TermPtr> conditions;
  Name name;  // of a process or a channel
  std::vector<TermPtr> arguments;
  TermPtr channel_index;
  std::vector<TermPtr> fields;  // sent or received
  std::vector<Index> indices;
  TermPtr copies;
  bool unbounded = false;
  Span span;
};

struct Range {
  TermPtr low, high;  // null: none
};

struct Variable {
  Name name;
  Name type;  // empty: none
  std::vector<TermPtr> dimensions;
  std::optional<Range> range;
  bool hidden = false, any = false;
  TermPtr initial;
};

struct Channel {
  Name name;
  TermPtr elements;  // null: no array
  TermPtr capacity;
};

struct Parameter {
  Name name;
  std::optional<Range> range;
};

struct Definition {
  Name name;
  std::vector<Parameter> parameters;
  ProcessPtr body;
};

// #define, of a constant, a proposition or a macro.
struct Macro {
  Name name;
  std::vector<Name> parameters;
  bool has_parameters = false;
  TermPtr body;
};

struct Alphabet {
  Name process;
  std::vector<Event> events;
};

struct Assertion {
  AssertionKind kind = AssertionKind::kDeadlockFree;
  ProcessPtr subject, other;
  Behaviours model = Behaviours::kTraces;
  Name proposition;
  Extreme extreme = Extreme::kNone;
  TermPtr measure;
  Span formula;
  Span text;  // without '#assert' and ';'
  Span span;
};

struct Import {
  std::string path;
  Span span;
  bool is_library = false;  // #import; else #include
};

struct Module {
  std::vector<Import> imports;
  std::vector<Variable> variables;
  std::vector<Channel> channels;
  std::vector<Definition> processes;
  std::vector<Macro> macros;
  std::vector<std::vector<Name>> enums;
  std::vector<Alphabet> alphabets;
  std::vector<Assertion> assertions;
};

}  // namespace plumb::csp::syntax
