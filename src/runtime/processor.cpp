// SPDX-License-Identifier: Apache-2.0
#include "runtime/processor.h"

#include <link.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

#include "runtime/core.h"
#include "runtime/time.h"
#include "runtime/touch.h"

namespace plumb::runtime {

#if defined(__x86_64__)

namespace {

constinit bool traps = false;

constexpr unsigned char kRdtsc[] = {0x0F, 0x31};
constexpr unsigned char kRdtscp[] = {0x0F, 0x01, 0xF9};

template <std::size_t size>
bool is_at(const unsigned char* code, const unsigned char (&bytes)[size]) {
  return memcmp(code, bytes, size) == 0;
}

// Bytes that look like one may be a part of another: then nothing traps.
int look_for_clocks(dl_phdr_info* info, std::size_t, void* found) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_X)) continue;
    const auto* code =
        reinterpret_cast<const void*>(info->dlpi_addr + header.p_vaddr);
    if (memmem(code, header.p_memsz, kRdtsc, sizeof(kRdtsc)) ||
        memmem(code, header.p_memsz, kRdtscp, sizeof(kRdtscp))) {
      *static_cast<bool*>(found) = true;
    }
  }
  return 1;  // only the executable, which comes first
}

void let_trap(bool on) {
  traps = prctl(PR_SET_TSC, on ? PR_TSC_SIGSEGV : PR_TSC_ENABLE) == 0 && on;
}

std::uint64_t real_value() {
  let_trap(false);
  const std::uint64_t value = __builtin_ia32_rdtsc();
  let_trap(true);
  return value;
}

// Three for each nanosecond, as on a processor of 3 GHz.
std::uint64_t own_value() {
  const timespec now = read_clock();
  return (static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
          static_cast<std::uint64_t>(now.tv_nsec)) *
         3;
}

}  // namespace

void trap_clock_instructions() {
  if (traps) return;
  bool found = false;
  dl_iterate_phdr(look_for_clocks, &found);
  if (found) let_trap(true);
}

void stop_trapping_clock_instructions() {
  if (traps) let_trap(false);
}

bool has_fast_clocks() {
  return !traps;
}

bool emulate_clock_instruction(const siginfo_t& fault, mcontext_t& machine) {
  // The processor tells no address; nor where code itself cannot be read.
  if (!traps || fault.si_code != SI_KERNEL) return false;
  auto* registers = machine.gregs;
  if (registers[REG_RIP] >> 47 != 0) return false;
  const auto* code = reinterpret_cast<const unsigned char*>(registers[REG_RIP]);
  const bool tells_processor = is_at(code, kRdtscp);
  if (!tells_processor && !is_at(code, kRdtsc)) return false;
  const std::uint64_t value = active ? own_value() : real_value();
  registers[REG_RAX] = static_cast<greg_t>(value & 0xFFFFFFFF);
  registers[REG_RDX] = static_cast<greg_t>(value >> 32);
  if (tells_processor) registers[REG_RCX] = 0;
  registers[REG_RIP] += tells_processor ? 3 : 2;
  return true;
}

#else

void trap_clock_instructions() {}
void stop_trapping_clock_instructions() {}
bool has_fast_clocks() {
  return true;
}
bool emulate_clock_instruction(const siginfo_t&, mcontext_t&) {
  return false;
}

#endif

}  // namespace plumb::runtime
