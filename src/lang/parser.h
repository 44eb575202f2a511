// SPDX-License-Identifier: Apache-2.0
// From words and signs to a tree without types.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lang/ast.h"
#include "lang/lexer.h"
#include "text/diagnostics.h"
#include "text/token_reader.h"

namespace plumb::lang {

// A type as it was written, to be filled in once all names are known.
struct TypeUse {
  std::shared_ptr<Type> type;
  std::string name;  // of a struct or an enum; empty: `type` says its kind
  Span span;
  // The parts of `type` that are still without names and types.
  std::shared_ptr<Expression> low, high, size;
};

struct Parsed {
  std::unique_ptr<Module> module;
  // For each object of the module: its types, parts before the whole.
  std::vector<std::vector<TypeUse>> types;
};

// How deep a model may be nested: blocks, parentheses, types.
inline constexpr std::size_t kDeepest = 200;
// How many parts one expression may have.  The tree of `a + a + ...` is as
// deep as it is long, and all that walks over trees does so by recursion.
// LIMIT: longer ones are refused.
inline constexpr std::size_t kMostParts = 1000;

// Recursive descent with one token of look-ahead, two where a declaration is
// told from an expression.  Errors are thrown up to the loop over statements,
// members or declarations, which reports them and goes on behind.
class Parser : text::TokenReader<Token> {
 public:
  Parser(std::shared_ptr<const Source> source, const Lexed& lexed,
         Diagnostics& diagnostics)
      : TokenReader(*source, lexed.tokens, diagnostics),
        kept_source_(std::move(source)) {}

  Parsed parse();

 private:
  // parser.cpp: tokens, errors, recovery.
  void expect_close(const Token& open, TokenKind close);
  std::string hint_here() const override;
  std::size_t unclosed(std::size_t begin) const;
  bool at_specification() const;
  bool mentions_processes(std::size_t begin) const;
  void skip_statement(std::size_t open = 0);
  void skip_to_declaration();

  // Counts levels of nesting while it lives.
  class Deeper {
   public:
    explicit Deeper(Parser& parser);
    ~Deeper() { --parser_.depth_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
  };

  // parser_declarations.cpp
  void declaration();
  std::unique_ptr<Constant> constant();
  std::unique_ptr<Enum> enumeration();
  void object();
  void specification_parameters(Object& object);
  void implements(Object& object);
  void member(Object& object);
  void refuse_in_specification(const Object& object, std::string_view what);
  void structure(Object& object);
  void shared(Object& object);
  void memory(Object& object);
  void role(Object& object);
  void init(Object& object);
  void partition(Object& object);
  void relation(Object& object);
  void function(Object& object, bool is_operation);
  std::vector<std::unique_ptr<Variable>> parameters();
  void function_or_variable(Object& object);
  void must_be_shared(const Object& object, Span type);

  // parser_checks.cpp
  void check();
  void property(Check& check);
  void formula(Check& check);
  void property_part(std::string_view what);
  void refinement(Check& check);
  void side(Side& side);
  void parenthesized();
  std::string joined(std::size_t begin, std::size_t end) const;
  void by_relation(Check& check);
  void bound(Check& check);
  bool named_bound(Check& check);
  void counted_bound(Check& check);
  void set_bound(ExpressionPtr& bound, ExpressionPtr value, Span span,
                 std::string_view what);
  void expectation(Check& check);

  // parser_types.cpp
  std::shared_ptr<Type> type();
  std::shared_ptr<Type> container(TypeKind kind);
  void range(TypeUse& use);
  bool at_range() const;
  bool at_type() const;
  bool at_container() const;
  std::shared_ptr<Type> array_of(std::shared_ptr<Type> element, Span begin);
  std::shared_ptr<Type> dimensions(std::shared_ptr<Type> element);
  std::vector<std::unique_ptr<Variable>> declarators(
      const std::shared_ptr<Type>& type, Variable::Kind kind);
  std::unique_ptr<Variable> declarator(const std::shared_ptr<Type>& type,
                                       Variable::Kind kind);
  std::shared_ptr<Type> add_type(TypeUse use);

  // parser_statements.cpp
  StatementPtr statement();
  StatementPtr statement_of(TokenKind kind);
  StatementPtr block();
  void statements(Statement& block);
  bool at_member() const;
  StatementPtr if_statement();
  StatementPtr while_statement();
  StatementPtr do_statement();
  StatementPtr for_statement();
  StatementPtr choose_statement();
  StatementPtr atomic_statement();
  StatementPtr linearize_statement();
  StatementPtr return_statement();
  StatementPtr word_statement(StatementKind kind);
  StatementPtr value_statement(StatementKind kind);
  StatementPtr simple_statement();
  StatementPtr declaration_or_simple();
  StatementPtr compound_assignment(ExpressionPtr target);
  void end_simple(Statement& statement);
  void refuse_misspelt(const Statement& statement);
  StatementPtr make(StatementKind kind, Span begin) const;

  // parser_expressions.cpp
  ExpressionPtr expression();
  ExpressionPtr conditional();
  ExpressionPtr binary(int lowest);
  ExpressionPtr sum();
  ExpressionPtr unary();
  ExpressionPtr postfix();
  ExpressionPtr primary();
  ExpressionPtr literal(ExpressionKind kind, std::int64_t number = 0);
  ExpressionPtr name_or_call();
  ExpressionPtr quoted();
  ExpressionPtr list();
  ExpressionPtr abstract_name();
  ExpressionPtr new_cell();
  void arguments(Expression& call);
  ExpressionPtr make(ExpressionKind kind, Span begin);

  std::shared_ptr<const Source> kept_source_;
  std::size_t depth_ = 0;
  std::size_t parts_ = 0;  // of the expression that is being read
  Parsed parsed_;
  std::vector<TypeUse> types_;  // of the object that is being read
};

// A copy of an expression that has no types yet.
ExpressionPtr clone(const Expression& expression);

}  // namespace plumb::lang
