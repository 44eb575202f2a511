// SPDX-License-Identifier: Apache-2.0
#include "harness/loop_company.h"

#include <algorithm>

#include "runtime/execution.h"
#include "runtime/fibers.h"
#include "runtime/sync_objects.h"
#include "runtime/time.h"

namespace plumb::harness {

namespace {

using runtime::LoopLog;
using runtime::LoopStep;
using sched::Event;
using sched::Kind;
using sched::ThreadId;

// More are not tried: of each thread, and of all together.
constexpr std::size_t kMostRounds = 3;
constexpr std::size_t kMostMembers = 3;

}  // namespace

// Its registers must be known, and all that it has written.
bool Company::can_join(ThreadId thread) {
  const LoopLog& log = runtime::loop_log(thread);
  return !runtime::has_ended(thread) && !log.is_blind && log.count != 0 &&
         log.entry_at == log.count && log.count <= runtime::kMaxLoopSteps &&
         log.write_count <= runtime::kMaxLoopWrites;
}

void Company::add(ThreadId thread) {
  const LoopLog& log = runtime::loop_log(thread);
  Member member;
  member.thread = thread;
  member.next = runtime::pending_events()[thread];
  member.steps.assign(log.steps, log.steps + log.count);
  for (std::uint32_t i = log.count; i-- > 0;) {
    const LoopStep& step = log.steps[i];
    // Threads that were started or joined cannot be left out.
    if (step.kind == Kind::kSpawn || step.kind == Kind::kJoin) break;
    if (step.site == member.next.site &&
        step.stack == log.entry.stack_pointer() &&
        member.rounds.size() < kMostRounds) {
      member.rounds.push_back(i);
    }
  }
  if (member.rounds.empty()) return;
  writes_.insert(writes_.end(), log.writes, log.writes + log.write_count);
  for (const LoopStep& step : member.steps) {
    const bool is_memory = !(step.address & runtime::kNoMemory);
    if (step.writes && is_memory && step.kind != Kind::kFree) {
      writes_.push_back({step.address, step.size, 0});
    }
  }
  members_.push_back(std::move(member));
}

void Company::gather(ThreadId thread) {
  members_.clear();
  writes_.clear();
  has_begun_ = false;
  if (!can_join(thread)) return;
  add(thread);
  if (members_.empty()) return;
  for (std::uint32_t t = 0; t < runtime::threads_so_far(); ++t) {
    const auto other = static_cast<ThreadId>(t);
    if (other == thread || !can_join(other)) continue;
    if (members_.size() < kMostMembers) add(other);
  }
  for (Member& member : members_) {
    take_picture(member.thread, all(), writes_, member.picture);
  }
}

sched::ThreadMask Company::all() const {
  sched::ThreadMask mask = 0;
  for (const Member& member : members_) mask |= sched::bit(member.thread);
  return mask;
}

bool Company::next_rounds() {
  const auto is_right = [this] {
    if (members_.front().left_out == 0) return false;
    return std::any_of(members_.begin() + 1, members_.end(),
                       [](const Member& member) { return member.left_out; });
  };
  if (!has_begun_) {
    has_begun_ = true;
    for (Member& member : members_) member.left_out = 1;
    return is_there();
  }
  // Counts on, in numbers whose digits go from 1 up to the last and then to 0.
  for (;;) {
    std::size_t at = members_.size();
    while (at-- > 0) {
      Member& member = members_[at];
      if (member.left_out == 0) {
        member.left_out = 1;
        continue;
      }
      member.left_out = (member.left_out + 1) % (member.rounds.size() + 1);
      break;
    }
    if (at == SIZE_MAX) return false;
    if (is_right()) return true;
  }
}

bool Company::leaves_out(std::uint32_t event) const {
  for (const Member& member : members_) {
    if (member.left_out == 0) continue;
    const std::uint32_t first = member.rounds[member.left_out - 1];
    for (std::size_t i = first; i < member.steps.size(); ++i) {
      if (member.steps[i].number == event) return true;
    }
  }
  return false;
}

std::vector<runtime::FirstStack> Company::stacks() const {
  std::vector<runtime::FirstStack> stacks;
  for (const Member& member : members_) {
    const auto& bytes = member.picture.stack;
    stacks.push_back({member.thread, bytes.data(), bytes.size()});
  }
  return stacks;
}

bool Company::is_as_it_was() const {
  return std::all_of(
      members_.begin(), members_.end(), [this](const Member& member) {
        const Event& next = runtime::pending_events()[member.thread];
        const LoopLog& log = runtime::loop_log(member.thread);
        if (next.site != member.next.site || next.kind != member.next.kind ||
            next.address != member.next.address || log.entry_at != log.count) {
          return false;
        }
        runtime::Picture picture;
        take_picture(member.thread, all(), writes_, picture);
        return same(picture, member.picture);
      });
}

bool Company::is_time_as_it_was() const {
  return runtime::time_now() == members_.front().picture.time;
}

}  // namespace plumb::harness
