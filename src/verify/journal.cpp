// SPDX-License-Identifier: Apache-2.0
#include "verify/journal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "base/input_error.h"
#include "explore/byte_string.h"
#include "verify/byte_stream.h"

namespace plumb::verify {
namespace {

// What stands in front of an entry.
struct Head {
  std::array<char, 8> magic = {'p', 'l', 'u', 'm', 'b', 'c', 'k', '2'};
  std::uint64_t length = 0;
  std::uint64_t is_final = 0;
  std::uint64_t checksum = 0;
};

std::uint64_t checksum_of(std::string_view entry, std::uint64_t is_final) {
  return explore::hash_bytes(
             reinterpret_cast<const std::uint8_t*>(entry.data()),
             entry.size()) +
         is_final;
}

std::chrono::steady_clock::time_point in(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(seconds));
}

}  // namespace

Journal::Journal(const Settings& settings) : settings_(settings) {
  if (!settings_.resume_from.empty()) open_to_resume();
}

Journal::~Journal() {
  if (input_ != nullptr) std::fclose(input_);
  // Nobody can resume from a new file that has no final entry.
  if (is_new_) give_up();
  if (file_ != nullptr) std::fclose(file_);
}

void Journal::open_to_resume() {
  input_ = std::fopen(settings_.resume_from.c_str(), "rb");
  if (input_ == nullptr) {
    throw InputError(fmt::format("cannot read '{}': {}", settings_.resume_from,
                                 std::strerror(errno)));
  }
  bool is_final = false;
  const auto first = read_entry(is_final);
  const long second = std::ftell(input_);
  while (read_entry(is_final)) {
    if (is_final) input_end_ = std::ftell(input_);
  }
  if (!first || input_end_ == 0) {
    throw InputError(
        fmt::format("'{}' is not a checkpoint, or has nothing in it",
                    settings_.resume_from),
        "--checkpoint writes such files");
  }
  std::clearerr(input_);
  std::fseek(input_, second, SEEK_SET);
  ByteReader reader(*first);
  const std::string_view identity = reader.text();
  const std::string_view course = reader.text();
  if (identity != settings_.identity) {
    throw InputError(
        fmt::format("'{}' is the checkpoint of another check, model or set of "
                    "options, or of another version of plumb",
                    settings_.resume_from),
        "resume with the same model, check and options");
  }
  resumed_course_ = course;
  has_saved_ = saves_to_resumed();
}

std::optional<std::string> Journal::read_entry(bool& is_final) {
  Head head;
  const Head expected;
  if (std::fread(&head, sizeof head, 1, input_) != 1 ||
      head.magic != expected.magic) {
    return std::nullopt;
  }
  // In portions, so that a wrong length asks for no more than there is.
  constexpr std::uint64_t kPortion = std::uint64_t{1} << 24;
  std::string entry;
  while (entry.size() < head.length) {
    const std::size_t before = entry.size();
    entry.resize(before + std::min(kPortion, head.length - before));
    const std::size_t wanted = entry.size() - before;
    if (std::fread(entry.data() + before, 1, wanted, input_) != wanted) {
      return std::nullopt;
    }
  }
  if (checksum_of(entry, head.is_final) != head.checksum) return std::nullopt;
  is_final = head.is_final != 0;
  return entry;
}

// Once only: a search with the same course that comes later finds nothing to
// read any more.
void Journal::begin(const std::string& course) {
  course_ = course;
  resumes_ = course == resumed_course_;
  if (resumes_) resumed_course_.reset();
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
  next_ = in(settings_.seconds);
}

std::optional<std::string> Journal::read() {
  if (input_ == nullptr) return std::nullopt;
  bool is_final = false;
  if (std::ftell(input_) < input_end_) {
    if (auto entry = read_entry(is_final)) return entry;
    fail_to_read();  // the first part of a search must not pass for all of it
  }
  std::fclose(input_);
  input_ = nullptr;
  // Unless an earlier search of this run has put its own file there.
  if (saves_to_resumed() && !is_replaced_) {
    file_ = std::fopen(settings_.save_to.c_str(), "r+b");
    end_ = input_end_;
    is_new_ = false;
    if (file_ != nullptr) {
      std::fseek(file_, end_, SEEK_SET);
    } else {
      fail("write");
    }
  }
  return std::nullopt;
}

bool Journal::fail(const char* doing) {
  why_not_ = fmt::format("cannot {} '{}': {}", doing, settings_.save_to,
                         std::strerror(errno));
  return false;
}

// A new file takes the place of an old one when it has its first final entry.
bool Journal::start_file() {
  file_ = std::fopen((settings_.save_to + ".new").c_str(), "w+b");
  if (file_ == nullptr) return fail("write");
  is_new_ = true;
  end_ = 0;
  ByteWriter first;
  first.text(settings_.identity);
  first.text(course_);
  return append(first.written(), false);
}

bool Journal::append(std::string_view entry, bool is_final) {
  Head head;
  head.length = entry.size();
  head.is_final = is_final ? 1 : 0;
  head.checksum = checksum_of(entry, head.is_final);
  if (std::fwrite(&head, sizeof head, 1, file_) != 1 ||
      std::fwrite(entry.data(), 1, entry.size(), file_) != entry.size()) {
    return fail("write");
  }
  return true;
}

bool Journal::finish_file() {
  if (std::fflush(file_) != 0 || fdatasync(fileno(file_)) != 0) {
    return fail("write");
  }
  const std::string name = settings_.save_to + ".new";
  if (is_new_ && std::rename(name.c_str(), settings_.save_to.c_str()) != 0) {
    return fail("write");
  }
  is_replaced_ = is_replaced_ || is_new_;
  is_new_ = false;
  has_saved_ = true;
  end_ = std::ftell(file_);
  return true;
}

// What is behind the last final entry is not looked at, but takes space.
void Journal::give_up() {
  if (file_ == nullptr) return;
  if (is_new_) {
    std::fclose(file_);
    file_ = nullptr;
    std::remove((settings_.save_to + ".new").c_str());
    return;
  }
  std::clearerr(file_);
  std::fseek(file_, end_, SEEK_SET);
  if (ftruncate(fileno(file_), end_) != 0) std::clearerr(file_);
}

bool Journal::write(std::string_view entry, bool is_final) {
  const bool fine = (file_ != nullptr || start_file()) &&
                    append(entry, is_final) && (!is_final || finish_file());
  if (!fine) give_up();
  if (is_final || !fine) next_ = in(settings_.seconds);
  return fine;
}

}  // namespace plumb::verify
