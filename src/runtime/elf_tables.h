// SPDX-License-Identifier: Apache-2.0
// The tables of a loaded object, as its loader was told.
#pragma once

#include <elf.h>
#include <link.h>

#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

struct ElfTables {
  const ElfW(Dyn) * dynamic = nullptr;  // null: there are no tables
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * relocations[2] = {};
  std::size_t bytes[2] = {};

  explicit ElfTables(const dl_phdr_info* info) {
    for (int i = 0; i < info->dlpi_phnum; ++i) {
      if (info->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
      dynamic = reinterpret_cast<const ElfW(Dyn)*>(info->dlpi_addr +
                                                   info->dlpi_phdr[i].p_vaddr);
    }
    each_entry([this](const ElfW(Dyn) & entry) {
      const std::uintptr_t at = entry.d_un.d_ptr;
      switch (entry.d_tag) {
        case DT_SYMTAB:
          symbols = reinterpret_cast<const ElfW(Sym)*>(at);
          break;
        case DT_STRTAB:
          names = reinterpret_cast<const char*>(at);
          break;
        case DT_RELA:
          relocations[0] = reinterpret_cast<const ElfW(Rela)*>(at);
          break;
        case DT_RELASZ:
          bytes[0] = at;
          break;
        case DT_JMPREL:
          relocations[1] = reinterpret_cast<const ElfW(Rela)*>(at);
          break;
        case DT_PLTRELSZ:
          bytes[1] = at;
          break;
        default:
          break;
      }
    });
    if (symbols == nullptr || names == nullptr) dynamic = nullptr;
  }

  // Calls visit(entry, symbol, name) for what the loader filled in.
  template <typename Visit>
  void each_relocation(Visit visit) const {
    if (dynamic == nullptr) return;
    for (int t = 0; t < 2; ++t) {
      const std::size_t count = bytes[t] / sizeof(ElfW(Rela));
      for (std::size_t i = 0; i < count; ++i) {
        const ElfW(Rela)& entry = relocations[t][i];
        const auto& symbol = symbols[ELF64_R_SYM(entry.r_info)];
        visit(entry, symbol, names + symbol.st_name);
      }
    }
  }

  // Calls visit(name) for the libraries that it needs.
  template <typename Visit>
  void each_needed(Visit visit) const {
    each_entry([&](const ElfW(Dyn) & entry) {
      if (entry.d_tag == DT_NEEDED) visit(names + entry.d_un.d_val);
    });
  }

 private:
  template <typename Visit>
  void each_entry(Visit visit) const {
    if (dynamic == nullptr) return;
    for (const auto* entry = dynamic; entry->d_tag != DT_NULL; ++entry) {
      visit(*entry);
    }
  }
};

}  // namespace plumb::runtime
