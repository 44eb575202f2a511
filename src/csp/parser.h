// SPDX-License-Identifier: Apache-2.0
// From words and signs to the tree of a CSP# model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csp/lexer.h"
#include "csp/syntax.h"
#include "text/diagnostics.h"
#include "text/token_reader.h"

namespace plumb::csp {

// How deep a model may be nested; one event of `a -> b -> ...` is a level.
// All that walks over trees does so by recursion.
// LIMIT: deeper ones are refused.
inline constexpr std::size_t kDeepest = 1000;
// What a pair of parentheses or braces counts.
inline constexpr std::size_t kLevelsOfNesting = 5;
// How many operators may stand in a row: the tree of `a + a + ...` is as deep
// as it is long.
inline constexpr std::size_t kMostOperators = 500;

// Recursive descent.  One token of look-ahead is enough but for what stands
// in parentheses (events or a process) and behind `;` (a process or the next
// declaration).  Errors are thrown up to the loop over statements or
// declarations, which reports them and goes on behind.
class Parser : text::TokenReader<Token> {
 public:
  // Adds what it reads to `module`.
  Parser(const text::Source& source, const std::vector<Token>& tokens,
         text::Diagnostics& diagnostics, syntax::Module& module);

  void parse();

 private:
  // parser.cpp: tokens, errors, recovery.
  syntax::Name expect_name(std::string_view what);
  std::string hint_here() const override;
  void skip_to_declaration();
  bool at_directive() const;
  bool at_declaration() const;
  std::size_t behind_parentheses(std::size_t open) const;

  // Counts levels of nesting while it lives.
  class Deeper {
   public:
    explicit Deeper(Parser& parser, std::size_t levels = kLevelsOfNesting);
    ~Deeper() { parser_.depth_ -= levels_; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;

   private:
    Parser& parser_;
    std::size_t levels_;
  };

  // The same for an expression; counts the operators of the outermost one.
  class InExpression {
   public:
    explicit InExpression(Parser& parser);
    ~InExpression() { --parser_.expressions_; }
    InExpression(const InExpression&) = delete;
    InExpression& operator=(const InExpression&) = delete;

   private:
    Deeper deeper_;
    Parser& parser_;
  };

  // parser_declarations.cpp
  void declaration();
  void directive();
  void import(bool is_library);
  void define();
  bool at_macro_parameters() const;
  void alphabet();
  void enumeration();
  void variable();
  void channel();
  void process_definition();
  std::optional<syntax::Range> range();
  std::vector<syntax::TermPtr> dimensions();
  void assertion();
  void property(syntax::Assertion& assertion);
  void reaches(syntax::Assertion& assertion);
  void refines(syntax::Assertion& assertion);
  void formula(syntax::Assertion& assertion);
  syntax::ProcessPtr process_use();

  // parser_processes.cpp
  syntax::ProcessPtr process();
  syntax::ProcessPtr operators(std::size_t level);
  syntax::ProcessPtr indexed(ProcessKind kind);
  void replication(syntax::Process& made);
  syntax::ProcessPtr conditional();
  syntax::ProcessPtr hiding();
  syntax::ProcessPtr sequence();
  syntax::ProcessPtr guarded();
  syntax::ProcessPtr prefixed();
  syntax::ProcessPtr name_or_prefix();
  syntax::ProcessPtr communication();
  syntax::ProcessPtr event_prefix();
  syntax::ProcessPtr event_set();
  void continuation(syntax::Process& made);
  syntax::ProcessPtr parenthesised();
  syntax::ProcessPtr word(ProcessKind kind);
  syntax::ProcessPtr if_process(ProcessKind kind);
  syntax::ProcessPtr case_process();
  syntax::ProcessPtr assert_process();
  syntax::ProcessPtr braced(std::string_view after);
  syntax::ProcessPtr make(ProcessKind kind) const;
  bool ends_case() const;
  void refuse_after_process();
  syntax::Event event();
  std::vector<syntax::Event> event_lists();
  syntax::Event event_list();
  std::vector<syntax::Index> indices();
  bool at_index() const;
  syntax::Index index();

  // parser_statements.cpp
  syntax::StatementPtr block();
  syntax::StatementPtr statement();
  syntax::StatementPtr local_variable();
  syntax::StatementPtr if_or_while();
  void refuse_foreign_statement();
  void skip_statement();

  // parser_expressions.cpp
  syntax::TermPtr expression();
  syntax::TermPtr condition();
  syntax::TermPtr sum();
  syntax::TermPtr binary(int lowest);
  syntax::TermPtr unary();
  syntax::TermPtr postfix();
  syntax::TermPtr primary();
  syntax::TermPtr literal(syntax::TermKind kind, std::int64_t number);
  syntax::TermPtr name_or_place();
  syntax::TermPtr member(syntax::TermPtr receiver);
  syntax::TermPtr call();
  syntax::TermPtr new_object();
  syntax::TermPtr processes();
  syntax::TermPtr indexed_expression();
  syntax::TermPtr record();
  syntax::TermPtr element();
  void arguments(std::vector<syntax::TermPtr>& all);
  syntax::TermPtr make(syntax::TermKind kind, Span begin);
  syntax::TermPtr parent(syntax::TermKind kind, syntax::TermPtr child);

  syntax::Module& module_;
  // For each `(`: the index of its `)`, or of the last token.
  std::vector<std::uint32_t> closing_;
  std::size_t depth_ = 0;
  std::size_t expressions_ = 0;  // that we are in
  std::size_t operators_ = 0;    // in the outermost of them
  std::size_t cases_ = 0;        // `case`s that are being read
};

}  // namespace plumb::csp
