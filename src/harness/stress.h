// SPDX-License-Identifier: Apache-2.0
// Runs programs with real threads at full speed, and judges what came out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/budget.h"
#include "harness/call_trace.h"
#include "harness/case.h"
#include "harness/judge.h"
#include "runtime/core.h"

namespace plumb::harness {

struct StressPlan {
  const test::Case* test = nullptr;
  const std::vector<Program>* programs = nullptr;
  Judge* judge = nullptr;  // null: of a free-form test
  double seconds = 0;
  std::uint64_t seed = 1;
};

struct StressOutcome {
  std::uint64_t runs = 0;
  std::uint64_t histories = 0;         // distinct
  std::optional<std::size_t> program;  // one that is violated
  CallTrace calls;                     // ... its calls, and their ends
  std::vector<std::uint8_t> ends;
  runtime::Finding finding;  // or how it crashed
  bool hangs = false;        // it had to be stopped
};

// In a process of its own, which may crash or hang.
StressOutcome stress(const StressPlan& plan);

}  // namespace plumb::harness
