// SPDX-License-Identifier: Apache-2.0
// From the text of a CSP# model to its words and signs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/diagnostics.h"
#include "text/source.h"

namespace plumb::csp {

enum class TokenKind : std::uint8_t {
  kEnd,
  kBad,  // what was reported already
  kName,
  kNumber,
  kString,  // with its quotes
  // The words that cannot be names.
  kAssert,
  kAtomic,
  kCall,
  kCase,
  kChannel,
  kDefault,
  kElse,
  kEnum,
  kFalse,
  kHvar,
  kIf,
  kIfa,
  kIfb,
  kInterrupt,
  kNew,
  kSkip,
  kStop,
  kTau,
  kTrue,
  kVar,
  kWhile,
  kXor,
  // Signs.
  kInterleave,
  kExternal,
  kOr,
  kSatisfies,
  kGeneral,
  kInternal,
  kLeftCondition,
  kRightCondition,
  kArrow,
  kEqual,
  kUnequal,
  kLessEqual,
  kGreaterEqual,
  kAnd,
  kIncrement,
  kDecrement,
  kDotDot,
  kOpenBrace,
  kCloseBrace,
  kOpenParen,
  kCloseParen,
  kOpenBracket,
  kCloseBracket,
  kSemicolon,
  kComma,
  kColon,
  kDot,
  kAssign,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kLess,
  kGreater,
  kNot,
  kQuestion,
  kBitAnd,
  kBitOr,
  kBitXor,
  kHide,
  kHash,
  kAt,
  kDollar,
};

// How a word or sign is written; for the others, what they are called.
std::string_view spelling(TokenKind kind);
bool is_word(TokenKind kind);  // one of the words that cannot be names

struct Token {
  TokenKind kind = TokenKind::kEnd;
  text::Span span;
  std::int64_t number = 0;
};

// The tokens of the part of the source that begins at `begin`; the last one is
// kEnd.  What cannot be read is reported, and becomes a kBad.
std::vector<Token> lex(const text::Source& source, std::uint32_t begin,
                       text::Diagnostics& diagnostics);

}  // namespace plumb::csp
