// SPDX-License-Identifier: Apache-2.0
// Which compare-exchanges are weak, where hooks do not say it (clang's).
//
// The headers that tests are compiled with tell right before it
// (plumb/seen/bits/plumb_exchanges.h).
#pragma once

#include <cstdint>

namespace plumb::runtime {

// Was it told of the compare-exchange at `pc`, which this thread is about to
// do, that it is weak?  Notes those of which nothing was.  Requires: active.
bool is_told_weak(std::uintptr_t pc);

// A weak one failed though it found what it expected: the hook can return only
// that, so those headers ask.
void note_vain_exchange();

}  // namespace plumb::runtime
