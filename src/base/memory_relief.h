// SPDX-License-Identifier: Apache-2.0
// Gives memory back to the system before a limit on it ends a run.
#pragma once

namespace plumb {

// Budgets call it when memory is short, from any thread; null: nobody can.
void set_memory_relief(void (*relief)());

}  // namespace plumb
