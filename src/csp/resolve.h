// SPDX-License-Identifier: Apache-2.0
// What the names of a CSP# model mean: from its syntax to its tree.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "csp/ast.h"
#include "csp/syntax.h"
#include "text/diagnostics.h"

namespace plumb::csp {

// How large a model may become when macros and indexed expressions are
// unfolded, in nodes; the smallest macros can double it with each line.
// LIMIT: larger ones are refused.
inline constexpr std::size_t kMostNodes = 500'000;
// How deep one expression or process may become.
inline constexpr std::size_t kDeepestTree = 2'000;
// Elements of an array, values of an indexed operator.
inline constexpr std::int64_t kMostElements = 100'000, kMostValues = 10'000;

// Reports what is wrong and goes on, as if it were right.
class Resolver {
 public:
  // Requires: `made` has its source.
  Resolver(const syntax::Module& written, text::Diagnostics& diagnostics,
           Module& made)
      : written_(written), diagnostics_(diagnostics), made_(made) {}

  void run();

 private:
  enum class Role : std::uint8_t {
    kParameter,
    kInput,
    kIndex,
    kLocal,
    kArgument,  // of a macro that is being unfolded
    kUnknown,   // a parameter of a macro that is only looked through
  };

  // A name that is known in some part of a definition only.
  struct Binding {
    std::string name;
    Role role = Role::kParameter;
    std::uint32_t slot = 0;
    std::vector<std::int64_t> dimensions;  // of a kLocal
    // kArgument: what stands for the name; its size in nodes and its height.
    ExprPtr value;
    std::size_t nodes = 0, height = 0;
    bool is_channel = false;  // `slot` of them; `value`: its index
  };

  enum class Kind : std::uint8_t { kMacro, kConstant, kVariable, kChannel };
  struct Symbol {
    Kind kind = Kind::kMacro;
    std::size_t index = 0;
    std::int64_t number = 0;  // kConstant: a name of an enum
    Span span;
  };

  // A channel, or an element of an array of channels.
  struct ChannelUse {
    std::uint32_t channel = 0;
    ExprPtr index;
  };

  class Deeper;

  // resolve.cpp: names and declarations.
  void collect();
  void add(const syntax::Name& name, const Symbol& symbol);
  void report_taken(const syntax::Name& name, Span other);
  void imports();
  void variable(const syntax::Variable& written, Variable& made);
  void initial_value(const syntax::Variable& written, Variable& made);
  void channel(const syntax::Channel& written, Channel& made);
  void macro(std::size_t index);
  void definition(const syntax::Definition& written, Definition& made);
  void alphabet(const syntax::Alphabet& written);
  void assertion(const syntax::Assertion& written);
  void proposition(const syntax::Assertion& written, Assertion& made);
  std::optional<Range> range(const std::optional<syntax::Range>& written);
  std::optional<std::int64_t> whole(const syntax::Term& term,
                                    std::string_view what);
  std::uint32_t bounded(const syntax::Term& term, std::string_view what,
                        std::int64_t least, std::int64_t most);
  void report(Span span, std::string what, std::string hint = "") {
    ++reported_;
    diagnostics_.report(span, std::move(what), std::move(hint));
  }
  void warn(Span span, std::string what, std::string hint);

  // resolve_terms.cpp: expressions.
  ExprPtr root(const syntax::Term& term);
  ExprPtr term(const syntax::Term& term);
  ExprPtr name(const syntax::Term& term);
  ExprPtr bound(const Binding& binding, Span span);
  ExprPtr unary(const syntax::Term& term);
  ExprPtr binary(const syntax::Term& term);
  ExprPtr element(const syntax::Term& term);
  ExprPtr flattened(const syntax::Term& term, const Binding& local);
  ExprPtr record(const syntax::Term& term);
  void record_element(const syntax::Term& term, Expression& made);
  ExprPtr assign(const syntax::Term& term);
  bool may_be_assigned(const Expression& place, const syntax::Term& written);
  void refuse_assignment(const syntax::Term& written);
  ExprPtr indexed(const syntax::Term& term);
  ExprPtr kept_indexed(const syntax::Term& term);
  bool values_of(const syntax::Index& index, std::vector<std::int64_t>& values);
  void unfold(const syntax::Term& term, std::size_t level,
              std::vector<ExprPtr>& parts);
  ExprPtr joined(const syntax::Term& term, std::span<const ExprPtr> parts);
  std::shared_ptr<Expression> make(ExprKind kind, Span span);
  ExprPtr number(std::int64_t number, Span span);
  ExprPtr bad(Span span) { return number(0, span); }
  void count(std::size_t nodes, std::size_t height, Span span);
  const Binding* find(const std::string& name) const;
  std::vector<std::string> names() const;
  void report_unknown(const syntax::Name& name);

  // resolve_calls.cpp: macros, channels, the library.
  ExprPtr call(const syntax::Term& term);
  ExprPtr unfold_macro(std::size_t index, const syntax::Term& use);
  Binding argument(const syntax::Name& parameter, const syntax::Term& term);
  bool names_channel(const syntax::Term& term) const;
  std::optional<ChannelUse> channel_use(const syntax::Term& term);
  std::optional<std::uint32_t> find_channel(const syntax::Name& name);
  ExprPtr channel_index(std::uint32_t channel, const syntax::Term* index,
                        Span span);
  ExprPtr channel_function(const syntax::Term& term);
  ExprPtr method(const syntax::Term& term);
  void check_method(const Expression& receiver, const syntax::Term& term);
  ExprPtr field(const syntax::Term& term);
  ExprPtr new_object(const syntax::Term& term);
  ExprPtr processes(const syntax::Term& term);
  std::string_view class_of(const Expression& receiver) const;
  void check_count(const syntax::Name& of, std::string_view what,
                   std::size_t wanted, std::size_t given);

  // resolve_processes.cpp: statements and processes.
  StatementPtr program(const syntax::Statement& statement);
  StatementPtr statement(const syntax::Statement& statement);
  StatementPtr declare(const syntax::Statement& statement);
  ProcessPtr process(const syntax::Process& process);
  void parts(const syntax::Process& process, Process& made);
  void receive(const syntax::Process& process, Process& made);
  void pattern(const syntax::Term& field, Process& made);
  bool binds(const syntax::Term& field) const;
  void communication(const syntax::Process& process, Process& made);
  void reference(const syntax::Process& process, Process& made);
  void copies(const syntax::Process& process, Process& made);
  void indices(const std::vector<syntax::Index>& written,
               std::vector<Index>& made, bool may_be_empty);
  EventName event(const syntax::Event& event);
  void report_unknown_field(const std::string& event,
                            const syntax::Name& field);
  std::optional<std::uint32_t> find_process(const syntax::Name& name,
                                            bool may_be_event = false);
  std::uint32_t bind(const syntax::Name& name, Role role);
  void forget_since(std::size_t mark);

  const syntax::Module& written_;
  text::Diagnostics& diagnostics_;
  Module& made_;
  absl::flat_hash_map<std::string, Symbol> values_;
  absl::flat_hash_map<std::string, std::size_t> processes_;
  std::vector<const syntax::Definition*> definitions_;  // one for each name

  std::vector<Binding> scope_;
  std::vector<std::string> left_;       // inputs and indices out of scope
  std::vector<std::size_t> unfolding_;  // macros
  std::uint32_t slots_ = 0;             // of the definition
  std::uint32_t locals_ = 0;            // of the block or expression
  std::uint32_t most_locals_ = 0;       // of the definition
  std::size_t variables_known_ = 0;     // while they are declared
  std::size_t nodes_ = 0, depth_ = 0, deepest_ = 0;
  std::size_t reported_ = 0;
  bool may_assign_ = false;  // in a block
  bool in_assertion_ = false;
  bool is_looking_ = false;  // through a macro whose arguments are unknown
  Span use_;                 // of the outermost macro that is unfolded
};

}  // namespace plumb::csp
