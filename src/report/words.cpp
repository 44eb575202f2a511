// SPDX-License-Identifier: Apache-2.0
#include "report/words.h"

#include <fmt/format.h>

#include <algorithm>

namespace plumb::report {

std::string grouped(std::uint64_t number) {
  std::string out = std::to_string(number);
  for (std::size_t at = out.size(); at > 3;) {
    at -= 3;
    out.insert(at, 1, ',');
  }
  return out;
}

std::string counted(std::uint64_t number, std::string_view noun) {
  return fmt::format("{} {}{}", grouped(number), noun, number == 1 ? "" : "s");
}

std::string sized(std::uint64_t bytes) {
  constexpr std::string_view kUnits = "KMGT";
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1023.5 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  const int digits = amount < 9.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}iB", amount, digits, kUnits[unit]);
}

std::string fitted(std::string_view text, std::size_t width) {
  std::string line;
  for (const char c : text) {
    const bool is_space = static_cast<unsigned char>(c) <= 0x20 || c == 0x7f;
    if (!is_space) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  if (line.size() <= width) return line;
  std::size_t kept = width > 3 ? width - 3 : 0;
  // Not within a character of several bytes (UTF-8).
  while (kept > 0 && (static_cast<unsigned char>(line[kept]) & 0xC0) == 0x80) {
    --kept;
  }
  return line.substr(0, kept) +
         std::string(std::min<std::size_t>(width, 3), '.');
}

std::string wrapped(std::string_view text, const std::string& indent,
                    std::size_t width) {
  std::string out, line = indent;
  bool is_blank = true;  // is there no word in `line` yet?
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!is_blank && line.size() + 1 + word.size() > width) {
      out += line + '\n';
      line = indent + "  ";
      is_blank = true;
    }
    if (!is_blank) line += ' ';
    line += word;
    is_blank = false;
  }
  return is_blank ? out : out + line + '\n';
}

std::string painted(std::string_view text, check::Answer answer, bool color) {
  if (!color) return std::string(text);
  const char* code = answer == check::Answer::kHolds      ? "32"
                     : answer == check::Answer::kViolated ? "1;31"
                                                          : "33";
  return fmt::format("\033[{}m{}\033[0m", code, text);
}

std::string without_colors(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t at = text.find("\033[");
    out += text.substr(0, at);
    if (at == std::string_view::npos) break;
    const std::size_t end = text.find('m', at);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return out;
}

}  // namespace plumb::report
