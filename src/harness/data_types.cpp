// SPDX-License-Identifier: Apache-2.0
#include "harness/data_types.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace plumb::harness {

namespace {

std::size_t bytes_of(Dwarf_Die& type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(&type, &size) == 0
             ? static_cast<std::size_t>(size)
             : 0;
}

// Without typedefs and qualifiers.
Dwarf_Die peeled(Dwarf_Die type) {
  Dwarf_Die inner;
  if (dwarf_peel_type(&type, &inner) == 0) type = inner;
  if (dwarf_tag(&type) == DW_TAG_atomic_type) {
    if (const auto below = type_of(type)) return peeled(*below);
  }
  return type;
}

bool is_pointer(int tag) {
  return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type ||
         tag == DW_TAG_rvalue_reference_type;
}

bool is_record(int tag) {
  return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
         tag == DW_TAG_union_type;
}

// Names that only the standard library may use, and the word in boost's
// atomics: whoever reads "head" need not know how an atomic is made.
bool is_hidden(std::string_view name) {
  if (name == "m_storage") return true;
  return name.size() > 1 && name[0] == '_' &&
         (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

std::int64_t signed_of(std::uint64_t bits, std::size_t size) {
  if (size == 0 || size >= 8) return static_cast<std::int64_t>(bits);
  const std::uint64_t sign = std::uint64_t{1} << (size * 8 - 1);
  bits &= (sign << 1) - 1;
  return static_cast<std::int64_t>((bits ^ sign) - sign);
}

std::uint64_t unsigned_of(std::uint64_t bits, std::size_t size) {
  if (size == 0 || size >= 8) return bits;
  return bits & ((std::uint64_t{1} << (size * 8)) - 1);
}

std::optional<std::string> name_in_enumeration(Dwarf_Die& type,
                                               std::uint64_t bits) {
  Dwarf_Die child;
  if (dwarf_child(&type, &child) != 0) return std::nullopt;
  const std::size_t size = bytes_of(type);
  do {
    const auto value = number_of(child, DW_AT_const_value);
    const char* name = dwarf_diename(&child);
    if (value && name && unsigned_of(*value, size) == unsigned_of(bits, size)) {
      return name;
    }
  } while (dwarf_siblingof(&child, &child) == 0);
  return std::nullopt;
}

std::string character(std::uint64_t code) {
  if (code >= 0x20 && code < 0x7f) {
    return fmt::format("'{}'", static_cast<char>(code));
  }
  return fmt::format("{}", code);
}

std::optional<std::string> basic_value(Dwarf_Die& type, std::uint64_t bits) {
  const std::size_t size = bytes_of(type);
  const std::uint64_t plain = unsigned_of(bits, size);
  switch (number_of(type, DW_AT_encoding).value_or(0)) {
    case DW_ATE_boolean:
      return plain == 0 ? "false" : "true";
    case DW_ATE_signed:
      return fmt::format("{}", signed_of(bits, size));
    case DW_ATE_signed_char:
    case DW_ATE_unsigned_char:
    case DW_ATE_UTF:
      return character(plain);
    case DW_ATE_unsigned:
      return plain < std::uint64_t{1} << 32 ? fmt::format("{}", plain)
                                            : fmt::format("{:#x}", plain);
    default:
      return std::nullopt;
  }
}

}  // namespace

std::optional<Dwarf_Die> type_of(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type;
  if (!dwarf_attr_integrate(&die, DW_AT_type, &attribute)) return std::nullopt;
  if (!dwarf_formref_die(&attribute, &type)) return std::nullopt;
  return type;
}

std::optional<std::uint64_t> number_of(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute found;
  if (!dwarf_attr_integrate(&die, attribute, &found)) return std::nullopt;
  Dwarf_Word value = 0;
  if (dwarf_formudata(&found, &value) == 0) return value;
  Dwarf_Sword negative = 0;
  if (dwarf_formsdata(&found, &negative) == 0) {
    return static_cast<std::uint64_t>(negative);
  }
  return std::nullopt;
}

Dwarf_Die declaration_of(Dwarf_Die die) {
  for (const unsigned link : {DW_AT_abstract_origin, DW_AT_specification}) {
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    if (dwarf_attr(&die, link, &attribute) &&
        dwarf_formref_die(&attribute, &next)) {
      die = next;
    }
  }
  return die;
}

TypeId DataTypes::add(Dwarf_Die type) {
  type = peeled(type);
  const auto [entry, is_new] =
      numbers_.try_emplace(type.addr, static_cast<TypeId>(types_.size() + 1));
  if (is_new) types_.push_back(type);
  return entry->second;
}

std::optional<DataTypes::Part> DataTypes::member_of(Dwarf_Die& type,
                                                    std::size_t offset,
                                                    std::size_t size) {
  Dwarf_Die child;
  if (dwarf_child(&type, &child) != 0) return std::nullopt;
  const bool is_union = dwarf_tag(&type) == DW_TAG_union_type;
  do {
    const int tag = dwarf_tag(&child);
    if (tag != DW_TAG_member && tag != DW_TAG_inheritance) continue;
    // Members that are static have no place in the object.
    const auto begin = number_of(child, DW_AT_data_member_location);
    if (!begin && !is_union) continue;
    auto member_type = type_of(child);
    if (!member_type) continue;
    const std::size_t from = begin.value_or(0);
    if (offset < from || offset + size > from + bytes_of(*member_type)) {
      continue;
    }
    const char* name = tag == DW_TAG_member ? dwarf_diename(&child) : nullptr;
    const bool shown = name != nullptr && !is_hidden(name);
    return Part{shown ? fmt::format(".{}", name) : "", from, *member_type};
  } while (dwarf_siblingof(&child, &child) == 0);
  return std::nullopt;
}

// Arrays of several dimensions are shown by one index.
std::optional<DataTypes::Part> DataTypes::element_of(Dwarf_Die& type,
                                                     std::size_t offset,
                                                     std::size_t size) {
  auto element = type_of(type);
  if (!element) return std::nullopt;
  const std::size_t each = bytes_of(*element);
  if (each == 0 || offset % each + size > each) return std::nullopt;
  return Part{fmt::format("[{}]", offset / each), offset / each * each,
              *element};
}

std::optional<DataTypes::Part> DataTypes::part_of(Dwarf_Die& type,
                                                  std::size_t offset,
                                                  std::size_t size) {
  const int tag = dwarf_tag(&type);
  if (is_record(tag)) return member_of(type, offset, size);
  if (tag == DW_TAG_array_type) return element_of(type, offset, size);
  return std::nullopt;
}

Member DataTypes::member_at(TypeId type, std::size_t offset, std::size_t size) {
  Member member{"", offset, type};
  while (member.type != kNoType) {
    Dwarf_Die die = types_[member.type - 1];
    const auto part = part_of(die, member.offset, size);
    if (!part) break;
    member.path += part->name;
    member.offset -= part->offset;
    member.type = add(part->type);
  }
  return member;
}

std::size_t DataTypes::size_of(TypeId type) {
  return type == kNoType ? 0 : bytes_of(types_[type - 1]);
}

TypeId DataTypes::target_of(TypeId type) {
  if (type == kNoType) return kNoType;
  Dwarf_Die die = types_[type - 1];
  if (!is_pointer(dwarf_tag(&die))) return kNoType;
  const auto target = type_of(die);
  return target ? add(*target) : kNoType;
}

std::optional<std::string> DataTypes::value_of(TypeId type,
                                               std::uint64_t bits) {
  if (type == kNoType) return std::nullopt;
  Dwarf_Die die = types_[type - 1];
  const int tag = dwarf_tag(&die);
  if (is_pointer(tag)) {
    return bits == 0 ? std::optional<std::string>("null") : std::nullopt;
  }
  if (tag == DW_TAG_enumeration_type) return name_in_enumeration(die, bits);
  if (tag == DW_TAG_base_type) return basic_value(die, bits);
  return std::nullopt;
}

}  // namespace plumb::harness
