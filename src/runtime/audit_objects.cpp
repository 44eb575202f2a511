// SPDX-License-Identifier: Apache-2.0
#include "runtime/audit_objects.h"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "runtime/early_memory.h"
#include "runtime/libraries.h"

// Of the unwinder: the tables for a place in the code.
extern "C" {
struct dwarf_eh_bases {
  void* text;
  void* data;
  void* function;
};
const void* _Unwind_Find_FDE(void* pc, dwarf_eh_bases* bases);
}

namespace plumb::runtime {

namespace {

constexpr std::uintptr_t kPage = 4096;

struct Object {
  AddressRange all;
  CodeOwner owner = CodeOwner::kNobody;
};

struct Objects {
  std::vector<Object> loaded;
  std::vector<AddressRange> data;
  std::vector<AddressRange> code;
  std::vector<AddressRange> of_loader;  // sorted
  AddressRange ours;
};
// Never destroyed: threads of the test may outlive main().
Objects& objects() {
  static Objects* const found = new Objects;
  return *found;
}

bool is_plain(const char* path) {
  const char* slash = std::strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  constexpr std::array kNames = {"libc.so",     "libstdc++.so", "libgcc_s.so",
                                 "libm.so",     "ld-linux",     "libpthread.so",
                                 "libc++.so",   "libc++abi.so", "librt.so",
                                 "libunwind.so"};
  return std::any_of(kNames.begin(), kNames.end(), [&](const char* known) {
    return std::strncmp(name, known, std::strlen(known)) == 0;
  });
}

// What of a segment can be written once relocations are done.
void add_data(const dl_phdr_info* info, const ElfW(Phdr) & header) {
  AddressRange data;
  data.begin = (info->dlpi_addr + header.p_vaddr) & ~(kPage - 1);
  data.end = (info->dlpi_addr + header.p_vaddr + header.p_memsz + kPage - 1) &
             ~(kPage - 1);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& other = info->dlpi_phdr[i];
    if (other.p_type != PT_GNU_RELRO) continue;
    const std::uintptr_t end =
        (info->dlpi_addr + other.p_vaddr + other.p_memsz) & ~(kPage - 1);
    if (data.contains(info->dlpi_addr + other.p_vaddr) && end > data.begin) {
      data.begin = end;
    }
  }
  if (data.begin < data.end) objects().data.push_back(data);
}

// Relocations say which words are the loader's.
void add_relocations(const dl_phdr_info* info, const ElfW(Dyn) * dynamic) {
  const ElfW(Sym)* symbols = nullptr;
  std::uintptr_t table[2] = {};
  std::size_t bytes[2] = {};
  for (; dynamic->d_tag != DT_NULL; ++dynamic) {
    switch (dynamic->d_tag) {
      case DT_SYMTAB:
        symbols = reinterpret_cast<const ElfW(Sym)*>(dynamic->d_un.d_ptr);
        break;
      case DT_RELA:
        table[0] = dynamic->d_un.d_ptr;
        break;
      case DT_RELASZ:
        bytes[0] = dynamic->d_un.d_val;
        break;
      case DT_JMPREL:
        table[1] = dynamic->d_un.d_ptr;
        break;
      case DT_PLTRELSZ:
        bytes[1] = dynamic->d_un.d_val;
        break;
      default:
        break;
    }
  }
  for (int t = 0; t < 2; ++t) {
    const auto* entries = reinterpret_cast<const ElfW(Rela)*>(table[t]);
    for (std::size_t i = 0; i < bytes[t] / sizeof(ElfW(Rela)); ++i) {
      const auto type = ELF64_R_TYPE(entries[i].r_info);
      std::size_t size = 0;
      if (type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) size = 8;
      if (type == R_X86_64_COPY && symbols != nullptr) {
        size = symbols[ELF64_R_SYM(entries[i].r_info)].st_size;
      }
      const std::uintptr_t at = info->dlpi_addr + entries[i].r_offset;
      if (size != 0) objects().of_loader.push_back({at, at + size});
    }
  }
}

int add_object(dl_phdr_info* info, std::size_t, void*) {
  Object object;
  object.all = {UINTPTR_MAX, 0};
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t at = info->dlpi_addr + header.p_vaddr;
    object.all.begin = std::min<std::uintptr_t>(object.all.begin, at);
    object.all.end =
        std::max<std::uintptr_t>(object.all.end, at + header.p_memsz);
  }
  if (object.all.begin >= object.all.end) return 0;
  if (object.all.contains(reinterpret_cast<std::uintptr_t>(&add_object))) {
    object.owner = CodeOwner::kOurs;
    objects().ours = object.all;
  } else if (is_tests_own(info)) {
    object.owner = CodeOwner::kTest;
  } else {
    object.owner =
        is_plain(info->dlpi_name) ? CodeOwner::kPlain : CodeOwner::kSystem;
  }
  objects().loaded.push_back(object);
  if (object.owner != CodeOwner::kTest) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD && (header.p_flags & PF_W)) {
      add_data(info, header);
    }
    if (header.p_type == PT_LOAD && (header.p_flags & PF_X)) {
      const std::uintptr_t at = info->dlpi_addr + header.p_vaddr;
      objects().code.push_back(
          {at & ~(kPage - 1),
           (at + header.p_memsz + kPage - 1) & ~(kPage - 1)});
    }
    if (header.p_type == PT_DYNAMIC) {
      add_relocations(info, reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr +
                                                               header.p_vaddr));
    }
  }
  return 0;
}

}  // namespace

void find_objects() {
  objects() = Objects{};
  dl_iterate_phdr(add_object, nullptr);
  if (early_bytes() != 0) {
    objects().data.push_back(
        {early::begin,
         (early::begin + early_bytes() + kPage - 1) & ~(kPage - 1)});
  }
  auto& of_loader = objects().of_loader;
  std::sort(of_loader.begin(), of_loader.end(),
            [](const auto& a, const auto& b) { return a.begin < b.begin; });
}

CodeOwner owner_of_code(std::uintptr_t pc) {
  for (const Object& object : objects().loaded) {
    if (object.all.contains(pc)) return object.owner;
  }
  return CodeOwner::kNobody;
}

AddressRange own_library() {
  return objects().ours;
}

std::span<const AddressRange> data_of_test() {
  return objects().data;
}

std::span<const AddressRange> code_of_test() {
  return objects().code;
}

bool is_of_loader(std::uintptr_t address) {
  const auto& all = objects().of_loader;
  auto after = std::upper_bound(
      all.begin(), all.end(), address,
      [](std::uintptr_t at, const auto& range) { return at < range.begin; });
  return after != all.begin() && (--after)->contains(address);
}

std::uintptr_t function_of(std::uintptr_t pc) {
  struct Known {
    std::uintptr_t pc = 0;
    std::uintptr_t function = 0;
  };
  static std::array<Known, 1024> known;
  Known& entry = known[(pc ^ pc >> 10) % known.size()];
  if (entry.pc != pc) {
    dwarf_eh_bases bases = {};
    const bool found =
        _Unwind_Find_FDE(reinterpret_cast<void*>(pc), &bases) != nullptr;
    entry = {pc, found ? reinterpret_cast<std::uintptr_t>(bases.function) : pc};
  }
  return entry.function;
}

}  // namespace plumb::runtime
