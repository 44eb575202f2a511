// SPDX-License-Identifier: Apache-2.0
#include "base/terminal_text.h"

#include <fmt/format.h>

#include <cstddef>

namespace plumb {

namespace {

struct Character {
  char32_t code;
  std::size_t size;  // in bytes
  bool is_valid;
};

// The first one; a byte that begins none is one by itself.
Character first_of(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return static_cast<unsigned char>(text[i]);
  };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) return {lead, 1, false};
  char32_t code = lead & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {lead, 1, false};
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool is_whole = (size < 3 || code >= 0x800) &&
                        (size < 4 || code >= 0x10000) && code <= 0x10FFFF &&
                        (code < 0xD800 || code >= 0xE000);
  return is_whole ? Character{code, size, true} : Character{lead, 1, false};
}

std::string escaped(const Character& c) {
  if (!c.is_valid || c.code < 0x80) {
    return fmt::format("\\x{:02x}", static_cast<unsigned>(c.code));
  }
  const auto code = static_cast<unsigned>(c.code);
  return code > 0xFFFF ? fmt::format("\\U{:08x}", code)
                       : fmt::format("\\u{:04x}", code);
}

// The size of a sequence that chooses a colour, or clears the rest of a line
// as g++ does; 0: there is none.
std::size_t color_at(std::string_view text) {
  if (!text.starts_with("\033[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  if (end == text.npos || (text[end] != 'm' && text[end] != 'K')) return 0;
  return end + 1;
}

std::string safe(std::string_view text, bool colors, bool is_one_line) {
  std::string out;
  bool is_blank = true;  // the line so far
  while (!text.empty()) {
    if (const std::size_t size = colors ? color_at(text) : 0; size > 0) {
      out += text.substr(0, size);
      text.remove_prefix(size);
      continue;
    }
    const Character c = first_of(text);
    const bool is_layout = c.code == '\t' || (c.code == '\n' && !is_one_line);
    const bool is_command = is_blank && text.starts_with("::");
    if (c.is_valid && !is_command && (is_layout || is_plain(c.code))) {
      out += text.substr(0, c.size);
    } else {
      out += escaped(c);
    }
    is_blank = (c.code == '\n' && is_layout) ||
               (is_blank && (c.code == ' ' || c.code == '\t'));
    text.remove_prefix(c.size);
  }
  return out;
}

}  // namespace

bool is_plain(char32_t c) {
  const auto within = [c](char32_t low, char32_t high) {
    return c >= low && c <= high;
  };
  return !(c < 0x20 || within(0x7F, 0x9F) || c == 0x61C ||
           within(0x200E, 0x200F) || within(0x2028, 0x202E) ||
           within(0x2066, 0x2069) || within(0xFFF9, 0xFFFB) ||
           within(0xE0000, 0xE007F));
}

std::string terminal_text(std::string_view text, bool colors) {
  return safe(text, colors, false);
}

std::string one_line(std::string_view text) {
  return safe(text, false, true);
}

std::string shell_quoted(std::string_view word) {
  bool is_all_plain = true;
  std::string plain = "'", other = "$'";
  while (!word.empty()) {
    const Character c = first_of(word);
    const std::string_view bytes = word.substr(0, c.size);
    plain += c.code == '\'' ? "'\\''" : bytes;
    if (c.is_valid && is_plain(c.code)) {
      if (c.code == '\'' || c.code == '\\') other += '\\';
      other += bytes;
    } else {
      is_all_plain = false;
      for (const char byte : bytes) {
        other += fmt::format("\\{:03o}", static_cast<unsigned char>(byte));
      }
    }
    word.remove_prefix(c.size);
  }
  return (is_all_plain ? plain : other) + '\'';
}

void print_text(std::FILE* to, std::string_view text, bool colors) {
  const std::string safe = terminal_text(text, colors);
  std::fwrite(safe.data(), 1, safe.size(), to);
}

}  // namespace plumb
