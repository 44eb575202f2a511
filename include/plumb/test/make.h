// SPDX-License-Identifier: Apache-2.0
// Objects, models and calls of a test, as the library takes them (C++17).
#pragma once

#include <functional>
#include <tuple>
#include <type_traits>
#include <utility>

#include "plumb/test/abi.h"
#include "plumb/test/give.h"
#include "plumb/test/out.h"

namespace plumb::test {

template <typename T>
class MakerOf final : public Maker {
 public:
  void* make() const override { return new T(); }
  void destroy(void* object) const override { delete static_cast<T*>(object); }
};

// With a function that makes it: returns a T*, made with `new`.
template <typename T, typename Make>
class MakerBy final : public Maker {
 public:
  explicit MakerBy(Make make) : make_(std::move(make)) {}
  void* make() const override { return static_cast<T*>(make_()); }
  void destroy(void* object) const override { delete static_cast<T*>(object); }

 private:
  Make make_;
};

template <typename T, typename = void>
struct CanBeEqual : std::false_type {};
template <typename T>
struct CanBeEqual<
    T,
    std::enable_if_t<std::is_convertible_v<
        decltype(std::declval<const T&>() == std::declval<const T&>()), bool>>>
    : std::true_type {};

// Of a model.
template <typename T>
class ModelOf final : public Maker {
 public:
  void* make() const override { return new T(); }
  void destroy(void* object) const override { delete static_cast<T*>(object); }
  bool equal(const void* a, const void* b, bool* known) const override {
    *known = CanBeEqual<T>::value;
    if constexpr (CanBeEqual<T>::value) {
      return *static_cast<const T*>(a) == *static_cast<const T*>(b);
    } else {
      return false;
    }
  }
};

template <typename T, typename Function, typename... Arguments>
class ActionOf final : public Action {
 public:
  ActionOf(Function function, Arguments... arguments)
      : function_(std::move(function)), arguments_(std::move(arguments)...) {}

  void run(void* object) const override {
    std::apply(
        [&](const Arguments&... arguments) {
          T& target = *static_cast<T*>(object);
          if constexpr (!std::is_invocable_v<const Function&, T&,
                                             const Arguments&...> &&
                        kWritesResult<Function, T, Arguments...>) {
            Out out;
            out.give_if(call_with(out, target, arguments...));
          } else if constexpr (std::is_void_v<decltype(std::invoke(
                                   function_, target, arguments...))>) {
            std::invoke(function_, target, arguments...);
          } else {
            give(std::invoke(function_, target, arguments...));
          }
        },
        arguments_);
  }

 private:
  bool call_with(Out& out, T& target, const Arguments&... arguments) const {
    if constexpr (kTakesAnyOut<Function, T, Arguments...>) {
      return std::invoke(function_, target, arguments..., out);
    } else {
      return std::invoke(function_, target, arguments..., std::move(out));
    }
  }

  Function function_;
  std::tuple<Arguments...> arguments_;
};

}  // namespace plumb::test
