// SPDX-License-Identifier: Apache-2.0
// One line of a model in the house layout, broken where it is too long.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::lang {

inline constexpr std::size_t kColumns = 80;
inline constexpr std::size_t kIndent = 4;

// Collects the pieces of a line; append_to() writes it, and what does not fit
// on further lines, indented once, or twice if a block follows.
class Line {
 public:
  explicit Line(std::size_t indent) : indent_(indent), width_(indent) {}

  // Where a piece may begin a further line.
  enum class Break { kNever, kAllowed, kAlways };

  void add(std::string_view text, bool space, Break before);
  // A comment at the end of a line: it never makes the line too long.
  void add_trailing(std::string_view comment);

  bool empty() const { return pieces_.empty(); }
  // How wide it is, all on one line.
  std::size_t width() const { return width_; }
  void append_to(std::string& out) const;

 private:
  struct Piece {
    std::string text;
    std::size_t spaces;
    Break before;
    bool counts;  // when it is asked whether the line fits
  };
  std::size_t end_of_part(std::size_t begin, std::size_t column) const;

  std::size_t indent_;
  std::size_t width_;
  std::vector<Piece> pieces_;
};

}  // namespace plumb::lang
