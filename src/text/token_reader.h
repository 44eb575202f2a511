// SPDX-License-Identifier: Apache-2.0
// What the parsers of all languages do alike: reading tokens, and errors.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/input_error.h"
#include "text/diagnostics.h"
#include "text/source.h"

namespace plumb::text {

// Token has `kind` and `span`; spelling() and is_word() of its kinds are found
// beside them.  Errors are thrown, and reported where they are caught, so that
// reading can go on behind.
template <typename Token>
class TokenReader {
 protected:
  using Kind = decltype(Token::kind);

  // All must last; the last token is kEnd.
  TokenReader(const Source& source, const std::vector<Token>& tokens,
              Diagnostics& diagnostics)
      : source_(source), tokens_(tokens), diagnostics_(diagnostics) {}
  virtual ~TokenReader() = default;

  // What is meant by people who know other languages, "" if that is not known.
  virtual std::string hint_here() const { return ""; }

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool at(Kind kind) const { return peek().kind == kind; }
  bool at_name(std::string_view name, std::size_t ahead = 0) const {
    return peek(ahead).kind == Kind::kName && text(peek(ahead)) == name;
  }
  Token take() {
    const Token taken = peek();
    if (at_ + 1 < tokens_.size()) ++at_;
    return taken;
  }
  bool take_if(Kind kind) {
    if (!at(kind)) return false;
    take();
    return true;
  }
  std::string_view text(const Token& token) const {
    return source_.text(token.span);
  }
  std::size_t line(const Token& token) const {
    return source_.line(token.span);
  }
  // "'x'", "the end of the file".
  std::string found() const {
    if (at(Kind::kEnd)) return std::string(spelling(Kind::kEnd));
    std::string shown(text(peek()));
    if (shown.size() > 60) shown = shown.substr(0, 57) + "...";
    return fmt::format("'{}'", shown);
  }
  // The end of the file is shown behind its last word.
  Span here() const {
    if (!at(Kind::kEnd) || at_ == 0) return peek().span;
    const Span last = tokens_[at_ - 1].span;
    return {last.begin + last.length, 1};
  }
  Span since(Span begin) const {
    if (at_ == 0) return begin;
    const Span last = tokens_[at_ - 1].span;
    const auto end =
        std::max(last.begin + last.length, begin.begin + begin.length);
    return {begin.begin, end - begin.begin};
  }

  Token expect(Kind kind, std::string_view context) {
    if (!at(kind)) fail_expected(fmt::format("'{}'", spelling(kind)), context);
    return take();
  }
  Token expect_name(std::string_view what) {
    if (is_word(peek().kind)) {
      fail(peek().span,
           fmt::format("{} cannot be the name of {}", found(), what),
           "it is a word of the language; choose another name");
    }
    if (!at(Kind::kName)) fail_expected(fmt::format("the name of {}", what));
    return take();
  }
  // A semicolon that was forgotten at the end of a line does no harm to what
  // follows: it is reported, and reading goes on.
  void expect_semicolon(std::string_view after) {
    if (take_if(Kind::kSemicolon)) return;
    const Token& last = tokens_[at_ == 0 ? 0 : at_ - 1];
    const bool ends_here =
        line(last) != line(peek()) || at(Kind::kCloseBrace) || at(Kind::kEnd);
    if (!ends_here) fail_expected("';'", after);
    const Span behind{last.span.begin + last.span.length, 1};
    note(behind, fmt::format("expected ';' {}", after), hint_here());
  }
  void expect_close(const Token& open, Kind close) {
    if (take_if(close)) return;
    const std::size_t opened = line(open);
    std::string hint = hint_here();
    if (hint.empty() && opened != line(peek())) {
      hint =
          fmt::format("the '{}' on line {} is not closed", text(open), opened);
    }
    fail(here(),
         fmt::format("unexpected {}, expected '{}'", found(), spelling(close)),
         std::move(hint));
  }

  // The place is added by caught(): it holds a copy of the line, and a file
  // may be one long line with many errors.
  [[noreturn]] void fail(Span span, std::string what, std::string hint = "") {
    failed_at_ = span;
    throw InputError(std::move(what), std::move(hint));
  }
  [[noreturn]] void fail_expected(std::string_view what,
                                  std::string_view context = "",
                                  std::string hint = "") {
    if (hint.empty()) hint = hint_here();
    fail(here(),
         fmt::format("unexpected {}, expected {}{}{}", found(), what,
                     context.empty() ? "" : " ", context),
         std::move(hint));
  }
  void caught(const InputError& error) {
    note(failed_at_, error.what(), error.hint());
  }
  // Reports what does not keep the rest from being read.
  void note(Span span, std::string what, std::string hint = "") {
    if (gave_up_) return;
    diagnostics_.report(span, std::move(what), std::move(hint));
  }
  // Nothing that follows is read.
  [[noreturn]] void give_up(Span span, std::string what, std::string hint) {
    const InputError error(std::move(what), std::move(hint));
    failed_at_ = span;
    caught(error);
    gave_up_ = true;
    at_ = tokens_.size() - 1;
    throw error;
  }
  bool gave_up() const { return gave_up_; }

  const Source& source_;
  const std::vector<Token>& tokens_;
  std::size_t at_ = 0;

 private:
  Diagnostics& diagnostics_;
  bool gave_up_ = false;
  Span failed_at_;  // where what was thrown belongs
};

}  // namespace plumb::text
