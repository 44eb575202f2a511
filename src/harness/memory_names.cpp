// SPDX-License-Identifier: Apache-2.0
#include "harness/memory_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "runtime/core.h"

namespace plumb::harness {

namespace {

bool is_on_a_stack(std::uintptr_t address) {
  return address >= runtime::kRegion && address < runtime::kHeap;
}

// Memory that nobody wrote has a pattern.
bool is_filled_with(std::uint64_t bits, std::size_t size, unsigned char byte) {
  if (size < 4) return false;
  for (std::size_t i = 0; i < size && i < 8; ++i) {
    if ((bits >> (8 * i) & 0xFF) != byte) return false;
  }
  return true;
}

// Does a block hold several things of this size, one behind the other?
bool is_array(std::size_t block, std::size_t each) {
  return each > 0 && block > each && block % each == 0;
}

std::uint64_t low_bytes(std::uint64_t bits, std::size_t size) {
  return size >= 8 ? bits : bits & ((std::uint64_t{1} << (8 * size)) - 1);
}

}  // namespace

runtime::BlockInfo MemoryNames::block_info(std::uintptr_t address) const {
  return memory_.block_of ? memory_.block_of(address) : runtime::BlockInfo{};
}

MemoryNames::Home MemoryNames::home_in_block(const runtime::BlockInfo& block,
                                             std::uintptr_t address) {
  const auto [entry, is_new] =
      blocks_.try_emplace(block.begin, blocks_.size() + 1);
  Home home{fmt::format("#{}", entry->second), address - block.begin, kNoType,
            false};
  const auto type = types_.find(block.begin);
  if (type == types_.end()) return home;
  home.type = type->second;
  const std::size_t each = symbols_.size_of(home.type);
  if (is_array(block.size, each)) {
    home.name += fmt::format("[{}]", home.offset / each);
    home.offset %= each;
  }
  return home;
}

bool MemoryNames::is_in_object(std::uintptr_t address) const {
  if (memory_.object == 0) return false;
  const std::size_t size = std::max(symbols_.size_of(memory_.object_type),
                                    block_info(memory_.object).size);
  return address - memory_.object < size;
}

MemoryNames::Home MemoryNames::home_of(std::uintptr_t address) {
  if (is_in_object(address)) {
    return {"object", address - memory_.object, memory_.object_type, true};
  }
  const runtime::BlockInfo block = block_info(address);
  if (block.begin != 0) return home_in_block(block, address);
  if (is_on_a_stack(address)) {
    const auto [entry, is_new] =
        locals_.try_emplace(address, locals_.size() + 1);
    return {fmt::format("local{}", entry->second), 0, kNoType, false};
  }
  if (const auto variable = symbols_.variable_at(address)) {
    return {variable->name, address - variable->address, variable->type, false};
  }
  return {};
}

Member MemoryNames::part_of(const Home& home, std::size_t size) {
  Member member = symbols_.member_at(home.type, home.offset, size);
  if (home.type == kNoType) member.offset = home.offset;
  return member;
}

TypeId MemoryNames::type_at(std::uintptr_t address, std::size_t size) {
  const Member member = part_of(home_of(address), size);
  return member.offset == 0 ? member.type : kNoType;
}

std::string MemoryNames::place(std::uintptr_t address, std::size_t size) {
  const Home home = home_of(address);
  if (home.name.empty()) return fmt::format("{:#x}", address);
  const Member member = part_of(home, size);
  const bool is_block = home.name[0] == '#';
  std::string text = home.name + member.path;
  if (home.is_object && member.path.starts_with('.')) {
    text = member.path.substr(1);
  }
  // "#1" is the pointer, "#1+0" what it points to.
  if (member.offset > 0 || (is_block && home.type == kNoType)) {
    text += fmt::format("+{}", member.offset);
  }
  return text;
}

std::string MemoryNames::block(std::uintptr_t address) {
  const runtime::BlockInfo info = block_info(address);
  if (info.begin == 0) return place(address, 1);
  if (is_in_object(address)) return "object";
  const Home home = home_in_block(info, address);
  return home.name.substr(0, home.name.find('['));
}

// Blocks begin at multiples of 16 and lie below 2^48: some data structures
// keep marks in the low bits of a pointer and counters in the high ones.
MemoryNames::Pointer MemoryNames::pointer_in(std::uint64_t bits) const {
  constexpr std::uint64_t kAddress = (std::uint64_t{1} << 48) - 1;
  const std::uint64_t address = bits & kAddress;
  const runtime::BlockInfo block = block_info(address);
  if (block.begin == 0) return {};
  const std::uint64_t offset = address - block.begin;
  const std::uint64_t mark = offset % 8;
  return {address - mark, mark, bits >> 48};
}

std::string MemoryNames::pointer_text(const Pointer& pointer) {
  const runtime::BlockInfo info = block_info(pointer.address);
  std::string text;
  if (info.begin == pointer.address) {
    text = block(pointer.address);
  } else {
    text = "&" + place(pointer.address, 1);
  }
  if (pointer.mark != 0) text += fmt::format("|{}", pointer.mark);
  if (pointer.tag != 0) text += fmt::format(" tag {}", pointer.tag);
  return text;
}

std::string MemoryNames::number_text(std::uint64_t bits,
                                     std::size_t size) const {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 32;
  if (size >= 8) {
    const auto as_signed = static_cast<std::int64_t>(bits);
    if (as_signed < 0 && as_signed >= -1'000) {
      return fmt::format("{}", as_signed);
    }
    return bits < kSmall ? fmt::format("{}", bits) : fmt::format("{:#x}", bits);
  }
  if (size == 4) return fmt::format("{}", static_cast<std::int32_t>(bits));
  return fmt::format("{}", bits);
}

std::string MemoryNames::value(std::uintptr_t address, std::size_t size,
                               std::uint64_t bits) {
  bits = low_bytes(bits, size);
  if (is_filled_with(bits, size, runtime::Heap::kFresh)) return "uninitialised";
  if (is_filled_with(bits, size, runtime::Heap::kDead)) return "freed";
  if (size >= 8) {
    const Pointer pointer = pointer_in(bits);
    if (pointer.address != 0) return pointer_text(pointer);
  }
  // Also where a pointer is kept as a number.
  if (bits == 0 && hold_pointers_.contains(address)) return "null";
  const TypeId type = type_at(address, size);
  if (const auto text = symbols_.value_of(type, bits)) return *text;
  constexpr std::uint64_t kFirstPage = 4096;
  const bool may_point = size >= 8 && bits >= kFirstPage;
  if (may_point && (is_on_a_stack(bits) || symbols_.variable_at(bits))) {
    return "&" + place(bits, 1);
  }
  return number_text(bits, size);
}

// The word at an address, if its type is known; without giving names to what
// may not be shown.
std::optional<Member> MemoryNames::known_part(std::uintptr_t address) {
  const runtime::BlockInfo block = block_info(address);
  if (is_in_object(address) || block.begin == 0) {
    if (is_on_a_stack(address)) return std::nullopt;
    return part_of(home_of(address), 8);
  }
  const auto type = types_.find(block.begin);
  if (type == types_.end()) return std::nullopt;
  const std::size_t each = symbols_.size_of(type->second);
  const std::size_t offset = address - block.begin;
  return symbols_.member_at(
      type->second, is_array(block.size, each) ? offset % each : offset, 8);
}

bool MemoryNames::learn(std::uintptr_t address, std::size_t size,
                        std::uint64_t bits) {
  if (size < 8) return false;
  const Pointer pointer = pointer_in(bits);
  if (pointer.address == 0) return false;
  bool is_new = hold_pointers_.insert(address).second;
  const runtime::BlockInfo block = block_info(pointer.address);
  if (block.begin != pointer.address || block.begin == memory_.object) {
    return is_new;
  }
  const std::optional<Member> part = known_part(address);
  if (!part || part->offset != 0) return is_new;
  const TypeId target = symbols_.target_of(part->type);
  const std::size_t needed = symbols_.size_of(target);
  // Pointers to bytes may point to anything.
  if (needed < 2 || needed > block.size) return is_new;
  return types_.try_emplace(block.begin, target).second || is_new;
}

}  // namespace plumb::harness
