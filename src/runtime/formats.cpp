// SPDX-License-Identifier: Apache-2.0
#include "runtime/formats.h"

#include <stdint.h>
#include <string.h>
#include <wchar.h>

namespace plumb::runtime {

namespace {

constexpr std::size_t kNone = SIZE_MAX;

// One conversion of a format: "%-*.3ld".
struct Conversion {
  bool is_numbered = false;
  bool suppressed = false;  // scanf's "*"
  bool allocates = false;   // scanf's "m"
  int stars = 0;            // printf's: arguments before the value
  bool precision_is_star = false;
  std::size_t width = kNone;
  std::size_t precision = kNone;
  char size = 0;  // 'h', 'H' for "hh", 'l', 'q' for "ll", 'j', 'z', 't', 'L'
  char letter = 0;
};

std::size_t digits(const char*& at) {
  if (*at < '0' || *at > '9') return kNone;
  std::size_t value = 0;
  while (*at >= '0' && *at <= '9') {
    value = value * 10 + static_cast<std::size_t>(*at++ - '0');
  }
  return value;
}

char read_size(const char*& at) {
  if (*at == '\0' || strchr("hlqjztL", *at) == nullptr) return 0;
  const char size = *at++;
  if (*at != size || (size != 'h' && size != 'l')) return size;
  ++at;
  return size == 'h' ? 'H' : 'q';
}

// Reads on to the next conversion.  Returns false at the end.
bool next_conversion(const char*& at, bool scans, Conversion& out) {
  for (;; at += 2) {
    at = strchr(at, '%');
    if (at == nullptr) return false;
    if (at[1] != '%') break;
  }
  ++at;
  out = Conversion{};
  if (scans) {
    if (*at == '*') out.suppressed = true, ++at;
    while (*at == '\'') ++at;
  } else {
    while (*at != '\0' && strchr("-+ #0'I", *at) != nullptr) ++at;
  }
  if (*at == '*') {
    ++out.stars, ++at;
  } else {
    out.width = digits(at);
  }
  if (*at == '$') out.is_numbered = true;
  if (!scans && *at == '.') {
    ++at;
    if (*at == '*') {
      ++out.stars, ++at;
      out.precision_is_star = true;
    } else {
      const std::size_t value = digits(at);
      out.precision = value == kNone ? 0 : value;
    }
  }
  if (scans && *at == 'm') out.allocates = true, ++at;
  out.size = read_size(at);
  out.letter = *at;
  if (*at == '\0') return false;
  ++at;
  if (scans && out.letter == '[') {
    if (*at == '^') ++at;
    if (*at == ']') ++at;
    while (*at != '\0' && *at != ']') ++at;
    if (*at == ']') ++at;
  }
  return true;
}

std::size_t bytes_of_integer(char size) {
  switch (size) {
    case 'H':
      return 1;
    case 'h':
      return 2;
    case 0:
      return 4;
    default:
      return 8;
  }
}

void read_wide(Ranges& to, const wchar_t* text, std::size_t most) {
  std::size_t length = 0;
  while (length < most && text[length] != 0) ++length;
  to.reads(text, (length < most ? length + 1 : most) * sizeof(wchar_t));
}

[[noreturn]] void refuse_numbers() {
  fail(Fault::kUnsupported, 0,
       "a format numbers its arguments (%%1$s): what they point to is not "
       "followed");
}

bool is_fraction(char letter) {
  return letter != '\0' && strchr("aAeEfFgG", letter) != nullptr;
}

// What `pointer` will hold, or holds, after a conversion.
void tell_scanned(Ranges& to, const Conversion& conversion, void* pointer,
                  std::size_t input, bool is_done) {
  const char letter = conversion.letter;
  const bool is_text = letter == 's' || letter == '[';
  const bool is_wide = conversion.size == 'l' || letter == 'S';
  const std::size_t unit = is_wide ? sizeof(wchar_t) : 1;
  if (conversion.allocates || letter == 'p') {
    to.writes(pointer, sizeof(void*));
  } else if (letter == 'c' || letter == 'C') {
    const std::size_t count = conversion.width == kNone ? 1 : conversion.width;
    to.writes(pointer, count * (letter == 'C' ? sizeof(wchar_t) : unit));
  } else if (is_text || letter == 'S') {
    std::size_t count = conversion.width < input ? conversion.width : input;
    if (is_done) {
      count = is_wide ? wcslen(static_cast<wchar_t*>(pointer))
                      : strlen(static_cast<char*>(pointer));
    }
    to.writes(pointer, (count + 1) * unit);
  } else if (is_fraction(letter)) {
    const char size = conversion.size;
    to.writes(pointer, size == 'L'   ? sizeof(long double)
                       : size == 'l' ? sizeof(double)
                                     : sizeof(float));
  } else {
    to.writes(pointer, bytes_of_integer(conversion.size));
  }
}

}  // namespace

void tell_printf(Ranges& to, const char* format, std::va_list arguments) {
  to.reads_text(format);
  Conversion conversion;
  for (const char* at = format; next_conversion(at, false, conversion);) {
    if (conversion.is_numbered) refuse_numbers();
    int star = 0;
    for (int i = 0; i < conversion.stars; ++i) star = va_arg(arguments, int);
    std::size_t most = conversion.precision;
    if (conversion.precision_is_star && star >= 0) {
      most = static_cast<std::size_t>(star);
    }
    const char letter = conversion.letter;
    const bool is_wide = letter == 'S' || conversion.size == 'l';
    if (letter == 's' || letter == 'S') {
      const void* const text = va_arg(arguments, const void*);
      if (text == nullptr || most == 0) continue;
      if (is_wide) {
        read_wide(to, static_cast<const wchar_t*>(text), most);
      } else {
        to.reads_text(static_cast<const char*>(text), most);
      }
    } else if (letter == 'n') {
      to.writes(va_arg(arguments, void*), bytes_of_integer(conversion.size));
    } else if (is_fraction(letter)) {
      if (conversion.size == 'L') {
        static_cast<void>(va_arg(arguments, long double));
      } else {
        static_cast<void>(va_arg(arguments, double));
      }
    } else if (letter != 'm') {
      // Smaller ones come as integers of the same place.
      static_cast<void>(va_arg(arguments, std::uint64_t));
    }
  }
}

void tell_scanf_at_most(Ranges& to, const char* format, std::va_list arguments,
                        std::size_t input) {
  Conversion conversion;
  for (const char* at = format; next_conversion(at, true, conversion);) {
    if (conversion.is_numbered) refuse_numbers();
    if (conversion.suppressed) continue;
    tell_scanned(to, conversion, va_arg(arguments, void*), input, false);
  }
}

void tell_scanf(Ranges& to, const char* format, std::va_list arguments,
                int assigned) {
  Conversion conversion;
  for (const char* at = format; next_conversion(at, true, conversion);) {
    if (conversion.is_numbered) refuse_numbers();
    if (conversion.suppressed) continue;
    const bool counts = conversion.letter != 'n';
    if (counts && assigned-- <= 0) return;
    tell_scanned(to, conversion, va_arg(arguments, void*), kNone, true);
  }
}

}  // namespace plumb::runtime
