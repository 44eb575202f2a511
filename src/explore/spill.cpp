// SPDX-License-Identifier: Apache-2.0
#include "explore/spill.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "base/memory_relief.h"

namespace plumb::explore {
namespace {

// Taken from the process at a time.
constexpr std::size_t kPiece = std::size_t{4} << 20;
constexpr std::size_t kInMemory = SIZE_MAX;

struct Region {
  std::size_t bytes;   // whole pages
  std::size_t offset;  // in the file, or kInMemory
  bool is_wanted;      // in memory
};

// All of the process.  Blocks of memory may outlive what is static, so this
// is never destroyed.
struct Blocks {
  std::mutex mutex;
  std::map<std::uint8_t*, Region> regions;
  int file = -1, statm = -1;
  std::size_t limit = SIZE_MAX;
  std::size_t file_end = 0, on_disk = 0;
  std::uint8_t* hand = nullptr;  // where pages are taken from next
  bool disk_is_full = false;
  std::size_t rest = 0;  // what was left when all pages had been taken

  // What cannot lie in the file may take most of the limit, or more.  Pages
  // that are just in use need some room nevertheless: taking them all the time
  // would help nobody.
  std::size_t allowed() const { return std::max(limit, rest + limit / 4); }
};
Blocks& blocks() {
  static Blocks* const all = new Blocks;
  return *all;
}

std::size_t whole_pages(std::size_t bytes) {
  static const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  return (bytes + page - 1) / page * page;
}

std::size_t resident(const Blocks& all) {
  char text[128] = {};
  if (pread(all.statm, text, sizeof text - 1, 0) <= 0) return 0;
  char* rest = nullptr;
  std::strtoull(text, &rest, 10);  // the address space
  return std::strtoull(rest, nullptr, 10) * whole_pages(1);
}

int open_unnamed(const std::string& directory) {
  int file = -1;
#ifdef O_TMPFILE
  file = open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
#endif
  if (file >= 0) return file;
  std::string name = directory + "/plumb-XXXXXX";
  file = mkstemp(name.data());
  if (file >= 0) unlink(name.c_str());
  return file;
}

bool stays_in_memory(const Blocks& all, const Region& region) {
  return region.is_wanted && region.bytes <= all.limit / 8 * 5;
}

std::uint8_t* map_anonymous(std::size_t bytes) {
  void* const data = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) return nullptr;
#ifdef MADV_HUGEPAGE
  madvise(data, bytes, MADV_HUGEPAGE);  // a wish; nothing depends on it
#endif
  return static_cast<std::uint8_t*>(data);
}

// Space is reserved first: a mapped page without space on disk would be a
// signal when it is touched.
bool extend_file(Blocks& all, std::size_t bytes) {
  if (posix_fallocate(all.file, static_cast<off_t>(all.file_end),
                      static_cast<off_t>(bytes)) != 0) {
    all.disk_is_full = true;
    return false;
  }
  all.file_end += bytes;
  all.on_disk += bytes;
  return true;
}

// Maps what is next in the file, at `place` if that is not null.
std::uint8_t* map_file(Blocks& all, std::size_t bytes, std::uint8_t* place) {
  const std::size_t offset = all.file_end - bytes;
  void* const data = mmap(place, bytes, PROT_READ | PROT_WRITE,
                          MAP_SHARED | (place != nullptr ? MAP_FIXED : 0),
                          all.file, static_cast<off_t>(offset));
  return data == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(data);
}

void give_back(Blocks& all, std::size_t offset, std::size_t bytes) {
#ifdef FALLOC_FL_PUNCH_HOLE
  if (fallocate(all.file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0) {
    all.on_disk -= bytes;
  }
#endif
}

bool write_all(int file, const std::uint8_t* data, std::size_t bytes,
               std::size_t offset) {
  while (bytes > 0) {
    const ssize_t done =
        pwrite(file, data, std::min(bytes, kPiece), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    data += done;
    offset += static_cast<std::size_t>(done);
    bytes -= static_cast<std::size_t>(done);
  }
  return true;
}

bool move_to_file(Blocks& all, std::uint8_t* data, Region& region) {
  if (!extend_file(all, region.bytes)) return false;
  const std::size_t offset = all.file_end - region.bytes;
  if (!write_all(all.file, data, region.bytes, offset) ||
      map_file(all, region.bytes, data) == nullptr) {
    give_back(all, offset, region.bytes);
    return false;
  }
  region.offset = offset;
  return true;
}

// Takes pages of the file from the process, in turn, until it is an eighth
// smaller than it may be.
void drop_pages(Blocks& all) {
  const std::size_t wanted = all.allowed() - all.limit / 8;
  std::size_t left = 0;
  for (const auto& [data, region] : all.regions) {
    if (region.offset != kInMemory) left += region.bytes;
  }
  while (left > 0) {
    auto at = all.regions.upper_bound(all.hand);
    // The hand may stand inside of the block before.
    if (at != all.regions.begin()) {
      const auto before = std::prev(at);
      if (all.hand < before->first + before->second.bytes) at = before;
    }
    if (at == all.regions.end()) {
      all.hand = nullptr;
      continue;
    }
    std::uint8_t* const begin = std::max(all.hand, at->first);
    std::uint8_t* const end = at->first + at->second.bytes;
    const auto bytes = std::min(kPiece, static_cast<std::size_t>(end - begin));
    all.hand = begin + bytes;
    if (at->second.offset == kInMemory) {
      all.hand = end;
      continue;
    }
    madvise(begin, bytes, MADV_DONTNEED);
    if (resident(all) <= wanted) return;
    left -= std::min(left, bytes);
  }
  all.rest = resident(all);
}

}  // namespace

std::atomic<bool> Spill::enabled_ = false, Spill::used_ = false,
                  Spill::wants_to_move_ = false;

std::string Spill::enable(const std::string& directory, std::size_t limit) {
  Blocks& all = blocks();
  const std::lock_guard lock(all.mutex);
  const int file = open_unnamed(directory);
  if (file < 0) {
    return fmt::format("no file can be made in '{}': {}", directory,
                       std::strerror(errno));
  }
  // A limit on the size of files is then an answer, not a signal.
  if (std::signal(SIGXFSZ, SIG_IGN) == SIG_ERR) errno = 0;
  if (const int why = posix_fallocate(file, 0, 4096); why != 0) {
    close(file);
    return fmt::format("no file in '{}' can be written to: {}", directory,
                       std::strerror(why));
  }
  // The old file stays as long as blocks of it are mapped.
  if (all.file >= 0) close(all.file);
  for (auto at = all.regions.begin(); at != all.regions.end();) {
    at = at->second.offset == kInMemory ? std::next(at) : all.regions.erase(at);
  }
  if (all.statm < 0) all.statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  all.file = file;
  all.limit = limit;
  all.file_end = whole_pages(4096);
  all.on_disk = 0;
  all.disk_is_full = false;
  used_ = wants_to_move_ = false;
  enabled_ = true;
  set_memory_relief(relieve);
  return "";
}

void Spill::disable() {
  const std::lock_guard lock(blocks().mutex);
  enabled_ = used_ = wants_to_move_ = false;
  set_memory_relief(nullptr);
}

std::size_t Spill::limit() {
  const std::lock_guard lock(blocks().mutex);
  return blocks().limit;
}

std::size_t Spill::bytes_on_disk() {
  const std::lock_guard lock(blocks().mutex);
  return blocks().on_disk;
}

void Spill::keep_within_limit() {
  if (!is_enabled()) return;
  Blocks& all = blocks();
  // Who finds another thread at it waits: that one may be off its core, and
  // memory would grow meanwhile as fast as this one can fill it.
  const std::lock_guard lock(all.mutex);
  if (!is_enabled() || resident(all) <= all.allowed()) return;
  if (!used_.exchange(true)) wants_to_move_ = true;
  drop_pages(all);
}

void Spill::relieve() {
  Blocks& all = blocks();
  const std::lock_guard lock(all.mutex);
  if (!is_enabled() || resident(all) <= all.limit) return;
  if (!used_.exchange(true)) wants_to_move_ = true;
  drop_pages(all);
}

void Spill::move() {
  Blocks& all = blocks();
  const std::lock_guard lock(all.mutex);
  if (!wants_to_move_.exchange(false)) return;
  for (auto& [data, region] : all.regions) {
    if (region.offset != kInMemory || stays_in_memory(all, region)) continue;
    if (!move_to_file(all, data, region)) return;
  }
}

std::uint8_t* Spill::map(std::size_t bytes, bool is_wanted) {
  const std::size_t whole = whole_pages(bytes);
  if (!is_enabled()) return map_anonymous(whole);
  Blocks& all = blocks();
  const std::lock_guard lock(all.mutex);
  if (!is_used() && resident(all) + whole > all.limit) {
    used_ = wants_to_move_ = true;
  }
  Region region = {whole, kInMemory, is_wanted};
  std::uint8_t* data = nullptr;
  if (!is_used() || stays_in_memory(all, region)) {
    data = map_anonymous(whole);
  } else if (extend_file(all, whole)) {
    region.offset = all.file_end - whole;
    data = map_file(all, whole, nullptr);
    if (data == nullptr) give_back(all, region.offset, whole);
  }
  if (data == nullptr) return nullptr;
  try {
    all.regions.emplace(data, region);
  } catch (const std::bad_alloc&) {
    munmap(data, whole);
    return nullptr;
  }
  return data;
}

void Spill::unmap(std::uint8_t* data, std::size_t bytes) {
  Blocks& all = blocks();
  const std::lock_guard lock(all.mutex);
  munmap(data, whole_pages(bytes));
  const auto found = all.regions.find(data);
  if (found == all.regions.end()) return;
  const Region region = found->second;
  all.regions.erase(found);
  if (region.offset != kInMemory) give_back(all, region.offset, region.bytes);
}

}  // namespace plumb::explore
