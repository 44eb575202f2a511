// SPDX-License-Identifier: Apache-2.0
// What a question means for its executions.
#include <algorithm>

#include "harness/explore.h"

namespace plumb::harness {

runtime::Settings runtime_settings(const Question& question) {
  runtime::Settings settings;
  settings.heap = static_cast<runtime::HeapMode>(question.heap);
  settings.steps = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(question.settings.steps, UINT32_MAX));
  settings.rand_values = question.settings.rand_values;
  settings.find_races = !question.settings.allow_races;
  settings.find_leaks = !question.settings.allow_leaks;
  settings.weak_cas_fails = question.settings.spurious.cas;
  settings.waits_end = question.settings.spurious.wakes;
  return settings;
}

}  // namespace plumb::harness
