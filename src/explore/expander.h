// SPDX-License-Identifier: Apache-2.0
// Where a search gets expansions from: a log, other threads, or the system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "explore/ahead.h"
#include "explore/expansion.h"
#include "explore/expansion_log.h"
#include "explore/state_store.h"
#include "lts/system.h"

namespace plumb::explore {

struct ExpanderOptions {
  std::size_t threads = 1;
  // One thread expands so many states alone: others must be worth their start.
  std::uint64_t alone = 4096;
  // What was expanded is written there, and read if it is there; null: nowhere.
  ExpansionLog* log = nullptr;
};

// Whatever the source, a search gets the same expansions in the same order.
class Expander {
 public:
  // All must last.
  Expander(const lts::System& system, const ExpanderOptions& options)
      : system_(system),
        options_(options),
        records_(options.log == nullptr ? nullptr
                                        : std::make_unique<ExpansionRecords>(
                                              system, *options.log)) {}

  // Of a state in the store.
  void expand(StateId state, const StateStore& store, Expansion& out) {
    out.state = state;
    if (options_.threads <= 1 && records_ == nullptr) {
      out.find(system_, store[state]);
    } else {
      expand_specially(store, out);
    }
  }
  // When all targets of an expansion are set; the store had `before` states
  // when that began.
  void finish(const Expansion& expansion, std::size_t before,
              const StateStore& store) {
    if (records_ != nullptr) records_->note(expansion, before, store);
  }
  // Then nothing may be expanded before all that was is finished.
  bool is_replaying() {
    return records_ != nullptr && records_->is_replaying();
  }

  // Should this many states that wait to be expanded be handed out, as far as
  // there is room()?  What is due before `now` is not asked for any more.
  bool wants(std::size_t waiting, std::uint64_t now) {
    return options_.threads > 1 && expanded_ > options_.alone &&
           waiting >= few() && !is_replaying() && has_room(now);
  }
  // The following need that it wants() some: see Ahead.
  std::size_t room() const { return ahead_->room(); }
  void hand_out(StateId id, const StateStore& store, std::uint64_t due) {
    ahead_->hand_out(id, store[id], due);
  }
  void begin() { ahead_->begin(); }

 private:
  // Fewer are not worth waking a thread.
  std::size_t few() const { return options_.alone == 0 ? 1 : 64; }
  void expand_specially(const StateStore& store, Expansion& out);
  bool has_room(std::uint64_t now);

  const lts::System& system_;
  const ExpanderOptions options_;
  std::unique_ptr<ExpansionRecords> records_;
  std::unique_ptr<Ahead> ahead_;
  std::uint64_t expanded_ = 0;
};

}  // namespace plumb::explore
