// SPDX-License-Identifier: Apache-2.0
#include "verify/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/budget.h"
#include "base/input_error.h"
#include "verify/byte_stream.h"

namespace plumb::verify {
namespace {

// What stands in front of an entry.
struct Head {
  std::array<char, 8> magic = {'p', 'l', 'u', 'm', 'b', 'c', 'k', '3'};
  std::uint64_t length = 0;
  std::uint64_t is_final = 0;
  Seal seal = {};
};

// Of a checkpoint of any version.
constexpr std::string_view kMagic = "plumbck";

// Nothing but a plain file can be read twice and written behind its end; a
// pipe would keep us waiting.
std::FILE* open_plain(const std::string& path, int flags) {
  const int file = ::open(path.c_str(), flags | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) return nullptr;
  struct stat about {};
  if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
    close(file);
    errno = S_ISDIR(about.st_mode) ? EISDIR : ESPIPE;
    return nullptr;
  }
  return fdopen(file, flags == O_RDONLY ? "rb" : "r+b");
}

std::chrono::steady_clock::time_point in(double seconds) {
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(seconds));
}

// Hours may be in it that nobody wants to lose by a wrong name.
void require_same(const Journal::Settings& there) {
  try {
    const Journal same(there);
  } catch (const InputError&) {
    throw InputError(
        fmt::format("--checkpoint: '{}' is there, and is the checkpoint of "
                    "another check, model or set of options, or damaged",
                    there.resume_from),
        "name another file, or remove it");
  }
}

}  // namespace

Journal::Journal(const Settings& settings) : settings_(settings) {
  if (settings_.resume_from.empty()) return;
  try {
    open_to_resume();
  } catch (...) {
    if (input_ != nullptr) std::fclose(input_);  // there is no destructor
    throw;
  }
}

Journal::~Journal() {
  if (input_ != nullptr) std::fclose(input_);
  // Nobody can resume from a new file that has no final entry.
  if (is_new_) give_up();
  close_file();
}

Seal Journal::seal_after(const Seal& before, std::string_view entry,
                         std::uint64_t is_final) const {
  const Seal own = seal_of(entry, settings_.key);
  const std::array<std::uint64_t, 6> all = {before[0], before[1],    own[0],
                                            own[1],    entry.size(), is_final};
  return seal_of({reinterpret_cast<const char*>(all.data()), sizeof all},
                 settings_.key);
}

void Journal::close_file() {
  if (file_ != nullptr) std::fclose(file_);
  file_ = nullptr;
}

void Journal::prepare() {
  if (!saves() || saves_to_resumed()) return;
  struct stat about {};
  if (stat(settings_.save_to.c_str(), &about) == 0) {
    Settings there = settings_;
    there.resume_from = std::exchange(there.save_to, "");
    std::FILE* const old = open_plain(there.resume_from, O_RDONLY);
    std::array<char, kMagic.size()> begin{};
    const bool is_ours =
        old != nullptr &&
        (about.st_size == 0 ||
         (std::fread(begin.data(), begin.size(), 1, old) == 1 &&
          std::string_view(begin.data(), begin.size()) == kMagic));
    if (old != nullptr) std::fclose(old);
    if (!is_ours) {
      throw InputError(
          fmt::format("--checkpoint: '{}' is there, and is no checkpoint",
                      settings_.save_to),
          "name another file, or remove it");
    }
    if (about.st_size != 0) return require_same(there);
  }
  if (start_file(true)) {
    finish_file();
    has_saved_ = false;
  }
  close_file();
}

void Journal::open_to_resume() {
  input_ = open_plain(settings_.resume_from, O_RDONLY);
  if (input_ == nullptr) {
    throw InputError(fmt::format("cannot read '{}': {}", settings_.resume_from,
                                 std::strerror(errno)));
  }
  bool is_final = false;
  const auto first = read_entry(is_final);
  const bool is_empty = is_final;
  const long second = std::ftell(input_);
  const Seal second_seal = input_seal_;
  if (first && is_final) input_end_ = second;
  while (first && read_entry(is_final)) {
    if (is_final) input_end_ = std::ftell(input_);
    if (is_final) final_seal_ = input_seal_;
  }
  if (!first || input_end_ == 0) {
    throw InputError(
        fmt::format("'{}' is not a checkpoint, or has nothing in it, or is "
                    "that of another user or machine",
                    settings_.resume_from),
        "--checkpoint writes such files; docs/reductions.md says whose count");
  }
  std::clearerr(input_);
  std::fseek(input_, second, SEEK_SET);
  input_seal_ = second_seal;
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
  if (!is_empty) resumed_course_ = course;
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
  if (seal_after(input_seal_, entry, head.is_final) != head.seal) {
    return std::nullopt;
  }
  input_seal_ = head.seal;
  is_final = head.is_final != 0;
  return entry;
}

// Once only: a search with the same course that comes later finds nothing to
// read any more.
void Journal::begin(const std::string& course) {
  course_ = course;
  resumes_ = course == resumed_course_;
  if (resumes_) resumed_course_.reset();
  if (is_new_) give_up();
  close_file();
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
    file_ = open_plain(settings_.save_to, O_RDWR);
    end_ = input_end_;
    seal_ = final_seal_ = input_seal_;
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
// `is_all`: nothing comes behind its first entry.
bool Journal::start_file(bool is_all) {
  if (!staged_.open(settings_.save_to)) return fail("write");
  file_ = fdopen(dup(staged_.file()), "w+b");
  if (file_ == nullptr) return fail("write");
  is_new_ = true;
  end_ = 0;
  seal_ = final_seal_ = {};
  ByteWriter first;
  first.text(settings_.identity);
  first.text(is_all ? "" : course_);
  return append(first.written(), is_all);
}

bool Journal::append(std::string_view entry, bool is_final) {
  Head head;
  head.length = entry.size();
  head.is_final = is_final ? 1 : 0;
  head.seal = seal_after(seal_, entry, head.is_final);
  if (std::fwrite(&head, sizeof head, 1, file_) != 1 ||
      std::fwrite(entry.data(), 1, entry.size(), file_) != entry.size()) {
    return fail("write");
  }
  seal_ = head.seal;
  return true;
}

bool Journal::finish_file() {
  if (std::fflush(file_) != 0 || fdatasync(fileno(file_)) != 0) {
    return fail("write");
  }
  if (is_new_ && !staged_.finish()) return fail("write");
  if (is_new_) staged_.give_up();  // file_ has it
  is_replaced_ = is_replaced_ || is_new_;
  is_new_ = false;
  has_saved_ = true;
  end_ = std::ftell(file_);
  final_seal_ = seal_;
  return true;
}

// What is behind the last final entry is not looked at, but takes space.
void Journal::give_up() {
  if (is_new_) {
    close_file();
    staged_.give_up();
    is_new_ = false;
  }
  if (file_ == nullptr) return;
  seal_ = final_seal_;
  std::clearerr(file_);
  std::fseek(file_, end_, SEEK_SET);
  if (ftruncate(fileno(file_), end_) != 0) std::clearerr(file_);
}

bool Journal::write(std::string_view entry, bool is_final) {
  const Saving saving;
  const bool fine = (file_ != nullptr || start_file(false)) &&
                    append(entry, is_final) && (!is_final || finish_file());
  if (!fine) give_up();
  if (is_final || !fine) next_ = in(settings_.seconds);
  return fine;
}

}  // namespace plumb::verify
