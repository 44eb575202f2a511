// SPDX-License-Identifier: Apache-2.0
#include "runtime/told_exchanges.h"

#include <utility>

#include "runtime/core.h"
#include "runtime/weak_orders.h"

namespace plumb::runtime {

namespace {

enum class Told : std::uint8_t { kNothing, kStrong, kWeak };

struct Tale {
  Told what = Told::kNothing;
  std::uintptr_t pc = 0;
  bool is_vain = false;
};
constinit Tale tales[sched::kMaxThreads] = {};

// What is worked out in between may lie in another function, with
// compare-exchanges of its own.
constexpr std::uintptr_t kNear = 4096;

}  // namespace

bool is_told_weak(std::uintptr_t pc) {
  Tale& tale = tales[self()];
  const std::uintptr_t distance = pc > tale.pc ? pc - tale.pc : tale.pc - pc;
  Told told = Told::kNothing;
  if (distance <= kNear) told = std::exchange(tale.what, Told::kNothing);
  if (told == Told::kNothing) note_untold_exchange();
  return told == Told::kWeak;
}

void note_vain_exchange() {
  tales[self()].is_vain = true;
}

}  // namespace plumb::runtime

extern "C" bool plumb_exchange_took_place();
extern "C" void plumb_next_exchange(bool is_weak);

void plumb_next_exchange(bool is_weak) {
  using namespace plumb::runtime;
  if (active) {
    tales[self()] = {
        is_weak ? Told::kWeak : Told::kStrong,
        reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)), false};
  }
}

bool plumb_exchange_took_place() {
  using namespace plumb::runtime;
  return !active || !std::exchange(tales[self()].is_vain, false);
}
