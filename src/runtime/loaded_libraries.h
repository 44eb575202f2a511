// SPDX-License-Identifier: Apache-2.0
// Libraries that executions load (dlopen), unloaded after each.
//
// So the next execution finds none, and their data is new when it loads them.
// What the C library has loaded for itself stays.
#pragma once

namespace plumb::runtime {

// Before each execution: these stay.
void remember_loaded_libraries();
// After each execution.  Returns false if one cannot be unloaded.
bool unload_libraries();

}  // namespace plumb::runtime
