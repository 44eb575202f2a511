// SPDX-License-Identifier: Apache-2.0
// Programs with memory orders, run by compiled code.
#pragma once

#include "oracle/memory_models.h"
#include "plumb/test/abi.h"

namespace plumb::search_test {

inline constexpr int kWeakCells = 4;

test::Maker* make_cells();
test::Action* make_weak_thread(const oracle::WeakThread* thread);
test::Action* make_look_at_cells();

// What a thread gives that reads `value`, having read others before.
constexpr std::int64_t tell_also(std::int64_t told, int value) {
  return (told * 37 + value + 2) & 0xFFFFFFFFFFFF;
}

}  // namespace plumb::search_test
