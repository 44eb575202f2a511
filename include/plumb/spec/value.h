// SPDX-License-Identifier: Apache-2.0
// Values of histories: null, booleans, numbers, texts, lists, maps.
#pragma once

#if __cplusplus >= 202002L  // the tool compiles specifications so

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace plumb::spec {

// Operations may take and give this, or what it is made of: integers, bool,
// std::string, std::optional (null), std::vector, std::map.
class Value {
 public:
  // A number that no 64 bits hold, by its digits.
  struct Digits {
    std::string text;
    friend bool operator==(const Digits&, const Digits&) = default;
  };
  using List = std::vector<Value>;
  using Entries = std::vector<std::pair<Value, Value>>;  // of a map
  struct Map {
    Entries entries;
    friend bool operator==(const Map&, const Map&) = default;
  };

  Value() = default;  // null
  Value(std::nullptr_t) {}
  Value(bool value) : content_(value) {}
  Value(const char* text) : content_(std::string(text)) {}
  Value(std::string text) : content_(std::move(text)) {}
  Value(Digits digits) : content_(std::move(digits)) {}
  Value(Map map) : content_(std::move(map)) {}
  template <std::integral Number>
  requires(!std::same_as<Number, bool>) Value(Number number)
      : content_(static_cast<std::int64_t>(number)) {}
  template <typename T>
  Value(const std::optional<T>& value) {
    if (value) *this = Value(*value);
  }
  template <typename T>
  Value(const std::vector<T>& items)
      : content_(List(items.begin(), items.end())) {}
  template <typename K, typename V>
  Value(const std::map<K, V>& map) {
    Map out;
    for (const auto& [key, value] : map) out.entries.emplace_back(key, value);
    content_ = std::move(out);
  }

  bool is_null() const {
    return std::holds_alternative<std::monostate>(content_);
  }
  const bool* boolean() const { return std::get_if<bool>(&content_); }
  const std::int64_t* integer() const {
    return std::get_if<std::int64_t>(&content_);
  }
  const std::string* text() const {
    return std::get_if<std::string>(&content_);
  }
  const Digits* digits() const { return std::get_if<Digits>(&content_); }
  const List* list() const { return std::get_if<List>(&content_); }
  const Map* map() const { return std::get_if<Map>(&content_); }

  // As a type of C++; throws std::invalid_argument if it is none such.
  template <typename T>
  T as() const;

  friend bool operator==(const Value&, const Value&) = default;

 private:
  template <typename T>
  static const T& need(const T* found, const char* what) {
    if (found != nullptr) return *found;
    throw std::invalid_argument(std::string("an argument should be ") + what);
  }
  template <typename T>
  struct Kind {
    static constexpr bool optional = false, vector = false, map = false;
  };

  std::variant<std::monostate, bool, std::int64_t, std::string, Digits, List,
               Map>
      content_;
};

template <typename T>
struct Value::Kind<std::optional<T>> {
  static constexpr bool optional = true, vector = false, map = false;
};
template <typename T>
struct Value::Kind<std::vector<T>> {
  static constexpr bool optional = false, vector = true, map = false;
};
template <typename K, typename V>
struct Value::Kind<std::map<K, V>> {
  static constexpr bool optional = false, vector = false, map = true;
};

template <typename T>
T Value::as() const {
  if constexpr (std::same_as<T, Value>) {
    return *this;
  } else if constexpr (std::same_as<T, bool>) {
    return need(boolean(), "true or false");
  } else if constexpr (std::integral<T>) {
    const std::int64_t number = need(integer(), "an integer");
    if (!std::in_range<T>(number)) {
      throw std::invalid_argument("an argument is too large a number");
    }
    return static_cast<T>(number);
  } else if constexpr (std::same_as<T, std::string>) {
    return need(text(), "a text");
  } else if constexpr (Kind<T>::optional) {
    if (is_null()) return std::nullopt;
    return this->template as<typename T::value_type>();
  } else if constexpr (Kind<T>::vector) {
    T out;
    for (const Value& each : need(list(), "a list")) {
      out.push_back(each.template as<typename T::value_type>());
    }
    return out;
  } else {
    static_assert(Kind<T>::map, "operations take no arguments of this type");
    T out;
    for (const auto& [key, value] : need(map(), "a map").entries) {
      out.emplace(key.template as<typename T::key_type>(),
                  value.template as<typename T::mapped_type>());
    }
    return out;
  }
}

}  // namespace plumb::spec

#endif
