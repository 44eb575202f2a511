// SPDX-License-Identifier: Apache-2.0
#include "runtime/processor.h"

#include <Zydis/Zydis.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

#include "runtime/audit_objects.h"
#include "runtime/audit_signals.h"
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
  const OwnWork own;
  const std::uint64_t how = on ? PR_TSC_SIGSEGV : PR_TSC_ENABLE;
  traps = kernel(SYS_prctl, {{PR_SET_TSC, how}}) == 0 && on;
}

std::uint64_t real_value() {
  let_trap(false);
  const std::uint64_t value = __builtin_ia32_rdtsc();
  let_trap(true);
  return value;
}

// Three for each nanosecond, as on a processor of 3 GHz.
std::uint64_t own_value(const void* pc) {
  const timespec now = read_clock(pc);
  return (static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
          static_cast<std::uint64_t>(now.tv_nsec)) *
         3;
}

// --- random numbers, and the processor's own

constexpr unsigned char kRandom[] = {0x0F, 0xC7};  // then 0xF0 or more
constexpr unsigned char kTrap[] = {0x0F, 0x0B};

constexpr std::size_t kMostPlaces = 256;
constinit unsigned char* places[kMostPlaces] = {};
constinit std::size_t place_count = 0;

// Is it an instruction, not a part of others?  Known by reading its function
// from the beginning.
bool is_random_number(const unsigned char* at) {
  ZydisDecoder decoder;
  ZydisDecoderInit(&decoder, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  const auto pc = reinterpret_cast<std::uintptr_t>(at);
  for (std::uintptr_t now = function_of(pc); now <= pc;) {
    ZydisDecodedInstruction code;
    if (!ZYAN_SUCCESS(ZydisDecoderDecodeInstruction(
            &decoder, nullptr, reinterpret_cast<const void*>(now),
            ZYDIS_MAX_INSTRUCTION_LENGTH, &code))) {
      return false;
    }
    if (pc - now < code.length) {
      return code.mnemonic == ZYDIS_MNEMONIC_RDRAND ||
             code.mnemonic == ZYDIS_MNEMONIC_RDSEED ||
             code.mnemonic == ZYDIS_MNEMONIC_RDPID;
    }
    now += code.length;
  }
  return false;
}

int look_for_random(dl_phdr_info* info, std::size_t, void*) {
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_X)) continue;
    auto* at =
        reinterpret_cast<unsigned char*>(info->dlpi_addr + header.p_vaddr);
    unsigned char* const end = at + header.p_memsz;
    while ((at = static_cast<unsigned char*>(
                memmem(at, static_cast<std::size_t>(end - at), kRandom,
                       sizeof(kRandom)))) != nullptr) {
      if (at + sizeof(kRandom) < end && at[2] >= 0xF0 &&
          place_count < kMostPlaces && is_random_number(at)) {
        places[place_count++] = at;
      }
      ++at;
    }
  }
  return 1;  // only the executable, which comes first
}

void write_at_places(const unsigned char (&bytes)[2]) {
  constexpr std::uintptr_t kPage = 4096;
  for (std::size_t i = 0; i < place_count; ++i) {
    void* const page = reinterpret_cast<void*>(
        reinterpret_cast<std::uintptr_t>(places[i]) & ~(kPage - 1));
    if (mprotect(page, 2 * kPage, PROT_READ | PROT_WRITE | PROT_EXEC) != 0 &&
        mprotect(page, kPage, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) {
      continue;
    }
    memcpy(places[i], bytes, sizeof(bytes));
  }
}

}  // namespace

void replace_random_instructions() {
  static bool has_looked = false;
  if (!has_looked) dl_iterate_phdr(look_for_random, nullptr);
  has_looked = true;
  write_at_places(kTrap);
}

void put_random_instructions_back() {
  write_at_places(kRandom);
}

bool is_random_instruction(std::uintptr_t pc) {
  constexpr std::uintptr_t kPrefixes = 3;
  for (std::size_t i = 0; i < place_count; ++i) {
    if (reinterpret_cast<std::uintptr_t>(places[i]) - pc < kPrefixes) {
      return true;
    }
  }
  return false;
}

// To read a clock is an event, and there are none in handlers of signals: the
// thread goes on here, with where to return to on its stack, below the 128
// bytes that functions may use without saying so.  All registers are kept.
extern "C" {
__attribute__((visibility("hidden"), used)) std::uint64_t plumb_clock_value(
    const void* pc) {
  return own_value(pc);
}
__attribute__((visibility("hidden"))) void plumb_read_clock_here();
}
asm(R"(
  .text
  .hidden plumb_read_clock_here
  .globl plumb_read_clock_here
  .type plumb_read_clock_here, @function
plumb_read_clock_here:
  pushfq
  cld
  push %rcx
  push %rsi
  push %rdi
  push %r8
  push %r9
  push %r10
  push %r11
  push %rbp
  mov 72(%rsp), %rdi
  mov %rsp, %rbp
  sub $4096, %rsp
  and $-64, %rsp
  xor %eax, %eax
  mov %rax, 512(%rsp)
  mov %rax, 520(%rsp)
  mov %rax, 528(%rsp)
  mov %rax, 536(%rsp)
  mov %rax, 544(%rsp)
  mov %rax, 552(%rsp)
  mov %rax, 560(%rsp)
  mov %rax, 568(%rsp)
  mov $0xE7, %eax
  xor %edx, %edx
  xsave64 (%rsp)
  mov %rbp, %rsi
  push %rsi
  push %rsi
  call plumb_clock_value
  pop %rbp
  pop %rbp
  mov %rax, %rsi
  mov $0xE7, %eax
  xor %edx, %edx
  xrstor64 (%rsp)
  mov %rsi, %rdx
  shr $32, %rdx
  mov %esi, %eax
  mov %rbp, %rsp
  pop %rbp
  pop %r11
  pop %r10
  pop %r9
  pop %r8
  pop %rdi
  pop %rsi
  pop %rcx
  popfq
  ret $128
  .size plumb_read_clock_here, . - plumb_read_clock_here
)");

namespace {

// The C library reads clocks for itself, by way of the kernel's own code: that
// works out the time from a real one, and may loop for long over others.
bool is_of_test(greg_t pc) {
  return owner_of_code(static_cast<std::uintptr_t>(pc)) == CodeOwner::kTest;
}

bool can_read_clock_here() {
  return !alone() && __builtin_cpu_supports("avx");
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
  const bool is_ours = active && is_of_test(registers[REG_RIP]);
  const bool tells_processor = is_at(code, kRdtscp);
  if (!tells_processor && !is_at(code, kRdtsc)) return false;
  if (tells_processor) registers[REG_RCX] = 0;
  registers[REG_RIP] += tells_processor ? 3 : 2;
  if (is_ours && can_read_clock_here()) {
    constexpr greg_t kRedZone = 128;
    registers[REG_RSP] -= kRedZone + greg_t{sizeof(greg_t)};
    *reinterpret_cast<greg_t*>(registers[REG_RSP]) = registers[REG_RIP];
    registers[REG_RIP] = reinterpret_cast<greg_t>(&plumb_read_clock_here);
    return true;
  }
  const std::uint64_t value =
      is_ours ? own_value(reinterpret_cast<void*>(registers[REG_RIP]))
              : real_value();
  registers[REG_RAX] = static_cast<greg_t>(value & 0xFFFFFFFF);
  registers[REG_RDX] = static_cast<greg_t>(value >> 32);
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
void replace_random_instructions() {}
void put_random_instructions_back() {}
bool is_random_instruction(std::uintptr_t) {
  return false;
}

#endif

}  // namespace plumb::runtime
