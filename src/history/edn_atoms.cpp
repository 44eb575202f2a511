// SPDX-License-Identifier: Apache-2.0
#include "history/edn_atoms.h"

#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

#include "history/decimals.h"

namespace plumb::history {

namespace {

std::size_t count_digits(std::string_view text) {
  const std::size_t end = text.find_first_not_of("0123456789");
  return end == std::string_view::npos ? text.size() : end;
}

// No sign; no zero in front, since that would be octal in some languages.
bool is_natural(std::string_view text) {
  if (text.empty() || count_digits(text) != text.size()) return false;
  return text[0] != '0' || text.size() == 1;
}

template <typename Number>
std::optional<Number> convert(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return number;
}

std::optional<Value> integer(bool negative, std::string_view digits,
                             bool keep) {
  std::string text(negative ? 1 : 0, '-');
  text += digits;
  if (const auto number = convert<std::int64_t>(text)) {
    return Value::integer(*number);
  }
  return keep ? decimal(text) : Value();
}

std::optional<Value> hexadecimal(bool negative, std::string_view digits) {
  std::int64_t number = 0;
  const char* end = digits.data() + digits.size();
  if (digits.empty() || digits[0] == '-') return std::nullopt;
  const auto result = std::from_chars(digits.data(), end, number, 16);
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return Value::integer(negative ? -number : number);
}

// The decimal digits of a ratio: all of them, or so many that no two ratios of
// 64-bit numbers have the same ones.
std::string digits_of_ratio(std::uint64_t above, std::uint64_t below) {
  constexpr int kMostDigits = 40;
  std::string text = std::to_string(above / below) + ".";
  int count = above / below == 0 ? 0 : static_cast<int>(text.size()) - 1;
  __extension__ using Wide = unsigned __int128;
  for (Wide rest = above % below; rest != 0 && count < kMostDigits;
       rest = rest * 10 % below) {
    const auto digit = static_cast<char>(rest * 10 / below);
    text += static_cast<char>('0' + digit);
    if (count > 0 || digit != 0) ++count;
  }
  return text + "0";
}

std::optional<Value> ratio(bool negative, std::string_view upper,
                           std::string_view lower, bool keep) {
  if (!is_natural(upper) || !is_natural(lower)) return std::nullopt;
  const auto above = convert<std::uint64_t>(upper);
  const auto below = convert<std::uint64_t>(lower);
  if (!above || !below || *below == 0) return std::nullopt;
  if (!keep) return Value();
  return decimal((negative ? "-" : "") + digits_of_ratio(*above, *below));
}

// Digits, then a fraction or an exponent or both.
bool is_real(std::string_view text) {
  const std::size_t whole = count_digits(text);
  if (!is_natural(text.substr(0, whole))) return false;
  text.remove_prefix(whole);
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    text.remove_prefix(count_digits(text));
  }
  if (text.empty()) return true;
  if (text[0] != 'e' && text[0] != 'E') return false;
  text.remove_prefix(1);
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    text.remove_prefix(1);
  }
  return !text.empty() && count_digits(text) == text.size();
}

}  // namespace

std::optional<Value> edn_number(std::string_view token, bool keep) {
  const bool negative = !token.empty() && token[0] == '-';
  if (!token.empty() && (negative || token[0] == '+')) token.remove_prefix(1);
  if (is_natural(token)) return integer(negative, token, keep);
  if (token.starts_with("0x") || token.starts_with("0X")) {
    return hexadecimal(negative, token.substr(2));
  }
  const std::size_t slash = token.find('/');
  if (slash != std::string_view::npos) {
    return ratio(negative, token.substr(0, slash), token.substr(slash + 1),
                 keep);
  }
  const std::string_view digits =
      token.substr(0, token.empty() ? 0 : token.size() - 1);
  if (token.ends_with('N')) {
    if (!is_natural(digits)) return std::nullopt;
    return integer(negative, digits, keep);
  }
  const std::string_view text = token.ends_with('M') ? digits : token;
  if (!is_real(text)) return std::nullopt;
  if (!keep) return Value();
  return decimal(negative ? "-" + std::string(text) : std::string(text));
}

std::optional<std::string> edn_character(std::string_view name) {
  if (name == "newline") return "\n";
  if (name == "return") return "\r";
  if (name == "space") return " ";
  if (name == "tab") return "\t";
  if (name == "formfeed") return "\f";
  if (name == "backspace") return "\b";
  if (name.size() == 5 && name[0] == 'u') {
    std::string text;
    const auto code = hex4(name.substr(1));
    if (!code || !append_utf8(*code, text)) return std::nullopt;
    return text;
  }
  std::size_t characters = 0;
  for (const char c : name) {
    characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  }
  if (characters != 1) return std::nullopt;
  return std::string(name);
}

char edn_escape(int c) {
  switch (c) {
    case '"':
    case '\\':
    case '/':
      return static_cast<char>(c);
    case 'n':
      return '\n';
    case 't':
      return '\t';
    case 'r':
      return '\r';
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    default:
      return '\0';
  }
}

std::optional<std::uint32_t> hex4(std::string_view digits) {
  if (digits.size() != 4 ||
      digits.find_first_not_of("0123456789abcdefABCDEF") !=
          std::string_view::npos) {
    return std::nullopt;
  }
  std::uint32_t code = 0;
  std::from_chars(digits.data(), digits.data() + 4, code, 16);
  return code;
}

bool append_utf8(std::uint32_t code, std::string& text) {
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
  const auto add = [&text](std::uint32_t byte) {
    text += static_cast<char>(static_cast<unsigned char>(byte));
  };
  if (code < 0x80) {
    add(code);
  } else if (code < 0x800) {
    add(0xC0 | code >> 6);
    add(0x80 | (code & 0x3F));
  } else if (code < 0x10000) {
    add(0xE0 | code >> 12);
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  } else {
    add(0xF0 | code >> 18);
    add(0x80 | (code >> 12 & 0x3F));
    add(0x80 | (code >> 6 & 0x3F));
    add(0x80 | (code & 0x3F));
  }
  return true;
}

}  // namespace plumb::history
