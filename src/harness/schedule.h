// SPDX-License-Identifier: Apache-2.0
// One execution of a program, as a text that can be replayed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sched/event.h"
#include "sched/execution_graph.h"
#include "sched/random.h"

namespace plumb::harness {

// What becomes of memory that the test gives back.
enum class Heap : std::uint8_t {
  kLifo,        // what was freed last is given out first
  kFifo,        // ... last
  kQuarantine,  // nothing is given out twice
  kShared,      // what any thread freed last is given out first
};

std::string_view to_string(Heap heap);
std::optional<Heap> parse_heap(std::string_view name);

// "sc", "tso", "rc11".
std::string_view to_string(sched::MemoryModel memory);
std::optional<sched::MemoryModel> parse_memory(std::string_view name);

// A thread does its next event, or makes a choice.
struct Step {
  sched::ThreadId thread = sched::kNoThread;  // of choices: whoever runs
  std::optional<std::uint32_t> choice;

  friend bool operator==(const Step&, const Step&) = default;
};

// The same for schedulers.
std::vector<sched::Recorded::Step> steps_to_do(const std::vector<Step>& steps);

struct Schedule {
  std::uint32_t program = 0;
  Heap heap = Heap::kLifo;
  bool audited = false;  // what nothing announces is among the events
  std::vector<Step> steps;
  // Steps say what is read, too, as sched::GraphReplay has it.
  std::optional<sched::MemoryModel> memory = std::nullopt;

  bool operator==(const Schedule&) const = default;
};

// Longer ones are no schedules of ours: executions are cut off long before.
inline constexpr std::size_t kMostSteps = std::size_t{1} << 24;

// `program:heap:steps`; `1x4` are four events of thread 1, `2c1` is a choice of
// thread 2 that came out as 1 (`c1`: of whoever runs):
//
//   3:lifo:1x4,2x2,1,2c1,2x7
//
// An audited one has `lifo+audit` for its heap, one of the C++ memory model
// `quarantine+rc11`.  There a choice of an access is twice the number of writes
// that come after the one it reads, or after its own, in modification order;
// one more, if it failed for no reason.
std::string to_string(const Schedule& schedule);

// The inverse.  Spaces around it are ignored.  Throws InputError; `source` is
// the name of where the text stands.
Schedule parse_schedule(std::string_view text,
                        const std::string& source = "--replay");

}  // namespace plumb::harness
