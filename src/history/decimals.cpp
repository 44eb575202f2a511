// SPDX-License-Identifier: Apache-2.0
#include "history/decimals.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace plumb::history {

namespace {

// Different numbers of so many digits are different doubles.
constexpr std::size_t kDigitsOfDouble = 15;
// Longer ones are written with an exponent.
constexpr std::int64_t kLongest = 40;

// 0.d1d2d3... * 10^exponent, where d1 is not 0 and nor is the last digit.
struct Decimal {
  bool negative = false;
  std::string digits;
  std::int64_t exponent = 0;
};

// As far as numbers of digits can be added to it.
constexpr std::int64_t kLargestExponent = 999'999'999'999'999;

std::optional<Decimal> parse(std::string_view text) {
  Decimal out;
  bool fits = true;
  out.negative = !text.empty() && text[0] == '-';
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    text.remove_prefix(1);
  }
  const std::size_t e = text.find_first_of("eE");
  if (e != std::string_view::npos) {
    std::string_view power = text.substr(e + 1);
    if (power.starts_with('+')) power.remove_prefix(1);
    const auto read = std::from_chars(power.data(), power.data() + power.size(),
                                      out.exponent);
    fits = read.ec == std::errc() && out.exponent <= kLargestExponent &&
           out.exponent >= -kLargestExponent;
    if (!fits) out.exponent = 0;
    text = text.substr(0, e);
  }
  const std::size_t point = std::min(text.find('.'), text.size());
  out.exponent += static_cast<std::int64_t>(point);
  for (const char c : text) {
    if (c != '.') out.digits += c;
  }
  const std::size_t zeros =
      std::min(out.digits.find_first_not_of('0'), out.digits.size());
  out.digits.erase(0, zeros);
  out.exponent -= static_cast<std::int64_t>(zeros);
  out.digits.erase(out.digits.find_last_not_of('0') + 1);
  if (!fits && !out.digits.empty()) return std::nullopt;
  return out;
}

std::string text_of(const Decimal& number) {
  const auto count = static_cast<std::int64_t>(number.digits.size());
  const std::int64_t exponent = number.exponent;
  std::string out(number.negative ? "-" : "");
  if (exponent > kLongest || exponent < -kLongest) {
    out += number.digits.substr(0, 1);
    if (count > 1) out += '.' + number.digits.substr(1);
    return out + fmt::format("e{}", exponent - 1);
  }
  if (exponent >= count) {
    return out + number.digits +
           std::string(static_cast<std::size_t>(exponent - count), '0');
  }
  if (exponent <= 0) {
    return out + "0." + std::string(static_cast<std::size_t>(-exponent), '0') +
           number.digits;
  }
  const auto whole = static_cast<std::size_t>(exponent);
  return out + number.digits.substr(0, whole) + '.' +
         number.digits.substr(whole);
}

}  // namespace

std::optional<Value> decimal(std::string_view text) {
  const auto parsed = parse(text);
  if (!parsed) return std::nullopt;
  const Decimal& number = *parsed;
  if (number.digits.empty()) return Value::integer(0);
  const std::string plain = text_of(number);
  const char* const end = plain.data() + plain.size();
  std::int64_t integer = 0;
  const auto whole = std::from_chars(plain.data(), end, integer);
  if (whole.ec == std::errc() && whole.ptr == end) {
    return Value::integer(integer);
  }
  const auto count = static_cast<std::int64_t>(number.digits.size());
  const bool is_whole = count <= number.exponent && number.exponent <= kLongest;
  double real = 0;
  std::from_chars(plain.data(), end, real);
  if (number.digits.size() <= kDigitsOfDouble && !is_whole &&
      std::isnormal(real)) {
    return Value::real(real);
  }
  return Value::big_number(plain);
}

}  // namespace plumb::history
