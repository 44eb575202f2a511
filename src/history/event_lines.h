// SPDX-License-Identifier: Apache-2.0
// Formats of plain words, one line for each event or operation.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/value.h"
#include "history/assembler.h"
#include "history/event.h"
#include "history/line_reader.h"
#include "history/poll.h"

namespace plumb::history {

// The words of a line, apart by blanks; of "enq(1, 2)" also those in and
// around the parentheses.
std::vector<std::string_view> words_of(std::string_view line);

// 12, -1.5: the number; true, false, nil, null; else the text.
Value word_value(std::string_view word);

// The operation that other checkers call so, in any case of letters ("DEQ",
// "dequeue", "remove"), or kUnknownCode.
std::uint16_t operation_called(const Assembler& assembler,
                               std::string_view name);

// One line after the other, and where the words of the event stand in it.
class EventLines : public Origin {
 public:
  EventLines(LineReader& lines, Assembler& assembler, Poll& poll, bool follow)
      : lines_(lines), assembler_(assembler), poll_(poll), follow_(follow) {}

  // Goes to the next line.  Returns false at the end, or if the budget is
  // spent.
  bool next();
  std::string_view line() const { return lines_.line(); }
  std::uint32_t number() const;

  // Requires: `word` lies in the current line.
  void note(Field field, std::string_view word) {
    words_[static_cast<std::size_t>(field)] = word;
  }
  Place place_of(Field field) const override {
    return place(words_[static_cast<std::size_t>(field)]);
  }
  [[noreturn]] void fail(std::string_view word, std::string what,
                         std::string hint = "") const;

 private:
  // Of the whole line if there is no word.
  Place place(std::string_view word) const;

  LineReader& lines_;
  Assembler& assembler_;
  Poll& poll_;
  bool follow_;
  std::array<std::string_view, 7> words_{};
};

}  // namespace plumb::history
