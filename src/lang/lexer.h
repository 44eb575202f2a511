// SPDX-License-Identifier: Apache-2.0
// From the text of a model to its words and signs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "text/diagnostics.h"
#include "text/source.h"

namespace plumb::lang {

using text::Diagnostics;
using text::Source;
using text::Span;
using text::suggestion;

enum class TokenKind : std::uint8_t {
  kEnd,
  kBad,  // what was reported already
  kName,
  kNumber,
  kText,  // in quotes
  // The words that cannot be names.
  kAssert,
  kAtomic,
  kAwait,
  kBit,
  kBool,
  kBreak,
  kCheck,
  kChoose,
  kConst,
  kContinue,
  kDelete,
  kDo,
  kElse,
  kEmpty,
  kEnum,
  kFalse,
  kFor,
  kFunction,
  kIf,
  kImplements,
  kInt,
  kLinearize,
  kNew,
  kNobody,
  kNull,
  kObject,
  kProcess,
  kProcesses,
  kReturn,
  kSelf,
  kShared,
  kSkip,
  kSpec,
  kStruct,
  kTrue,
  kVoid,
  kWhile,
  // Signs.
  kOpenBrace,
  kCloseBrace,
  kOpenParen,
  kCloseParen,
  kOpenBracket,
  kCloseBracket,
  kSemicolon,
  kComma,
  kColon,
  kQuestion,
  kDot,
  kDotDot,
  kAssign,
  kAddAssign,
  kSubtractAssign,
  kIncrement,
  kDecrement,
  kPlus,
  kMinus,
  kStar,
  kSlash,
  kPercent,
  kEqual,
  kUnequal,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kAnd,
  kOr,
  kNot,
  kArrow,  // in conditions of checks alone
};

// How a word or sign is written; for the others, what they are called.
std::string_view spelling(TokenKind kind);
bool is_word(TokenKind kind);  // one of the words that cannot be names
// All words that cannot be names, for "did you mean".
const std::vector<std::string>& words();

struct Token {
  TokenKind kind = TokenKind::kEnd;
  Span span;
  std::int64_t number = 0;
};

struct Comment {
  Span span;           // without the line's end
  std::size_t before;  // index of the token that follows it
};

struct Lexed {
  std::vector<Token> tokens;  // the last one is kEnd
  std::vector<Comment> comments;
};

// From a place of the source to its end.  What cannot be read is reported, and
// becomes a kBad.
Lexed lex(const Source& source, Diagnostics& diagnostics,
          std::uint32_t begin = 0);

}  // namespace plumb::lang
