// SPDX-License-Identifier: Apache-2.0
#include "base/value.h"

#include <absl/hash/hash.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>

#include "base/flat_table.h"
#include "base/map_value.h"

namespace plumb {
namespace {

// A kind that map_value.h alone knows.
constexpr auto kMap =
    static_cast<Value::Kind>(static_cast<int>(Value::Kind::kList) + 1);

}  // namespace

// A value that does not fit a word, followed in memory by its characters or
// its items.  `number` orders numbers; the digits of one that a double cannot
// hold exactly, kept as characters, tell it apart from its neighbours.
struct alignas(8) Value::Pooled {
  Kind kind;
  std::uint32_t size;  // in characters or items
  double number;

  static bool has_items(Kind kind) { return kind >= Kind::kList; }
  std::string_view text() const {
    if (has_items(kind)) return {};
    return {reinterpret_cast<const char*>(this + 1), size};
  }
  std::span<const Value> items() const {
    if (!has_items(kind)) return {};
    return {reinterpret_cast<const Value*>(this + 1), size};
  }
};

// Sixteen sets behind sixteen locks, so that readers on several cores seldom
// wait for each other.
class ValuePool {
 public:
  static std::span<const Value> items(Value value) {
    return value.pooled().items();
  }

  // What is to be found or made.
  struct Content {
    Value::Kind kind;
    double number = 0;
    std::string_view characters = {};
    std::span<const Value> list = {};

    std::string_view text() const { return characters; }
    std::span<const Value> items() const { return list; }
  };

  static Value intern(const Content& content) {
    static auto* pool = new ValuePool;  // outlives every static destructor
    Shard& shard = pool->shards_[Hash{}(content) % pool->shards_.size()];
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.entries.find(content);
    const Pooled* entry =
        found != shard.entries.end()
            ? *found
            : *shard.entries.insert(shard.make(content)).first;
    return Value(reinterpret_cast<std::uint64_t>(entry));
  }

 private:
  using Pooled = Value::Pooled;

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const auto& v) const {
      const std::span<const Value> items = v.items();
      const std::string_view words(reinterpret_cast<const char*>(items.data()),
                                   items.size_bytes());
      return absl::HashOf(v.kind, v.number, v.text(), words);
    }
    std::size_t operator()(const Pooled* v) const { return (*this)(*v); }
  };
  struct Equal {
    using is_transparent = void;
    static const Content& get(const Content& c) { return c; }
    static const Pooled& get(const Pooled* p) { return *p; }
    bool operator()(const auto& a, const auto& b) const {
      const auto& x = get(a);
      const auto& y = get(b);
      return x.kind == y.kind && x.number == y.number && x.text() == y.text() &&
             std::ranges::equal(x.items(), y.items());
    }
  };
  struct Shard {
    std::mutex mutex;
    FlatSet<const Pooled*, Hash, Equal> entries;
    std::byte* free = nullptr;  // the rest of a chunk, never given back
    std::size_t left = 0;

    const Pooled* make(const Content& content) {
      const bool is_list = Pooled::has_items(content.kind);
      const std::size_t size =
          is_list ? content.list.size() : content.characters.size();
      const std::size_t bytes = sizeof(Pooled) + (is_list ? size * sizeof(Value)
                                                          : (size + 7) / 8 * 8);
      constexpr std::size_t kChunk = std::size_t{1} << 16;
      if (bytes > left) {
        const std::size_t size_of_chunk = std::max(kChunk, bytes);
        free = static_cast<std::byte*>(::operator new(size_of_chunk));
        left = size_of_chunk;  // not before it is there
      }
      auto* made = new (free) Pooled{
          content.kind, static_cast<std::uint32_t>(size), content.number};
      if (is_list) {
        std::uninitialized_copy(content.list.begin(), content.list.end(),
                                reinterpret_cast<Value*>(made + 1));
      } else if (size > 0) {
        std::memcpy(made + 1, content.characters.data(), size);
      }
      free += bytes;
      left -= bytes;
      return made;
    }
  };
  std::array<Shard, 16> shards_;
};

Value Value::real(double number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::abs(number) <= kExact && number == std::trunc(number)) {
    return integer(static_cast<std::int64_t>(number));
  }
  return ValuePool::intern({.kind = Kind::kNumber, .number = number});
}

Value Value::wide_integer(std::int64_t number) {
  return big_number(fmt::format("{}", number));
}

Value Value::big_number(std::string_view digits) {
  const double number = std::strtod(std::string(digits).c_str(), nullptr);
  return ValuePool::intern(
      {.kind = Kind::kNumber, .number = number, .characters = digits});
}

Value Value::text(std::string_view characters) {
  return ValuePool::intern({.kind = Kind::kText, .characters = characters});
}

Value Value::list(std::span<const Value> items) {
  return ValuePool::intern({.kind = Kind::kList, .list = items});
}

const Value::Pooled& Value::pooled() const {
  assert((word_ & 3) == 0);
  return *reinterpret_cast<const Pooled*>(word_);
}

Value::Kind Value::kind() const {
  if (is_integer()) return Kind::kNumber;
  if (is_null()) return Kind::kNull;
  if (is_boolean()) return Kind::kBoolean;
  return pooled().kind;
}

std::string_view Value::as_text() const {
  assert(is_text());
  return pooled().text();
}

std::span<const Value> Value::items() const {
  assert(is_list());
  return pooled().items();
}

namespace {

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (static_cast<unsigned char>(c) < 0x20) {
          out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
        } else {
          out += c;
        }
    }
  }
  return out + '"';
}

}  // namespace

std::string Value::to_string() const {
  if (is_integer()) return fmt::format("{}", as_integer());
  if (is_null()) return "null";
  if (is_boolean()) return is_true() ? "true" : "false";
  const Pooled& p = pooled();
  if (p.kind == Kind::kText) return quoted(p.text());
  if (p.kind == Kind::kNumber) {
    return p.size == 0 ? fmt::format("{}", p.number) : std::string(p.text());
  }
  const bool is_map = p.kind == kMap;
  if (is_map && p.size % 2 == 1) return "?";  // see spec/initial.h
  std::string out(1, is_map ? '{' : '[');
  for (std::size_t i = 0; i < p.items().size(); ++i) {
    if (i > 0) out += is_map && i % 2 == 1 ? ": " : ", ";
    out += p.items()[i].to_string();
  }
  return out + (is_map ? '}' : ']');
}

namespace {

// -1, 0 or 1.
int sign_of(std::string_view number) {
  const std::string_view digits = number.substr(0, number.find('e'));
  if (digits.find_first_of("123456789") == std::string_view::npos) return 0;
  return number.starts_with('-') ? -1 : 1;
}

// The order of two numbers by their digits, "-12.5", "1.5e-400", where a
// double cannot tell them apart: it has no room for "1e-400" and "-1e-400".
std::strong_ordering compare_digits(std::string_view left,
                                    std::string_view right) {
  struct Digits {
    long exponent = 0;  // of the first digit
    std::string digits;
  };
  const int sign = sign_of(left);
  if (sign != sign_of(right)) return sign <=> sign_of(right);
  const auto digits_of = [](std::string_view text) {
    Digits out;
    if (text.starts_with('-')) text.remove_prefix(1);
    const std::size_t e = std::min(text.find('e'), text.size());
    if (e < text.size()) {
      out.exponent = std::atol(std::string(text.substr(e + 1)).c_str());
    }
    text = text.substr(0, e);
    out.exponent += static_cast<long>(std::min(text.find('.'), text.size()));
    for (const char c : text) {
      if (c != '.') out.digits += c;
    }
    const std::size_t zeros =
        std::min(out.digits.find_first_not_of('0'), out.digits.size());
    out.digits.erase(0, zeros);
    out.exponent -= static_cast<long>(zeros);
    return out;
  };
  Digits a = digits_of(left), b = digits_of(right);
  if (sign < 0) std::swap(a, b);
  if (a.exponent != b.exponent) return a.exponent <=> b.exponent;
  const std::size_t size = std::max(a.digits.size(), b.digits.size());
  a.digits.resize(size, '0');
  b.digits.resize(size, '0');
  return a.digits <=> b.digits;
}

}  // namespace

std::strong_ordering compare(Value left, Value right) {
  if (left == right) return std::strong_ordering::equal;
  if (left.is_integer() && right.is_integer()) {
    return left.as_integer() <=> right.as_integer();
  }
  if (left.kind() != right.kind()) return left.kind() <=> right.kind();
  switch (left.kind()) {
    case Value::Kind::kNull:
      return std::strong_ordering::equal;
    case Value::Kind::kBoolean:
      return left.is_true() <=> right.is_true();
    case Value::Kind::kText:
      return left.as_text() <=> right.as_text();
    case Value::Kind::kNumber: {
      const auto size = [](Value v) {
        return v.is_integer() ? static_cast<double>(v.as_integer())
                              : v.pooled().number;
      };
      const double a = size(left), b = size(right);
      if (a != b) {
        return a < b ? std::strong_ordering::less
                     : std::strong_ordering::greater;
      }
      return compare_digits(left.to_string(), right.to_string());
    }
    default: {
      const auto a = left.pooled().items(), b = right.pooled().items();
      const std::size_t common = std::min(a.size(), b.size());
      for (std::size_t i = 0; i < common; ++i) {
        const auto order = compare(a[i], b[i]);
        if (order != std::strong_ordering::equal) return order;
      }
      return a.size() <=> b.size();
    }
  }
  return std::strong_ordering::equal;
}

Value map_of(std::span<const Value> keys_and_values) {
  return ValuePool::intern({.kind = kMap, .list = keys_and_values});
}

bool is_map(Value value) {
  // A key without a value is none: see spec/initial.h.
  return value.kind() == kMap && ValuePool::items(value).size() % 2 == 0;
}

std::span<const Value> keys_and_values(Value map) {
  assert(is_map(map));
  return ValuePool::items(map);
}

std::optional<std::int64_t> to_integer(Value value) {
  if (value.is_integer()) return value.as_integer();
  if (!value.is_number()) return std::nullopt;
  const std::string digits = value.to_string();
  std::int64_t number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace plumb
