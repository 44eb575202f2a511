// SPDX-License-Identifier: Apache-2.0
// Threads that expand states before they are asked for.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

#include "explore/expansion.h"
#include "explore/state_store.h"
#include "lts/system.h"

namespace plumb::explore {

// One thread hands states out and takes their expansions back, in whatever
// order; it works, too, while it would have to wait.  So what it does with them
// is what it would do alone.
class Ahead {
 public:
  // With so many threads besides the caller's, if there can be so many.
  Ahead(const lts::System& system, std::size_t threads);
  ~Ahead();
  Ahead(const Ahead&) = delete;

  // How many more states can be handed out now.
  std::size_t room() const;
  // Copies the state, unless it is handed out already.  Requires: room() > 0.
  // `due` never becomes smaller; see forget_before().
  void hand_out(StateId id, lts::StateView state, std::uint64_t due);
  // Threads may work on what was handed out.
  void begin();
  // Waits for it; rethrows what the system threw.  Returns false if the state
  // was not handed out, or forgotten.
  bool take(StateId id, Expansion& out);
  // Those that were due earlier will not be asked for any more.
  void forget_before(std::uint64_t due);

 private:
  static constexpr std::size_t kSlots = 1024;
  static constexpr std::uint64_t kPortion = 8;  // that a thread takes at once
  // Few systems have states with so many transitions; then threads wait until
  // some of them were taken, and no memory is kept.
  static constexpr std::size_t kManyBytes = std::size_t{1} << 26;
  static constexpr std::size_t kLargeBytes = std::size_t{1} << 16;

  struct Slot {
    StateId id = kNoState;  // kNoState: free
    std::uint64_t due = 0;
    lts::StateBytes state;
    Expansion expansion;
    std::size_t bytes = 0;
    std::exception_ptr error;
    std::atomic<std::uint32_t> is_done = 0;
  };

  Slot& slot(std::uint64_t number) { return slots_[number % kSlots]; }
  void run();
  // Works on at most so many.  Returns false if there was nothing to do.
  bool work(std::uint64_t most);
  void expand(Slot& slot);
  void release(Slot& slot);
  void drop_released();

  const lts::System& system_;
  std::vector<Slot> slots_;
  // Only the caller knows these.
  absl::flat_hash_map<StateId, std::uint64_t> numbers_;
  std::uint64_t first_ = 0, end_ = 0;  // of what is handed out
  // What threads may work on, and what they have begun.
  std::atomic<std::uint64_t> open_end_ = 0, begun_ = 0;
  std::atomic<std::size_t> bytes_ = 0;  // of what was not taken yet
  std::atomic<std::uint32_t> news_ = 0;
  std::atomic<bool> stop_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace plumb::explore
