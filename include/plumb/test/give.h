// SPDX-License-Identifier: Apache-2.0
// Tells the library a C++ value: a result, or an argument (C++17).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include "plumb/test/abi.h"

namespace plumb::test {

template <typename T, typename = void>
struct IsRange : std::false_type {};
template <typename T>
struct IsRange<T, std::void_t<decltype(std::declval<const T&>().begin() !=
                                       std::declval<const T&>().end())>>
    : std::true_type {};

template <typename T>
struct Giver {
  static void give(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      plumb_give_boolean(value);
    } else if constexpr (std::is_integral_v<T> || std::is_enum_v<T>) {
      plumb_give_integer(static_cast<std::int64_t>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      plumb_give_real(static_cast<double>(value));
    } else if constexpr (std::is_convertible_v<const T&, std::string_view>) {
      const std::string_view text = value;
      plumb_give_text(text.data(), text.size());
    } else if constexpr (IsRange<T>::value) {
      plumb_open_list();
      for (const auto& item : value) {
        Giver<std::decay_t<decltype(item)>>::give(item);
      }
      plumb_close_list();
    } else {
      static_assert(!sizeof(T*),
                    "plumb: an operation's arguments and result are numbers, "
                    "booleans, texts, optionals, pairs, tuples or containers "
                    "of these; let a lambda turn yours into one of them");
    }
  }
};
template <>
struct Giver<std::nullptr_t> {
  static void give(std::nullptr_t) { plumb_give_null(); }
};
template <>
struct Giver<std::nullopt_t> {
  static void give(std::nullopt_t) { plumb_give_null(); }
};
template <>
struct Giver<std::monostate> {
  static void give(std::monostate) { plumb_give_null(); }
};
template <typename T>
struct Giver<std::optional<T>> {
  static void give(const std::optional<T>& value) {
    if (value.has_value()) {
      Giver<T>::give(*value);
    } else {
      plumb_give_null();
    }
  }
};
template <typename... T>
struct Giver<std::tuple<T...>> {
  static void give(const std::tuple<T...>& value) {
    plumb_open_list();
    std::apply([](const auto&... item) { (give_one(item), ...); }, value);
    plumb_close_list();
  }
  template <typename Item>
  static void give_one(const Item& item) {
    Giver<Item>::give(item);
  }
};
template <typename A, typename B>
struct Giver<std::pair<A, B>> {
  static void give(const std::pair<A, B>& value) {
    plumb_open_list();
    Giver<A>::give(value.first);
    Giver<B>::give(value.second);
    plumb_close_list();
  }
};

template <typename T>
void give(const T& value) {
  Giver<std::decay_t<T>>::give(value);
}

// Specifications know numbers from -2^63 to 2^63 - 1.
template <typename T>
constexpr bool fits(const T& value) {
  constexpr bool kIsLarge =
      std::is_integral_v<T> && sizeof(T) >= sizeof(std::int64_t);
  if constexpr (kIsLarge && std::is_unsigned_v<T>) {
    return value <= static_cast<T>(INT64_MAX);
  } else if constexpr (kIsLarge) {
    return static_cast<T>(static_cast<std::int64_t>(value)) == value;
  } else {
    return true;
  }
}

// One argument is given as it is, several as a list, as specifications have
// them: `cas(1, 2)` takes [1, 2].
template <typename... T>
void give_arguments(const T&... values) {
  if (!(fits(values) && ...)) plumb_refuse_argument();
  if constexpr (sizeof...(T) == 1) {
    (give(values), ...);
  } else if constexpr (sizeof...(T) > 1) {
    plumb_open_list();
    (give(values), ...);
    plumb_close_list();
  }
}

}  // namespace plumb::test
