// SPDX-License-Identifier: Apache-2.0
#include "runtime/library_calls.h"

#include <dlfcn.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "runtime/audit.h"
#include "runtime/audit_objects.h"
#include "runtime/core.h"
#include "runtime/elf_tables.h"
#include "runtime/globals.h"
#include "runtime/libraries.h"
#include "runtime/library_data.h"
#include "runtime/loops.h"
#include "runtime/touch.h"
#include "runtime/unsafe_functions.h"

// A stub jumps here with its number on the stack, above where to return to.
// Nothing may change but flags: the function is called as if by the test.
extern "C" __attribute__((visibility("hidden"))) void enter_library_call();
// Who goes on from here is trapped first.
extern "C" __attribute__((visibility("hidden"))) void library_gate();
// `saved`: its registers, from r11 on as they were pushed.
extern "C" __attribute__((visibility("hidden"))) std::uintptr_t
visit_library_call(std::size_t number, std::uintptr_t pc,
                   const std::uint64_t* saved);

asm(R"(
  .text
  .p2align 4
  .hidden enter_library_call
  .globl enter_library_call
  .type enter_library_call, @function
enter_library_call:
  pushq %rax
  pushq %rcx
  pushq %rdx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  pushq %r11
  subq $136, %rsp
  movups %xmm0, (%rsp)
  movups %xmm1, 16(%rsp)
  movups %xmm2, 32(%rsp)
  movups %xmm3, 48(%rsp)
  movups %xmm4, 64(%rsp)
  movups %xmm5, 80(%rsp)
  movups %xmm6, 96(%rsp)
  movups %xmm7, 112(%rsp)
  movq 208(%rsp), %rdi
  movq 216(%rsp), %rsi
  leaq 136(%rsp), %rdx
  call visit_library_call
  movq %rax, 208(%rsp)
  movups (%rsp), %xmm0
  movups 16(%rsp), %xmm1
  movups 32(%rsp), %xmm2
  movups 48(%rsp), %xmm3
  movups 64(%rsp), %xmm4
  movups 80(%rsp), %xmm5
  movups 96(%rsp), %xmm6
  movups 112(%rsp), %xmm7
  addq $136, %rsp
  popq %r11
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rdx
  popq %rcx
  popq %rax
  ret
  .size enter_library_call, .-enter_library_call
  .hidden library_gate
  .globl library_gate
library_gate:
  int3
)");

namespace plumb::runtime {

namespace {

struct Function {
  std::uintptr_t at = 0;
  CodeOwner owner = CodeOwner::kPlain;
  // Where no picture shows it; or it reads what nobody tells of.
  bool keeps_state = true;
  bool was_audited = false;
  bool throws = false;          // see throws()
  std::uint8_t unsafe = kSafe;  // which of kUnsafeFunctions
  std::uint8_t object = kSafe;  // ... of kObjectFunctions
  static constexpr std::uint8_t kSafe = 255;
};

// As they are compiled into memory: push $number; jmp *where.
constexpr std::size_t kStubBytes = 24;
constexpr std::size_t kMostStubs = 1 << 14;

struct Stubs {
  std::vector<Function> functions;
  std::map<std::uintptr_t, std::uintptr_t> of;  // where the function's stub is
  std::uint8_t* code = nullptr;
  AddressRange cxx_code;  // of the C++ library
};
Stubs& stubs = *new Stubs;  // until the very end
constinit LibraryCalls calls;
constinit std::uintptr_t behind_gate = 0;
constinit ThreadMask throwing = 0;  // who called what throws last

// Lists of names, and of how names start.
bool has_word(std::string_view list, std::string_view name) {
  std::size_t at = 0;
  while ((at = list.find(name, at)) != list.npos) {
    const std::size_t end = at + name.size();
    if (list[at - 1] == ' ' && list[end] == ' ') return true;
    at = end;
  }
  return false;
}
bool has_start(std::string_view list, std::string_view name) {
  for (std::size_t at = 1; at < list.size();) {
    const std::size_t end = list.find(' ', at);
    if (name.starts_with(list.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

// Functions of libraries that touch nothing but what is their thread's own, and
// tell where that is: nobody need know of their calls.
constexpr std::string_view kNothingTouched =
    " __errno_location __ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc "
    "__assert_fail __assert abort _exit pthread_self pthread_equal getpagesize "
    "getauxval abs labs llabs imaxabs div ldiv lldiv ffs ffsl ffsll htonl "
    "htons "
    "ntohl ntohs __stack_chk_fail __cxa_pure_virtual __cxa_get_globals "
    "_ZSt9terminatev _ZSt18uncaught_exceptionv _ZSt19uncaught_exceptionsv ";

// Functions of libraries that keep nothing for the next call of anybody, but
// for what other stand-ins see: clocks, locks, exceptions, memory that they are
// given; what std::locale and std::ios_base count.
constexpr std::string_view kNothingKept =
    " exit quick_exit longjmp siglongjmp __longjmp_chk _setjmp setjmp "
    "__sigsetjmp sigsetjmp sysconf __gxx_personality_v0 __dynamic_cast "
    "_ZSt17current_exceptionv __once_proxy ";
constexpr std::string_view kNothingKeptStarts =
    " is tow isw tolower toupper pthread_attr_ pthread_mutexattr_ "
    "pthread_condattr_ pthread_rwlockattr_ pthread_barrierattr_ _Unwind_ "
    "__cxa_throw __cxa_rethrow "
    "__cxa_begin __cxa_end __cxa_allocate __cxa_free __cxa_get_exception "
    "__cxa_guard __cxa_bad __cxa_init_primary __cxa_current __cxa_deleted "
    "_ZSt17rethrow_exception _ZNSt6localeC _ZNSt6localeD _ZNSt6localeaS "
    "_ZNKSt6locale _ZNSt8ios_base _ZSt9use_facet _ZSt9has_facet _ZNSt6thread "
    "_ZNSt18condition_variable _ZNSt3_V2 _ZNSt6chrono _ZNSt15__exception_ptr "
    "_ZNSt9exception _ZNKSt9exception _ZNSt11logic_error _ZNSt13runtime_error "
    "_ZNKSt11logic_error _ZNKSt13runtime_error _ZNSt12length_error "
    "_ZNSt12out_of_range _ZNSt12domain_error _ZNSt16invalid_argument "
    "_ZNSt11range_error _ZNSt14overflow_error _ZNSt15underflow_error "
    "_ZNSt12system_error _ZNSt8bad_cast _ZNSt9bad_alloc _ZNSt10bad_typeid "
    "_ZNSt17bad_function_call _ZNSt12future_error _ZSt15system_category "
    "_ZSt15future_category _ZNSt8__detail _ZNKSt8__detail "
    "_ZNSt13__future_base _ZNSt14__shared_count "
    "_ZNSt16_Sp_counted _ZNSt19_Sp_make _ZNKSt9type_info _ZNSt9type_info _ZTv "
    "_ZTh _ZN9__gnu_cxx _ZN10__cxxabiv1 ";

// ... but for these.
constexpr std::string_view kKeptStarts =
    " _ZNSt8ios_base6xalloc _ZNSt8ios_base15sync_with_stdio ";

bool keeps_nothing(std::string_view name) {
  return !has_start(kKeptStarts, name) &&
         (has_word(kNothingKept, name) || has_start(kNothingKeptStarts, name) ||
          name.find("__throw_") != name.npos);
}

// To unwind is to read and write one's own frames, and what compilers keep in
// others: with each such access trapped, a throw takes milliseconds.
bool throws(std::string_view name) {
  constexpr std::string_view kStarts =
      " _Unwind_ __cxa_allocate_exception __cxa_free_exception __cxa_throw "
      "__cxa_rethrow __cxa_begin_catch __cxa_end_catch __gxx_personality "
      "_ZSt17rethrow_exception _ZSt17current_exception "
      "_ZSt18uncaught_exception "
      "_ZSt18uncaught_exception _ZSt19uncaught_exceptions ";
  return has_start(kStarts, name);
}

std::uint8_t unsafe_number(std::string_view name) {
  static_assert(std::size(kUnsafeFunctions) < Function::kSafe);
  for (std::size_t i = 0; i < std::size(kUnsafeFunctions); ++i) {
    if (has_word(kUnsafeFunctions[i], name))
      return static_cast<std::uint8_t>(i);
  }
  return Function::kSafe;
}

std::uint8_t object_number(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kObjectFunctions); ++i) {
    if (has_word(kObjectFunctions[i].names, name))
      return static_cast<std::uint8_t>(i);
  }
  return Function::kSafe;
}

// The same of those that we stand in for: all that they know is in memory, an
// event, or in pictures.
constexpr std::string_view kWhole =
    " malloc calloc realloc reallocarray free posix_memalign valloc pvalloc "
    "malloc_usable_size aligned_alloc bcmp bcopy bzero explicit_bzero index "
    "rindex rawmemchr swab qsort qsort_r snprintf sprintf sscanf vsnprintf "
    "vsprintf vsscanf asprintf vasprintf printf vprintf puts putchar atof atoi "
    "atol atoll pthread_create pthread_join pthread_tryjoin_np "
    "pthread_timedjoin_np pthread_clockjoin_np pthread_detach pthread_exit "
    "pthread_self pthread_getspecific pthread_setspecific tss_get tss_set "
    "call_once sched_yield sleep usleep nanosleep time times gettimeofday "
    "gettid sched_getcpu getcpu rand rand_r random random_r main abort exit "
    "_exit _Exit quick_exit syscall __sigsetjmp longjmp _longjmp siglongjmp ";
constexpr std::string_view kWholeStarts =
    " __tsan __sanitizer_cov Annotate WTFAnnotate RunningOn _Zn _Zd _ZSt "
    "_ZNSt8__detail "
    "_ZNSt15__exception _ZN3tbb _ZNSt13random_device _ZN5plumb _ZNK5plumb _ZT "
    "plumb_ __assert __atomic __chk_fail __cxa_ __explicit __mem __stp __str "
    "__snprintf __sprintf __vs __stack mem wmem wcs wcp str stp scalable_ "
    "pthread_mutex pthread_cond pthread_rwlock pthread_spin pthread_barrier "
    "pthread_once sem_ mtx_ cnd_ thrd_ clock ";

bool is_whole(std::string_view name) {
  return name != "strtok" &&
         (has_word(kWhole, name) || has_start(kWholeStarts, name));
}

std::string_view last_part(const char* path) {
  const char* const slash = std::strrchr(path, '/');
  return slash != nullptr ? slash + 1 : path;
}

// All that libm and libgcc_s do they do to what they are given.
bool is_of_arithmetic(std::uintptr_t at) {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(at), &info) == 0) return false;
  const std::string_view name = last_part(info.dli_fname);
  return name.starts_with("libm.so") || name.starts_with("libgcc_s.so");
}

bool make_room() {
  if (stubs.code != nullptr) return true;
  void* const memory =
      mmap(nullptr, kMostStubs * kStubBytes, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  stubs.code = static_cast<std::uint8_t*>(memory);
  return true;
}

std::uintptr_t make_stub(std::uint32_t number) {
  std::uint8_t* const code = stubs.code + number * kStubBytes;
  constexpr std::uint8_t kPush = 0x68, kJump[] = {0xff, 0x25, 0, 0, 0, 0};
  const auto where = reinterpret_cast<std::uintptr_t>(&enter_library_call);
  code[0] = kPush;
  std::memcpy(code + 1, &number, sizeof(number));
  std::memcpy(code + 5, kJump, sizeof(kJump));
  std::memcpy(code + 11, &where, sizeof(where));
  return reinterpret_cast<std::uintptr_t>(code);
}

// The stub of this function; 0: it needs none, or there is no room.  What has
// no name is virtual: it keeps what it keeps in its object.
std::uintptr_t stub_of(std::uintptr_t at, std::string_view name) {
  const CodeOwner owner = owner_of_code(at);
  const bool is_ours = owner == CodeOwner::kOurs;
  if (is_ours ? is_whole(name)
              : owner != CodeOwner::kPlain && owner != CodeOwner::kSystem) {
    return 0;
  }
  if (!name.empty() && !is_ours && has_word(kNothingTouched, name)) return 0;
  if (name == "__tls_get_addr") return 0;  // all registers are its callers'
  const auto [known, is_new] = stubs.of.try_emplace(at, 0);
  if (!is_new) return known->second;
  const std::size_t number = stubs.functions.size();
  if (number == kMostStubs || !make_room()) return 0;
  Function function{at, owner};
  function.keeps_state = is_ours || (!name.empty() && !keeps_nothing(name) &&
                                     !is_of_arithmetic(at));
  if (!is_ours && !name.empty()) {
    function.unsafe = unsafe_number(name);
    function.throws = throws(name);
    function.object = object_number(name);
  }
  stubs.functions.push_back(function);
  known->second = make_stub(static_cast<std::uint32_t>(number));
  return known->second;
}

// Some slots lie where the loader has forbidden to write.
bool write_slot(std::uintptr_t at, std::uintptr_t value, bool is_closed) {
  constexpr std::uintptr_t kPage = 4096;
  void* const page = reinterpret_cast<void*>(at & ~(kPage - 1));
  if (is_closed && mprotect(page, kPage, PROT_READ | PROT_WRITE) != 0) {
    return false;
  }
  std::memcpy(reinterpret_cast<void*>(at), &value, sizeof(value));
  if (is_closed) mprotect(page, kPage, PROT_READ);
  return true;
}

bool is_function(const ElfW(Sym) & symbol) {
  const auto type = ELF64_ST_TYPE(symbol.st_info);
  return type == STT_FUNC || type == STT_GNU_IFUNC;
}

// A table of virtual functions that the loader copied into the executable.
void take_copy(std::uintptr_t at, std::size_t bytes, bool is_closed) {
  for (const std::uintptr_t end = at + bytes; at + 8 <= end; at += 8) {
    std::uintptr_t now = 0;
    std::memcpy(&now, reinterpret_cast<const void*>(at), sizeof(now));
    if (!stubs.cxx_code.contains(now)) continue;
    const std::uintptr_t stub = stub_of(now, "");
    if (stub != 0) write_slot(at, stub, is_closed);
  }
}

void take_slots(const dl_phdr_info* info, const ElfTables& tables,
                AddressRange closed) {
  tables.each_relocation([&](const ElfW(Rela) & entry, const ElfW(Sym) & symbol,
                             std::string_view name) {
    const auto type = ELF64_R_TYPE(entry.r_info);
    const std::uintptr_t at = info->dlpi_addr + entry.r_offset;
    if (type == R_X86_64_COPY && name.starts_with("_ZTV")) {
      take_copy(at, symbol.st_size, closed.contains(at));
    }
    const bool is_slot = type == R_X86_64_JUMP_SLOT ||
                         type == R_X86_64_GLOB_DAT || type == R_X86_64_64;
    if (!is_slot || entry.r_addend != 0 || !is_function(symbol)) return;
    std::uintptr_t now = 0;
    std::memcpy(&now, reinterpret_cast<const void*>(at), sizeof(now));
    const std::uintptr_t stub = stub_of(now, name);
    if (stub != 0) write_slot(at, stub, closed.contains(at));
  });
}

// Tables of virtual functions lie where the loader has forbidden to write.
void take_tables(const dl_phdr_info* info, const ElfTables& tables,
                 AddressRange closed) {
  const std::size_t count = tables.bytes[0] / sizeof(ElfW(Rela));
  for (std::size_t i = 0; i < count; ++i) {
    const ElfW(Rela)& entry = tables.relocations[0][i];
    const auto type = ELF64_R_TYPE(entry.r_info);
    const std::uintptr_t at = info->dlpi_addr + entry.r_offset;
    if ((type != R_X86_64_64 && type != R_X86_64_RELATIVE) ||
        !closed.contains(at)) {
      continue;
    }
    std::uintptr_t now = 0;
    std::memcpy(&now, reinterpret_cast<const void*>(at), sizeof(now));
    if (!stubs.cxx_code.contains(now)) continue;
    const std::uintptr_t stub = stub_of(now, "");
    if (stub != 0)
      std::memcpy(reinterpret_cast<void*>(at), &stub, sizeof(stub));
  }
}

// Of the C++ library, what it calls for the test without being called.
void take_cxx_library(const dl_phdr_info* info, const ElfTables& tables,
                      AddressRange closed) {
  constexpr std::uintptr_t kPage = 4096;
  const std::uintptr_t begin = closed.begin & ~(kPage - 1);
  const std::uintptr_t end = closed.end & ~(kPage - 1);
  void* const pages = reinterpret_cast<void*>(begin);
  if (mprotect(pages, end - begin, PROT_READ | PROT_WRITE) != 0) return;
  take_tables(info, tables, {begin, end});
  mprotect(pages, end - begin, PROT_READ);
}

// Where things lie in a loaded object.
struct Parts {
  AddressRange closed;  // to be written no more
  AddressRange code;

  explicit Parts(const dl_phdr_info* info) {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      const auto& header = info->dlpi_phdr[i];
      const std::uintptr_t at = info->dlpi_addr + header.p_vaddr;
      if (header.p_type == PT_GNU_RELRO) closed = {at, at + header.p_memsz};
      if (header.p_type == PT_LOAD && (header.p_flags & PF_X)) {
        code = {at, at + header.p_memsz};
      }
    }
  }
};

bool is_cxx_library(const dl_phdr_info* info) {
  return last_part(info->dlpi_name).starts_with("libstdc++.so");
}

int take_object(dl_phdr_info* info, std::size_t, void*) {
  const bool is_cxx = is_cxx_library(info);
  if (!is_tests_own(info) && !is_cxx) return 0;
  const Parts parts(info);
  const ElfTables tables(info);
  if (tables.dynamic == nullptr) return 0;
  if (is_cxx) {
    take_cxx_library(info, tables, parts.closed);
  } else {
    take_slots(info, tables, parts.closed);
  }
  return 0;
}

int find_cxx_code(dl_phdr_info* info, std::size_t, void*) {
  if (is_cxx_library(info)) stubs.cxx_code = Parts(info).code;
  return 0;
}

// Is this a step of throwing an exception, or of catching it?  The C++ library
// asks virtual functions of its own then which handler is meant.
bool is_part_of_throw(const Function& function, std::uintptr_t pc) {
  const ThreadMask me = sched::bit(self());
  if (function.throws) {
    throwing |= me;
  } else if (!stubs.cxx_code.contains(pc)) {
    throwing &= ~me;
  }
  return (throwing & me) != 0;
}

// Where an argument was pushed.
std::uint64_t argument(const std::uint64_t* saved, std::size_t number) {
  constexpr std::size_t kPlaces[] = {4, 5, 6, 7, 3, 2};  // rdi, rsi, ... r9
  return saved[kPlaces[number]];
}

void tell_object(const ObjectFunctions& functions, const std::uint64_t* saved,
                 std::uintptr_t pc) {
  const bool writes =
      functions.writes && (functions.writes_if == ObjectFunctions::kAlways ||
                           argument(saved, functions.writes_if) != 0);
  tell_before(pc, [&](Ranges& to) {
    to.uses_hidden(
        reinterpret_cast<const void*>(argument(saved, functions.object)),
        writes);
  });
}

}  // namespace

void watch_library_calls() {
#if defined(__x86_64__)
  static bool is_done = false;
  if (is_done) return;
  is_done = true;
  dl_iterate_phdr(find_cxx_code, nullptr);
  dl_iterate_phdr(take_object, nullptr);
  if (stubs.code != nullptr) {
    mprotect(stubs.code, kMostStubs * kStubBytes, PROT_READ | PROT_EXEC);
  }
#endif
}

const LibraryCalls& library_calls() {
  return calls;
}

void forget_library_calls() {
  calls = {};
}

bool pass_library_gate(greg_t* registers) {
  const auto gate = reinterpret_cast<std::uintptr_t>(&library_gate);
  if (static_cast<std::uintptr_t>(registers[REG_RIP]) - 1 != gate) return false;
  registers[REG_RIP] = static_cast<greg_t>(behind_gate);
  audit_enter_unhooked();
  return true;
}

void forget_audited_calls() {
  for (Function& function : stubs.functions) function.was_audited = false;
}

}  // namespace plumb::runtime

std::uintptr_t visit_library_call(std::size_t number, std::uintptr_t pc,
                                  const std::uint64_t* saved) {
  using namespace plumb::runtime;
  Function& function = stubs.functions[number];
  if (!active) return function.at;
  if (function.keeps_state) {
    note_blind();
    system_was_called = true;
    globals_are_written_unseen = true;
  }
  if (alone() || function.owner == CodeOwner::kOurs) return function.at;
  if (function.unsafe != Function::kSafe) {
    tell_before(pc, [&](Ranges& to) {
      to.uses_hidden(&kUnsafeFunctions[function.unsafe], true);
    });
  }
  if (function.object != Function::kSafe) {
    tell_object(kObjectFunctions[function.object], saved, pc);
  }
  if (function.owner != CodeOwner::kPlain) {
    calls.other = function.at;
  } else if (audit::on) {
    function.was_audited = true;
  } else if (!function.was_audited) {
    calls.plain = function.at;
  }
  if (!audit::on || is_part_of_throw(function, pc)) return function.at;
  behind_gate = function.at;
  return reinterpret_cast<std::uintptr_t>(&library_gate);
}
