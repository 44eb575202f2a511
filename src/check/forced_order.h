// SPDX-License-Identifier: Apache-2.0
// What must come before what in every order that keeps program order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// Knows more than program order only of queues and registers of which no value
// is put or written twice: there the result of a take or a read tells whose
// value it saw, and that orders others.  Rules are applied until nothing new
// follows (saturation).  What they say holds in every explanation, so a circle
// is a violation; that there is none explains nothing yet, but leaves little
// for a search to try.
class ForcedOrder {
 public:
  ForcedOrder(const history::History& history,
              const spec::Specification& object);

  // Must some operation come before itself?
  bool contradicts_itself() const { return contradiction_; }
  // By process: how many of its operations must be behind us before this one.
  std::span<const std::uint32_t> required(std::uint32_t operation) const {
    return {&clocks_[operation * processes_], processes_};
  }

 private:
  using Index = std::uint32_t;
  static constexpr Index kNone = UINT32_MAX;

  // One value of a queue.
  struct Item {
    Index put = kNone;
    Index take = kNone;
  };
  // What an operation of a register saw and what it wrote.
  struct Access {
    Index operation = kNone;
    Index writer = kNone;  // of the value that it saw; kNone: the first value
    bool reads = false;
    bool writes = false;
  };

  bool before(Index a, Index b) const {
    return position_[a] < clocks_[b * processes_ + process_[a]];
  }
  // `a` must come before `b`.
  void order(Index a, Index b);
  void spread(Index from);
  bool join(Index from, Index to);

  void saturate_queue(const history::History& history);
  bool list_items(const history::History& history);
  void apply_queue_rules();
  void saturate_register(const history::History& history);
  bool list_accesses(const history::History& history);
  void apply_register_rules();

  std::size_t processes_ = 0;
  std::vector<Index> process_, position_;  // by operation
  // By operation and process, as required() gives them.
  std::vector<std::uint32_t> clocks_;
  std::vector<std::vector<Index>> after_;  // what was ordered, by operation
  std::vector<Index> changed_;             // scratch
  std::vector<Item> items_;
  std::vector<Index> empty_takes_;
  bool pending_takes_ = false;
  std::vector<Access> accesses_;
  bool contradiction_ = false;
  bool progress_ = false;
};

}  // namespace plumb::check
