// SPDX-License-Identifier: Apache-2.0
// The tree of a model: what the parser makes and the compiler reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/operators.h"
#include "text/source.h"

namespace plumb::lang {

using text::Source;
using text::Span;

struct Expression;
struct Statement;
struct Struct;
struct Enum;
struct Function;
struct Variable;
struct Constant;
using ExpressionPtr = std::unique_ptr<Expression>;
using StatementPtr = std::unique_ptr<Statement>;
struct Type;
using TypePtr = std::shared_ptr<const Type>;

enum class TypeKind : std::uint8_t {
  kVoid,
  kBool,
  kInt,  // low and high: null pointers for a plain `int`
  kEnum,
  kProcess,
  kReference,  // to a struct
  kArray,      // element, size (null pointer: indexed by process)
  kSeq,        // element, capacity (null pointer: the default)
  kSet,
  kMap,    // key, element
  kValue,  // whatever a history has; in a model the same as a plain `int`
  kNull,   // of the literal `null` alone: fits every reference
  kEmpty,  // of the literal `empty` alone: fits every int
  kError,  // of what was wrong already: fits everything, never compiled
};

// Sizes and ranges are constant expressions: they may depend on constants
// that a check or the command line sets, and on `processes`.  They are owned
// by the type and shared with all its copies.
struct Type {
  TypeKind kind = TypeKind::kError;
  std::shared_ptr<const Expression> low, high;  // kInt
  std::shared_ptr<const Expression> size;       // kArray, containers
  TypePtr element;                              // kArray, containers
  TypePtr key;                                  // kMap
  const Struct* structure = nullptr;            // kReference
  const Enum* enumeration = nullptr;            // kEnum
};

enum class ExpressionKind : std::uint8_t {
  kInteger,  // number
  kBoolean,  // number: 0 or 1
  kText,     // name: its characters
  kList,     // operands: its items
  kNull,
  kEmpty,
  kNobody,
  kSelf,
  kProcesses,
  kName,         // constant, enumerator or variable, once resolved; a
                 // variable of the specification is called "spec.q"
  kField,        // operands[0] . field
  kIndex,        // operands[0] [ operands[1] ]: array, seq, map or value
  kUnary,        // op, operands[0]
  kBinary,       // op, operands[0], operands[1]
  kConditional,  // operands[0] ? operands[1] : operands[2]
  kCall,         // function, operands
  kBuiltin,      // builtin, operands
  kNew,          // structure; fields[i] = operands[i]
};

struct Expression {
  ExpressionKind kind;
  Span span;
  TypePtr type;  // set by the type checker
  std::int64_t number = 0;
  Operator op{};
  Builtin builtin{};
  std::string name;  // kName, kField, kCall, kNew: as written; kText
  std::vector<ExpressionPtr> operands;
  std::vector<std::string> fields;  // kNew: the names of `operands`
  std::vector<Span> field_spans;    // kNew; kField: of the one name

  // Set by the type checker; for kName exactly one of the first three.
  const Variable* variable = nullptr;
  const Constant* constant = nullptr;
  const Enum* enumeration = nullptr;   // an enumerator: `number` is its index
  const Function* function = nullptr;  // kCall
  const Struct* structure = nullptr;   // kNew; kField: the struct it is in
  std::size_t field = 0;               // kField: its index there
  std::vector<std::size_t> field_indices;  // kNew: those of `fields`
};

struct Variable {
  enum class Kind : std::uint8_t { kShared, kLocal, kParameter, kField };
  Kind kind = Kind::kLocal;
  std::string name;
  Span span;  // of the name
  TypePtr type;
  ExpressionPtr initial;    // null if there is none
  bool starts_line = true;  // false: `b` of `int a, b;` (for the formatter)
};

struct Struct {
  std::string name;
  Span span;
  std::vector<std::unique_ptr<Variable>> fields;
};

struct Enum {
  std::string name;
  Span span;
  std::vector<std::string> members;
  std::vector<Span> member_spans;
};

struct Constant {
  std::string name;
  Span span;
  TypePtr type;         // bool or int; set by the type checker
  ExpressionPtr value;  // null: a parameter of a spec, given at `implements`
};

enum class StatementKind : std::uint8_t {
  kBlock,     // body
  kDeclare,   // variables
  kAssign,    // target = value
  kEvaluate,  // value, for its effect
  kIf,        // value; body[0], body[1] if there is an else
  kWhile,     // value; body[0]
  kDoWhile,   // body[0]; value
  kFor,       // first; value (may be null); next (may be null); body[0]
  kBreak,
  kContinue,
  kReturn,  // value may be null
  kAtomic,  // body
  kAwait,   // value
  kChoose,  // body: one block for each branch
  kAssert,  // value
  kDelete,  // value
  kSkip,
  kLinearize,  // body[0], or nothing: the step of the preceding access
};

struct Statement {
  StatementKind kind;
  Span span;  // the whole statement
  Span head;  // what to show of it in a trace: "if (cas(top, t, n))"
  ExpressionPtr target, value;
  // kAssign: `target = value` in full, also where the user wrote `x += e` or
  // `x++`; `written_as` keeps "+=", "-=", "++", "--", or is "=" (formatter).
  std::string written_as = "=";
  StatementPtr first, next;  // kFor
  std::vector<StatementPtr> body;
  std::vector<std::unique_ptr<Variable>> variables;  // kDeclare
};

struct Function {
  std::string name;
  Span span;  // of the name
  TypePtr result;
  std::vector<std::unique_ptr<Variable>> parameters;
  StatementPtr body;          // a block
  bool is_operation = false;  // else a helper (`function`)
};

struct Role {
  std::string name;
  Span span;
  ExpressionPtr count;  // null: `others`
  std::vector<std::string> operations;
  std::vector<Span> operation_spans;
};

enum class Memory : std::uint8_t { kCollected, kManual, kRecycled };

// An object or a specification.
struct Object {
  bool is_specification = false;
  std::string name;
  Span span;
  std::vector<std::unique_ptr<Constant>> parameters;  // of a specification
  // `implements name(arguments)`; empty name: none.
  std::string implements;
  Span implements_span;
  std::vector<ExpressionPtr> implements_arguments;
  const Object* specification = nullptr;  // if it is one of this file

  std::vector<std::unique_ptr<Constant>> constants;
  std::vector<std::unique_ptr<Enum>> enums;
  std::vector<std::unique_ptr<Struct>> structs;
  std::vector<std::unique_ptr<Variable>> variables;  // shared, or the state
  std::vector<std::unique_ptr<Function>> functions;  // operations and helpers
  std::vector<Role> roles;
  Memory memory = Memory::kCollected;
  StatementPtr init;  // a block, or null
  // Of a specification: `partition by key;`, a parameter of all operations.
  // Empty: there is none.
  std::string partition;
  Span partition_span;
  bool mentions_processes = false;  // their number, or the type `process`
  // What its states stand for, or null.  It returns a state of a built-in
  // specification, or nothing if it gives the variables of one of the file
  // their values.
  std::unique_ptr<Function> relation;
};

enum class Expectation : std::uint8_t { kHolds, kViolated, kUnknown };

// What a check asks of its object.
enum class PropertyKind : std::uint8_t {
  kCondition,  // linearizable, quasi(...)+quiescent, ...: Check::property
  kSafe,
  kDeadlockFree,
  kLockFree,
  kWaitFree,
  kObstructionFree,
  kSatisfies,  // Check::formula
  kRefines,    // Check::refinement, of a specification
};

// Of formulas, where the check says so.
enum class Fairness : std::uint8_t { kUnsaid, kWeak, kStrong, kGlobal };

// A specification of the file or a built-in one, as it is or relaxed:
// `quasi(deq = 1) queue(4)`.
struct Side {
  std::string text;        // without the relaxation: "queue(4)"
  std::string relaxation;  // "quasi(deq=1)", or nothing
  Span relaxation_span;
  std::string name;
  Span span;  // of the name
  std::vector<ExpressionPtr> arguments;
  const Object* specification = nullptr;  // null: a built-in one
};

// `check spec A refines B`.
struct Refinement {
  Side left, right;
};

struct Check {
  // Of all its spans: that of the module, or one that goes on behind it.
  std::shared_ptr<const Source> source;
  Span span;  // the whole line
  // If it compares two specifications: then there is no object, and its name
  // and the property are for people: "spec lossy(2)", "refines queue".
  std::unique_ptr<Refinement> refinement;
  std::string object_name;
  Span object_span;
  const Object* object = nullptr;
  PropertyKind kind = PropertyKind::kCondition;
  std::string property;  // "linearizable", "quasi(deq=2)", "lock_free"
  Span property_span;
  bool at_marks = false;
  bool by_relation = false;
  // `satisfies FORMULA under weak fairness`.
  Span formula;
  Fairness fairness = Fairness::kUnsaid;
  ExpressionPtr processes;   // required
  ExpressionPtr low, high;   // `values`; null if not given
  ExpressionPtr operations;  // null: any number
  ExpressionPtr busy;        // operations of a busy period; null: any number
  ExpressionPtr cells;       // null: the default
  struct Setting {
    std::string name;
    Span span;
    ExpressionPtr value;
    const Constant* constant = nullptr;
  };
  std::vector<Setting> settings;
  std::optional<Expectation> expect;
};

// One file.
struct Module {
  std::shared_ptr<const Source> source;
  std::vector<std::unique_ptr<Constant>> constants;
  std::vector<std::unique_ptr<Enum>> enums;
  std::vector<std::unique_ptr<Object>> objects;
  std::vector<Check> checks;
  bool constants_mention_processes = false;
};

}  // namespace plumb::lang
