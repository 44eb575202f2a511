// SPDX-License-Identifier: Apache-2.0
// printf, snprintf, sscanf, fread, fgets, getline, qsort, ...: what the C
// library's functions for output and input read and write, told as accesses.
//
// What a stream keeps to itself is locked by the C library and not told.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <cstdarg>

#include "runtime/fibers.h"
#include "runtime/file_waits.h"
#include "runtime/formats.h"
#include "runtime/left_behind.h"
#include "runtime/loops.h"
#include "runtime/stream_memory.h"
#include "runtime/time.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

// A list of arguments that may be gone through several times.
struct Arguments {
  std::va_list list;
};

void tell_output(std::uintptr_t pc, const char* format, Arguments& all) {
  tell_before(pc, [&](Ranges& to) {
    std::va_list copy;
    va_copy(copy, all.list);
    tell_printf(to, format, copy);
    va_end(copy);
  });
}

void tell_printed(std::uintptr_t pc, char* buffer, std::size_t room,
                  const char* format, Arguments& all) {
  tell_before(pc, [&](Ranges& to) {
    std::va_list copy;
    va_copy(copy, all.list);
    tell_printf(to, format, copy);
    va_end(copy);
    va_copy(copy, all.list);
    const int length = vsnprintf(nullptr, 0, format, copy);
    va_end(copy);
    if (length < 0) return;
    to.writes(buffer, std::min(static_cast<std::size_t>(length) + 1, room));
  });
}

void tell_made(std::uintptr_t pc, char** out, int length) {
  tell_after(pc, [&](Ranges& to) {
    to.writes(out, sizeof(*out));
    if (length >= 0) to.writes(*out, static_cast<std::size_t>(length) + 1);
  });
}

template <typename Call>
auto quietly(Call call) {
  const InLibrary quiet;
  return call();
}

// Runs a scan; `text` is what is scanned, or null if that is a stream.
template <typename Scan>
int scan(std::uintptr_t pc, const char* text, const char* format,
         Arguments& all, Scan run) {
  const bool seen = is_seen(pc);
  if (seen) {
    if (text == nullptr) note_unseen();
    const auto inputs = [&](Ranges& to) {
      to.reads_text(format);
      if (text != nullptr) to.reads_text(text);
    };
    if (!Telling::are_events()) tell_before(pc, inputs);
    tell_at_most(pc, [&](Ranges& to) {
      std::va_list copy;
      va_copy(copy, all.list);
      inputs(to);
      tell_scanf_at_most(to, format, copy, text ? strlen(text) : 0);
      va_end(copy);
    });
  }
  const Giving giving;  // with %ms
  const int assigned = text ? run() : quietly(run);
  if (seen) {
    tell_after(pc, [&](Ranges& to) {
      std::va_list copy;
      va_copy(copy, all.list);
      tell_scanf(to, format, copy, assigned);
      va_end(copy);
    });
  }
  return assigned;
}

constexpr std::size_t kAll = SIZE_MAX;

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;
using std::size_t;
using std::va_list;

// `tell` says what is touched, given `pc` and `all`.
#define PLUMB_WITH_LIST(name, parameters, call, tell) \
  PLUMB_STAND_IN(int, name, parameters) {             \
    const std::uintptr_t pc = PLUMB_PC_NUMBER;        \
    if (is_seen(pc)) {                                \
      Arguments all;                                  \
      va_copy(all.list, list);                        \
      tell;                                           \
      va_end(all.list);                               \
    }                                                 \
    return real_##name call;                          \
  }
// The same with "..."; the system's is called with a list.
#define PLUMB_WITH_DOTS(name, parameters, call, tell)   \
  extern "C" int stand_in_##name parameters asm(#name); \
  int stand_in_##name parameters {                      \
    const std::uintptr_t pc = PLUMB_PC_NUMBER;          \
    Arguments all;                                      \
    va_start(all.list, format);                         \
    if (is_seen(pc)) tell;                              \
    const InLibrary quiet;                              \
    const int result = real_##call;                     \
    va_end(all.list);                                   \
    return result;                                      \
  }

#define PLUMB_PC_POINTER __builtin_return_address(0)

#define PLUMB_FORMAT const char *format, va_list list
#define PLUMB_DOTS const char *format, ...

// ---- printf.

PLUMB_WITH_LIST(vprintf, (PLUMB_FORMAT), (format, list),
                tell_output(pc, format, all))
PLUMB_WITH_LIST(vfprintf, (FILE * stream, PLUMB_FORMAT), (stream, format, list),
                tell_output(pc, format, all))
PLUMB_WITH_LIST(vdprintf, (int file, PLUMB_FORMAT), (file, format, list),
                tell_output(pc, format, all))
PLUMB_WITH_LIST(vsprintf, (char* to, PLUMB_FORMAT), (to, format, list),
                tell_printed(pc, to, kAll, format, all))
PLUMB_WITH_LIST(vsnprintf, (char* to, size_t room, PLUMB_FORMAT),
                (to, room, format, list),
                tell_printed(pc, to, room, format, all))
PLUMB_WITH_DOTS(printf, (PLUMB_DOTS), vprintf(format, all.list),
                tell_output(pc, format, all))
PLUMB_WITH_DOTS(fprintf, (FILE * stream, PLUMB_DOTS),
                vfprintf(stream, format, all.list),
                tell_output(pc, format, all))
PLUMB_WITH_DOTS(dprintf, (int file, PLUMB_DOTS),
                vdprintf(file, format, all.list), tell_output(pc, format, all))
PLUMB_WITH_DOTS(sprintf, (char* to, PLUMB_DOTS), vsprintf(to, format, all.list),
                tell_printed(pc, to, kAll, format, all))
PLUMB_WITH_DOTS(snprintf, (char* to, size_t room, PLUMB_DOTS),
                vsnprintf(to, room, format, all.list),
                tell_printed(pc, to, room, format, all))

PLUMB_STAND_IN(int, vasprintf, (char** out, PLUMB_FORMAT)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  if (!is_seen(pc)) return real_vasprintf(out, format, list);
  Arguments all;
  va_copy(all.list, list);
  tell_output(pc, format, all);
  va_end(all.list);
  const Giving giving;
  const int length = real_vasprintf(out, format, list);
  tell_made(pc, out, length);
  return length;
}
extern "C" int stand_in_asprintf(char** out, PLUMB_DOTS) asm("asprintf");
int stand_in_asprintf(char** out, PLUMB_DOTS) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  const bool seen = is_seen(pc);
  Arguments all;
  va_start(all.list, format);
  if (seen) tell_output(pc, format, all);
  const Giving giving;
  const int length = real_vasprintf(out, format, all.list);
  va_end(all.list);
  if (seen) tell_made(pc, out, length);
  return length;
}

// As -D_FORTIFY_SOURCE has them.
PLUMB_WITH_LIST(__vprintf_chk, (int flag, PLUMB_FORMAT), (flag, format, list),
                tell_output(pc, format, all))
PLUMB_WITH_LIST(__vfprintf_chk, (FILE * stream, int flag, PLUMB_FORMAT),
                (stream, flag, format, list), tell_output(pc, format, all))
PLUMB_WITH_LIST(__vsprintf_chk, (char* to, int flag, size_t size, PLUMB_FORMAT),
                (to, flag, size, format, list),
                tell_printed(pc, to, kAll, format, all))
PLUMB_WITH_LIST(__vsnprintf_chk,
                (char* to, size_t room, int flag, size_t size, PLUMB_FORMAT),
                (to, room, flag, size, format, list),
                tell_printed(pc, to, room, format, all))
PLUMB_WITH_DOTS(__printf_chk, (int flag, PLUMB_DOTS),
                __vprintf_chk(flag, format, all.list),
                tell_output(pc, format, all))
PLUMB_WITH_DOTS(__fprintf_chk, (FILE * stream, int flag, PLUMB_DOTS),
                __vfprintf_chk(stream, flag, format, all.list),
                tell_output(pc, format, all))
PLUMB_WITH_DOTS(__sprintf_chk, (char* to, int flag, size_t size, PLUMB_DOTS),
                __vsprintf_chk(to, flag, size, format, all.list),
                tell_printed(pc, to, kAll, format, all))
PLUMB_WITH_DOTS(__snprintf_chk,
                (char* to, size_t room, int flag, size_t size, PLUMB_DOTS),
                __vsnprintf_chk(to, room, flag, size, format, all.list),
                tell_printed(pc, to, room, format, all))

// ---- scanf.  Compilers call it by the name of their standard.

#define PLUMB_SCANS_LIST(name, text, parameters, call)          \
  PLUMB_STAND_IN(int, name, parameters) {                       \
    Arguments all;                                              \
    va_copy(all.list, list);                                    \
    const int result = scan(PLUMB_PC_NUMBER, text, format, all, \
                            [&] { return real_##name call; });  \
    va_end(all.list);                                           \
    return result;                                              \
  }
#define PLUMB_SCANS_DOTS(name, text, parameters, call)                \
  extern "C" int stand_in_##name parameters asm(#name);               \
  int stand_in_##name parameters {                                    \
    Arguments all;                                                    \
    va_start(all.list, format);                                       \
    const int result = scan(PLUMB_PC_NUMBER, text, format, all, [&] { \
      va_list list;                                                   \
      va_copy(list, all.list);                                        \
      const int assigned = real_##call;                               \
      va_end(list);                                                   \
      return assigned;                                                \
    });                                                               \
    va_end(all.list);                                                 \
    return result;                                                    \
  }
#define PLUMB_SCANS(prefix)                                                 \
  PLUMB_SCANS_LIST(prefix##vsscanf, text, (const char* text, PLUMB_FORMAT), \
                   (text, format, list))                                    \
  PLUMB_SCANS_LIST(prefix##vfscanf, nullptr, (FILE * stream, PLUMB_FORMAT), \
                   (stream, format, list))                                  \
  PLUMB_SCANS_LIST(prefix##vscanf, nullptr, (PLUMB_FORMAT), (format, list)) \
  PLUMB_SCANS_DOTS(prefix##sscanf, text, (const char* text, PLUMB_DOTS),    \
                   prefix##vsscanf(text, format, list))                     \
  PLUMB_SCANS_DOTS(prefix##fscanf, nullptr, (FILE * stream, PLUMB_DOTS),    \
                   prefix##vfscanf(stream, format, list))                   \
  PLUMB_SCANS_DOTS(prefix##scanf, nullptr, (PLUMB_DOTS),                    \
                   prefix##vscanf(format, list))
PLUMB_SCANS()
PLUMB_SCANS(__isoc99_)
PLUMB_SCANS(__isoc23_)

// ---- Streams.

PLUMB_TELLS_QUIETLY(int, puts, (const char* s), (s), to.reads_text(s))
PLUMB_TELLS_QUIETLY(int, fputs, (const char* s, FILE* stream), (s, stream),
                    to.reads_text(s))
PLUMB_TELLS_QUIETLY(int, fputs_unlocked, (const char* s, FILE* stream),
                    (s, stream), to.reads_text(s))
PLUMB_TELLS_QUIETLY(void, perror, (const char* s), (s), if (s) to.reads_text(s))
PLUMB_TELLS_QUIETLY(size_t, fwrite,
                    (const void* from, size_t size, size_t n, FILE* stream),
                    (from, size, n, stream), to.reads(from, size* n))
#define PLUMB_OPENS(name)                                             \
  PLUMB_STAND_IN(FILE*, name, (const char* path, const char* mode)) { \
    const std::uintptr_t pc = PLUMB_PC_NUMBER;                        \
    if (!is_seen(pc)) return real_##name(path, mode);                 \
    tell_before(pc, [&](Ranges& to) {                                 \
      to.reads_text(path);                                            \
      to.reads_text(mode);                                            \
    });                                                               \
    const InLibrary quiet;                                            \
    FILE* const stream = real_##name(path, mode);                     \
    note_stream(stream, path, mode);                                  \
    return stream;                                                    \
  }
PLUMB_OPENS(fopen)
PLUMB_OPENS(fopen64)
PLUMB_TELLS_QUIETLY(int, remove, (const char* path), (path),
                    to.reads_text(path))
PLUMB_TELLS_QUIETLY(int, rename, (const char* from, const char* to_),
                    (from, to_), to.reads_text(from), to.reads_text(to_))

PLUMB_STAND_IN(size_t, fread,
               (void* to_, size_t size, size_t n, FILE* stream)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  if (!is_seen(pc)) return real_fread(to_, size, n, stream);
  note_reading(stream);
  if (gives_random_bytes(fileno(stream))) {
    random_bytes(to_, size * n, pc);
    return n;
  }
  note_unseen();
  wait_for_stream(stream, PLUMB_PC_POINTER);
  tell_at_most(pc, [&](Ranges& to) { to.writes(to_, size * n); });
  const size_t got = quietly([&] { return real_fread(to_, size, n, stream); });
  tell_after(pc, [&](Ranges& to) { to.writes(to_, size * got); });
  return got;
}
PLUMB_STAND_IN(char*, fgets, (char* to_, int room, FILE* stream)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  if (!is_seen(pc) || room <= 0) return real_fgets(to_, room, stream);
  note_reading(stream);
  note_unseen();
  wait_for_stream(stream, PLUMB_PC_POINTER);
  tell_at_most(pc,
               [&](Ranges& to) { to.writes(to_, static_cast<size_t>(room)); });
  char* const line = quietly([&] { return real_fgets(to_, room, stream); });
  if (line != nullptr) {
    tell_after(pc, [&](Ranges& to) { to.writes(to_, strlen(to_) + 1); });
  }
  return line;
}

namespace plumb::runtime {
namespace {

// The line is the test's, what the stream keeps is not.
template <typename Read>
ssize_t get_line(std::uintptr_t pc, char** out, size_t* room, Read read) {
  if (!is_seen(pc)) return read(out, room);
  note_unseen();
  char* line = nullptr;
  size_t line_room = 0;
  const ssize_t length = quietly([&] { return read(&line, &line_room); });
  tell_before(pc, [&](Ranges& to) {
    to.writes(out, sizeof(*out));
    to.writes(room, sizeof(*room));
  });
  const size_t needed = length < 0 ? 1 : static_cast<size_t>(length) + 1;
  if (*out == nullptr || *room < needed) {
    *room = std::max<size_t>(needed, 120);
    *out = static_cast<char*>(realloc(*out, *room));
  }
  if (length >= 0) {
    tell_before(pc, [&](Ranges& to) { to.writes(*out, needed); });
    memcpy(*out, line, needed);
  }
  quietly([&] { free(line); });
  return length;
}

}  // namespace
}  // namespace plumb::runtime

#define PLUMB_GET_LINE(name)                                          \
  PLUMB_STAND_IN(ssize_t, name,                                       \
                 (char** out, size_t* room, int end, FILE* stream)) { \
    wait_for_stream(stream, PLUMB_PC_POINTER);                        \
    return get_line(PLUMB_PC_NUMBER, out, room,                       \
                    [&](char** line, size_t* size) {                  \
                      return real_##name(line, size, end, stream);    \
                    });                                               \
  }
PLUMB_GET_LINE(getdelim)
PLUMB_GET_LINE(__getdelim)
PLUMB_STAND_IN(ssize_t, getline, (char** out, size_t* room, FILE* stream)) {
  wait_for_stream(stream, PLUMB_PC_POINTER);
  return get_line(PLUMB_PC_NUMBER, out, room, [&](char** line, size_t* size) {
    return real_getline(line, size, stream);
  });
}

// What they do to a stream allocates and frees, too.
#define PLUMB_QUIET(result, name, parameters, arguments) \
  PLUMB_STAND_IN(result, name, parameters) {             \
    const InLibrary quiet;                               \
    return real_##name arguments;                        \
  }
PLUMB_STAND_IN(int, fclose, (FILE * stream)) {
  if (!active) return real_fclose(stream);
  tell_memory_of(stream, PLUMB_PC_NUMBER);
  forget_memory_of(stream);
  const InLibrary quiet;
  forget_stream(stream);
  return real_fclose(stream);
}
PLUMB_STAND_IN(int, fflush, (FILE * stream)) {
  if (active) tell_memory_of(stream, PLUMB_PC_NUMBER);
  const InLibrary quiet;
  return real_fflush(stream);
}
PLUMB_QUIET(int, fputc, (int c, FILE* stream), (c, stream))
PLUMB_QUIET(int, putc, (int c, FILE* stream), (c, stream))
PLUMB_QUIET(int, putchar, (int c), (c))
#define PLUMB_GETS(name, from, parameters, arguments)         \
  PLUMB_STAND_IN(int, name, parameters) {                     \
    if (active) note_reading(from), note_unseen();            \
    wait_for_stream(from, PLUMB_PC_POINTER);                  \
    const InLibrary quiet;                                    \
    const int c = real_##name arguments;                      \
    if (in_library) note_seen(static_cast<std::uint64_t>(c)); \
    return c;                                                 \
  }
PLUMB_GETS(fgetc, stream, (FILE * stream), (stream))
PLUMB_GETS(getc, stream, (FILE * stream), (stream))
PLUMB_GETS(getchar, stdin, (), ())
PLUMB_QUIET(int, ungetc, (int c, FILE* stream), (c, stream))
PLUMB_QUIET(int, fseek, (FILE * stream, long to, int from), (stream, to, from))
PLUMB_STAND_IN(FILE*, tmpfile, ()) {
  if (!active) return real_tmpfile();
  const InLibrary quiet;
  FILE* const stream = real_tmpfile();
  note_stream(stream, nullptr, nullptr);
  return stream;
}
PLUMB_STAND_IN(FILE*, fdopen, (int file, const char* mode)) {
  if (!active) return real_fdopen(file, mode);
  const InLibrary quiet;
  FILE* const stream = real_fdopen(file, mode);
  note_stream(stream, nullptr, nullptr);
  return stream;
}

// ---- Sorting.  The comparison is the test's: others may run meanwhile.

namespace plumb::runtime {
namespace {

template <typename Sort>
void sort(std::uintptr_t pc, void* base, size_t bytes, Sort run) {
  if (!is_seen(pc)) return run(base);
  if (!Telling::are_events()) {
    tell_before(pc, [&](Ranges& to) { to.writes(base, bytes); });
    run(base);
    tell_before(pc, [&](Ranges& to) { to.writes(base, bytes); });
    return;
  }
  // Where accesses are events: all is read, then all is written.
  void* const copy = malloc(bytes);
  tell_before(pc, [&](Ranges& to) { to.reads(base, bytes); });
  memcpy(copy, base, bytes);
  run(copy);
  tell_before(pc, [&](Ranges& to) { to.writes(base, bytes); });
  memcpy(base, copy, bytes);
  free(copy);
}

}  // namespace
}  // namespace plumb::runtime

using Compare = int (*)(const void*, const void*);
using CompareWith = int (*)(const void*, const void*, void*);
PLUMB_STAND_IN(void, qsort,
               (void* base, size_t n, size_t size, Compare compare)) {
  if (n < 2) return;
  sort(PLUMB_PC_NUMBER, base, n * size,
       [&](void* all) { real_qsort(all, n, size, compare); });
}
PLUMB_STAND_IN(void, qsort_r,
               (void* base, size_t n, size_t size, CompareWith compare,
                void* with)) {
  if (n < 2) return;
  sort(PLUMB_PC_NUMBER, base, n * size,
       [&](void* all) { real_qsort_r(all, n, size, compare, with); });
}
