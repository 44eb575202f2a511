// SPDX-License-Identifier: Apache-2.0
// What is wrong with something that the user gave us, and where.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace plumb {

// A place in a source text.  Lines and columns count from 1; 0 means that
// there is none (the error concerns a whole file, or an argument).
struct Place {
  std::string source;
  std::size_t line = 0;
  std::size_t column = 0;
  std::size_t length = 1;  // how many characters the caret underlines
  std::string text;        // the whole line, as the user wrote it
};

// The only exception of the project: readers and parsers throw it, main
// catches it and exits with status 2.
class InputError : public std::runtime_error {
 public:
  InputError(Place place, std::string what, std::string hint = "")
      : std::runtime_error(std::move(what)),
        place_(std::move(place)),
        hint_(std::move(hint)) {}
  explicit InputError(std::string what, std::string hint = "")
      : InputError(Place{}, std::move(what), std::move(hint)) {}

  const Place& place() const { return place_; }
  const std::string& hint() const { return hint_; }

  // The whole message, as `file:line:column: error: ...`, the line with a
  // caret below, and the hint; ends in a newline.
  std::string describe() const;

 private:
  Place place_;
  std::string hint_;
};

// Returns the candidate nearest to `word` if it is near enough to be what the
// user meant, else an empty string.
std::string nearest(const std::string& word,
                    const std::vector<std::string>& candidates);

}  // namespace plumb
