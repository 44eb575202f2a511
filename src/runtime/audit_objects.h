// SPDX-License-Identifier: Apache-2.0
// Whose code and whose data an address is: the test's, ours, the system's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace plumb::runtime {

enum class CodeOwner : std::uint8_t {
  kTest,    // the executable and the libraries that came with it
  kOurs,    // this library
  kPlain,   // the C and C++ libraries: what they do to others' memory is plain
  kSystem,  // other libraries of the system
  kNobody,  // code that no object that was loaded has
};

struct AddressRange {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;
  bool contains(std::uintptr_t address) const {
    return address - begin < end - begin;
  }
};

// Looks at what is loaded.
void find_objects();

CodeOwner owner_of_code(std::uintptr_t pc);
// This library, from its first byte to its last.
AddressRange own_library();
// Data of the test that can be written, in whole pages.
std::span<const AddressRange> data_of_test();
// Its code, in whole pages.
std::span<const AddressRange> code_of_test();
// Places in that data which loaders and libraries use among themselves: slots
// of functions, variables of libraries that were copied into the executable.
bool is_of_loader(std::uintptr_t address);

// Where the function begins that holds this place in the code.
std::uintptr_t function_of(std::uintptr_t pc);

}  // namespace plumb::runtime
