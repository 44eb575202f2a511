// SPDX-License-Identifier: Apache-2.0
#include "runtime/tls.h"

#include <asm/prctl.h>
#include <cxxabi.h>
#include <pthread.h>
#include <signal.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/single_threaded.h>
#include <sys/syscall.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <mutex>
#include <string_view>

#include "runtime/core.h"
#include "runtime/elf_tables.h"
#include "runtime/libraries.h"
#include "runtime/reals.h"

namespace plumb::runtime {

namespace tls {
constinit Places at_home;
constinit Kept kept[kUsers];
constinit std::uintptr_t bases[kUsers] = {};
constinit std::size_t current = kHome;
constinit std::size_t resident = kHome;
constinit std::uintptr_t common = 0;
constinit std::size_t common_size = 0;
constinit bool can_write_base = false;
}  // namespace tls

namespace {

PLUMB_REAL(pthread_create);

// A shared library, or the executable, whose thread-local data is the test's.
struct Module {
  std::uintptr_t offset = 0;  // its block ends before the base: by so much
  const unsigned char* image = nullptr;
  std::size_t image_size = 0;  // the rest is zero
  std::size_t size = 0;
  unsigned char* first = nullptr;  // the data of thread 0
};

constexpr std::size_t kMostModules = 16;
constinit Module modules[kMostModules];
constinit std::size_t module_count = 0;
constinit std::size_t bytes_of_all = 0;  // of every module, the system's too
constinit bool searched = false;
constinit bool are_needed = false;  // blocks, even without such data
constinit bool blocks_made = false;

constexpr unsigned long kFsgsbase = 2;  // a bit of AT_HWCAP2

constexpr std::size_t kThreadBytes = 4096;  // at least sizeof(struct pthread)

// Blocks lie at the same place in every run of the test.
constexpr std::uintptr_t kBlocks = kRegion - (std::uintptr_t{1} << 32);

long raw_call(long number, long first, long second) {
  long result = number;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(first), "S"(second)
               : "rcx", "r11", "memory");
  return result;
}

std::uintptr_t base_now() {
  std::uintptr_t base;
  asm volatile("mov %%fs:0, %0" : "=r"(base));
  return base;
}

// Does the test's code ask where a thread's data is?  Then fibers must not
// share it: by functions that return a place in there, or by `mov %fs:0`.
bool returns_place(std::string_view name) {
  return name == "__errno_location" || name == "__h_errno_location" ||
         name == "__res_state" || name == "dlerror";
}

bool reads_base(const dl_phdr_info* info) {
  constexpr unsigned char kAddress[] = {0x25, 0, 0, 0, 0};
  constexpr std::ptrdiff_t kBefore = 4;  // fs, rex, mov, its register
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD || !(header.p_flags & PF_X)) continue;
    const auto* const begin = reinterpret_cast<const unsigned char*>(
        info->dlpi_addr + header.p_vaddr);
    const auto* const end = begin + header.p_memsz;
    for (const auto* at = begin;; ++at) {
      at = std::search(at, end, std::begin(kAddress), std::end(kAddress));
      if (at == end) break;
      if (at - begin >= kBefore && at[-4] == 0x64 && (at[-3] & 0xF8) == 0x48 &&
          at[-2] == 0x8B) {
        return true;
      }
    }
  }
  return false;
}

bool asks_for_place(const dl_phdr_info* info) {
  if (!is_tests_own(info)) return false;
  bool is_asked = reads_base(info);
  ElfTables(info).each_relocation(
      [&](const ElfW(Rela) & entry, const ElfW(Sym)&, std::string_view name) {
        is_asked |= ELF64_R_SYM(entry.r_info) != 0 && returns_place(name);
      });
  return is_asked;
}

int look_at(dl_phdr_info* info, std::size_t, void*) {
  are_needed |= asks_for_place(info);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_TLS) continue;
    bytes_of_all += header.p_memsz + header.p_align;
    if (header.p_memsz == 0 || info->dlpi_tls_data == nullptr ||
        !has_data_of_threads(info) || module_count == kMostModules) {
      continue;
    }
    Module& module = modules[module_count++];
    const auto block = reinterpret_cast<std::uintptr_t>(info->dlpi_tls_data);
    module.offset = base_now() - block;
    module.image = reinterpret_cast<const unsigned char*>(info->dlpi_addr +
                                                          header.p_vaddr);
    module.image_size = header.p_filesz;
    module.size = header.p_memsz;
    module.first = static_cast<unsigned char*>(std::malloc(header.p_memsz));
  }
  return 0;
}

// The kernel would write beside thread-local data, which may be protected, each
// time that it lets the thread go on (restartable sequences).
void stop_sequences() {
  if (__rseq_size == 0) return;
  const std::uintptr_t area =
      base_now() + static_cast<std::uintptr_t>(__rseq_offset);
  constexpr long kSize = 32, kUnregister = 1, kSignature = 0x53053053;
  register long signature asm("r10") = kSignature;
  long result = SYS_rseq;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(area), "S"(kSize), "d"(kUnregister), "r"(signature)
               : "rcx", "r11", "memory");
}

// A real thread: says where its block is, and sleeps.
void* sleep_for_ever(void* argument) {
  auto* base = static_cast<std::atomic<std::uintptr_t>*>(argument);
  stop_sequences();
  base->store(base_now());
  for (;;) raw_call(SYS_pause, 0, 0);
}

// Its stack, at whose end the C library puts its block, is ours: one of the C
// library's own would be given to others after a fork().
std::uintptr_t make_block(void* stack, std::size_t size) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, size);
  std::atomic<std::uintptr_t> base = 0;
  pthread_t thread;
  if (real_pthread_create(&thread, &attributes, sleep_for_ever, &base) != 0) {
    std::abort();
  }
  pthread_attr_destroy(&attributes);
  while (base.load() == 0) raw_call(SYS_sched_yield, 0, 0);
  return base.load();
}

void make_blocks() {
  const std::size_t size = ((bytes_of_all + 0xFFFF) & ~0xFFFFul) + (256 << 10);
  const std::size_t all = size * (sched::kMaxThreads - 1);
  void* memory = mmap(
      reinterpret_cast<void*>(kBlocks), all, PROT_READ | PROT_WRITE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (memory == MAP_FAILED) std::abort();
  // Signals are for the thread that runs the executions.
  sigset_t every, before;
  sigfillset(&every);
  pthread_sigmask(SIG_SETMASK, &every, &before);
  auto* stacks = static_cast<unsigned char*>(memory);
  for (std::size_t thread = 1; thread < sched::kMaxThreads; ++thread) {
    tls::bases[thread] = make_block(stacks + (thread - 1) * size, size);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  stop_sequences();
  blocks_made = true;
}

unsigned char* block_of(const Module& module, std::uintptr_t base) {
  return reinterpret_cast<unsigned char*>(base - module.offset);
}

// The same place in another block.
template <typename T>
T& in_block(T* at_home, std::uintptr_t base) {
  const std::uintptr_t offset =
      reinterpret_cast<std::uintptr_t>(at_home) - tls::bases[tls::kHome];
  return *reinterpret_cast<T*>(base + offset);
}

void renew(std::uintptr_t base) {
  for (std::size_t i = 0; i < module_count; ++i) {
    const Module& module = modules[i];
    unsigned char* block = block_of(module, base);
    std::memcpy(block, module.image, module.image_size);
    std::memset(block + module.image_size, 0, module.size - module.image_size);
  }
  in_block(tls::at_home.exceptions, base) = {nullptr, 0};
  in_block(tls::at_home.error, base) = 0;
  in_block(tls::at_home.once_callable, base) = nullptr;
  in_block(tls::at_home.once_call, base) = nullptr;
}

}  // namespace

void tls::write_base_slowly(std::uintptr_t base) {
  raw_call(SYS_arch_prctl, ARCH_SET_FS, static_cast<long>(base));
}

void tls_prepare() {
  // The C++ library asks whether there is but one thread, to do without
  // atomics: as far as the test is concerned, there never is.
  __libc_single_threaded = 0;
  find_libraries();
  tls::can_write_base = getauxval(AT_HWCAP2) & kFsgsbase;
  tls::at_home = {
      reinterpret_cast<tls::Places::Exceptions*>(abi::__cxa_get_globals()),
      &errno, &std::__once_callable, &std::__once_call};
  if (!searched) {
    searched = true;
    dl_iterate_phdr(look_at, nullptr);
  }
  if ((module_count > 0 || are_needed) && !blocks_made) make_blocks();
  const std::uintptr_t home = base_now();
  tls::bases[tls::kHome] = tls::bases[0] = home;
  for (std::size_t thread = 1; thread < sched::kMaxThreads; ++thread) {
    if (!blocks_made) tls::bases[thread] = home;
  }
  // Before the base lie the data of libraries, behind it what the C library
  // knows of the thread.
  tls::common = home - bytes_of_all;
  tls::common_size = blocks_made ? 0 : bytes_of_all + kThreadBytes;
  for (std::size_t i = 0; i < module_count; ++i) {
    const Module& module = modules[i];
    std::memcpy(module.first, block_of(module, home), module.size);
  }
}

void tls_each_block(sched::ThreadId thread,
                    void (*visit)(void*, std::uintptr_t, std::size_t),
                    void* context) {
  for (std::size_t i = 0; i < module_count; ++i) {
    const Module& module = modules[i];
    const std::uintptr_t base = tls::bases[thread == 0 ? tls::kHome : thread];
    visit(context, reinterpret_cast<std::uintptr_t>(block_of(module, base)),
          module.size);
  }
}

tls::Kept tls_kept_of(sched::ThreadId thread) {
  const std::uintptr_t base = tls::bases[thread];
  if (base == tls::bases[tls::kHome] && tls::resident != thread) {
    return tls::kept[thread];
  }
  const tls::Places& at = tls::at_home;
  const tls::Places::Exceptions exceptions = in_block(at.exceptions, base);
  return {exceptions.caught, exceptions.uncaught, in_block(at.error, base),
          in_block(at.once_callable, base), in_block(at.once_call, base)};
}

bool tls_needed() {
  return blocks_made;
}

void tls_start_run(sched::ThreadId thread) {
  if (tls::resident == thread) tls::change_resident(tls::kHome);
  tls::kept[thread] = {};
  if (!blocks_made) return;
  if (tls::bases[thread] != tls::bases[tls::kHome]) {
    renew(tls::bases[thread]);
    return;
  }
  for (std::size_t i = 0; i < module_count; ++i) {
    const Module& module = modules[i];
    std::memcpy(block_of(module, tls::bases[thread]), module.first,
                module.size);
  }
}

}  // namespace plumb::runtime
