// SPDX-License-Identifier: Apache-2.0
#include "base/byte_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>
#include <vector>

#include "base/input_error.h"

namespace plumb {

namespace {

class MemorySource : public ByteSource {
 public:
  explicit MemorySource(std::string_view bytes) : left_(bytes) {}

  std::size_t read(char* to, std::size_t room) override {
    const std::size_t count = left_.copy(to, room);
    left_.remove_prefix(count);
    return count;
  }

 private:
  std::string_view left_;
};

class FileSource : public ByteSource {
 public:
  FileSource(const std::string& path, Budget* budget)
      : name_(path == "-" ? "<stdin>" : path), budget_(budget) {
    if (path != "-") {
      // Without O_NONBLOCK a named pipe that nobody writes to would hang here.
      file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
      if (file_ < 0) fail("cannot be opened");
    }
    struct stat about {};
    if (::fstat(file_, &about) != 0) fail("cannot be read");
    if (S_ISDIR(about.st_mode)) {
      errno = EISDIR;
      fail("cannot be read");
    }
    may_wait_ = !S_ISREG(about.st_mode);
    // To a pipe that has a name somebody may yet come.
    waits_for_writer_ = path != "-" && S_ISFIFO(about.st_mode) &&
                        !path.starts_with("/dev/fd/") &&
                        !path.starts_with("/proc/");
    if (!may_wait_) total_ = static_cast<std::uint64_t>(about.st_size);
  }
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;
  ~FileSource() override {
    if (file_ > STDIN_FILENO) ::close(file_);
  }

  std::size_t read(char* to, std::size_t room) override {
    while (!may_wait_ || wait()) {
      const ssize_t count = ::read(file_, to, room);
      if (count > 0 || (count == 0 && !waits_for_writer_)) {
        waits_for_writer_ = false;
        return static_cast<std::size_t>(count);
      }
      if (count < 0) {
        if (errno != EINTR && errno != EAGAIN) fail("cannot be read");
        waits_for_writer_ = false;  // there is one, who has written nothing yet
      }
      if (stopped()) return 0;
    }
    return 0;
  }
  std::uint64_t total() const override { return total_; }

 private:
  // Without a budget somebody wants a whole text, and no part of it counts.
  bool stopped() {
    if (budget_ != nullptr) return budget_->spent_now();
    if (Budget::interrupted) {
      throw InputError(Place{.source = name_, .text = ""},
                       "interrupted while it was read");
    }
    constexpr std::chrono::seconds kPatience{2};
    if (waits_for_writer_ &&
        std::chrono::steady_clock::now() - start_ > kPatience) {
      throw InputError(Place{.source = name_, .text = ""},
                       "nobody writes to this pipe");
    }
    return false;
  }
  // Until there is something to read or, of a pipe that we opened, for a
  // moment.  Returns false if the budget was spent before.
  bool wait() {
    constexpr int kMilliseconds = 20;
    for (;;) {
      pollfd ready{file_, POLLIN, 0};
      const int count = ::poll(&ready, 1, kMilliseconds);
      if (count > 0) waits_for_writer_ = false;  // there is one, or was
      if (count > 0 || waits_for_writer_) return true;
      if (count < 0 && errno != EINTR) fail("cannot be read");
      if (stopped()) return false;
    }
  }
  [[noreturn]] void fail(const char* what) const {
    Place place;
    place.source = name_;
    throw InputError(std::move(place),
                     fmt::format("{}: {}", what, std::strerror(errno)));
  }

  std::string name_;
  Budget* budget_;
  int file_ = STDIN_FILENO;
  bool may_wait_ = false;
  bool waits_for_writer_ = false;
  std::chrono::steady_clock::time_point start_ =
      std::chrono::steady_clock::now();
  std::uint64_t total_ = 0;
};

// Holds one block of compressed bytes.  A file may be several gzip members in
// a row (what `cat a.gz b.gz` gives), with zeros behind (tapes).
class GzipSource : public ByteSource {
 public:
  GzipSource(std::unique_ptr<ByteSource> packed, std::string name,
             const Budget* budget)
      : packed_(std::move(packed)),
        name_(std::move(name)),
        budget_(budget),
        block_(1 << 16) {
    constexpr int kGzipOnly = 16;
    if (inflateInit2(&stream_, MAX_WBITS + kGzipOnly) != Z_OK) {
      fail("cannot be decompressed: out of memory");
    }
  }
  GzipSource(const GzipSource&) = delete;
  GzipSource& operator=(const GzipSource&) = delete;
  ~GzipSource() override { inflateEnd(&stream_); }

  std::size_t read(char* to, std::size_t room) override {
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(std::min<std::size_t>(room, 1 << 30));
    const uInt before = stream_.avail_out;
    while (stream_.avail_out == before) {
      if (stream_.avail_in == 0 && !refill()) {
        if (!between_members_ && !stopped()) {
          fail("ends in the middle of its gzip data");
        }
        return 0;
      }
      if (between_members_ && !begin_member()) continue;
      inflate_some();
    }
    return before - stream_.avail_out;
  }

 private:
  bool stopped() const { return budget_ && budget_->limit() != Limit::kNone; }
  bool refill() {
    stream_.next_in = block_.data();
    stream_.avail_in = static_cast<uInt>(
        packed_->read(reinterpret_cast<char*>(block_.data()), block_.size()));
    return stream_.avail_in > 0;
  }
  // Passes over padding.  Returns false if nothing is left of the block.
  bool begin_member() {
    while (!first_member_ && stream_.avail_in > 0 && *stream_.next_in == 0) {
      ++stream_.next_in;
      --stream_.avail_in;
    }
    if (stream_.avail_in == 0) return false;
    if (!first_member_) inflateReset(&stream_);
    first_member_ = between_members_ = false;
    return true;
  }
  void inflate_some() {
    const int status = inflate(&stream_, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      between_members_ = true;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      fail(fmt::format("is broken gzip data: {}",
                       stream_.msg ? stream_.msg : "it cannot be inflated"));
    }
  }
  [[noreturn]] void fail(std::string what) const {
    Place place;
    place.source = name_;
    throw InputError(std::move(place), std::move(what));
  }

  std::unique_ptr<ByteSource> packed_;
  std::string name_;
  const Budget* budget_;
  std::vector<Bytef> block_;
  z_stream stream_{};
  bool first_member_ = true;
  bool between_members_ = true;
};

// Gives back two bytes that were looked at, then the rest.
class ResumedSource : public ByteSource {
 public:
  ResumedSource(std::string head, std::unique_ptr<ByteSource> rest)
      : head_(std::move(head)), rest_(std::move(rest)) {}

  std::size_t read(char* to, std::size_t room) override {
    if (head_.empty()) return rest_->read(to, room);
    const std::size_t count = head_.copy(to, room);
    head_.erase(0, count);
    return count;
  }
  std::uint64_t total() const override { return rest_->total(); }

 private:
  std::string head_;
  std::unique_ptr<ByteSource> rest_;
};

std::unique_ptr<ByteSource> inflated_if_packed(
    std::unique_ptr<ByteSource> source, std::string name,
    const Budget* budget) {
  std::string head(2, '\0');
  std::size_t count = 0;
  while (count < head.size()) {
    const std::size_t got =
        source->read(head.data() + count, head.size() - count);
    if (got == 0) break;
    count += got;
  }
  head.resize(count);
  const bool packed = head == "\x1f\x8b";
  source = std::make_unique<ResumedSource>(std::move(head), std::move(source));
  if (!packed) return source;
  return std::make_unique<GzipSource>(std::move(source), std::move(name),
                                      budget);
}

}  // namespace

std::unique_ptr<ByteSource> open_source(const std::string& path,
                                        Budget* budget) {
  return inflated_if_packed(std::make_unique<FileSource>(path, budget),
                            path == "-" ? "<stdin>" : path, budget);
}

std::unique_ptr<ByteSource> memory_source(std::string_view bytes,
                                          const std::string& name) {
  return inflated_if_packed(std::make_unique<MemorySource>(bytes), name,
                            nullptr);
}

std::string text_of_file(const std::string& path, std::size_t most) {
  const auto source = open_source(path, nullptr);
  std::string text;
  std::string block(1 << 16, '\0');
  while (const std::size_t got = source->read(block.data(), block.size())) {
    text.append(block, 0, got);
    if (text.size() > most) {
      throw InputError(
          Place{.source = path == "-" ? "<stdin>" : path, .text = ""},
          fmt::format("this file is larger than {} MiB", most >> 20));
    }
  }
  return text;
}

}  // namespace plumb
