// SPDX-License-Identifier: Apache-2.0
// Hashes of states: of numbers, texts, containers, tuples, and of members.
#pragma once

#if __cplusplus >= 202002L  // the tool compiles specifications so

#include <concepts>
#include <cstddef>
#include <functional>
#include <optional>
#include <tuple>
#include <utility>

namespace plumb::spec {

template <typename T>
std::size_t hash_of(const T& value);

inline std::size_t combined(std::size_t a, std::size_t b) {
  return a ^ (b + 0x9E3779B97F4A7C15u + (a << 6) + (a >> 2));
}

namespace detail {

template <typename T>
concept HasHash = requires(const T& value) {
  { value.hash() } -> std::convertible_to<std::size_t>;
};
template <typename T>
concept HasMembers = requires(const T& value) {
  value.members();
};
template <typename T>
concept HasStandardHash = requires(const T& value) {
  { std::hash<T>()(value) } -> std::convertible_to<std::size_t>;
};
template <typename T>
concept Range = requires(const T& value) {
  value.begin();
  value.end();
};
template <typename T>
concept Tuple = requires {
  std::tuple_size<T>::value;
};

// The order in which an unordered container gives its elements means nothing.
template <typename T>
concept Unordered = Range<T> && requires(const T& value) {
  value.bucket_count();
};

}  // namespace detail

// 0 of what nobody knows how to hash: then all states are compared.
template <typename T>
std::size_t hash_of(const T& value) {
  if constexpr (detail::HasHash<T>) {
    return value.hash();
  } else if constexpr (detail::HasMembers<T>) {
    return hash_of(value.members());
  } else if constexpr (detail::HasStandardHash<T>) {
    return std::hash<T>()(value);
  } else if constexpr (detail::Unordered<T>) {
    std::size_t out = 0;
    for (const auto& each : value) out += hash_of(each);
    return out;
  } else if constexpr (detail::Range<T>) {
    std::size_t out = 0;
    for (const auto& each : value) out = combined(out, hash_of(each));
    return out;
  } else if constexpr (detail::Tuple<T>) {
    return std::apply(
        [](const auto&... each) {
          std::size_t out = 0;
          ((out = combined(out, hash_of(each))), ...);
          return out;
        },
        value);
  } else {
    return 0;
  }
}

}  // namespace plumb::spec

#endif
