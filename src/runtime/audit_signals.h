// SPDX-License-Identifier: Apache-2.0
// Signals and system calls as the kernel has them, for the audit.
//
// What the C library has in between may itself be looked at.
#pragma once

#include <sys/syscall.h>

#include <cstdint>

namespace plumb::runtime {

struct CallArguments {
  std::uint64_t value[6] = {};
};

inline long kernel(long number, const CallArguments& arguments) {
  const std::uint64_t* const value = arguments.value;
  register std::uint64_t r10 asm("r10") = value[3];
  register std::uint64_t r8 asm("r8") = value[4];
  register std::uint64_t r9 asm("r9") = value[5];
  long result = number;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(value[0]), "S"(value[1]), "d"(value[2]), "r"(r10), "r"(r8),
                 "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

template <typename T>
std::uint64_t bits_of(T* pointer) {
  return reinterpret_cast<std::uint64_t>(pointer);
}

// As the kernel takes it.
struct KernelAction {
  void* handler;
  unsigned long flags;
  void* restorer;
  unsigned long mask;
};

}  // namespace plumb::runtime
