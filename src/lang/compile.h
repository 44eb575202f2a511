// SPDX-License-Identifier: Apache-2.0
// From the tree of an object to its program.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lang/ast.h"
#include "lang/constants.h"
#include "lang/program.h"

namespace plumb::lang {

// What a check says about the object's surroundings.
struct Surroundings {
  ConstantValues constants;
  std::optional<Range> values;  // of arguments of type `int`
  std::uint32_t client_bytes = 0;
  std::optional<std::int64_t> cells;
};

// Throws InputError.
Program compile_object(std::shared_ptr<const Source> source,
                       const Object& object, const Surroundings& around);

// The relation of an object: its one operation gives a state of a built-in
// specification, or the variables of one of the file their values.
struct RelationCode {
  struct Variable {
    Register reg = kNoRegister;  // if it is a number
    std::uint16_t block = 0;     // else
    const Shape* shape = nullptr;
  };
  Program program;
  std::vector<Variable> variables;  // of a specification of the file
};
// Its code runs on states of `whole`, the program of the object.  Throws
// InputError.  Requires: the object has a relation.
RelationCode compile_relation(const Object& object, const Surroundings& around,
                              const Program& whole);

// A value in a register, and what is known of it.
struct Operand {
  Register reg = 0;
  Range range;
  const Shape* shape = nullptr;  // null: what `range` says
};

// A place of the code that jumps may name before it is known.
struct JumpLabel {
  std::int64_t at = -1;
  std::vector<std::size_t> uses;
};

// A variable, an element or a field whose address is not computed yet: all
// that it takes is in registers, so that the address can be computed after a
// step boundary, when cells may have other numbers.
struct PlaceCode {
  enum class Base : std::uint8_t { kRegister, kFixed, kLocal, kCell };
  struct IndexCode {
    Register reg;
    std::uint32_t stride, count;
    Span span;
  };
  Base base = Base::kRegister;
  bool shared = false;
  Register reg = kNoRegister;  // kRegister: itself; kCell: the cell
  std::uint32_t offset = 0;    // in the state, the local memory or the cell
  std::uint16_t block = 0;     // kLocal
  std::vector<IndexCode> indices;
  const Shape* shape = nullptr;
  // An element of a container: `shape` is the element's, `container` is what
  // the rest describes, and this is the index or key.
  const Shape* container = nullptr;
  Register element = kNoRegister;
  Span span;
};

// A place in the middle of a step: its address is known.
struct AddressCode {
  enum class Mode : std::uint8_t { kRegister, kFixed, kField, kAt, kElement };
  Mode mode = Mode::kRegister;
  Register reg = kNoRegister;
  Register element = kNoRegister;
  std::int32_t offset = 0;
  const Shape* shape = nullptr;
  const Shape* container = nullptr;
  Span span;
};

// compile_expression.cpp, compile_place.cpp, compile_statement.cpp and
// compile_builtin.cpp share the work.
class Compiler {
 public:
  Compiler(std::shared_ptr<const Source> source, const Object& object,
           const Surroundings& around);
  Program compile();
  RelationCode compile_relation(const Program& whole);

 private:
  // Where `return` goes.
  struct FunctionContext {
    const Shape* result = nullptr;
    Register result_register = kNoRegister;
    std::uint16_t result_block = 0;
    JumpLabel* end = nullptr;
    std::size_t linearize_depth = 0;
    bool operation = true;
  };
  struct LoopContext {
    JumpLabel* next;
    JumpLabel* end;
    std::size_t linearize_depth;
  };
  struct Storage {
    Register reg = kNoRegister;
    std::uint16_t block = 0;
    const Shape* shape = nullptr;
  };

  // The whole (compile.cpp).
  void lay_out_variables();
  void compile_init();
  void compile_operation(const Function& function);
  Parameter parameter_of(const Variable& variable);
  void finish_constants();
  void explain_int_bound();
  void lay_out_state();
  FunctionContext make_result(OperationCode& code, JumpLabel& end);
  OperationCode relation_code();

  // Emission (compile.cpp).
  std::size_t emit(Op op, Register a = 0, Register b = 0, Register c = 0,
                   std::int32_t imm = 0);
  std::size_t emit_jump(Op op, Register a, Register b, Register c,
                        JumpLabel& label);
  void bind(JumpLabel& label);
  void step(StepKind kind, Register cell, Span access);
  Register fresh(const Shape* shape, const std::string& name = "");
  Register constant(std::int32_t number);
  std::uint16_t local_block(const Shape* shape, const std::string& name);
  const Shape* shape_of(const Variable& variable);
  const Shape* shape_of(const Function& function);
  [[noreturn]] void fail(Span span, std::string what, std::string hint = "");
  [[noreturn]] void fail_too_large();
  [[noreturn]] void fail_not_in_models(Span span);

  // Expressions (compile_expression.cpp).
  Operand value(const Expression& expression);
  Operand literal(std::int64_t number);
  Operand name_value(const Expression& expression);
  Operand unary(const Expression& expression);
  Operand binary(const Expression& expression);
  Operand arithmetic(const Expression& expression);
  Operand comparison(const Expression& expression);
  Operand truth(const Expression& expression);
  Operand conditional(const Expression& expression);
  Operand make_cell(const Expression& expression);
  Operand call(const Expression& expression);
  Operand inline_body(const Function& function);
  Operand number_of(Operand operand);  // faults if it is `empty`
  Operand fit(Operand operand, const Shape& shape, Span span);
  void move_to(Register target, const Operand& operand);
  bool is_aggregate(const Expression& expression) const;
  // Jumps to `label` if the condition is `sense`, else goes on.
  void branch(const Expression& condition, bool sense, JumpLabel& label);
  void branch_on_comparison(const Expression& condition, bool sense,
                            JumpLabel& label);
  void branch_on_cas(const Expression& condition, bool sense, JumpLabel& label);
  void note(std::size_t jump, Condition::Kind kind, bool if_taken, Span text);

  // Places (compile_place.cpp).
  PlaceCode place(const Expression& expression);
  PlaceCode place_of_variable(const Expression& expression);
  PlaceCode place_of_element(const Expression& expression);
  void begin_access(const PlaceCode& place);
  AddressCode address(const PlaceCode& place);
  Register address_register(const PlaceCode& place, bool defines = false);
  Operand load(const AddressCode& at);
  void store(const AddressCode& at, const Operand& operand);
  void store_in_memory(const AddressCode& at, Register reg);
  void copy(const PlaceCode& to, const PlaceCode& from);
  void fit_key(const Shape& container, Register key);

  // Built-in functions (compile_builtin.cpp).
  Operand builtin(const Expression& expression);
  Operand fetch_add(const Expression& expression);
  Operand exchange(const Expression& expression);
  Operand min_max(const Expression& expression);
  Operand any_number(const Expression& expression);
  Operand container_call(const Expression& expression);

  // Statements (compile_statement.cpp).
  void statement(const Statement& statement);
  void statement_of_kind(const Statement& statement);
  void declare(const Statement& statement);
  void declare(const Variable& variable, const Expression* initial);
  void assign(const Expression& target, const Expression& from);
  void if_else(const Statement& statement, bool marks);
  void while_loop(const Statement& statement);
  void do_while(const Statement& statement);
  void for_loop(const Statement& statement);
  void leave_loop(bool go_on);
  void return_statement(const Statement& statement);
  void atomic(const Statement& statement);
  void await(const Statement& statement);
  void choose(const Statement& statement);
  void delete_cell(const Statement& statement);
  void linearize(const Statement& statement);
  void mark();

  std::shared_ptr<const Source> source_;
  const Object& object_;
  const Surroundings& around_;
  Program program_;
  Span span_;       // of the expression that instructions are made for
  Span statement_;  // the head of the statement, for traces
  std::size_t atomic_ = 0;
  std::uint16_t operation_ = 0;
  // No instruction before this one may be changed any more: a jump may lead
  // to what follows it.
  std::size_t barrier_ = 0;
  // While compiling: constants are numbered from 0 and have this bit set.
  static constexpr Register kConstantBit = 0x8000;
  static constexpr Register kSelf = 0xFFFE;
  absl::flat_hash_map<std::int32_t, Register> constants_;
  absl::flat_hash_map<const Variable*, Storage> storage_;
  absl::flat_hash_map<const Variable*, std::uint32_t> shared_;
  absl::flat_hash_map<const Variable*, const Shape*> shapes_;
  absl::flat_hash_map<const Function*, const Shape*> results_;
  std::vector<FunctionContext> functions_;
  std::vector<LoopContext> loops_;
  std::size_t linearize_depth_ = 0;
  std::uint16_t result_block_ = 0;  // of the last call that gave a block
  std::optional<Span> return_text_;
  std::size_t returns_ = 0;
};

}  // namespace plumb::lang
