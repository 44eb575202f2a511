// SPDX-License-Identifier: Apache-2.0
//
//   condition := part {'+' part}
//   part      := WORD | WORD '(' item {',' item} ')'
//   item      := OPERATION '=' NUMBER
//              | NAME '{' member {',' member} '}' '=' NUMBER   (quasi only)
//   member    := OPERATION ['(' range ')'] ['->' range]
//   range     := value ['..' value]
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "base/input_error.h"
#include "check/condition.h"

namespace plumb::check {

namespace {

constexpr std::uint32_t kLargestFactor = 1000;

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

bool is_name(std::string_view text) {
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ||
           c == '-' || c == '.' || c == '?' || c == '!';
  };
  return !text.empty() && std::all_of(text.begin(), text.end(), in_name);
}

// Splits at `separator`, but not inside parentheses or braces.
std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  int depth = 0;
  std::size_t start = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == separator && depth == 0)) {
      parts.push_back(trimmed(text.substr(start, i - start)));
      start = i + 1;
    } else if (text[i] == '(' || text[i] == '{') {
      ++depth;
    } else if (text[i] == ')' || text[i] == '}') {
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
    if (quasi_ && (out_of_order_ || late_ || stutters_before_quasi_)) {
      fail("quasi(...) can only be followed by stuttering(...)",
           "out_of_order(...), late(...) and stuttering(...) can be combined "
           "with each other, and each of all four with an order");
    }
    condition_.stutters_first &= out_of_order_ || late_;
    if (stutters_between_) {
      fail("out_of_order(...) and late(...) are one relaxation",
           "write stuttering(...) before both of them, or behind both");
    }
    if (sequential_ && quiescent_) {
      condition_.order = Order::kQuiescentAndProgram;
    } else if (sequential_) {
      condition_.order = Order::kProgram;
    } else if (quiescent_) {
      condition_.order = Order::kQuiescent;
    }
    require_apart();
    return condition_;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint) {
    const std::string shown(text_);
    throw InputError(fmt::format("condition '{}': {}", shown, what), hint);
  }

  void add(std::string_view part) {
    if (part == "linearizable") return once(linearizable_, part);
    if (part == "sequential") return once(sequential_, part);
    if (part == "quiescent") return once(quiescent_, part);
    const std::size_t open = part.find('(');
    const std::string_view word = trimmed(part.substr(0, open));
    bool* const seen = relaxation(word);
    if (seen == nullptr) return fail_at_word(std::string(word));
    if (open == std::string_view::npos || part.back() != ')') {
      fail(fmt::format("'{}' needs factors in parentheses", word),
           fmt::format("write {}(deq=2), say: how far each operation may be "
                       "off",
                       word));
    }
    once(*seen, word);
    if (word == "quasi") stutters_before_quasi_ = stuttering_;
    if ((word == "late" && out_of_order_) ||
        (word == "out_of_order" && late_)) {
      stutters_between_ = stuttering_ && !condition_.stutters_first;
    }
    if (word == "stuttering") {
      condition_.stutters_first = true;  // unless it comes upon others
      if (out_of_order_ || late_) condition_.stutters_first = false;
    }
    const std::string_view list = part.substr(open + 1, part.size() - open - 2);
    for (const std::string_view item : split(list, ',')) add_item(word, item);
  }

  bool* relaxation(std::string_view word) {
    if (word == "quasi") return &quasi_;
    if (word == "out_of_order") return &out_of_order_;
    if (word == "late") return &late_;
    if (word == "stuttering") return &stuttering_;
    return nullptr;
  }

  Factors& factors(std::string_view word) {
    if (word == "out_of_order") return condition_.out_of_order;
    if (word == "late") return condition_.late;
    if (word == "stuttering") return condition_.stuttering;
    return condition_.factors;
  }

  [[noreturn]] void fail_at_word(const std::string& word) {
    const std::string guess =
        nearest(word, {"linearizable", "sequential", "quiescent", "quasi",
                       "out_of_order", "late", "stuttering"});
    fail(word.empty() ? "a word is missing"
                      : fmt::format("unknown word '{}'", word),
         (guess.empty() ? std::string()
                        : fmt::format("did you mean '{}'? ", guess)) +
             "there are linearizable, sequential, quiescent, "
             "quasi(OPERATION=FACTOR, ...), and, spelled like quasi, "
             "out_of_order, late and stuttering, combined with '+'");
  }

  void once(bool& seen, std::string_view word) {
    if (seen) {
      fail(fmt::format("'{}' stands there twice", word), "leave one out");
    }
    seen = true;
  }

  // `deq=2`, or `urgent{...}=2`.
  void add_item(std::string_view word, std::string_view item) {
    const std::size_t close = item.rfind('}');
    const std::size_t equals =
        item.find('=', close == std::string_view::npos ? 0 : close);
    const std::string_view left = trimmed(item.substr(0, equals));
    if (equals == std::string_view::npos || left.empty()) {
      fail(fmt::format("'{}' is no factor", item),
           fmt::format("a factor is OPERATION=NUMBER, as in {}(deq=2)", word));
    }
    const std::uint32_t factor = number(trimmed(item.substr(equals + 1)));
    const std::size_t open = left.find('{');
    const std::string name(trimmed(left.substr(0, open)));
    if (open != std::string_view::npos) {
      if (word != "quasi") {
        fail(fmt::format("{}(...) knows no classes", word),
             fmt::format("give each operation its factor: {}(deq=2)", word));
      }
      return add_class(name, factor, left.substr(open));
    }
    if (!is_name(name)) {
      fail(fmt::format("'{}' is no name of an operation", name),
           "some of the operations of a name are a class: "
           "quasi(small{insert(1..2), remove_min -> 1..2}=2)");
    }
    if (!factors(word).emplace(name, factor).second) {
      fail(fmt::format("'{}' has two factors", name), "leave one out");
    }
  }

  // `braces` is what follows the name, up to the equals sign.
  void add_class(const std::string& name, std::uint32_t factor,
                 std::string_view braces) {
    if (!is_name(name) || braces.back() != '}') {
      fail(fmt::format("'{}{}' is no class", name, braces),
           "a class is NAME{OPERATION, ...}=NUMBER, as in "
           "quasi(small{insert(1..2), remove_min -> 1..2}=2)");
    }
    for (const ClassPattern& other : condition_.classes) {
      if (other.name != name) continue;
      fail(fmt::format("two classes are called '{}'", name),
           "give one of them another name");
    }
    ClassPattern made{.name = name, .factor = factor, .members = {}};
    const std::string_view list = braces.substr(1, braces.size() - 2);
    for (const std::string_view member : split(list, ',')) {
      made.members.push_back(read_member(member));
    }
    condition_.classes.push_back(std::move(made));
  }

  MemberPattern read_member(std::string_view text) {
    MemberPattern member;
    const std::size_t arrow = text.find("->");
    if (arrow != std::string_view::npos) {
      member.result = read_range(text.substr(arrow + 2));
    }
    std::string_view left = trimmed(text.substr(0, arrow));
    const std::size_t open = left.find('(');
    if (open != std::string_view::npos && left.back() == ')') {
      member.argument =
          read_range(left.substr(open + 1, left.size() - open - 2));
      left = trimmed(left.substr(0, open));
    }
    if (!is_name(left)) {
      fail(fmt::format("'{}' says no operations", text),
           "a class has members such as insert, insert(1), insert(1..3), "
           "remove_min -> 1..3");
    }
    member.operation = left;
    return member;
  }

  ValueRange read_range(std::string_view text) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) {
      const Value value = read_value(trimmed(text), true);
      return {value, value};
    }
    const ValueRange range{read_value(trimmed(text.substr(0, dots)), false),
                           read_value(trimmed(text.substr(dots + 2)), false)};
    if (compare(range.lowest, range.highest) > 0) {
      fail(fmt::format("the range '{}' is empty", trimmed(text)),
           fmt::format("write {}..{}", range.highest.to_string(),
                       range.lowest.to_string()));
    }
    return range;
  }

  Value read_value(std::string_view text, bool may_be_boolean) {
    if (may_be_boolean && text == "true") return Value::boolean(true);
    if (may_be_boolean && text == "false") return Value::boolean(false);
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      fail(fmt::format("'{}' is no value that a class can ask for", text),
           "classes speak of whole numbers, as in insert(1) or insert(1..3), "
           "and of true and false");
    }
    return Value::integer(value);
  }

  std::uint32_t number(std::string_view digits) {
    std::uint32_t value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() ||
        value > kLargestFactor) {
      fail(fmt::format("'{}' is no factor", digits),
           fmt::format("a factor is a whole number from 0 to {}",
                       kLargestFactor));
    }
    return value;
  }

  // An operation has one factor: the classes have nothing in common.
  void require_apart() {
    const std::vector<ClassPattern>& all = condition_.classes;
    for (std::size_t i = 0; i < all.size(); ++i) {
      for (const MemberPattern& member : all[i].members) {
        if (condition_.factors.contains(member.operation)) {
          fail(fmt::format("'{}' of class '{}' has a factor of its own, "
                           "{}={}, as well",
                           member.to_string(), all[i].name, member.operation,
                           condition_.factors.at(member.operation)),
               "no operation may be in two classes");
        }
        for (std::size_t j = i + 1; j < all.size(); ++j) {
          require_apart(all[i], member, all[j]);
        }
      }
    }
  }

  void require_apart(const ClassPattern& one, const MemberPattern& member,
                     const ClassPattern& two) {
    for (const MemberPattern& other : two.members) {
      if (!member.meets(other)) continue;
      fail(fmt::format("the classes '{}' and '{}' overlap: '{}' and '{}' have "
                       "operations in common",
                       one.name, two.name, member.to_string(),
                       other.to_string()),
           "no operation may be in two classes");
    }
  }

  std::string_view text_;
  Condition condition_;
  bool linearizable_ = false, sequential_ = false, quiescent_ = false;
  bool quasi_ = false, out_of_order_ = false, late_ = false,
       stuttering_ = false, stutters_before_quasi_ = false,
       stutters_between_ = false;
};

}  // namespace

Condition parse_condition(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace plumb::check
