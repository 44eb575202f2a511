// SPDX-License-Identifier: Apache-2.0
// Collects what is wrong with a text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/input_error.h"
#include "text/source.h"

namespace plumb::text {

// Keeps the errors that stand first in the text, and of those that begin at
// the same place the one reported first: the others are most often what
// follows from it.
class Diagnostics {
 public:
  Diagnostics(const Source& source, std::size_t most)
      : source_(source), most_(most) {}

  void report(Span span, std::string what, std::string hint = "");
  bool empty() const { return errors_.empty(); }
  const Source& source() const { return source_; }

  // In the order of their places.
  std::vector<InputError> errors() const;

 private:
  // Places are made in the end only: each holds a copy of its line.
  struct Entry {
    Span span;
    std::string what;
    std::string hint;
  };

  const Source& source_;
  std::size_t most_;
  std::map<std::uint32_t, Entry> errors_;
};

// "did you mean 'top'?", or `otherwise` if nothing is near.
std::string suggestion(const std::string& word,
                       const std::vector<std::string>& candidates,
                       std::string otherwise = "");

}  // namespace plumb::text
