// SPDX-License-Identifier: Apache-2.0
// The tree of a CSP# model, with all names resolved.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "text/source.h"

namespace plumb::csp {

using text::Source;
using text::Span;

enum class ExprKind : std::uint8_t {
  kInteger,    // number
  kBoolean,    // number: 0 or 1
  kGlobal,     // variable `number` of Module::variables
  kBound,      // a parameter, input or index variable: slot `number`
  kLocal,      // a variable of a block: slot `number`
  kElement,    // children: array, then one index for each dimension
  kRecord,     // [1, 2, 3]: children, copies and ranges unfolded
  kUnary,      // op; children: operand
  kBinary,     // op; children: left, right
  kAssign,     // children: place, value; gives the value
  kStep,       // ++ and -- after a place: number is 1 or -1
  kStatic,     // call(name, ...) of a library; children: arguments
  kChannel,    // call(cfull, c): name; number: channel; children: its index
  kMethod,     // o.name(...): children: receiver, then arguments
  kField,      // o$name: children: receiver
  kNew,        // new name(...): children: arguments
  kProcesses,  // #P(): how many P() there are; number: process
  kBlock,      // a macro that is a block: runs it; its last expression
  kIndexed,    // op (&&, || or xor) of children[0] for all `indices`, whose
               // slots are those of locals; only where a range is no constant
};

enum class Operator : std::uint8_t {
  kOr,
  kAnd,
  kXor,
  kBitAnd,
  kBitOr,
  kBitXor,
  kEqual,
  kUnequal,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kModulo,
  kNegate,
  kNot,
};

struct Expression;
struct Statement;
// Trees are never changed once they are resolved, and may be shared.
using ExprPtr = std::shared_ptr<const Expression>;

// x:{0..n} or x:{a, b, c}.
struct Index {
  std::uint32_t slot = 0;
  std::string name;
  std::vector<ExprPtr> values;  // listed; else from `low` to `high`
  ExprPtr low, high;
};

struct Expression {
  ExprKind kind = ExprKind::kInteger;
  Operator op = Operator::kAdd;
  std::int64_t number = 0;
  std::string name;  // as written, of variables and bound names too
  std::vector<ExprPtr> children;
  std::vector<Index> indices;              // kIndexed
  std::shared_ptr<const Statement> block;  // kBlock
  Span span;
};

enum class StatementKind : std::uint8_t {
  kBlock,       // children
  kDeclare,     // slot, expression (null: 0); of an array: a kRecord
  kIf,          // expression; children: then, and else if there is one
  kWhile,       // expression; children: body
  kExpression,  // expression
};

using StatementPtr = std::shared_ptr<const Statement>;

struct Statement {
  StatementKind kind = StatementKind::kBlock;
  std::uint32_t slot = 0;
  ExprPtr expression;
  std::vector<StatementPtr> children;
  Span span;
};

// name.e.f, or tau (no name).
struct EventName {
  std::string name;
  std::vector<ExprPtr> fields;
  std::vector<Index> indices;  // x:{0..n}@e.x, in lists of events only
  Span span;
};

enum class ProcessKind : std::uint8_t {
  kStop,
  kSkip,
  kPrefix,      // events[0] {block} -> children[0]; {block}-> is a tau
  kEventSet,    // (a, b) -> children[0]
  kSend,        // channel[index] ! fields {block} -> children[0]
  kReceive,     // channel[index] ? [condition] fields {block} -> children[0]
  kGuard,       // [condition] children[0]
  kIf,          // condition; children: then, else (Skip if there is none)
  kIfAtomic,    // ifa
  kIfBlocking,  // ifb: one child
  kCase,        // conditions[i]: children[i]; a default is one child more
  kAtomic,
  kSequence,    // children in order, two or more; likewise for the next
  kGeneral,     // []
  kInternal,    // <>
  kExternal,    // [*]
  kInterleave,  // |||
  kParallel,    // ||
  kInterrupt,
  kHide,       // children[0] \ events
  kReference,  // process `number` (arguments)
  kAssert,     // assert(condition)
};

// One field of an input: binds a fresh slot, or must be equal to a value.
struct Pattern {
  std::optional<std::uint32_t> slot;
  std::string name;  // of the slot
  ExprPtr value;     // null if it binds
};

struct Process;
using ProcessPtr = std::shared_ptr<const Process>;

struct Process {
  ProcessKind kind = ProcessKind::kStop;
  std::vector<ProcessPtr> children;
  std::vector<EventName> events;
  StatementPtr block;  // null: none
  ExprPtr condition;
  std::vector<ExprPtr> conditions;
  // kReference: the process and its arguments.
  std::uint32_t number = 0;
  std::vector<ExprPtr> arguments;
  // kSend, kReceive.
  std::uint32_t channel = 0;
  ExprPtr channel_index;          // null: not an array
  std::vector<ExprPtr> fields;    // sent
  std::vector<Pattern> patterns;  // received
  // An indexed operator (||| x:{0..2} @ P(x)) has one child.
  std::vector<Index> indices;
  // |||{n}@P and |||{..}@P, one child: so many copies, all alike.
  ExprPtr copies;
  bool unbounded = false;
  Span span;
};

struct Range {
  std::optional<std::int64_t> low, high;
};

struct Variable {
  std::string name;
  std::string type;  // a class of the library, "" for numbers and booleans
  std::vector<std::uint32_t> dimensions;  // of an array; flattened in states
  std::optional<Range> range;             // of each element
  bool hidden = false;                    // hvar: no part of states
  bool any = false;                       // `= *`: any value of the range
  bool is_boolean = false;                // declared with true or false
  ExprPtr initial;  // null: zeros, or a new object; kRecord for an array
  Span span;
};

struct Channel {
  std::string name;
  std::uint32_t first = 0;     // number of its first buffer
  std::uint32_t elements = 1;  // of an array of channels
  bool is_array = false;
  std::uint32_t capacity = 0;  // 0: synchronous
  Span span;
};

struct Definition {
  std::string name;
  std::vector<std::string> parameters;  // slots 0, 1, ...
  std::vector<std::optional<Range>> ranges;
  std::uint32_t slots = 0;   // parameters, inputs and indices in its body
  std::uint32_t locals = 0;  // most variables of blocks at a time
  ProcessPtr body;
  // #alphabet, over the parameters' slots; none: computed.
  std::optional<std::vector<EventName>> alphabet;
  Span span;
};

// #define name expression, without parameters: what assertions refer to.
struct Proposition {
  std::string name;
  ExprPtr expression;  // closed but for globals
  Span span;
};

enum class AssertionKind : std::uint8_t {
  kDeadlockFree,
  kDivergenceFree,
  kDeterministic,
  kNonterminating,
  kReaches,    // proposition, and measure with kMin or kMax
  kSatisfies,  // |= formula
  kRefines,
};
enum class Behaviours : std::uint8_t {
  kTraces,
  kFailures,
  kFailuresDivergences,
};
enum class Extreme : std::uint8_t { kNone, kMin, kMax };

struct Assertion {
  AssertionKind kind = AssertionKind::kDeadlockFree;
  ProcessPtr subject;  // a kReference
  ProcessPtr other;    // kRefines: what it refines
  Behaviours model = Behaviours::kTraces;
  std::uint32_t proposition = 0;  // kReaches
  Extreme extreme = Extreme::kNone;
  ExprPtr measure;
  std::string formula;  // as written, for ltl::parse
  Span formula_span;
  std::string text;  // the assertion as written: "Stack refines StackAbs"
  Span span;
};

// A trap that is no error: shown once, with its place.
struct Warning {
  Span span;
  std::string what;
  std::string hint;
};

struct Module {
  std::shared_ptr<const Source> source;
  std::vector<Variable> variables;
  std::vector<Channel> channels;
  std::uint32_t buffers = 0;  // elements of all channels
  std::uint32_t locals = 0;   // most variables of blocks at a time, anywhere
  std::vector<Definition> processes;
  std::vector<Proposition> propositions;
  std::vector<Assertion> assertions;
  std::vector<Warning> warnings;
};

}  // namespace plumb::csp
