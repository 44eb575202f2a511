// SPDX-License-Identifier: Apache-2.0
// The text of a model, and places in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_error.h"

namespace plumb::lang {

// Bytes of the source, from `begin`.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
};

class Source {
 public:
  Source(std::string name, std::string text);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const {
    return std::string_view(text_).substr(span.begin, span.length);
  }
  // The line that `span` begins in, counted from 1.
  std::size_t line(Span span) const;
  // For messages: file, line, column, the line itself.
  Place place(Span span) const;

 private:
  std::string name_;
  std::string text_;
  std::vector<std::uint32_t> line_begins_;
};

}  // namespace plumb::lang
