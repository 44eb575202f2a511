// SPDX-License-Identifier: Apache-2.0
// Results that a call writes where its caller says: bool try_pop(T&) (C++17).
//
// Such a call is given an Out, which becomes whatever the last parameter
// refers or points to.  What it holds is the result if the call says true.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "plumb/test/abi.h"
#include "plumb/test/give.h"

namespace plumb::test {

// PLUMB_METHOD's: whether it can be called is known without its body.
template <typename Call>
struct Method : Call {
  using Call::operator();
};
template <typename Call>
Method(Call) -> Method<Call>;

class Out;

// A pointer to one of these may as well be a text or an array that is read.
template <typename T>
inline constexpr bool kIsCharacter =
    std::is_same_v<T, char> || std::is_same_v<T, signed char> ||
    std::is_same_v<T, unsigned char>;

template <typename T>
inline constexpr bool kCanBeOut =
    std::is_object_v<T> && !std::is_const_v<T> && !std::is_pointer_v<T> &&
    !std::is_array_v<T> && !std::is_same_v<T, Out> &&
    std::is_default_constructible_v<T>;

// What is pointed to by a parameter that a result can be written to.
template <typename T>
inline constexpr bool kCanBeOutPointer =
    std::is_pointer_v<T>&& kCanBeOut<std::remove_pointer_t<T>> &&
    !kIsCharacter<std::remove_pointer_t<T>>;

class Out {
 public:
  Out() = default;
  ~Out() {
    if (destroy_ != nullptr) destroy_(bytes_);
  }
  Out(const Out&) = delete;

  template <typename T, std::enable_if_t<kCanBeOut<T>, int> = 0>
  operator T&() {
    return *make<T>();
  }
  template <typename T, std::enable_if_t<kCanBeOutPointer<T*>, int> = 0>
  operator T*() {
    return make<T>();
  }
  // For template <typename U> bool try_pop(U& out).
  template <typename T, std::enable_if_t<kCanBeOut<std::decay_t<T>>, int> = 0>
  Out& operator=(T&& value) {
    *make<std::decay_t<T>>() = std::forward<T>(value);
    return *this;
  }

  void give_if(bool is_there) const {
    if (is_there && give_ != nullptr) {
      give_(bytes_);
    } else {
      plumb_give_null();
    }
  }

 private:
  template <typename T>
  T* make() {
    static_assert(
        sizeof(T) <= sizeof(bytes_) && alignof(T) <= alignof(std::max_align_t),
        "plumb: this result is too large to be written by "
        "reference; let a lambda turn it into a smaller one");
    if (destroy_ != nullptr) destroy_(bytes_);
    T* const made = ::new (static_cast<void*>(bytes_)) T();
    // A call that says true and writes nothing must not be right by accident.
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      *made = static_cast<T>(-5'040'719);
    }
    destroy_ = [](void* at) { std::destroy_at(static_cast<T*>(at)); };
    give_ = [](const void* at) { test::give(*static_cast<const T*>(at)); };
    return made;
  }

  alignas(std::max_align_t) unsigned char bytes_[256] = {};
  void (*destroy_)(void*) = nullptr;
  void (*give_)(const void*) = nullptr;
};

// Stands for a value that is only read; for asking what could be called.
struct AnyValue {
  template <typename T, std::enable_if_t<!kCanBeOutPointer<T>, int> = 0>
  operator T() const;
};

template <typename Function, typename... Arguments>
constexpr bool says_true_or_false() {
  if constexpr (std::is_invocable_v<Function, Arguments...>) {
    return std::is_same_v<std::invoke_result_t<Function, Arguments...>, bool>;
  } else {
    return false;
  }
}

// The parameters of a lambda or function behind its first, the object; those
// of a method.  Of what has templates for them, or is overloaded: unknown.
template <typename... Parameters>
struct Parameters_ {
  static constexpr std::size_t kCount = sizeof...(Parameters);
};
struct Unknown {
  static constexpr std::size_t kCount = SIZE_MAX;
};

template <typename Pointer>
struct OfCall {
  using type = Unknown;
};
template <typename Pointer>
struct OfMethod {
  using type = Unknown;
};
#define PLUMB_PARAMETERS(qualifiers)               \
  template <typename C, typename O, typename... P> \
  struct OfCall<bool (C::*)(O, P...) qualifiers> { \
    using type = Parameters_<P...>;                \
  };                                               \
  template <typename C, typename... P>             \
  struct OfMethod<bool (C::*)(P...) qualifiers> {  \
    using type = Parameters_<P...>;                \
  };
PLUMB_PARAMETERS()
PLUMB_PARAMETERS(const)
PLUMB_PARAMETERS(noexcept)
PLUMB_PARAMETERS(const noexcept)
PLUMB_PARAMETERS(&)
PLUMB_PARAMETERS(const&)
PLUMB_PARAMETERS(&noexcept)
PLUMB_PARAMETERS(const& noexcept)
#undef PLUMB_PARAMETERS
template <typename O, typename... P>
struct OfCall<bool (*)(O, P...)> {
  using type = Parameters_<P...>;
};
template <typename O, typename... P>
struct OfCall<bool (*)(O, P...) noexcept> {
  using type = Parameters_<P...>;
};

template <typename F, typename = void>
struct ParametersOf : OfCall<F> {};
template <typename F>
struct ParametersOf<F, std::enable_if_t<std::is_member_pointer_v<F>>>
    : OfMethod<F> {};
template <typename F>
struct ParametersOf<F, std::void_t<decltype(&F::operator())>>
    : OfCall<decltype(&F::operator())> {};

template <typename List>
inline constexpr bool kLastIsOut = false;
template <typename First, typename... Rest>
inline constexpr bool kLastIsOut<Parameters_<First, Rest...>> =
    kLastIsOut<Parameters_<Rest...>>;
template <typename T>
inline constexpr bool kLastIsOut<Parameters_<T&>> = kCanBeOut<T>;
template <typename T>
inline constexpr bool kLastIsOut<Parameters_<T*>> = kCanBeOutPointer<T*>;

// Does `function(target, arguments..., out)` write its result to `out`, and
// say whether it did?  Requires: it cannot be called without `out`.
template <typename Function, typename Target, typename... Arguments>
struct WritesResult {
  using List = typename ParametersOf<Function>::type;
  static constexpr bool kTakesAny = false;
  static constexpr bool value =
      List::kCount == sizeof...(Arguments) + 1 && kLastIsOut<List>;
};
template <typename Call, typename Target, typename... Arguments>
struct WritesResult<Method<Call>, Target, Arguments...> {
  template <typename Last>
  static constexpr bool takes() {
    return says_true_or_false<const Method<Call>&, Target&, const Arguments&...,
                              Last>();
  }
  // `U& out` takes no Out that is about to go, `T& out` does.
  static constexpr bool kTakesAny = !takes<Out>() && takes<Out&>();
  static constexpr bool value =
      !std::is_invocable_v<const Method<Call>&, Target&, const Arguments&...,
                           AnyValue> &&
      (takes<Out>() || takes<Out&>());
};

template <typename Function, typename Target, typename... Arguments>
inline constexpr bool kWritesResult =
    WritesResult<Function, Target, Arguments...>::value;
template <typename Function, typename Target, typename... Arguments>
inline constexpr bool kTakesAnyOut =
    WritesResult<Function, Target, Arguments...>::kTakesAny;

}  // namespace plumb::test
