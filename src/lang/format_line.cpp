// SPDX-License-Identifier: Apache-2.0
#include "lang/format_line.h"

#include <algorithm>

namespace plumb::lang {

void Line::add(std::string_view text, bool space, Break before) {
  const std::size_t spaces = space && !pieces_.empty() ? 1 : 0;
  pieces_.push_back({std::string(text), spaces, before, true});
  width_ += spaces + text.size();
}

void Line::add_trailing(std::string_view comment) {
  const std::size_t spaces = pieces_.empty() ? 0 : 2;
  pieces_.push_back({std::string(comment), spaces, Break::kNever, false});
}

// The end of the pieces from `begin` that go on one line: as many as fit,
// up to a piece that may begin the next.
std::size_t Line::end_of_part(std::size_t begin, std::size_t column) const {
  std::size_t end = 0;
  for (std::size_t i = begin; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (i > begin && piece.before == Break::kAlways) {
      return column <= kColumns || end == 0 ? i : end;
    }
    if (i > begin && piece.before == Break::kAllowed && column <= kColumns) {
      end = i;
    }
    if (!piece.counts) continue;
    if (column > kColumns && end > 0) return end;
    column += (i > begin ? piece.spaces : 0) + piece.text.size();
  }
  return column <= kColumns || end == 0 ? pieces_.size() : end;
}

void Line::append_to(std::string& out) const {
  // What follows a `;` is not indented, so one step is enough to be told
  // from it; the body of an `if` is.
  const auto last =
      std::find_if(pieces_.rbegin(), pieces_.rend(),
                   [](const Piece& piece) { return piece.counts; });
  const bool is_whole = last != pieces_.rend() && last->text == ";";
  const std::size_t further = indent_ + (is_whole ? 1 : 2) * kIndent;
  for (std::size_t begin = 0; begin < pieces_.size();) {
    const std::size_t column = begin == 0 ? indent_ : further;
    const std::size_t end = end_of_part(begin, column);
    out.append(column, ' ');
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin) out.append(pieces_[i].spaces, ' ');
      out += pieces_[i].text;
    }
    out += '\n';
    begin = end;
  }
}

}  // namespace plumb::lang
