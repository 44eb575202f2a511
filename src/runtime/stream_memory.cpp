// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream_memory.h"

#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include "runtime/core.h"
#include "runtime/left_behind.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

struct InMemory {
  const std::FILE* stream = nullptr;
  const void* first = nullptr;
  std::size_t first_bytes = 0;
  const void* second = nullptr;
  std::size_t second_bytes = 0;
  bool is_read_only = false;
};

// Of this execution.
// LIMIT: so many at most; what those beyond write is not told.
struct AllInMemory {
  static constexpr std::size_t kMost = 64;
  std::uint32_t run = 0;
  std::size_t count = 0;
  InMemory all[kMost];
};
constinit AllInMemory known;

void tell(const InMemory& one, std::uintptr_t pc) {
  if (!is_seen(pc)) return;
  tell_before(pc, [&](Ranges& to) {
    if (one.is_read_only) return to.reads(one.first, one.first_bytes);
    to.writes(one.first, one.first_bytes);
    to.writes(one.second, one.second_bytes);
  });
}

std::FILE* opened(const InMemory& one, std::uintptr_t pc) {
  if (one.stream == nullptr) return nullptr;
  if (known.run != run_number) known.run = run_number, known.count = 0;
  if (known.count < AllInMemory::kMost) known.all[known.count++] = one;
  auto* const stream = const_cast<std::FILE*>(one.stream);
  note_stream(stream, nullptr, nullptr);
  tell(one, pc);
  return stream;
}

// Whatever is done to the stream then reads or writes it, or not.
void require_own_buffer(const char* buffer, std::uintptr_t pc) {
  if (buffer == nullptr || !is_seen(pc)) return;
  fail(Fault::kUnsupported, pc,
       "a stream is given a buffer of the test's (setvbuf, setbuf): what the C "
       "library does to it is not seen; give it a null pointer");
}

}  // namespace

void forget_memory_of(const std::FILE* stream) {
  if (known.run != run_number) return;
  for (std::size_t i = 0; i < known.count; ++i) {
    if (known.all[i].stream == stream)
      known.all[i--] = known.all[--known.count];
  }
}

void tell_memory_read_by(const std::FILE* stream, std::uintptr_t pc) {
  if (known.run != run_number) return;
  for (std::size_t i = 0; i < known.count; ++i) {
    const InMemory& one = known.all[i];
    if (one.stream != stream || one.second != nullptr) continue;
    tell_before(pc, [&](Ranges& to) { to.reads(one.first, one.first_bytes); });
  }
}

void tell_memory_of(const std::FILE* stream, std::uintptr_t pc) {
  if (known.run != run_number) return;
  for (std::size_t i = 0; i < known.count; ++i) {
    const InMemory& one = known.all[i];
    if (stream == nullptr || one.stream == stream) tell(one, pc);
  }
}

}  // namespace plumb::runtime

using namespace plumb::runtime;
using std::size_t;

PLUMB_STAND_IN(FILE*, fmemopen,
               (void* buffer, size_t bytes, const char* mode)) {
  if (!active) return real_fmemopen(buffer, bytes, mode);
  InMemory one;
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { to.reads_text(mode); });
  }
  {
    const InLibrary quiet;
    one.stream = real_fmemopen(buffer, bytes, mode);
  }
  one.first = buffer;
  one.first_bytes = buffer != nullptr ? bytes : 0;
  one.is_read_only = mode[0] == 'r' && strchr(mode, '+') == nullptr;
  return opened(one, PLUMB_PC_NUMBER);
}

PLUMB_STAND_IN(FILE*, open_memstream, (char** text, size_t* bytes)) {
  if (!active) return real_open_memstream(text, bytes);
  InMemory one;
  {
    const InLibrary quiet;
    one.stream = real_open_memstream(text, bytes);
  }
  one.first = text;
  one.first_bytes = sizeof(*text);
  one.second = bytes;
  one.second_bytes = sizeof(*bytes);
  return opened(one, PLUMB_PC_NUMBER);
}

PLUMB_STAND_IN(FILE*, open_wmemstream, (wchar_t * *text, size_t* length)) {
  if (!active) return real_open_wmemstream(text, length);
  InMemory one;
  {
    const InLibrary quiet;
    one.stream = real_open_wmemstream(text, length);
  }
  one.first = text;
  one.first_bytes = sizeof(*text);
  one.second = length;
  one.second_bytes = sizeof(*length);
  return opened(one, PLUMB_PC_NUMBER);
}

PLUMB_STAND_IN(int, setvbuf,
               (FILE * stream, char* buffer, int mode, size_t bytes)) {
  if (mode != _IONBF) require_own_buffer(buffer, PLUMB_PC_NUMBER);
  const InLibrary quiet;
  return real_setvbuf(stream, buffer, mode, bytes);
}

PLUMB_STAND_IN(void, setbuf, (FILE * stream, char* buffer)) {
  require_own_buffer(buffer, PLUMB_PC_NUMBER);
  const InLibrary quiet;
  real_setbuf(stream, buffer);
}

PLUMB_STAND_IN(void, setbuffer, (FILE * stream, char* buffer, size_t bytes)) {
  require_own_buffer(buffer, PLUMB_PC_NUMBER);
  const InLibrary quiet;
  real_setbuffer(stream, buffer, bytes);
}
