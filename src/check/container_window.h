// SPDX-License-Identifier: Apache-2.0
// Judges a stream of a container by the part of its history that matters.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/budget.h"
#include "check/forgetting.h"
#include "check/rank_replay.h"
#include "check/verdict.h"
#include "history/history.h"
#include "spec/specification.h"

namespace plumb::check {

// A long queue has too many states for a Monitor: every order of concurrent
// puts is one.  Its special decider needs none of them, but a history.  So some
// of it is kept, judged again and again, and forgotten where nothing that
// follows can depend on it (forgetting.cpp says why): what is inside, and what
// overlaps.
class ContainerWindow {
 public:
  using Handle = std::uint32_t;
  // LIMIT: so many operations are kept at most.
  static constexpr std::size_t kMostKept = 1'000'000;

  // Can it judge this one?
  static bool fits(const spec::Specification& object);
  // Requires: it fits; `object` and `budget` outlive the window.
  ContainerWindow(const spec::Specification& object, Budget& budget);

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
  using End = KeptOperation::End;

  KeptOperation& end(Handle handle, End how);
  history::History history_of(std::size_t events) const;
  void blame(std::size_t judged);
  void drop(const std::vector<bool>& goes);

  const spec::Specification& object_;
  const Container container_;
  Budget& budget_;
  std::vector<KeptOperation> operations_;  // in the order of their invocations
  std::vector<KeptEvent> events_;
  std::vector<std::uint32_t> places_;  // by handle: in operations_
  std::vector<Handle> free_;
  std::size_t unjudged_ = 0;  // events
  Answer answer_ = Answer::kHolds;
  std::string reason_;
  history::Operation last_;
};

}  // namespace plumb::check
