// SPDX-License-Identifier: Apache-2.0
// Where spaces stand between the words and signs of a model.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "lang/lexer.h"

namespace plumb::lang {

// Looks at the tokens of a model that parses.
class Spacing {
 public:
  Spacing(const Source& source, const std::vector<Token>& tokens);

  // Does a space stand before token `i`, if it does not begin a line?
  bool before(std::size_t i) const;
  // May token `i` begin a line when the line is too long?
  bool may_break_before(std::size_t i) const;
  // The bracket that closes the `(`, `[` or `{` at `i`.
  std::size_t match(std::size_t i) const { return matches_[i]; }

 private:
  TokenKind kind(std::size_t i) const { return tokens_[i].kind; }
  bool is_name(std::size_t i, std::string_view name) const;
  void find_matches();
  void find_type_brackets();
  void find_conditions();
  void find_formulas();
  static bool begins_operand_after(TokenKind last);
  bool ends_operand(std::size_t i) const;
  bool is_prefix(std::size_t i) const;
  bool is_colon_of_role(std::size_t i) const;
  bool is_brace_of_new(std::size_t i) const;

  const Source& source_;
  const std::vector<Token>& tokens_;
  std::vector<std::size_t> matches_;
  // Parentheses, the fields of `new`, or the members of a class.
  std::vector<bool> is_inside_;
  // `quasi(urgent{insert(1..2)} = 1)`: a brace right inside parentheses.
  std::vector<bool> is_brace_of_class_;
  std::vector<bool> is_type_bracket_;
  // The `+` and `=` of `quiescent+quasi(deq=1)`.
  std::vector<bool> is_tight_;
  std::vector<bool> is_in_check_;
  // Of a formula: spaces stay as they are, since `<>` is one sign there.
  std::vector<bool> is_in_formula_;
};

}  // namespace plumb::lang
