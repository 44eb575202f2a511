// SPDX-License-Identifier: Apache-2.0
// Judges the stream of a queue by the end of its history that still matters.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "base/budget.h"
#include "base/flat_table.h"
#include "check/verdict.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// A long queue has too many states for a Monitor: every order of concurrent
// puts is one.  Its special decider needs none of them, but a history.  So some
// of it is kept, judged again and again, and forgotten where nothing that
// follows can depend on it (queue_window.cpp says why): what is inside, and
// what overlaps.
class QueueWindow {
 public:
  using Handle = std::uint32_t;

  // Requires: `queue` is the built-in one; it and `budget` outlive the window.
  QueueWindow(const spec::Specification& queue, Budget& budget)
      : queue_(queue), budget_(budget) {}

  Handle invoked(const history::Operation& operation);
  // Each ends what invoked() gave the handle for.
  void returned(Handle handle, const history::Operation& operation);
  void failed(Handle handle, const history::Operation& operation);
  void gave_up(Handle handle);

  // Is there enough that is new to be worth a judgement?
  bool is_due() const {
    return unjudged_ >= 4096 && unjudged_ >= events_.size() / 2;
  }
  // Judges all that was seen.
  void judge();

  Answer answer() const { return answer_; }
  const std::string& reason() const { return reason_; }  // of kUnknown
  // Of kViolated: the operation whose end nothing explains.
  const history::Operation& last() const { return last_; }
  std::size_t size() const { return operations_.size(); }

 private:
  enum class End : std::uint8_t { kOpen, kReturned, kFailed, kGivenUp };
  struct Kept {
    history::Operation operation;
    Handle handle = 0;
    End end = End::kOpen;
    std::uint32_t invoked = 0, ended = 0;  // places in events_
  };
  struct Event {
    std::uint32_t operation;  // in operations_
    bool begins;
  };

  static constexpr auto kNone = std::numeric_limits<std::uint32_t>::max();
  struct Item {
    std::uint32_t put = kNone, take = kNone;  // in operations_
    bool repeated = false;                    // put or taken twice
  };
  struct Contents {
    FlatMap<Value, Item> items;
    // Places in events_: the first invocation of what is in flight; of what is
    // inside, the first beginning and the first end of a put.
    std::uint32_t in_flight_since = kNone;
    std::uint32_t first_begun = kNone, first_put = kNone;
    bool lost_take = false;  // one was given up
  };

  bool takes(const Kept& kept) const {
    return queue_.operations()[kept.operation.code].takes;
  }
  Kept& end(Handle handle, End how);
  history::History history_of(std::size_t events) const;
  void blame(std::size_t judged);
  Contents contents() const;
  void forget();
  void drop(const std::vector<bool>& goes);

  const spec::Specification& queue_;
  Budget& budget_;
  std::vector<Kept> operations_;  // in the order of their invocations
  std::vector<Event> events_;
  std::vector<std::uint32_t> places_;  // by handle: in operations_
  std::vector<Handle> free_;
  std::size_t unjudged_ = 0;  // events
  Answer answer_ = Answer::kHolds;
  std::string reason_;
  history::Operation last_;
};

}  // namespace plumb::check
