// SPDX-License-Identifier: Apache-2.0
// Weak compare-exchanges with clang, which may fail for no reason.
//
// Its hooks do not tell weak ones from strong ones, and have no way to say that
// one has failed though it found what it expected: what is compiled tells
// before each, and asks after it.  For C++ and C.
#pragma once
#pragma GCC system_header

#if defined(__clang__)

#if defined(__cplusplus)
extern "C" {
void plumb_next_exchange(bool is_weak) noexcept;
bool plumb_exchange_took_place() noexcept;
}
#else
void plumb_next_exchange(_Bool is_weak);
_Bool plumb_exchange_took_place(void);
#endif

#define PLUMB_EXCHANGE_N(object, expected, desired, weak, success, failure) \
  (plumb_next_exchange(weak),                                               \
   __atomic_compare_exchange_n(object, expected, desired, weak, success,    \
                               failure) &&                                  \
       plumb_exchange_took_place())
#define PLUMB_EXCHANGE(object, expected, desired, weak, success, failure) \
  (plumb_next_exchange(weak),                                             \
   __atomic_compare_exchange(object, expected, desired, weak, success,    \
                             failure) &&                                  \
       plumb_exchange_took_place())
#define PLUMB_ANY_EXCHANGE_N(...) __atomic_compare_exchange_n(__VA_ARGS__)
#define PLUMB_ANY_EXCHANGE(...) __atomic_compare_exchange(__VA_ARGS__)
// With another number of arguments, commas of templates were counted.
#define PLUMB_17TH(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, \
                   _14, _15, _16, it, ...)                                 \
  it
#define PLUMB_IF_6(then, other, ...)                                       \
  PLUMB_17TH(__VA_ARGS__, other, other, other, other, other, other, other, \
             other, other, other, then, other, other, other, other, other, )
#define __atomic_compare_exchange_n(...)                          \
  PLUMB_IF_6(PLUMB_EXCHANGE_N, PLUMB_ANY_EXCHANGE_N, __VA_ARGS__) \
  (__VA_ARGS__)
#define __atomic_compare_exchange(...)                        \
  PLUMB_IF_6(PLUMB_EXCHANGE, PLUMB_ANY_EXCHANGE, __VA_ARGS__) \
  (__VA_ARGS__)
#define __c11_atomic_compare_exchange_weak(...)                               \
  (plumb_next_exchange(1), __c11_atomic_compare_exchange_weak(__VA_ARGS__) && \
                               plumb_exchange_took_place())
#define __c11_atomic_compare_exchange_strong(...) \
  (plumb_next_exchange(0), __c11_atomic_compare_exchange_strong(__VA_ARGS__))
#endif
