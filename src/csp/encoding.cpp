// SPDX-License-Identifier: Apache-2.0
#include "csp/encoding.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/input_error.h"
#include "text/characters.h"

namespace plumb::csp {
namespace {

// What Windows-1252 has at 0x80 to 0x9F; elsewhere it is as Latin-1.
constexpr std::array<std::uint16_t, 32> kWindows = {
    0x20AC, 0xFFFD, 0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021,
    0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0xFFFD, 0x017D, 0xFFFD,
    0xFFFD, 0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014,
    0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0xFFFD, 0x017E, 0x0178};

bool is_utf8(std::string_view all) {
  for (std::size_t i = 0; i < all.size();) {
    if (static_cast<unsigned char>(all[i]) < 0x80) {
      ++i;
      continue;
    }
    const std::size_t length = text::character_length(all.substr(i));
    if (length == 0) return false;
    i += length;
  }
  return true;
}

void add_utf8(std::string& text, unsigned code) {
  const auto add = [&](unsigned byte) { text += static_cast<char>(byte); };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(0x80 | (code & 0x3F));
  } else {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  }
}

std::string from_windows(std::string_view text) {
  std::string made;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_special = byte >= 0x80 && byte < 0xA0;
    add_utf8(made, is_special ? kWindows[byte - 0x80u] : byte);
  }
  return made;
}

}  // namespace

std::string normalised(const std::string& name, std::string text) {
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    Place place;
    place.source = name;
    throw InputError(std::move(place), "the file is written in UTF-16",
                     "save it as UTF-8 in your editor");
  }
  if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
  if (!is_utf8(text)) text = from_windows(text);
  if (text.find('\n') == std::string::npos) {
    std::replace(text.begin(), text.end(), '\r', '\n');
  }
  return text;
}

}  // namespace plumb::csp
