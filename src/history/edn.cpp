// SPDX-License-Identifier: Apache-2.0
#include "history/edn.h"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "history/collections.h"
#include "history/edn_atoms.h"

namespace plumb::history {

namespace {

bool is_blank(int c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == ',' ||
         c == '\f' || c == '\v';
}

bool ends_token(char c) {
  return is_blank(c) ||
         std::string_view("()[]{}\";").find(c) != std::string_view::npos;
}

bool is_digit(int c) {
  return c >= '0' && c <= '9';
}

}  // namespace

struct EdnCursor::Deeper {
  explicit Deeper(EdnCursor& c) : cursor(c) {
    if (++cursor.depth_ > kDeepest) {
      --cursor.depth_;
      cursor.fail(cursor.position(),
                  fmt::format("values are nested deeper than {}", kDeepest));
    }
  }
  ~Deeper() { --cursor.depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

  EdnCursor& cursor;
};

EdnCursor::EdnCursor(LineReader& lines, Poll& poll)
    : lines_(lines), poll_(poll) {
  next_line();
}

EdnCursor::EdnCursor(LineReader& lines, Poll& poll, std::size_t at)
    : lines_(lines),
      poll_(poll),
      line_(lines.line()),
      at_(at),
      one_line_(true) {}

void EdnCursor::next_line() {
  if (one_line_) {
    ended_ = true;
    return;
  }
  // More than enough for any event that a person would look at.
  constexpr std::size_t kMostKept = std::size_t{1} << 16;
  if (kept_bytes_ + line_.size() <= kMostKept) {
    kept_.push_back({lines_.number(), std::string(line_)});
    kept_bytes_ += line_.size() + sizeof(KeptLine);
  }
  at_ = 0;
  ended_ = poll_.spent() || !lines_.next() || poll_.limit() != Limit::kNone;
  line_ = ended_ ? std::string_view() : lines_.line();
  if (!simdjson::validate_utf8(line_.data(), line_.size())) {
    fail(position(), "this line is not UTF-8");
  }
}

void EdnCursor::keep_lines() {
  kept_.clear();
  kept_bytes_ = 0;
}

void EdnCursor::skip_blanks() {
  for (;;) {
    const int c = peek();
    if (c == ';') {
      at_ = line_.size();
    } else if (c == '#' && peek_second() == '_') {
      const Deeper deeper(*this);
      advance();
      advance();
      read_form(false);
    } else if (is_blank(c)) {
      advance();
    } else {
      return;
    }
  }
}

int EdnCursor::peek_second() const {
  return at_ + 1 < line_.size() ? static_cast<unsigned char>(line_[at_ + 1])
                                : '\n';
}

bool EdnCursor::skip(char byte) {
  skip_blanks();
  if (cut_off()) return true;
  if (peek() != static_cast<unsigned char>(byte)) return false;
  advance();
  return true;
}

Value EdnCursor::read_form(bool keep) {
  const Deeper deeper(*this);
  skip_blanks();
  const Position from = position();
  const int c = peek();
  switch (c) {
    case kEnd:
      if (cut_off()) return Value();
      fail(from, "the text ends in the middle of a value");
    case '[':
      advance();
      return read_list(']', keep);
    case '(':
      advance();
      return read_list(')', keep);
    case '{':
      advance();
      return read_map(keep);
    case '#':
      return read_dispatch(keep);
    case '\\':
      return read_character(keep);
    case '"': {
      const std::string text = read_string();
      return keep ? Value::text(text) : Value();
    }
    case ']':
    case ')':
    case '}':
      fail(from, fmt::format("'{}' closes nothing", char(c)));
    case '\'':
    case '`':
    case '~':
    case '^':
    case '@':
      fail(from, fmt::format("'{}' begins no value", char(c)));
    default:
      break;
  }
  if (is_digit(c) || ((c == '-' || c == '+') && is_digit(peek_second()))) {
    return read_number(keep);
  }
  std::string_view token = read_token();
  if (token == "nil") return Value();
  if (token == "true") return Value::boolean(true);
  if (token == "false") return Value::boolean(false);
  if (token == ":") fail(from, "':' is no keyword");
  if (token[0] == ':') token.remove_prefix(1);
  return keep ? Value::text(token) : Value();
}

bool EdnCursor::read_name(std::string& text) {
  skip_blanks();
  const int c = peek();
  if (c == '"') {
    text = read_string();
    return true;
  }
  if (c == kEnd || is_digit(c) || ends_token(static_cast<char>(c)) ||
      c == '#' || c == '\\') {
    return false;
  }
  std::string_view token = read_token();
  if (token[0] == ':') token.remove_prefix(1);
  text = std::string(token);
  return true;
}

// Reads to the next blank or bracket.  Requires: it is not there already.
std::string_view EdnCursor::read_token() {
  const std::size_t from = at_;
  while (at_ < line_.size() && !ends_token(line_[at_])) ++at_;
  return line_.substr(from, at_ - from);
}

Value EdnCursor::read_list(char close, bool keep) {
  std::vector<Value> items;
  while (!skip(close)) {
    const Value item = read_form(keep);
    if (keep) items.push_back(item);
  }
  return keep ? Value::list(items) : Value();
}

Value EdnCursor::read_set(bool keep) {
  std::vector<Value> members;
  while (!skip('}')) {
    const Value member = read_form(keep);
    if (keep) members.push_back(member);
  }
  return keep ? set_value(std::move(members)) : Value();
}

Value EdnCursor::read_map(bool keep) {
  std::vector<std::pair<Value, Value>> entries;
  while (!skip('}')) {
    const Value key = read_form(keep);
    skip_blanks();
    if (peek() == '}') fail(position(), "a map has a key without a value");
    const Value value = read_form(keep);
    if (keep) entries.emplace_back(key, value);
  }
  return keep ? map_value(std::move(entries)) : Value();
}

// What begins with '#', other than the discard.
Value EdnCursor::read_dispatch(bool keep) {
  const Position from = position();
  advance();
  const int c = peek();
  if (c == '{') {
    advance();
    return read_set(keep);
  }
  if (c == '#') {  // ##NaN, ##Inf, ##-Inf
    advance();
    if (at_ == line_.size() || ends_token(line_[at_])) {
      fail(from, "'##' begins no value");
    }
    const std::string_view token = read_token();
    return keep ? Value::text(token) : Value();
  }
  if (c == kEnd || ends_token(static_cast<char>(c))) {
    fail(from, "'#' without a tag");
  }
  read_token();
  return read_form(keep);
}

void EdnCursor::skip_tags() {
  skip_blanks();
  while (peek() == '#' && peek_second() != '{' &&
         !ends_token(static_cast<char>(peek_second()))) {
    read_token();
    skip_blanks();
  }
}

Value EdnCursor::read_number(bool keep) {
  const Position from = position();
  const std::string_view token = read_token();
  const auto number = edn_number(token, keep);
  if (!number) {
    fail(from, fmt::format("'{}' is no number", token.substr(0, 60)));
  }
  return *number;
}

Value EdnCursor::read_character(bool keep) {
  const Position from = position();
  advance();
  const std::size_t begin = at_;
  if (at_ == line_.size()) fail(from, "'\\' without a character");
  ++at_;  // the character may itself be a bracket or a blank
  while (at_ < line_.size() && !ends_token(line_[at_])) ++at_;
  const std::string_view name = line_.substr(begin, at_ - begin);
  const auto character = edn_character(name);
  if (!character) {
    fail(from, fmt::format("'\\{}' is no character", name.substr(0, 60)));
  }
  return keep ? Value::text(*character) : Value();
}

std::string EdnCursor::read_string() {
  const Position from = position();
  std::string text;
  advance();
  for (;;) {
    const int c = peek();
    if (cut_off()) return text;
    if (c == kEnd) fail(from, "a string does not end");
    if (text.size() > LineReader::kLongestLine) {
      fail(from, "this string is longer than 64 MiB");
    }
    if (c == '\\') {
      read_escape(text);
      continue;
    }
    advance();
    if (c == '"') return text;
    text += static_cast<char>(c);
  }
}

void EdnCursor::read_escape(std::string& text) {
  const Position from = position();
  advance();
  const int c = peek();
  advance();
  if (c != 'u') {
    const char plain = edn_escape(c);
    if (plain == '\0') fail(from, "a string has a wrong escape");
    text += plain;
    return;
  }
  std::uint32_t code = read_hex4();
  if (code >= 0xD800 && code < 0xDC00 && peek() == '\\' &&
      peek_second() == 'u') {
    advance();
    advance();
    const std::uint32_t low = read_hex4();
    if (low < 0xDC00 || low > 0xDFFF) fail(from, "half a character");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (!append_utf8(code, text)) fail(from, "half a character");
}

std::uint32_t EdnCursor::read_hex4() {
  const auto code = hex4(line_.substr(std::min(at_, line_.size()), 4));
  if (!code) fail(position(), "four hexadecimal digits were expected");
  at_ += 4;
  return *code;
}

Place EdnCursor::place(Position from, std::size_t length) const {
  Place where;
  where.source = lines_.source();
  where.line = std::max<std::uint64_t>(from.line, 1);
  if (!ended_ && from.line == lines_.number()) {
    where.text = std::string(line_);
  } else {
    for (const KeptLine& kept : kept_) {
      if (kept.number == from.line) where.text = kept.text;
    }
  }
  if (!where.text.empty() && where.text.back() == '\r') where.text.pop_back();
  where.column = from.column + 1;
  where.length = std::max<std::size_t>(length, 1);
  return where;
}

void EdnCursor::fail(Position from, std::string what, std::string hint) const {
  throw InputError(place(from, 1), std::move(what), std::move(hint));
}

}  // namespace plumb::history
