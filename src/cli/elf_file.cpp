// SPDX-License-Identifier: Apache-2.0
#include "cli/elf_file.h"

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <string_view>

namespace plumb::cli {

namespace {

class Reader {
 public:
  explicit Reader(std::string bytes) : bytes_(std::move(bytes)) {}

  ElfFile read() const {
    ElfFile out;
    const auto header = at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
        header->e_ident[EI_CLASS] != ELFCLASS64) {
      return out;
    }
    for (std::size_t i = 0; i < header->e_shnum; ++i) {
      const auto section = section_at(*header, i);
      if (!section) continue;
      const auto names = section_at(*header, section->sh_link);
      if (!names) continue;
      if (section->sh_type == SHT_SYMTAB) read_symbols(*section, *names, out);
      if (section->sh_type == SHT_DYNAMIC) read_dynamic(*section, *names, out);
    }
    return out;
  }

 private:
  template <typename T>
  std::optional<T> at(std::size_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return {};
    T out;
    std::memcpy(&out, bytes_.data() + offset, sizeof(T));
    return out;
  }
  std::optional<Elf64_Shdr> section_at(const Elf64_Ehdr& header,
                                       std::size_t index) const {
    if (index >= header.e_shnum) return {};
    return at<Elf64_Shdr>(header.e_shoff + index * sizeof(Elf64_Shdr));
  }
  std::string name_at(const Elf64_Shdr& names, std::size_t offset) const {
    if (offset >= names.sh_size || names.sh_offset > bytes_.size() ||
        names.sh_size > bytes_.size() - names.sh_offset) {
      return "";
    }
    const std::string_view table(bytes_.data() + names.sh_offset,
                                 names.sh_size);
    const std::string_view rest = table.substr(offset);
    return std::string(rest.substr(0, rest.find('\0')));
  }
  void read_symbols(const Elf64_Shdr& section, const Elf64_Shdr& names,
                    ElfFile& out) const {
    for (std::size_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto symbol =
          at<Elf64_Sym>(section.sh_offset + i * sizeof(Elf64_Sym));
      if (!symbol) return;
      if (ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) continue;
      auto& set = symbol->st_shndx == SHN_UNDEF ? out.undefined : out.defined;
      set.insert(name_at(names, symbol->st_name));
    }
  }
  void read_dynamic(const Elf64_Shdr& section, const Elf64_Shdr& names,
                    ElfFile& out) const {
    for (std::size_t i = 0; i < section.sh_size / sizeof(Elf64_Dyn); ++i) {
      const auto entry =
          at<Elf64_Dyn>(section.sh_offset + i * sizeof(Elf64_Dyn));
      if (!entry || entry->d_tag == DT_NULL) return;
      if (entry->d_tag != DT_NEEDED) continue;
      out.needed.push_back(name_at(names, entry->d_un.d_val));
    }
  }

  std::string bytes_;
};

}  // namespace

ElfFile read_elf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return Reader(std::string(std::istreambuf_iterator<char>(in), {})).read();
}

}  // namespace plumb::cli
