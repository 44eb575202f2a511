// SPDX-License-Identifier: Apache-2.0
#include "history/line_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace plumb::history {

namespace {

// Stays in the second-level cache, and few system calls are needed.
constexpr std::size_t kFirstSize = std::size_t{256} << 10;

}  // namespace

LineReader::LineReader(ByteSource& bytes, std::string source)
    : bytes_(bytes),
      source_(std::move(source)),
      buffer_(kFirstSize + kPadding) {}

bool LineReader::next() {
  std::size_t searched = 0;
  for (;;) {
    const char* from = buffer_.data() + next_at_;
    const std::size_t size = filled_ - next_at_;
    const void* end = std::memchr(from + searched, '\n', size - searched);
    if (end != nullptr) {
      take(static_cast<std::size_t>(static_cast<const char*>(end) - from) + 1);
      return true;
    }
    searched = size;
    if (fill()) continue;
    if (size == 0) return false;
    line_at_ = next_at_;  // the last line, without a line end
    length_ = size;
    next_at_ = filled_;
    ++number_;
    if (times_ != nullptr) times_->note(line());
    return true;
  }
}

std::string_view LineReader::ahead(std::size_t least) {
  while (filled_ - next_at_ < least && fill()) continue;
  return ahead();
}

// Moves what is left to the front and reads more behind it.
bool LineReader::fill() {
  if (ended_) return false;
  const std::size_t size = filled_ - next_at_;
  if (size >= kLongestLine) {
    Place where;
    where.source = source_;
    where.line = number_ + 1;
    throw InputError(std::move(where), "this line is longer than 64 MiB",
                     "write one event on a line");
  }
  std::memmove(buffer_.data(), buffer_.data() + next_at_, size);
  moved_ += next_at_;
  line_at_ = length_ = next_at_ = 0;
  filled_ = size;
  if (size > (buffer_.size() - kPadding) / 2) {
    buffer_.resize((buffer_.size() - kPadding) * 2 + kPadding);
  }
  const std::size_t count = bytes_.read(buffer_.data() + filled_,
                                        buffer_.size() - kPadding - filled_);
  filled_ += count;
  ended_ = count == 0;
  return !ended_;
}

Place LineReader::place(std::size_t offset, std::size_t length) const {
  Place where;
  where.source = source_;
  where.line = number_;
  where.column = offset + 1;
  where.length = length;
  where.text = std::string(line());
  if (!where.text.empty() && where.text.back() == '\r') where.text.pop_back();
  return where;
}

}  // namespace plumb::history
