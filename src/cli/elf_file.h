// SPDX-License-Identifier: Apache-2.0
// What an object file or a program defines, and what it needs.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace plumb::cli {

struct ElfFile {
  std::set<std::string> defined;    // global symbols, of object files
  std::set<std::string> undefined;  // ... and those it wants
  std::vector<std::string> needed;  // shared libraries, of programs
};

// Empty if it is no ELF file of 64 bits, or one that is broken.
ElfFile read_elf(const std::string& path);

}  // namespace plumb::cli
