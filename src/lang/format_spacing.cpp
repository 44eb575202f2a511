// SPDX-License-Identifier: Apache-2.0
#include "lang/format_spacing.h"

namespace plumb::lang {

Spacing::Spacing(const Source& source, const std::vector<Token>& tokens)
    : source_(source),
      tokens_(tokens),
      matches_(tokens.size(), 0),
      is_inside_(tokens.size(), false),
      is_brace_of_class_(tokens.size(), false),
      is_type_bracket_(tokens.size(), false),
      is_tight_(tokens.size(), false),
      is_in_check_(tokens.size(), false),
      is_in_formula_(tokens.size(), false) {
  find_matches();
  find_type_brackets();
  find_conditions();
  find_formulas();
}

bool Spacing::is_name(std::size_t i, std::string_view name) const {
  return kind(i) == TokenKind::kName && source_.text(tokens_[i].span) == name;
}

bool Spacing::is_brace_of_new(std::size_t i) const {
  return kind(i) == TokenKind::kOpenBrace && i >= 2 &&
         kind(i - 2) == TokenKind::kNew;
}

void Spacing::find_matches() {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    switch (kind(i)) {
      case TokenKind::kOpenBrace:
      case TokenKind::kOpenParen:
      case TokenKind::kOpenBracket:
        is_brace_of_class_[i] =
            kind(i) == TokenKind::kOpenBrace && !open.empty() &&
            kind(open.back()) == TokenKind::kOpenParen && !is_brace_of_new(i);
        open.push_back(i);
        continue;
      case TokenKind::kCloseBrace:
      case TokenKind::kCloseParen:
      case TokenKind::kCloseBracket:
        if (open.empty()) break;
        matches_[open.back()] = i;
        is_brace_of_class_[i] = is_brace_of_class_[open.back()];
        open.pop_back();
        break;
      default:
        break;
    }
    is_inside_[i] =
        !open.empty() &&
        (kind(open.back()) != TokenKind::kOpenBrace ||
         is_brace_of_new(open.back()) || is_brace_of_class_[open.back()]);
  }
}

// `seq<int>` is set without spaces.  `<` is taken for a bracket behind these
// three names if a `>` follows in the same statement.
void Spacing::find_type_brackets() {
  std::vector<std::size_t> open;
  for (std::size_t i = 1; i < tokens_.size(); ++i) {
    if (kind(i) == TokenKind::kLess &&
        (is_name(i - 1, "seq") || is_name(i - 1, "set") ||
         is_name(i - 1, "map"))) {
      open.push_back(i);
    } else if (kind(i) == TokenKind::kGreater && !open.empty()) {
      is_type_bracket_[open.back()] = is_type_bracket_[i] = true;
      open.pop_back();
    } else if (kind(i) == TokenKind::kSemicolon ||
               kind(i) == TokenKind::kOpenBrace) {
      open.clear();
    }
  }
}

// A condition goes from `check` to `with`, and has no space in it but behind
// commas and around `->`: that is how it is written everywhere.
void Spacing::find_conditions() {
  bool in_check = false, in_condition = false;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    switch (kind(i)) {
      case TokenKind::kCheck:
        in_check = in_condition = true;
        depth = 0;
        break;
      case TokenKind::kSemicolon:
        in_check = in_condition = false;
        break;
      case TokenKind::kOpenParen:
      case TokenKind::kOpenBrace:
        ++depth;
        break;
      case TokenKind::kCloseParen:
      case TokenKind::kCloseBrace:
        if (depth > 0) --depth;
        break;
      default:
        if (depth == 0 && is_name(i, "with")) in_condition = false;
    }
    is_in_check_[i] = in_check;
    const bool is_sign = (kind(i) == TokenKind::kPlus && depth == 0) ||
                         (kind(i) == TokenKind::kAssign && depth > 0);
    // Between operands only: two signs must not become one.
    is_tight_[i] =
        in_condition && is_sign && ends_operand(i - 1) && ends_operand(i + 1);
  }
}

void Spacing::find_formulas() {
  bool in_formula = false;
  for (std::size_t i = 1; i < tokens_.size(); ++i) {
    if (is_in_check_[i - 1] && is_name(i - 1, "satisfies")) in_formula = true;
    if (kind(i) == TokenKind::kSemicolon || is_name(i, "under") ||
        is_name(i, "with") || is_name(i, "expect")) {
      in_formula = false;
    }
    is_in_formula_[i] = in_formula;
  }
}

bool Spacing::ends_operand(std::size_t i) const {
  switch (kind(i)) {
    case TokenKind::kName:
    case TokenKind::kNumber:
    case TokenKind::kText:
    case TokenKind::kTrue:
    case TokenKind::kFalse:
    case TokenKind::kNull:
    case TokenKind::kEmpty:
    case TokenKind::kNobody:
    case TokenKind::kSelf:
    case TokenKind::kProcesses:
    case TokenKind::kCloseParen:
    case TokenKind::kCloseBracket:
    case TokenKind::kCloseBrace:
      return true;
    default:
      return false;
  }
}

// A `-` or `!` that belongs to what follows.
bool Spacing::is_prefix(std::size_t i) const {
  if (kind(i) == TokenKind::kNot) return true;
  return kind(i) == TokenKind::kMinus && (i == 0 || !ends_operand(i - 1));
}

bool Spacing::is_colon_of_role(std::size_t i) const {
  return kind(i) == TokenKind::kColon && i >= 2 && is_name(i - 2, "role");
}

// Is a `[` behind it a list, and no index?
bool Spacing::begins_operand_after(TokenKind last) {
  return last == TokenKind::kReturn || last == TokenKind::kComma ||
         last == TokenKind::kColon ||
         (last >= TokenKind::kQuestion && last <= TokenKind::kOr &&
          last != TokenKind::kDot && last != TokenKind::kDotDot &&
          last != TokenKind::kGreater);
}

bool Spacing::before(std::size_t i) const {
  if (i > 0 && is_in_formula_[i]) {
    const Span last_span = tokens_[i - 1].span;
    return last_span.begin + last_span.length < tokens_[i].span.begin;
  }
  if (i == 0 || is_type_bracket_[i] || is_brace_of_class_[i]) return false;
  if (is_tight_[i] || is_tight_[i - 1]) return false;
  const TokenKind last = kind(i - 1);
  if (is_prefix(i - 1)) {  // but `- -x` must not become `--x`
    return last == TokenKind::kMinus && kind(i) == TokenKind::kMinus;
  }
  switch (last) {
    case TokenKind::kOpenParen:
    case TokenKind::kOpenBracket:
    case TokenKind::kDot:
    case TokenKind::kDotDot:
      return false;
    case TokenKind::kOpenBrace:
      if (is_brace_of_class_[i - 1]) return false;
      return kind(i) != TokenKind::kCloseBrace;
    case TokenKind::kLess:
      if (is_type_bracket_[i - 1]) return false;
      break;
    default:
      break;
  }
  switch (kind(i)) {
    case TokenKind::kSemicolon:  // `for (;;)` has none, `for (; x;)` one
    case TokenKind::kComma:
    case TokenKind::kCloseParen:
    case TokenKind::kCloseBracket:
    case TokenKind::kDot:
    case TokenKind::kDotDot:
    case TokenKind::kIncrement:
    case TokenKind::kDecrement:
      return false;
    case TokenKind::kOpenParen:
      return last != TokenKind::kName;
    case TokenKind::kOpenBracket:
      return begins_operand_after(last);
    default:
      return !is_colon_of_role(i);
  }
}

bool Spacing::may_break_before(std::size_t i) const {
  if (i == 0) return false;
  if (is_in_formula_[i]) {
    return before(i) &&
           (kind(i) == TokenKind::kAnd || kind(i) == TokenKind::kOr);
  }
  switch (kind(i)) {
    case TokenKind::kAnd:
    case TokenKind::kOr:
    case TokenKind::kQuestion:
    case TokenKind::kImplements:
      return true;
    default:
      break;
  }
  switch (kind(i - 1)) {
    case TokenKind::kComma:
      return true;
    case TokenKind::kAssign:
    case TokenKind::kAddAssign:
    case TokenKind::kSubtractAssign:
      return !is_inside_[i] && !is_in_check_[i];
    case TokenKind::kOpenBrace:
      return is_brace_of_new(i - 1);
    case TokenKind::kOpenParen:
      return kind(i) != TokenKind::kCloseParen;
    default:
      return is_name(i, "with") || is_name(i, "expect") || is_name(i, "under");
  }
}

}  // namespace plumb::lang
