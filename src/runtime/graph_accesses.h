// SPDX-License-Identifier: Apache-2.0
// Atomic operations as execution graphs have them: loads, stores, updates.
#pragma once

#include <cstdint>

#include "runtime/core.h"
#include "runtime/execution.h"
#include "runtime/fibers.h"
#include "runtime/graph_memory.h"

namespace plumb::runtime {

template <typename T>
sched::Bytes to_bytes(T value) {
  sched::Bytes bytes;
  bytes.low = static_cast<std::uint64_t>(value);
  if constexpr (sizeof(T) == 16) {
    bytes.high = static_cast<std::uint64_t>(value >> 64);
  }
  return bytes;
}
template <typename T>
T from_bytes(const sched::Bytes& bytes) {
  T value = static_cast<T>(bytes.low);
  if constexpr (sizeof(T) == 16) value |= static_cast<T>(bytes.high) << 64;
  return value;
}

template <typename T>
std::uint64_t graph_key_of(const volatile T* pointer, std::uintptr_t pc) {
  return graph_key(reinterpret_cast<std::uintptr_t>(pointer), sizeof(T), pc);
}

template <typename T>
T load_in_graph(const volatile T* pointer, int order, std::uintptr_t pc) {
  sched::ReadLabel label;
  label.key = graph_key_of(pointer, pc);
  label.order = static_cast<std::uint8_t>(order);
  const OwnWork own;
  const auto none = [](const sched::Bytes& old) { return old; };
  return from_bytes<T>(
      graphs->read(self(), label, to_bytes<T>(*pointer), none).value);
}

template <typename T>
void store_in_graph(volatile T* pointer, T value, int order,
                    std::uintptr_t pc) {
  const std::uint64_t key = graph_key_of(pointer, pc);
  const OwnWork own;
  if (graphs->wrote(self(), key, to_bytes(value), order,
                    to_bytes<T>(*pointer))) {
    *pointer = value;
  }
}

// Returns what was read; `change` gives what an update writes, and `label` has
// all but the location.
template <typename T, typename Change>
T update_in_graph(volatile T* pointer, sched::ReadLabel label,
                  std::uintptr_t pc, sched::GraphScheduler::Read& read,
                  Change change) {
  label.key = graph_key_of(pointer, pc);
  const OwnWork own;
  const auto next = [&](const sched::Bytes& old) {
    return to_bytes(static_cast<T>(change(from_bytes<T>(old))));
  };
  read = graphs->read(self(), label, to_bytes<T>(*pointer), next);
  const T before = from_bytes<T>(read.value);
  if (!read.updates) return before;
  const T after = static_cast<T>(change(before));
  if (graphs->updated(self(), to_bytes(after))) *pointer = after;
  return before;
}

// May the thread's next weak compare-exchange fail for no reason?
inline bool may_fail_in_graph(bool is_weak) {
  if (!is_weak || !settings().weak_cas_fails) return false;
  constexpr auto kCas = static_cast<std::size_t>(Spurious::kCas);
  if (here().spurious[kCas] < kMostSpurious) return true;
  state.spared = true;
  return false;
}

}  // namespace plumb::runtime
