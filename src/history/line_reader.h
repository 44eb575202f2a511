// SPDX-License-Identifier: Apache-2.0
// Cuts a stream of bytes into lines, in a buffer of bounded size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/byte_source.h"
#include "base/input_error.h"
#include "history/times.h"

namespace plumb::history {

class LineReader {
 public:
  // LIMIT: a longer line is an InputError.
  static constexpr std::size_t kLongestLine = std::size_t{64} << 20;
  // So many bytes behind any view into the buffer may be read: simdjson
  // wants that.
  static constexpr std::size_t kPadding = 64;

  LineReader(ByteSource& bytes, std::string source);

  // Goes to the next line.  Returns false at the end of the source.  Views
  // that were given before are no longer valid.
  bool next();
  // The current line, without its '\n', and its number, from 1.
  std::string_view line() const { return {buffer_.data() + line_at_, length_}; }
  std::uint64_t number() const { return number_; }
  const std::string& source() const { return source_; }

  // What the buffer holds behind the current line: at least `least` bytes
  // unless the source ends before.  Invalidates line() if it must read.
  std::string_view ahead(std::size_t least);
  std::string_view ahead() const {
    return {buffer_.data() + next_at_, filled_ - next_at_};
  }
  // The next `size` bytes of ahead(), the last of which is the first '\n'
  // there, become the current line.
  void take(std::size_t size) {
    line_at_ = next_at_;
    length_ = size - 1;
    next_at_ += size;
    ++number_;
    if (times_ != nullptr) times_->note(line());
  }
  // Passes over the next `size` bytes of ahead(), within a line.
  void drop(std::size_t size) { next_at_ += size; }

  // From now on, notes the times of lines there.
  void note_times(LineTimes& times) { times_ = &times; }

  // How many bytes were passed so far.
  std::uint64_t bytes() const { return moved_ + next_at_; }
  // How many there are in all; 0 if that is not known.
  std::uint64_t total_bytes() const { return bytes_.total(); }

  Place place(std::size_t offset, std::size_t length) const;

 private:
  bool fill();

  ByteSource& bytes_;
  std::string source_;
  LineTimes* times_ = nullptr;
  // Invariant: line_at_ + length_ <= next_at_ <= filled_ <= capacity, and
  // kPadding more bytes are allocated.
  std::vector<char> buffer_;
  std::size_t line_at_ = 0;
  std::size_t length_ = 0;
  std::size_t next_at_ = 0;
  std::size_t filled_ = 0;
  std::uint64_t number_ = 0;
  std::uint64_t moved_ = 0;  // bytes that have left the buffer
  bool ended_ = false;
};

}  // namespace plumb::history
