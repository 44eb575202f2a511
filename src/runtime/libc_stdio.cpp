// SPDX-License-Identifier: Apache-2.0
// printf, snprintf, sscanf, fread, fgets, getline, qsort, ...: what the C
// library's functions for output and input read and write, told as accesses.
//
// What a stream keeps to itself is locked by the C library and not told.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <algorithm>
#include <cstdarg>

#include "runtime/fibers.h"
#include "runtime/file_order.h"
#include "runtime/file_waits.h"
#include "runtime/formats.h"
#include "runtime/left_behind.h"
#include "runtime/loops.h"
#include "runtime/stream_memory.h"
#include "runtime/stream_use.h"
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

void tell_stream_output(FILE* stream, std::uintptr_t pc, const char* format,
                        Arguments& all) {
  tell_output(pc, format, all);
  use_stream(stream, StreamUse::kWrite, pc);
}

void tell_file_output(int file, std::uintptr_t pc, const char* format,
                      Arguments& all) {
  tell_output(pc, format, all);
  wait_for_file(file, POLLOUT, reinterpret_cast<const void*>(pc));
  file_gives(file);
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

// Waits until there is something to read, or room is made for it.
void begin_reading(FILE* stream, std::uintptr_t pc, bool locks = true) {
  if (!is_seen(pc)) return;
  note_reading(stream);
  use_stream(stream, StreamUse::kRead, pc, locks);
  wait_for_stream(stream, reinterpret_cast<const void*>(pc));
}

// Runs a scan; `text` is what is scanned, or null if that is `stream`.
template <typename Scan>
int scan(std::uintptr_t pc, const char* text, FILE* stream, const char* format,
         Arguments& all, Scan run) {
  const bool seen = is_seen(pc);
  if (seen) {
    if (text == nullptr) begin_reading(stream, pc);
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
  if (seen && text == nullptr) stream_told(stream);
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
                tell_stream_output(stdout, pc, format, all))
PLUMB_WITH_LIST(vfprintf, (FILE * stream, PLUMB_FORMAT), (stream, format, list),
                tell_stream_output(stream, pc, format, all))
PLUMB_WITH_LIST(vdprintf, (int file, PLUMB_FORMAT), (file, format, list),
                tell_file_output(file, pc, format, all))
PLUMB_WITH_LIST(vsprintf, (char* to, PLUMB_FORMAT), (to, format, list),
                tell_printed(pc, to, kAll, format, all))
PLUMB_WITH_LIST(vsnprintf, (char* to, size_t room, PLUMB_FORMAT),
                (to, room, format, list),
                tell_printed(pc, to, room, format, all))
PLUMB_WITH_DOTS(printf, (PLUMB_DOTS), vprintf(format, all.list),
                tell_stream_output(stdout, pc, format, all))
PLUMB_WITH_DOTS(fprintf, (FILE * stream, PLUMB_DOTS),
                vfprintf(stream, format, all.list),
                tell_stream_output(stream, pc, format, all))
PLUMB_WITH_DOTS(dprintf, (int file, PLUMB_DOTS),
                vdprintf(file, format, all.list),
                tell_file_output(file, pc, format, all))
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
                tell_stream_output(stdout, pc, format, all))
PLUMB_WITH_LIST(__vfprintf_chk, (FILE * stream, int flag, PLUMB_FORMAT),
                (stream, flag, format, list),
                tell_stream_output(stream, pc, format, all))
PLUMB_WITH_LIST(__vsprintf_chk, (char* to, int flag, size_t size, PLUMB_FORMAT),
                (to, flag, size, format, list),
                tell_printed(pc, to, kAll, format, all))
PLUMB_WITH_LIST(__vsnprintf_chk,
                (char* to, size_t room, int flag, size_t size, PLUMB_FORMAT),
                (to, room, flag, size, format, list),
                tell_printed(pc, to, room, format, all))
PLUMB_WITH_DOTS(__printf_chk, (int flag, PLUMB_DOTS),
                __vprintf_chk(flag, format, all.list),
                tell_stream_output(stdout, pc, format, all))
PLUMB_WITH_DOTS(__fprintf_chk, (FILE * stream, int flag, PLUMB_DOTS),
                __vfprintf_chk(stream, flag, format, all.list),
                tell_stream_output(stream, pc, format, all))
PLUMB_WITH_DOTS(__sprintf_chk, (char* to, int flag, size_t size, PLUMB_DOTS),
                __vsprintf_chk(to, flag, size, format, all.list),
                tell_printed(pc, to, kAll, format, all))
PLUMB_WITH_DOTS(__snprintf_chk,
                (char* to, size_t room, int flag, size_t size, PLUMB_DOTS),
                __vsnprintf_chk(to, room, flag, size, format, all.list),
                tell_printed(pc, to, room, format, all))

// ---- scanf.  Compilers call it by the name of their standard.

#define PLUMB_SCANS_LIST(name, text, stream, parameters, call)          \
  PLUMB_STAND_IN(int, name, parameters) {                               \
    Arguments all;                                                      \
    va_copy(all.list, list);                                            \
    const int result = scan(PLUMB_PC_NUMBER, text, stream, format, all, \
                            [&] { return real_##name call; });          \
    va_end(all.list);                                                   \
    return result;                                                      \
  }
#define PLUMB_SCANS_DOTS(name, text, stream, parameters, call)                \
  extern "C" int stand_in_##name parameters asm(#name);                       \
  int stand_in_##name parameters {                                            \
    Arguments all;                                                            \
    va_start(all.list, format);                                               \
    const int result = scan(PLUMB_PC_NUMBER, text, stream, format, all, [&] { \
      va_list list;                                                           \
      va_copy(list, all.list);                                                \
      const int assigned = real_##call;                                       \
      va_end(list);                                                           \
      return assigned;                                                        \
    });                                                                       \
    va_end(all.list);                                                         \
    return result;                                                            \
  }
#define PLUMB_SCANS(prefix)                                                \
  PLUMB_SCANS_LIST(prefix##vsscanf, text, nullptr,                         \
                   (const char* text, PLUMB_FORMAT), (text, format, list)) \
  PLUMB_SCANS_LIST(prefix##vfscanf, nullptr, stream,                       \
                   (FILE * stream, PLUMB_FORMAT), (stream, format, list))  \
  PLUMB_SCANS_LIST(prefix##vscanf, nullptr, stdin, (PLUMB_FORMAT),         \
                   (format, list))                                         \
  PLUMB_SCANS_DOTS(prefix##sscanf, text, nullptr,                          \
                   (const char* text, PLUMB_DOTS),                         \
                   prefix##vsscanf(text, format, list))                    \
  PLUMB_SCANS_DOTS(prefix##fscanf, nullptr, stream,                        \
                   (FILE * stream, PLUMB_DOTS),                            \
                   prefix##vfscanf(stream, format, list))                  \
  PLUMB_SCANS_DOTS(prefix##scanf, nullptr, stdin, (PLUMB_DOTS),            \
                   prefix##vscanf(format, list))
PLUMB_SCANS()
PLUMB_SCANS(__isoc99_)
PLUMB_SCANS(__isoc23_)

// ---- Streams.

// Tells what it reads, and writes to `stream`.
#define PLUMB_PUTS(result, name, parameters, arguments, stream, locks, ...) \
  PLUMB_STAND_IN(result, name, parameters) {                                \
    if (is_seen(PLUMB_PC_NUMBER)) {                                         \
      tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { __VA_ARGS__; });       \
      use_stream(stream, StreamUse::kWrite, PLUMB_PC_NUMBER, locks);        \
    }                                                                       \
    const InLibrary quiet;                                                  \
    return real_##name arguments;                                           \
  }
PLUMB_PUTS(int, puts, (const char* s), (s), stdout, true, to.reads_text(s))
PLUMB_PUTS(int, fputs, (const char* s, FILE* stream), (s, stream), stream, true,
           to.reads_text(s))
PLUMB_PUTS(int, fputs_unlocked, (const char* s, FILE* stream), (s, stream),
           stream, false, to.reads_text(s))
PLUMB_PUTS(void, perror, (const char* s), (s), stderr, true,
           if (s) to.reads_text(s))
PLUMB_PUTS(size_t, fwrite,
           (const void* from, size_t size, size_t n, FILE* stream),
           (from, size, n, stream), stream, true, to.reads(from, size* n))
PLUMB_PUTS(size_t, fwrite_unlocked,
           (const void* from, size_t size, size_t n, FILE* stream),
           (from, size, n, stream), stream, false, to.reads(from, size* n))
PLUMB_PUTS(int, fputws, (const wchar_t* s, FILE* stream), (s, stream), stream,
           true, to.reads(s, (wcslen(s) + 1) * sizeof(*s)))
#define PLUMB_OPENS(name)                                             \
  PLUMB_STAND_IN(FILE*, name, (const char* path, const char* mode)) { \
    const std::uintptr_t pc = PLUMB_PC_NUMBER;                        \
    if (!is_seen(pc)) return real_##name(path, mode);                 \
    tell_before(pc, [&](Ranges& to) {                                 \
      to.reads_text(path);                                            \
      to.reads_text(mode);                                            \
    });                                                               \
    file_step(PLUMB_PC_POINTER);                                      \
    names_give();                                                     \
    const InLibrary quiet;                                            \
    FILE* const stream = real_##name(path, mode);                     \
    names_tell();                                                     \
    note_stream(stream, path, mode);                                  \
    return stream;                                                    \
  }
PLUMB_OPENS(fopen)
PLUMB_OPENS(fopen64)
PLUMB_STAND_IN(int, remove, (const char* path)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { to.reads_text(path); });
    file_step(PLUMB_PC_POINTER);
  }
  return real_remove(path);
}
PLUMB_STAND_IN(int, rename, (const char* from, const char* to_)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) {
      to.reads_text(from);
      to.reads_text(to_);
    });
    file_step(PLUMB_PC_POINTER);
  }
  return real_rename(from, to_);
}

PLUMB_STAND_IN(size_t, fread,
               (void* to_, size_t size, size_t n, FILE* stream)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  if (!is_seen(pc)) return real_fread(to_, size, n, stream);
  note_reading(stream);
  if (gives_random_bytes(fileno(stream))) {
    random_bytes(to_, size * n, pc);
    return n;
  }
  begin_reading(stream, pc);
  tell_at_most(pc, [&](Ranges& to) { to.writes(to_, size * n); });
  const size_t got = quietly([&] { return real_fread(to_, size, n, stream); });
  stream_told(stream);
  tell_after(pc, [&](Ranges& to) { to.writes(to_, size * got); });
  return got;
}
PLUMB_STAND_IN(char*, fgets, (char* to_, int room, FILE* stream)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  if (!is_seen(pc) || room <= 0) return real_fgets(to_, room, stream);
  begin_reading(stream, pc);
  tell_at_most(pc,
               [&](Ranges& to) { to.writes(to_, static_cast<size_t>(room)); });
  char* const line = quietly([&] { return real_fgets(to_, room, stream); });
  stream_told(stream);
  if (line != nullptr) {
    tell_after(pc, [&](Ranges& to) { to.writes(to_, strlen(to_) + 1); });
  }
  return line;
}

namespace plumb::runtime {
namespace {

// The line is the test's, what the stream keeps is not.
template <typename Read>
ssize_t get_line(std::uintptr_t pc, FILE* stream, char** out, size_t* room,
                 Read read) {
  if (!is_seen(pc)) return read(out, room);
  begin_reading(stream, pc);
  char* line = nullptr;
  size_t line_room = 0;
  const ssize_t length = quietly([&] { return read(&line, &line_room); });
  stream_told(stream);
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
    return get_line(PLUMB_PC_NUMBER, stream, out, room,               \
                    [&](char** line, size_t* size) {                  \
                      return real_##name(line, size, end, stream);    \
                    });                                               \
  }
PLUMB_GET_LINE(getdelim)
PLUMB_GET_LINE(__getdelim)
PLUMB_STAND_IN(ssize_t, getline, (char** out, size_t* room, FILE* stream)) {
  return get_line(PLUMB_PC_NUMBER, stream, out, room,
                  [&](char** line, size_t* size) {
                    return real_getline(line, size, stream);
                  });
}

// What they do to a stream allocates and frees, too.
#define PLUMB_QUIET(result, name, parameters, arguments, stream, how) \
  PLUMB_STAND_IN(result, name, parameters) {                          \
    use_stream(stream, StreamUse::how, PLUMB_PC_NUMBER);              \
    const InLibrary quiet;                                            \
    return real_##name arguments;                                     \
  }
PLUMB_STAND_IN(int, fclose, (FILE * stream)) {
  if (!active) return real_fclose(stream);
  tell_memory_of(stream, PLUMB_PC_NUMBER);
  forget_memory_of(stream);
  stream_ends(stream, PLUMB_PC_NUMBER);
  const InLibrary quiet;
  forget_stream(stream);
  return real_fclose(stream);
}
PLUMB_STAND_IN(int, fflush, (FILE * stream)) {
  if (active) tell_memory_of(stream, PLUMB_PC_NUMBER);
  use_stream(stream, StreamUse::kWrite, PLUMB_PC_NUMBER);
  const InLibrary quiet;
  return real_fflush(stream);
}
#define PLUMB_PUTC(name, locks)                                    \
  PLUMB_STAND_IN(int, name, (int c, FILE* stream)) {               \
    use_stream(stream, StreamUse::kWrite, PLUMB_PC_NUMBER, locks); \
    const InLibrary quiet;                                         \
    return real_##name(c, stream);                                 \
  }
PLUMB_PUTC(fputc, true)
PLUMB_PUTC(putc, true)
PLUMB_PUTC(fputc_unlocked, false)
PLUMB_PUTC(putc_unlocked, false)
PLUMB_PUTC(putw, true)
PLUMB_PUTC(ungetc, true)
PLUMB_STAND_IN(wint_t, fputwc, (wchar_t c, FILE* stream)) {
  use_stream(stream, StreamUse::kWrite, PLUMB_PC_NUMBER);
  const InLibrary quiet;
  return real_fputwc(c, stream);
}
PLUMB_QUIET(int, putchar, (int c), (c), stdout, kWrite)
#define PLUMB_PLACE(type, name) \
  PLUMB_QUIET(type, name, (FILE * stream), (stream), stream, kOther)
PLUMB_PLACE(long, ftell)
PLUMB_PLACE(off_t, ftello)
PLUMB_PLACE(off_t, ftello64)
PLUMB_PLACE(void, rewind)
PLUMB_PLACE(int, feof)
PLUMB_PLACE(int, ferror)
PLUMB_PLACE(void, clearerr)
PLUMB_PLACE(int, fileno)
#define PLUMB_GETS(type, name, from, locks, parameters, arguments) \
  PLUMB_STAND_IN(type, name, parameters) {                         \
    begin_reading(from, PLUMB_PC_NUMBER, locks);                   \
    const InLibrary quiet;                                         \
    const type c = real_##name arguments;                          \
    if (in_library) note_seen(static_cast<std::uint64_t>(c));      \
    if (in_library) stream_told(from);                             \
    return c;                                                      \
  }
PLUMB_GETS(int, fgetc, stream, true, (FILE * stream), (stream))
PLUMB_GETS(int, getc, stream, true, (FILE * stream), (stream))
PLUMB_GETS(int, fgetc_unlocked, stream, false, (FILE * stream), (stream))
PLUMB_GETS(int, getc_unlocked, stream, false, (FILE * stream), (stream))
PLUMB_GETS(int, getchar, stdin, true, (), ())
PLUMB_GETS(int, getw, stream, true, (FILE * stream), (stream))
PLUMB_GETS(wint_t, fgetwc, stream, true, (FILE * stream), (stream))
#define PLUMB_SEEK(name, type)                               \
  PLUMB_QUIET(int, name, (FILE * stream, type to, int from), \
              (stream, to, from), stream, kWrite)
PLUMB_SEEK(fseek, long)
PLUMB_SEEK(fseeko, off_t)
PLUMB_SEEK(fseeko64, off_t)
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
