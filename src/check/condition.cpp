// SPDX-License-Identifier: Apache-2.0
#include "check/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <vector>

#include "base/input_error.h"

namespace plumb::check {

namespace {

constexpr std::uint32_t kLargestFactor = 1000;

std::string_view trimmed(std::string_view text) {
  const auto is_space = [](char c) {
    return std::isspace(static_cast<unsigned char>(c)) != 0;
  };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

// Splits at `separator`, but not inside parentheses.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == separator && depth == 0)) {
      parts.push_back(trimmed(text.substr(start, i - start)));
      start = i + 1;
    } else if (text[i] == '(') {
      ++depth;
    } else if (text[i] == ')') {
      --depth;
    }
  }
  return parts;
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Condition parse() {
    for (const std::string_view part : split(text_, '+')) add(part);
    if (linearizable_ && (sequential_ || quiescent_)) {
      fail("'linearizable' already implies the rest",
           "leave the others out, or leave 'linearizable' out");
    }
    if (sequential_ && quiescent_) {
      condition_.order = Order::kQuiescentAndProgram;
    } else if (sequential_) {
      condition_.order = Order::kProgram;
    } else if (quiescent_) {
      condition_.order = Order::kQuiescent;
    }
    return condition_;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint) {
    const std::string shown(text_);
    throw InputError(fmt::format("condition '{}': {}", shown, what), hint);
  }

  void add(std::string_view part) {
    if (part == "linearizable") return add(linearizable_, part);
    if (part == "sequential") return add(sequential_, part);
    if (part == "quiescent") return add(quiescent_, part);
    const std::size_t open = part.find('(');
    if (open != std::string_view::npos && part.back() == ')' &&
        trimmed(part.substr(0, open)) == "quasi") {
      add(quasi_, "quasi");
      return add_factors(part.substr(open + 1, part.size() - open - 2));
    }
    const std::string word(trimmed(part.substr(0, open)));
    if (word == "quasi") {
      fail("'quasi' needs factors in parentheses",
           "write quasi(deq=2), say: how far each operation may be off");
    }
    const std::string guess =
        nearest(word, {"linearizable", "sequential", "quiescent", "quasi"});
    fail(word.empty() ? "a word is missing"
                      : fmt::format("unknown word '{}'", word),
         (guess.empty() ? std::string()
                        : fmt::format("did you mean '{}'? ", guess)) +
             "there are linearizable, sequential, quiescent and "
             "quasi(OPERATION=FACTOR, ...), combined with '+'");
  }

  void add(bool& seen, std::string_view word) {
    if (seen) {
      fail(fmt::format("'{}' stands there twice", word), "leave one out");
    }
    seen = true;
  }

  void add_factors(std::string_view list) {
    for (const std::string_view item : split(list, ',')) {
      const std::size_t equals = item.find('=');
      const std::string name(trimmed(item.substr(0, equals)));
      if (equals == std::string_view::npos || name.empty()) {
        fail(fmt::format("'{}' is no factor", std::string(item)),
             "a factor is OPERATION=NUMBER, as in quasi(deq=2)");
      }
      const std::uint32_t factor = number(trimmed(item.substr(equals + 1)));
      if (!condition_.factors.emplace(name, factor).second) {
        fail(fmt::format("'{}' has two factors", name), "leave one out");
      }
    }
  }

  std::uint32_t number(std::string_view digits) {
    std::uint32_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() ||
        value > kLargestFactor) {
      fail(fmt::format("'{}' is no factor", std::string(digits)),
           fmt::format("a factor is a whole number from 0 to {}",
                       kLargestFactor));
    }
    return value;
  }

  std::string_view text_;
  Condition condition_;
  bool linearizable_ = false, sequential_ = false, quiescent_ = false,
       quasi_ = false;
};

}  // namespace

bool Condition::relaxed() const {
  return std::any_of(factors.begin(), factors.end(),
                     [](const auto& factor) { return factor.second > 0; });
}

std::string Condition::to_string() const {
  std::string out;
  switch (order) {
    case Order::kRealTime:
      out = factors.empty() ? "linearizable" : "";
      break;
    case Order::kProgram:
      out = "sequential";
      break;
    case Order::kQuiescent:
      out = "quiescent";
      break;
    case Order::kQuiescentAndProgram:
      out = "quiescent+sequential";
      break;
  }
  if (factors.empty()) return out;
  if (!out.empty()) out += '+';
  out += "quasi(";
  bool first = true;
  for (const auto& [name, factor] : factors) {
    if (!first) out += ", ";
    first = false;
    out += fmt::format("{}={}", name, factor);
  }
  return out + ")";
}

Condition parse_condition(std::string_view text) {
  return Parser(text).parse();
}

void require_factors_fit(const Condition& condition,
                         const spec::Specification& object) {
  std::vector<std::string> names;
  std::string all;
  for (const spec::Signature& signature : object.operations()) {
    names.emplace_back(signature.name);
    all += (all.empty() ? "'" : ", '") + names.back() + "'";
  }
  for (const auto& [name, factor] : condition.factors) {
    if (spec::find_operation(object, name)) continue;
    const std::string guess = nearest(name, names);
    throw InputError(
        fmt::format("condition '{}': {} has no operation '{}'",
                    condition.to_string(), object.name(), name),
        (guess.empty() ? std::string()
                       : fmt::format("did you mean '{}'? ", guess)) +
            "its operations are " + all);
  }
}

}  // namespace plumb::check
