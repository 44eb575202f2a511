// SPDX-License-Identifier: Apache-2.0
// What the C library keeps between calls, put back after each execution.
//
// getopt()'s place, the table of hsearch(), lists of users, states of
// conversions: two threads that use them at once race, and the next execution
// begins anew.
#pragma once

#include <cstdint>

namespace plumb::runtime {

void put_back_hidden_data();

// gethostbyname() is about to be called at `pc`.
void tell_host(const char* name, std::uintptr_t pc);

}  // namespace plumb::runtime
