// SPDX-License-Identifier: Apache-2.0
// Objects, models and calls of a test, as the library takes them (C++17).
#pragma once

#include <functional>
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

// Each call of a test goes through here, compiled without optimisation: so
// these call what they are given as directly as they can.
template <typename T, typename Body>
class ActionOf final : public Action {
 public:
  explicit ActionOf(Body body) : body_(std::move(body)) {}
  void run(void* object) const override { body_(*static_cast<T*>(object)); }

 private:
  Body body_;
};

// Of what takes its arguments to move or to change them: each call has its own.
template <typename T, typename Function, typename... Arguments>
inline constexpr bool kTakesOwn =
    !std::is_invocable_v<const Function&, T&, const Arguments&...> &&
    (std::is_invocable_v<const Function&, T&, Arguments&&...> ||
     std::is_invocable_v<const Function&, T&, Arguments&...>);

template <typename T, typename Function, typename... Arguments>
void call_with_own(const Function& function, T& target, Arguments... own) {
  const auto call = [&]() -> decltype(auto) {
    if constexpr (std::is_invocable_v<const Function&, T&, Arguments&&...>) {
      return std::invoke(function, target, std::move(own)...);
    } else {
      return std::invoke(function, target, own...);
    }
  };
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
  } else {
    give(call());
  }
}

// Calls the function of an object with these arguments, and gives its result.
template <typename T, typename Function, typename... Arguments>
Action* new_action(Function function, Arguments... arguments) {
  const auto body = [function, arguments...](T& target) {
    if constexpr (!std::is_invocable_v<const Function&, T&,
                                       const Arguments&...> &&
                  kWritesResult<Function, T, Arguments...>) {
      Out out;
      if constexpr (kTakesAnyOut<Function, T, Arguments...>) {
        out.give_if(std::invoke(function, target, arguments..., out));
      } else {
        out.give_if(
            std::invoke(function, target, arguments..., std::move(out)));
      }
    } else if constexpr (kTakesOwn<T, Function, Arguments...>) {
      call_with_own(function, target, arguments...);
    } else if constexpr (std::is_member_pointer_v<Function>) {
      if constexpr (std::is_void_v<decltype(std::invoke(function, target,
                                                        arguments...))>) {
        std::invoke(function, target, arguments...);
      } else {
        give(std::invoke(function, target, arguments...));
      }
    } else if constexpr (std::is_void_v<decltype(function(target,
                                                          arguments...))>) {
      function(target, arguments...);
    } else {
      give(function(target, arguments...));
    }
  };
  return new ActionOf<T, std::remove_const_t<decltype(body)>>(body);
}

}  // namespace plumb::test
