// SPDX-License-Identifier: Apache-2.0
// Types as debug information describes them: members, pointers, values.
#pragma once

#include <elfutils/libdw.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/symbols.h"

namespace plumb::harness {

// The type of a variable, member, ...: DW_AT_type.
std::optional<Dwarf_Die> type_of(Dwarf_Die& die);
// A number that an entry carries, or nothing.
std::optional<std::uint64_t> number_of(Dwarf_Die& die, unsigned attribute);
// What a concrete or defining entry refers to, down to the declaration.
Dwarf_Die declaration_of(Dwarf_Die die);

class DataTypes {
 public:
  TypeId add(Dwarf_Die type);

  Member member_at(TypeId type, std::size_t offset, std::size_t size);
  std::size_t size_of(TypeId type);
  TypeId target_of(TypeId type);
  std::optional<std::string> value_of(TypeId type, std::uint64_t bits);

 private:
  struct Part {
    std::string name;  // "": has none that should be shown
    std::size_t offset = 0;
    Dwarf_Die type;
  };
  std::optional<Part> part_of(Dwarf_Die& type, std::size_t offset,
                              std::size_t size);
  static std::optional<Part> member_of(Dwarf_Die& type, std::size_t offset,
                                       std::size_t size);
  static std::optional<Part> element_of(Dwarf_Die& type, std::size_t offset,
                                        std::size_t size);

  std::vector<Dwarf_Die> types_;           // by number - 1; peeled
  std::map<const void*, TypeId> numbers_;  // by address of the entry
};

}  // namespace plumb::harness
