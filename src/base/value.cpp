// SPDX-License-Identifier: Apache-2.0
#include "base/value.h"

#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace plumb {

// A value that does not fit a word.  `number` orders numbers; `digits`, the
// text of a number that a double cannot hold exactly, tells them apart.
struct Value::Pooled {
  Kind kind;
  double number = 0;
  std::string text;
  std::vector<Value> items;

  friend bool operator==(const Pooled& a, const Pooled& b) {
    return a.kind == b.kind && a.number == b.number && a.text == b.text &&
           a.items == b.items;
  }
};

// Sixteen sets behind sixteen locks, so that readers on several cores seldom
// wait for each other.
class ValuePool {
 public:
  using Pooled = Value::Pooled;

  static ValuePool& instance() {
    static auto* pool = new ValuePool;  // outlives every static destructor
    return *pool;
  }

  Value intern(Pooled&& pooled) {
    const std::size_t hash = Hash{}(pooled);
    Shard& shard = shards_[hash % shards_.size()];
    const std::lock_guard lock(shard.mutex);
    const auto found = shard.entries.find(pooled);
    const Pooled* entry =
        found != shard.entries.end()
            ? found->get()
            : shard.entries.insert(std::make_unique<Pooled>(std::move(pooled)))
                  .first->get();
    const auto word = reinterpret_cast<std::uint64_t>(entry);
    assert((word & 3) == 0);
    return Value(word);
  }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(const Pooled& p) const {
      return absl::HashOf(p.kind, p.number, p.text, p.items);
    }
    std::size_t operator()(const std::unique_ptr<Pooled>& p) const {
      return (*this)(*p);
    }
  };
  struct Equal {
    using is_transparent = void;
    static const Pooled& get(const Pooled& p) { return p; }
    static const Pooled& get(const std::unique_ptr<Pooled>& p) { return *p; }
    bool operator()(const auto& a, const auto& b) const {
      return get(a) == get(b);
    }
  };
  struct Shard {
    std::mutex mutex;
    absl::flat_hash_set<std::unique_ptr<Pooled>, Hash, Equal> entries;
  };
  std::array<Shard, 16> shards_;
};

Value Value::real(double number) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (std::abs(number) <= kExact && number == std::trunc(number)) {
    return integer(static_cast<std::int64_t>(number));
  }
  return ValuePool::instance().intern(
      {.kind = Kind::kNumber, .number = number, .text = "", .items = {}});
}

Value Value::wide_integer(std::int64_t number) {
  return big_number(fmt::format("{}", number));
}

Value Value::big_number(std::string_view digits) {
  std::string text(digits);
  const double number = std::strtod(text.c_str(), nullptr);
  return ValuePool::instance().intern({.kind = Kind::kNumber,
                                       .number = number,
                                       .text = std::move(text),
                                       .items = {}});
}

Value Value::text(std::string_view characters) {
  return ValuePool::instance().intern({.kind = Kind::kText,
                                       .number = 0,
                                       .text = std::string(characters),
                                       .items = {}});
}

Value Value::list(std::span<const Value> items) {
  return ValuePool::instance().intern({.kind = Kind::kList,
                                       .number = 0,
                                       .text = "",
                                       .items = {items.begin(), items.end()}});
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
  return pooled().text;
}

std::span<const Value> Value::items() const {
  assert(is_list());
  return pooled().items;
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
  if (p.kind == Kind::kText) return quoted(p.text);
  if (p.kind == Kind::kNumber) {
    return p.text.empty() ? fmt::format("{}", p.number) : p.text;
  }
  std::string out = "[";
  for (std::size_t i = 0; i < p.items.size(); ++i) {
    if (i > 0) out += ", ";
    out += p.items[i].to_string();
  }
  return out + "]";
}

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
      return left.to_string() <=> right.to_string();  // beyond 53 bits
    }
    case Value::Kind::kList: {
      const auto a = left.items(), b = right.items();
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

}  // namespace plumb
