// SPDX-License-Identifier: Apache-2.0
#include "spec/catalogue.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>
#include <vector>

#include "base/input_error.h"
#include "spec/objects.h"

namespace plumb::spec {
namespace {

constexpr std::string_view kBlocking = "blocking_";

// Columns: name, summary, can it be bounded, can it block.
//
// A set and a map have no bound: their puts already return something else
// than whether there was room, and a bound would tie their parts together.
constexpr Entry kEntries[] = {
    {"queue", "first in, first out", true, true, make_queue},
    {"stack", "last in, first out", true, true, make_stack},
    {"deque", "a queue with two ends", true, true, make_deque},
    {"priority_queue", "the smallest first; v is a number, or [priority, item]",
     true, true, make_priority_queue},
    {"set", "every value is present or absent; judged value by value", false,
     false, make_set},
    {"map", "every key holds a value or null; judged key by key", false, false,
     make_map},
    {"register", "one value, null at first", false, false, make_register},
    {"counter", "a number that starts at 0 and stays at or above it", false,
     false, make_counter},
    {"mutex", "a lock that any process may release; both operations wait",
     false, false, make_mutex},
    {"snzi", "tells whether anybody is there; depart waits at zero", false,
     false, make_snzi},
    {"bag", "a multiset whose take returns any value", true, true, make_bag},
};

// The names of the entries with that property, as "'queue', 'stack'".
std::string names_with(bool Entry::*property) {
  std::string names;
  for (const Entry& entry : kEntries) {
    if (!(entry.*property)) continue;
    if (!names.empty()) names += ", ";
    names += fmt::format("'{}'", entry.name);
  }
  return names;
}

const Entry* find_entry(std::string_view name) {
  for (const Entry& entry : kEntries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

[[noreturn]] void throw_unknown(std::string_view text, std::string_view name) {
  std::vector<std::string> candidates;
  for (const Entry& entry : kEntries) {
    candidates.emplace_back(entry.name);
    if (entry.can_block) {
      candidates.push_back(fmt::format("{}{}", kBlocking, entry.name));
    }
  }
  const std::string meant = nearest(std::string(name), candidates);
  throw InputError(
      fmt::format("unknown specification '{}'", text),
      meant.empty()
          ? "'plumb specs' lists them all"
          : fmt::format("did you mean '{}'? ('plumb specs' lists them all)",
                        meant));
}

// Reads what follows the opening parenthesis of `text`.
std::uint32_t parse_capacity(std::string_view text, std::string_view rest) {
  const std::size_t close = rest.find(')');
  if (close == std::string_view::npos) {
    throw InputError(fmt::format("'{}' has no closing parenthesis", text),
                     "a capacity is written as in 'queue(3)'");
  }
  const std::string_view after = rest.substr(close + 1);
  if (!after.empty()) {
    throw InputError(
        fmt::format("unexpected '{}' after the parenthesis in '{}'", after,
                    text),
        "a capacity is written as in 'queue(3)'");
  }
  const std::string_view digits = rest.substr(0, close);
  const char* const end = digits.data() + digits.size();
  std::uint32_t capacity = 0;
  const auto [stop, error] = std::from_chars(digits.data(), end, capacity);
  if (error != std::errc() || stop != end || capacity == 0) {
    throw InputError(
        fmt::format("the capacity in '{}' is '{}', but it must be a whole "
                    "number from 1 to {}",
                    text, digits, std::numeric_limits<std::uint32_t>::max()));
  }
  return capacity;
}

}  // namespace

std::span<const Entry> catalogue() {
  return kEntries;
}

Named parse_name(std::string_view text) {
  const std::size_t open = text.find('(');
  const std::string_view name = text.substr(0, open);
  Shape shape;
  shape.blocking = name.starts_with(kBlocking);
  const Entry* entry =
      find_entry(shape.blocking ? name.substr(kBlocking.size()) : name);
  if (entry == nullptr) throw_unknown(text, name);
  if (shape.blocking && !entry->can_block) {
    throw InputError(
        fmt::format("'{}' has no blocking variant", entry->name),
        fmt::format("these have one: {}", names_with(&Entry::can_block)));
  }
  if (open != std::string_view::npos) {
    if (!entry->can_be_bounded) {
      throw InputError(
          fmt::format("'{}' cannot have a capacity", entry->name),
          fmt::format("these can: {}", names_with(&Entry::can_be_bounded)));
    }
    shape.capacity = parse_capacity(text, text.substr(open + 1));
  }
  return {entry, shape};
}

SpecificationPtr make(std::string_view text) {
  const Named named = parse_name(text);
  return named.entry->make(named.shape);
}

}  // namespace plumb::spec
