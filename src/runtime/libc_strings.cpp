// SPDX-License-Identifier: Apache-2.0
// strlen, strcmp, strcpy, memcmp, memcpy, strtol, ...: what the C library's
// functions for strings and memory read and write, told as accesses.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <algorithm>

#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

// How many bytes of both are looked at until they differ or end.
template <typename Equal>
std::size_t compared(const char* a, const char* b, std::size_t most,
                     Equal equal) {
  std::size_t i = 0;
  while (i < most && equal(a[i], b[i]) && a[i] != '\0') ++i;
  return i < most ? i + 1 : most;
}
bool same(char a, char b) {
  return a == b;
}
bool same_letter(char a, char b) {
  return tolower(static_cast<unsigned char>(a)) ==
         tolower(static_cast<unsigned char>(b));
}
void compare(Ranges& to, const char* a, const char* b, std::size_t most,
             bool (*equal)(char, char)) {
  const std::size_t bytes = compared(a, b, most, equal);
  to.reads(a, bytes);
  to.reads(b, bytes);
}

// Of a search: up to what it found, or up to the end.
void search(Ranges& to, const char* text, const char* found,
            std::size_t length = 1) {
  if (found == nullptr) return to.reads_text(text);
  to.reads(text, static_cast<std::size_t>(found - text) + length);
}

void copy(Ranges& to, void* target, const void* source, std::size_t bytes) {
  to.reads(source, bytes);
  to.writes(target, bytes);
}
void copy_text(Ranges& to, char* target, const char* source) {
  copy(to, target, source, strlen(source) + 1);
}
void copy_padded(Ranges& to, char* target, const char* source,
                 std::size_t bytes) {
  to.reads_text(source, bytes);
  to.writes(target, bytes);
}
void append(Ranges& to, char* target, const char* source, std::size_t most) {
  const std::size_t length = strlen(target), more = strnlen(source, most);
  to.reads(target, length + 1);
  to.reads_text(source, most);
  to.writes(target + length, more + 1);
}

// What was taken for a number, and the first byte that is no part of it.
void number(Ranges& to, const char* text, const char* end) {
  if (end == text) {
    while (isspace(static_cast<unsigned char>(*end))) ++end;
    if (*end == '+' || *end == '-') ++end;
  }
  to.reads(text, static_cast<std::size_t>(end - text) + 1);
}
void number(Ranges& to, const char* text, int base) {
  char* end = nullptr;
  strtoll(text, &end, base);
  number(to, text, end);
}
void number(Ranges& to, const char* text) {
  char* end = nullptr;
  strtold(text, &end);
  number(to, text, end);
}

constexpr std::size_t kAll = SIZE_MAX;
constexpr char kPlaceOfStrtok = 0;

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;
using std::size_t;

// ---- Length, comparison.

PLUMB_TELLS(size_t, strlen, (const char* s), (s), to.reads_text(s))
PLUMB_TELLS(size_t, strnlen, (const char* s, size_t n), (s, n),
            to.reads_text(s, n))
PLUMB_TELLS(int, strcmp, (const char* a, const char* b), (a, b),
            compare(to, a, b, kAll, same))
PLUMB_TELLS(int, strncmp, (const char* a, const char* b, size_t n), (a, b, n),
            compare(to, a, b, n, same))
PLUMB_TELLS(int, strcasecmp, (const char* a, const char* b), (a, b),
            compare(to, a, b, kAll, same_letter))
PLUMB_TELLS(int, strncasecmp, (const char* a, const char* b, size_t n),
            (a, b, n), compare(to, a, b, n, same_letter))
PLUMB_TELLS(int, strcoll, (const char* a, const char* b), (a, b),
            to.reads_text(a), to.reads_text(b))
PLUMB_TELLS(int, strverscmp, (const char* a, const char* b), (a, b),
            to.reads_text(a), to.reads_text(b))
PLUMB_TELLS(int, memcmp, (const void* a, const void* b, size_t n), (a, b, n),
            to.reads(a, n), to.reads(b, n))
PLUMB_TELLS(int, bcmp, (const void* a, const void* b, size_t n), (a, b, n),
            to.reads(a, n), to.reads(b, n))

// ---- Search.

PLUMB_TELLS(char*, strchr, (const char* s, int c), (s, c),
            search(to, s, strchr(s, c)))
PLUMB_TELLS(char*, index, (const char* s, int c), (s, c),
            search(to, s, strchr(s, c)))
PLUMB_TELLS(char*, strchrnul, (const char* s, int c), (s, c),
            search(to, s, strchr(s, c)))
PLUMB_TELLS(char*, strrchr, (const char* s, int c), (s, c), to.reads_text(s))
PLUMB_TELLS(char*, rindex, (const char* s, int c), (s, c), to.reads_text(s))
PLUMB_TELLS(char*, strstr, (const char* s, const char* part), (s, part),
            search(to, s, strstr(s, part), strlen(part)), to.reads_text(part))
PLUMB_TELLS(char*, strcasestr, (const char* s, const char* part), (s, part),
            search(to, s, strcasestr(s, part), strlen(part)),
            to.reads_text(part))
PLUMB_TELLS(char*, strpbrk, (const char* s, const char* set), (s, set),
            search(to, s, strpbrk(s, set)), to.reads_text(set))
PLUMB_TELLS(size_t, strspn, (const char* s, const char* set), (s, set),
            to.reads(s, strspn(s, set) + 1), to.reads_text(set))
PLUMB_TELLS(size_t, strcspn, (const char* s, const char* set), (s, set),
            to.reads(s, strcspn(s, set) + 1), to.reads_text(set))
PLUMB_TELLS(void*, memchr, (const void* s, int c, size_t n), (s, c, n),
            const auto* begin = static_cast<const char*>(s);
            const auto* found = static_cast<const char*>(memchr(s, c, n));
            to.reads(s, found ? static_cast<size_t>(found - begin) + 1 : n))
PLUMB_TELLS(void*, rawmemchr, (const void* s, int c), (s, c),
            const auto* begin = static_cast<const char*>(s);
            const auto* found = static_cast<const char*>(rawmemchr(s, c));
            to.reads(s, static_cast<size_t>(found - begin) + 1))
PLUMB_TELLS(void*, memrchr, (const void* s, int c, size_t n), (s, c, n),
            const auto* begin = static_cast<const char*>(s);
            const auto* found = static_cast<const char*>(memrchr(s, c, n));
            const auto* from = found ? found : begin;
            to.reads(from, static_cast<size_t>(begin + n - from)))
PLUMB_TELLS(void*, memmem,
            (const void* s, size_t n, const void* part, size_t length),
            (s, n, part, length), to.reads(s, n), to.reads(part, length))

// ---- Copies.

PLUMB_TELLS(void*, memcpy, (void* to_, const void* from, size_t n),
            (to_, from, n), copy(to, to_, from, n))
PLUMB_TELLS(void*, mempcpy, (void* to_, const void* from, size_t n),
            (to_, from, n), copy(to, to_, from, n))
PLUMB_TELLS(void*, memmove, (void* to_, const void* from, size_t n),
            (to_, from, n), copy(to, to_, from, n))
PLUMB_TELLS(void, bcopy, (const void* from, void* to_, size_t n),
            (from, to_, n), copy(to, to_, from, n))
PLUMB_TELLS(void*, memset, (void* s, int c, size_t n), (s, c, n),
            to.writes(s, n))
PLUMB_TELLS(void, bzero, (void* s, size_t n), (s, n), to.writes(s, n))
PLUMB_TELLS(void, explicit_bzero, (void* s, size_t n), (s, n), to.writes(s, n))
PLUMB_TELLS(void*, memccpy, (void* to_, const void* from, int c, size_t n),
            (to_, from, c, n),
            const auto* begin = static_cast<const char*>(from);
            const auto* found = static_cast<const char*>(memchr(from, c, n));
            copy(to, to_, from,
                 found ? static_cast<size_t>(found - begin) + 1 : n))
PLUMB_TELLS(void, swab, (const void* from, void* to_, ssize_t n),
            (from, to_, n),
            if (n > 1) copy(to, to_, from, static_cast<size_t>(n & ~1)))
PLUMB_TELLS(char*, strcpy, (char* to_, const char* from), (to_, from),
            copy_text(to, to_, from))
PLUMB_TELLS(char*, stpcpy, (char* to_, const char* from), (to_, from),
            copy_text(to, to_, from))
PLUMB_TELLS(char*, strncpy, (char* to_, const char* from, size_t n),
            (to_, from, n), copy_padded(to, to_, from, n))
PLUMB_TELLS(char*, stpncpy, (char* to_, const char* from, size_t n),
            (to_, from, n), copy_padded(to, to_, from, n))
PLUMB_TELLS(char*, strcat, (char* to_, const char* from), (to_, from),
            append(to, to_, from, kAll))
PLUMB_TELLS(char*, strncat, (char* to_, const char* from, size_t n),
            (to_, from, n), append(to, to_, from, n))
PLUMB_TELLS(size_t, strlcpy, (char* to_, const char* from, size_t n),
            (to_, from, n), to.reads_text(from);
            if (n != 0) to.writes(to_, std::min(strlen(from), n - 1) + 1))
PLUMB_TELLS(size_t, strlcat, (char* to_, const char* from, size_t n),
            (to_, from, n), const size_t length = strnlen(to_, n);
            to.reads_text(to_, n); to.reads_text(from);
            if (length < n)
                to.writes(to_ + length,
                          std::min(strlen(from), n - length - 1) + 1))
PLUMB_TELLS(size_t, strxfrm, (char* to_, const char* from, size_t n),
            (to_, from, n), const size_t length = strxfrm(nullptr, from, 0);
            to.reads_text(from); to.writes(to_, std::min(length + 1, n)))

// What is allocated is written, too.
PLUMB_STAND_IN(char*, strdup, (const char* s)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  const bool seen = is_seen(pc);
  if (seen) tell_before(pc, [&](Ranges& to) { to.reads_text(s); });
  const Giving giving;
  char* const copied = real_strdup(s);
  if (seen && copied)
    tell_after(pc, [&](Ranges& to) { to.writes(copied, strlen(copied) + 1); });
  return copied;
}
PLUMB_STAND_IN(char*, strndup, (const char* s, size_t n)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  const bool seen = is_seen(pc);
  if (seen) tell_before(pc, [&](Ranges& to) { to.reads_text(s, n); });
  const Giving giving;
  char* const copied = real_strndup(s, n);
  if (seen && copied)
    tell_after(pc, [&](Ranges& to) { to.writes(copied, strlen(copied) + 1); });
  return copied;
}

// ---- Words.

// They cut the text up: write where a word ends.
PLUMB_STAND_IN(char*, strtok_r, (char* s, const char* set, char** place)) {
  if (is_seen(PLUMB_PC_NUMBER)) {
    tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) {
      to.reads_text(set);
      if (s == nullptr) to.reads(place, sizeof(*place));
      to.writes(place, sizeof(*place));
      const char* const begin = s ? s : *place;
      if (begin == nullptr) return;
      const size_t skipped = strspn(begin, set);
      const size_t end = skipped + strcspn(begin + skipped, set);
      to.reads(begin, end + 1);
      if (begin[end] != '\0') to.writes(begin + end, 1);
    });
  }
  return real_strtok_r(s, set, place);
}
PLUMB_STAND_IN(char*, __strtok_r, (char* s, const char* set, char** place)) {
  return stand_in_strtok_r(s, set, place);
}
PLUMB_STAND_IN(char*, strtok, (char* s, const char* set)) {
  const std::uintptr_t pc = PLUMB_PC_NUMBER;
  if (!is_seen(pc)) return real_strtok(s, set);
  tell_before(pc, [&](Ranges& to) {
    to.uses_hidden(&kPlaceOfStrtok, true);
    to.reads_text(set);
    if (s != nullptr) to.reads_text(s);
  });
  char* const word = real_strtok(s, set);
  if (word != nullptr) {
    tell_after(pc, [&](Ranges& to) { to.writes(word, strlen(word) + 1); });
  }
  return word;
}
PLUMB_TELLS(
    char*, strsep, (char** place, const char* set), (place, set),
    to.reads_text(set);
    to.reads(place, sizeof(*place)); if (*place != nullptr) {
      const size_t end = strcspn(*place, set);
      to.reads(*place, end + 1);
      if ((*place)[end] != '\0') to.writes(*place + end, 1);
      to.writes(place, sizeof(*place));
    })

// ---- Numbers.

#define PLUMB_NUMBER(type, name)                                 \
  PLUMB_TELLS(type, name, (const char* s, char** end, int base), \
              (s, end, base), number(to, s, base);               \
              if (end) to.writes(end, sizeof(*end)))
#define PLUMB_NUMBERS(prefix)                        \
  PLUMB_NUMBER(long, prefix##strtol)                 \
  PLUMB_NUMBER(long long, prefix##strtoll)           \
  PLUMB_NUMBER(unsigned long, prefix##strtoul)       \
  PLUMB_NUMBER(unsigned long long, prefix##strtoull) \
  PLUMB_NUMBER(long, prefix##strtoimax)              \
  PLUMB_NUMBER(unsigned long, prefix##strtoumax)
PLUMB_NUMBERS()
PLUMB_NUMBERS(__isoc23_)

#define PLUMB_FRACTION(type, name)                               \
  PLUMB_TELLS(type, name, (const char* s, char** end), (s, end), \
              number(to, s);                                     \
              if (end) to.writes(end, sizeof(*end)))
PLUMB_FRACTION(double, strtod)
PLUMB_FRACTION(float, strtof)
PLUMB_FRACTION(long double, strtold)

PLUMB_TELLS(int, atoi, (const char* s), (s), number(to, s, 10))
PLUMB_TELLS(long, atol, (const char* s), (s), number(to, s, 10))
PLUMB_TELLS(long long, atoll, (const char* s), (s), number(to, s, 10))
PLUMB_TELLS(double, atof, (const char* s), (s), number(to, s))

// ---- As -D_FORTIFY_SOURCE has them: with the room that there is.

PLUMB_TELLS(void*, __memcpy_chk,
            (void* to_, const void* from, size_t n, size_t room),
            (to_, from, n, room), copy(to, to_, from, n))
PLUMB_TELLS(void*, __mempcpy_chk,
            (void* to_, const void* from, size_t n, size_t room),
            (to_, from, n, room), copy(to, to_, from, n))
PLUMB_TELLS(void*, __memmove_chk,
            (void* to_, const void* from, size_t n, size_t room),
            (to_, from, n, room), copy(to, to_, from, n))
PLUMB_TELLS(void*, __memset_chk, (void* s, int c, size_t n, size_t room),
            (s, c, n, room), to.writes(s, n))
PLUMB_TELLS(void, __explicit_bzero_chk, (void* s, size_t n, size_t room),
            (s, n, room), to.writes(s, n))
PLUMB_TELLS(char*, __strcpy_chk, (char* to_, const char* from, size_t room),
            (to_, from, room), copy_text(to, to_, from))
PLUMB_TELLS(char*, __stpcpy_chk, (char* to_, const char* from, size_t room),
            (to_, from, room), copy_text(to, to_, from))
PLUMB_TELLS(char*, __strncpy_chk,
            (char* to_, const char* from, size_t n, size_t room),
            (to_, from, n, room), copy_padded(to, to_, from, n))
PLUMB_TELLS(char*, __stpncpy_chk,
            (char* to_, const char* from, size_t n, size_t room),
            (to_, from, n, room), copy_padded(to, to_, from, n))
PLUMB_TELLS(char*, __strcat_chk, (char* to_, const char* from, size_t room),
            (to_, from, room), append(to, to_, from, kAll))
PLUMB_TELLS(char*, __strncat_chk,
            (char* to_, const char* from, size_t n, size_t room),
            (to_, from, n, room), append(to, to_, from, n))

// ---- As clang names them where it knows that accesses are watched.

#define PLUMB_TSAN(name, parameters, arguments, ...)                  \
  extern "C" void* __tsan_##name parameters {                         \
    if (is_seen(PLUMB_PC_NUMBER)) {                                   \
      tell_before(PLUMB_PC_NUMBER, [&](Ranges& to) { __VA_ARGS__; }); \
    }                                                                 \
    return real_##name arguments;                                     \
  }
PLUMB_TSAN(memcpy, (void* to_, const void* from, size_t n), (to_, from, n),
           copy(to, to_, from, n))
PLUMB_TSAN(memmove, (void* to_, const void* from, size_t n), (to_, from, n),
           copy(to, to_, from, n))
PLUMB_TSAN(memset, (void* s, int c, size_t n), (s, c, n), to.writes(s, n))
