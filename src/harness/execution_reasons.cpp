// SPDX-License-Identifier: Apache-2.0
#include "harness/execution_reasons.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace plumb::harness {

std::string reason_of_circles(LoopCuts::Livelock livelock) {
  if (livelock == LoopCuts::Livelock::kNotShown) {
    return "threads seem to run in circles for ever, but one more round did "
           "not show it";
  }
  return "threads may keep each other running in circles for ever: none of "
         "some random ways to go on came to its end";
}

std::string reason_of_files(const char* how) {
  return fmt::format("{}, which is not put back for the next one", how);
}

std::string reason_of_race(const std::string& unseen) {
  return fmt::format(
      "{}: a data race, unless a library orders it by means that are not seen",
      unseen);
}

runtime::Finding unsupported(const std::string& what, std::uintptr_t pc) {
  runtime::Finding finding;
  finding.fault = runtime::Fault::kUnsupported;
  finding.pc = pc;
  const std::size_t size = std::min(what.size(), sizeof(finding.text) - 1);
  std::copy_n(what.begin(), size, finding.text);
  finding.text[size] = '\0';
  return finding;
}

Budget::Clock::time_point latest_end(Budget::Clock::time_point end) {
  constexpr Budget::Clock::duration kLeast = std::chrono::milliseconds(50);
  constexpr Budget::Clock::duration kMost = std::chrono::milliseconds(300);
  if (end == Budget::Clock::time_point::max()) return end;
  return end + std::clamp(end - Budget::Clock::now(), kLeast, kMost);
}

}  // namespace plumb::harness
