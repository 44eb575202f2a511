// SPDX-License-Identifier: Apache-2.0
// wcslen, wcscpy, wmemcpy, mbstowcs, ...: what the C library's functions for
// wide characters read and write, told as accesses.
#include <stdlib.h>
#include <wchar.h>

#include <algorithm>

#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

constexpr std::size_t kAll = SIZE_MAX / sizeof(wchar_t);

void read(Ranges& to, const wchar_t* text, std::size_t count) {
  to.reads(text, count * sizeof(wchar_t));
}
void write(Ranges& to, const wchar_t* text, std::size_t count) {
  to.writes(text, count * sizeof(wchar_t));
}
void read_text(Ranges& to, const wchar_t* text, std::size_t most = kAll) {
  std::size_t length = 0;
  while (length < most && text[length] != 0) ++length;
  read(to, text, length < most ? length + 1 : most);
}
void copy(Ranges& to, wchar_t* target, const wchar_t* source,
          std::size_t count) {
  read(to, source, count);
  write(to, target, count);
}
void compare(Ranges& to, const wchar_t* a, const wchar_t* b, std::size_t most) {
  std::size_t i = 0;
  while (i < most && a[i] == b[i] && a[i] != 0) ++i;
  const std::size_t count = i < most ? i + 1 : most;
  read(to, a, count);
  read(to, b, count);
}
void search(Ranges& to, const wchar_t* text, const wchar_t* found) {
  if (found == nullptr) return read_text(to, text);
  read(to, text, static_cast<std::size_t>(found - text) + 1);
}
void append(Ranges& to, wchar_t* target, const wchar_t* source,
            std::size_t most) {
  const std::size_t length = wcslen(target), more = wcsnlen(source, most);
  read(to, target, length + 1);
  read_text(to, source, most);
  write(to, target + length, more + 1);
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;
using std::size_t;

PLUMB_TELLS(size_t, wcslen, (const wchar_t* s), (s), read_text(to, s))
PLUMB_TELLS(size_t, wcsnlen, (const wchar_t* s, size_t n), (s, n),
            read_text(to, s, n))
PLUMB_TELLS(int, wcscmp, (const wchar_t* a, const wchar_t* b), (a, b),
            compare(to, a, b, kAll))
PLUMB_TELLS(int, wcsncmp, (const wchar_t* a, const wchar_t* b, size_t n),
            (a, b, n), compare(to, a, b, n))
PLUMB_TELLS(int, wcscoll, (const wchar_t* a, const wchar_t* b), (a, b),
            read_text(to, a), read_text(to, b))
PLUMB_TELLS(int, wmemcmp, (const wchar_t* a, const wchar_t* b, size_t n),
            (a, b, n), read(to, a, n), read(to, b, n))
PLUMB_TELLS(wchar_t*, wcschr, (const wchar_t* s, wchar_t c), (s, c),
            search(to, s, wcschr(s, c)))
PLUMB_TELLS(wchar_t*, wcsrchr, (const wchar_t* s, wchar_t c), (s, c),
            read_text(to, s))
PLUMB_TELLS(wchar_t*, wcsstr, (const wchar_t* s, const wchar_t* part),
            (s, part), read_text(to, s), read_text(to, part))
PLUMB_TELLS(wchar_t*, wmemchr, (const wchar_t* s, wchar_t c, size_t n),
            (s, c, n), const wchar_t* found = wmemchr(s, c, n);
            read(to, s, found ? static_cast<size_t>(found - s) + 1 : n))
PLUMB_TELLS(wchar_t*, wmemcpy, (wchar_t * to_, const wchar_t* from, size_t n),
            (to_, from, n), copy(to, to_, from, n))
PLUMB_TELLS(wchar_t*, wmempcpy, (wchar_t * to_, const wchar_t* from, size_t n),
            (to_, from, n), copy(to, to_, from, n))
PLUMB_TELLS(wchar_t*, wmemmove, (wchar_t * to_, const wchar_t* from, size_t n),
            (to_, from, n), copy(to, to_, from, n))
PLUMB_TELLS(wchar_t*, wmemset, (wchar_t * s, wchar_t c, size_t n), (s, c, n),
            write(to, s, n))
PLUMB_TELLS(wchar_t*, wcscpy, (wchar_t * to_, const wchar_t* from), (to_, from),
            copy(to, to_, from, wcslen(from) + 1))
PLUMB_TELLS(wchar_t*, wcpcpy, (wchar_t * to_, const wchar_t* from), (to_, from),
            copy(to, to_, from, wcslen(from) + 1))
PLUMB_TELLS(wchar_t*, wcsncpy, (wchar_t * to_, const wchar_t* from, size_t n),
            (to_, from, n), read_text(to, from, n), write(to, to_, n))
PLUMB_TELLS(wchar_t*, wcscat, (wchar_t * to_, const wchar_t* from), (to_, from),
            append(to, to_, from, kAll))
PLUMB_TELLS(wchar_t*, wcsncat, (wchar_t * to_, const wchar_t* from, size_t n),
            (to_, from, n), append(to, to_, from, n))

#define PLUMB_WIDE_NUMBER(type, name)                                  \
  PLUMB_TELLS(type, name, (const wchar_t* s, wchar_t** end, int base), \
              (s, end, base), wchar_t* stop = nullptr;                 \
              wcstoll(s, &stop, base); search(to, s, stop);            \
              if (end) to.writes(end, sizeof(*end)))
PLUMB_WIDE_NUMBER(long, wcstol)
PLUMB_WIDE_NUMBER(long long, wcstoll)
PLUMB_WIDE_NUMBER(unsigned long, wcstoul)
PLUMB_WIDE_NUMBER(unsigned long long, wcstoull)
PLUMB_TELLS(double, wcstod, (const wchar_t* s, wchar_t** end), (s, end),
            wchar_t* stop = nullptr;
            wcstold(s, &stop); search(to, s, stop);
            if (end) to.writes(end, sizeof(*end)))

PLUMB_STAND_IN(wchar_t*, wcsdup, (const wchar_t* s)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  const bool seen = is_seen(pc);
  if (seen) tell_before(pc, [&](Ranges& to) { read_text(to, s); });
  const Giving giving;
  wchar_t* const copied = real_wcsdup(s);
  if (seen && copied)
    tell_after(pc, [&](Ranges& to) { write(to, copied, wcslen(copied) + 1); });
  return copied;
}

PLUMB_TELLS(size_t, mbstowcs, (wchar_t * to_, const char* from, size_t n),
            (to_, from, n), to.reads_text(from);
            const size_t count = mbstowcs(nullptr, from, 0);
            if (to_ && count != SIZE_MAX)
                write(to, to_, std::min(count + 1, n)))
PLUMB_TELLS(size_t, wcstombs, (char* to_, const wchar_t* from, size_t n),
            (to_, from, n), read_text(to, from);
            const size_t count = wcstombs(nullptr, from, 0);
            if (to_ && count != SIZE_MAX)
                to.writes(to_, std::min(count + 1, n)))
