// SPDX-License-Identifier: Apache-2.0
// ConcurrencyKit's headers, with its portable primitives, as C++.
//
// On x86 its primitives are assembly, which nobody sees.  The portable ones are
// the compiler's, but for a swap and a compare-and-swap of two words, which
// follow here.  It loads and stores pointers by plain accesses, as C had to
// before it had atomics: they become atomic ones.  A pointer is loaded before
// what it points to, as on all machines but the Alpha: "consume".  And it is
// told that the machine orders little else, so that all its fences are there.
//
// Its headers are C: a pointer to void becomes any other without a word, and
// false is a null pointer.
#pragma once

#include <ck_md.h>
#include <cstddef>
#undef CK_MD_TSO
#define CK_MD_RMO
#define CK_USE_CC_BUILTINS 1
#include <ck_pr.h>

template <typename T>
T* ck_swap(T** target, T* value) {
  return __atomic_exchange_n(target, value, __ATOMIC_SEQ_CST);
}
template <typename T>
T* ck_swap(T** target, std::nullptr_t) {
  return ck_swap(target, static_cast<T*>(nullptr));
}
#define ck_pr_fas_ptr(target, value) ck_swap((target), (value))

inline bool ck_pr_cas_ptr_2_value(void* target, void* compare, void* set,
                                  void* seen) {
  using Pair = unsigned __int128;
  Pair expected, desired;
  __builtin_memcpy(&expected, compare, sizeof(Pair));
  __builtin_memcpy(&desired, set, sizeof(Pair));
  const bool done = __atomic_compare_exchange_n(
      static_cast<Pair*>(target), &expected, desired, false, __ATOMIC_SEQ_CST,
      __ATOMIC_SEQ_CST);
  __builtin_memcpy(seen, &expected, sizeof(Pair));
  return done;
}
inline bool ck_pr_cas_ptr_2(void* target, void* compare, void* set) {
  alignas(16) char seen[16];
  return ck_pr_cas_ptr_2_value(target, compare, set, seen);
}
#define CK_F_PR_CAS_PTR_2
#define CK_F_PR_CAS_PTR_2_VALUE

#undef ck_pr_load_ptr
#define ck_pr_load_ptr(source) __atomic_load_n((source), __ATOMIC_CONSUME)
#undef ck_pr_store_ptr
#define ck_pr_store_ptr(target, value) \
  __atomic_store_n((target), (value), __ATOMIC_RELAXED)

#define false 0
#include <ck_fifo.h>
#include <ck_ring.h>
#include <ck_stack.h>
#undef false
