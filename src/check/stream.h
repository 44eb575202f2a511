// SPDX-License-Identifier: Apache-2.0
// Judges a history while it is being written.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "check/condition.h"
#include "check/container_window.h"
#include "check/part_monitors.h"
#include "history/watcher.h"
#include "spec/specification.h"

namespace plumb::check {

// Monitors for each key.  A queue, stack or priority queue also has a window,
// which is judged when there is enough of it, and when its source has to be
// waited for: which of the two goes on is seen when the first few thousand
// events have come.
class Stream final : public history::Watcher {
 public:
  // What one key gave.
  struct Part {
    Value key;
    std::uint64_t operations = 0;  // but those that failed
    std::uint64_t open = 0;        // not completed, or given up
    Answer answer = Answer::kHolds;
    std::string reason;  // of kUnknown
    // Of kViolated: the completion that nothing can explain, and its line.
    history::Operation last;
    std::uint32_t line = 0;
  };

  // Is told once for each key, as soon as its answer is no longer kHolds.
  using Tell = std::function<void(const Part&)>;

  // Throws InputError if the condition can only be judged in the end.
  Stream(const spec::Specification& object, const Condition& condition,
         Budget& budget, Tell tell);

  void invoked(std::uint32_t part, Value key, std::uint32_t slot,
               const history::Operation& operation) override;
  void completed(std::uint32_t part, std::uint32_t slot,
                 const history::Operation& operation,
                 history::EventType how) override;
  void waiting() override;

  std::vector<Part> parts() const;

 private:
  // An operation that waits for a quiescent moment.
  struct Held {
    history::Operation operation;
    history::EventType how = history::EventType::kMissing;
    std::uint64_t began = 0;
    std::uint64_t ended = 0;
  };
  // Of quiescent orders: what has not been judged yet, as it began.  What
  // failed did not happen, but nobody knows before it fails: which moments were
  // quiescent is seen only when all that began before them has ended.
  struct Busy {
    std::deque<Held> held;
    std::vector<std::uint64_t> places;  // by the reader's slots
    std::uint64_t judged = 0;           // so many were dropped in front
    std::uint64_t events = 0;
    // How many of `held` are known to have ended, and when the last of them
    // did.
    std::size_t seen = 0;
    std::uint64_t last_end = 0;
    bool for_ever = false;  // one was given up
  };
  struct Watched {
    Part part;
    // Both null once the answer is known.
    std::unique_ptr<PartMonitors> monitor;
    std::unique_ptr<ContainerWindow> window;
    // Theirs, by the reader's slots.
    std::vector<PartMonitors::Handle> monitored;
    std::vector<ContainerWindow::Handle> kept;
    Busy busy;
  };

  void begin(Watched& watched, std::uint32_t slot,
             const history::Operation& operation);
  void end(Watched& watched, PartMonitors::Handle handle,
           const history::Operation& operation, history::EventType how);
  void end_in_window(Watched& watched, std::uint32_t slot,
                     const history::Operation& operation,
                     history::EventType how);
  void hold(Busy& busy, std::uint32_t slot,
            const history::Operation& operation);
  void judge_what_is_quiet(Watched& watched);
  void judge_busy_period(Watched& watched);
  void look(Watched& watched, const history::Operation& operation);
  void look_at_window(Watched& watched);
  void tell(Watched& watched, Answer answer, const std::string& reason,
            const history::Operation& operation);

  spec::SpecificationPtr object_;
  bool quiescent_;
  bool has_windows_;
  bool splits_;
  Budget& budget_;
  Tell tell_;
  std::vector<Watched> watched_;
};

}  // namespace plumb::check
