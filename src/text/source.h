// SPDX-License-Identifier: Apache-2.0
// The text of an input, and places in it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/input_error.h"

namespace plumb::text {

// Bytes of the source, from `begin`.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
};

// Places are counted in 32 bits, and no model is anywhere near this large.
inline constexpr std::size_t kLargestModel = std::size_t{16} << 20;

// One text, or several with a name each (a model and what it includes): they
// stand one behind the other, so that a Span alone tells the place.
class Source {
 public:
  Source(std::string name, std::string text);

  // Adds a text behind the others and returns where it begins.  What text()
  // gave before must not be used any more.
  std::uint32_t append(std::string name, const std::string& text);

  const std::string& name() const { return parts_.front().name; }
  std::string_view text() const { return text_; }
  std::string_view text(Span span) const {
    return std::string_view(text_).substr(span.begin, span.length);
  }
  // Where the text ends that begins at `begin`.
  std::size_t end_of_part(std::uint32_t begin) const;
  // The line of its text that `span` begins in, counted from 1.
  std::size_t line(Span span) const;
  // For messages: file, line, column, the line itself.
  Place place(Span span) const;

 private:
  struct Part {
    std::string name;
    std::uint32_t begin;
    std::size_t lines_before;
  };

  std::size_t part_at(std::uint32_t offset) const;
  std::size_t line_of_all(Span span) const;

  std::string text_;
  std::vector<Part> parts_;
  std::vector<std::uint32_t> line_begins_;
};

}  // namespace plumb::text
