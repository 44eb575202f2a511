// SPDX-License-Identifier: Apache-2.0
// Reads the forms of EDN, the notation of Jepsen's histories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "history/line_reader.h"
#include "history/poll.h"

namespace plumb::history {

// A cursor over the source that reads one form (one value) after the other,
// as https://github.com/edn-format/edn describes them, and some more that
// Clojure prints: ratios, hexadecimal numbers, ##NaN.  Forms become values so:
//   keyword, symbol, character, string   text: :write is "write", \a is "a"
//   vector, list                         list
//   set, map                             see collections.h
//   1N, 1.5M, 1/2                        numbers; a ratio has 40 digits
//   #tag form                            the form
class EdnCursor {
 public:
  EdnCursor(LineReader& lines, Poll& poll);
  // Begins within the reader's current line, `at` bytes from its start, and
  // ends where it does.
  EdnCursor(LineReader& lines, Poll& poll, std::size_t at);

  static constexpr int kEnd = -1;

  // Passes over blanks, commas, comments and discarded forms (#_ x).
  void skip_blanks();
  // The next byte: '\n' where a line ends, kEnd at the end of the source.
  int peek() const {
    if (at_ < line_.size()) return static_cast<unsigned char>(line_[at_]);
    return ended_ ? kEnd : '\n';
  }
  void advance() {
    if (at_ < line_.size()) {
      ++at_;
    } else {
      next_line();
    }
  }
  // Did the text end early, because the budget is spent?  Then all that is
  // open counts as closed, and what was read last is of no use.
  bool cut_off() const { return ended_ && poll_.limit() != Limit::kNone; }

  // Reads the next form.  If it is not to be kept, it is only checked, and
  // the result means nothing.  Throws InputError.
  Value read_form(bool keep);
  // Reads the next form if it is a keyword, symbol or string, into `text`.
  // Returns false, and reads nothing, if it is something else.
  bool read_name(std::string& text);
  // Passes over tags in front of a form.
  void skip_tags();
  // Passes over blanks; then also over `byte` if that is next.
  bool skip(char byte);

  struct Position {
    std::uint64_t line = 0;
    std::size_t column = 0;  // from 0
  };
  Position position() const { return {lines_.number(), at_}; }
  // Lines are kept from here on, for place().
  void keep_lines();
  Place place(Position from, std::size_t length) const;
  [[noreturn]] void fail(Position from, std::string what,
                         std::string hint = "") const;

 private:
  struct Deeper;  // counts how deep forms are nested

  void next_line();
  Value read_list(char close, bool keep);
  Value read_set(bool keep);
  Value read_map(bool keep);
  Value read_dispatch(bool keep);
  Value read_number(bool keep);
  Value read_character(bool keep);
  std::string read_string();
  void read_escape(std::string& text);
  std::uint32_t read_hex4();
  std::string_view read_token();
  int peek_second() const;

  LineReader& lines_;
  Poll& poll_;
  std::string_view line_;
  std::size_t at_ = 0;
  bool ended_ = false;
  bool one_line_ = false;
  int depth_ = 0;

  struct KeptLine {
    std::uint64_t number;
    std::string text;
  };
  std::vector<KeptLine> kept_;  // those before line_
  std::size_t kept_bytes_ = 0;
};

}  // namespace plumb::history
