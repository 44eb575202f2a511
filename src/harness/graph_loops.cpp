// SPDX-License-Identifier: Apache-2.0
#include "harness/graph_loops.h"

#include <algorithm>

#include "harness/graph_order.h"
#include "harness/loop_probes.h"
#include "runtime/core.h"
#include "runtime/fibers.h"
#include "runtime/globals.h"
#include "runtime/patience.h"
#include "sched/graph_replay.h"

namespace plumb::harness {

using runtime::LoopAnswer;
using runtime::LoopLog;
using runtime::LoopQuestion;
using sched::Event;
using sched::GraphEvent;
using sched::GraphKind;
using sched::Kind;

namespace {

// Where there is more, no round is compared.
constexpr std::size_t kMostGlobals = std::size_t{4} << 20;
constexpr std::uint32_t kMostAsked = 100;

}  // namespace

GraphLoops::GraphLoops(const sched::GraphScheduler& search,
                       const runtime::Settings& settings, void* (*main)(void*),
                       void* argument)
    : search_(search), settings_(settings), main_(main), argument_(argument) {
#if defined(__x86_64__)
  if (runtime::global_bytes() <= kMostGlobals) runtime::loop_guard = this;
#endif
}

GraphLoops::~GraphLoops() {
  runtime::loop_guard = nullptr;
}

// Reads, and updates that wrote what was there.
bool GraphLoops::changes_nothing(const LoopQuestion& question) const {
  const LoopLog& log = runtime::loop_log(question.thread);
  for (std::uint32_t i = question.from; i < question.to; ++i) {
    const Event& event = search_.events()[log.steps[i].number];
    const bool is_idle = event.kind == Kind::kRead ||
                         event.kind == Kind::kFence ||
                         event.kind == Kind::kYield ||
                         (event.kind == Kind::kUpdate && event.is_silent);
    if (!is_idle) return false;
  }
  const std::uint32_t kept = std::min(log.write_count, runtime::kMaxLoopWrites);
  for (std::uint32_t n = log.write_count - kept; n < log.write_count; ++n) {
    const std::uint32_t step = log.writes[n % runtime::kMaxLoopWrites].step;
    if (step > question.from) return false;
  }
  return true;
}

// Reads of atomic objects, failed updates included, and fences: not of what is
// kept beside memory.
bool GraphLoops::only_reads(std::uint32_t number) const {
  if (search_.events()[number].kind == Kind::kYield) return true;
  if (!search_.knows(number)) return false;
  const sched::EventId last = search_.last_of(number);
  for (sched::EventId id = search_.first_of(number); id.index <= last.index;
       ++id.index) {
    const sched::GraphEvent& event = search_.graph()[id];
    const bool is_read = event.kind == GraphKind::kRead && !event.exclusive &&
                         !event.label.is_told;
    if (!is_read && event.kind != GraphKind::kFence) return false;
  }
  return true;
}

// From which positions on may as many events as the round has be left out?
std::vector<std::uint32_t> GraphLoops::places_of(
    const LoopQuestion& question) const {
  const LoopLog& log = runtime::loop_log(question.thread);
  std::uint32_t written = 0;
  const std::uint32_t kept = std::min(log.write_count, runtime::kMaxLoopWrites);
  for (std::uint32_t n = log.write_count - kept; n < log.write_count; ++n) {
    const std::uint32_t step = log.writes[n % runtime::kMaxLoopWrites].step;
    written = std::max(written, step);
  }
  const std::uint32_t distance = question.to - question.from;
  const std::uint32_t lowest =
      question.from > distance ? question.from - distance : 0;
  std::vector<std::uint32_t> places;
  std::uint32_t reads = 0;  // in a row
  for (std::uint32_t i = lowest; i < question.to; ++i) {
    reads = only_reads(log.steps[i].number) ? reads + 1 : 0;
    const std::uint32_t first = i + 1 - distance;
    if (reads < distance || first < written) continue;
    // What is done there instead is done to the same.
    const std::uintptr_t instead =
        i + 1 < question.to ? log.steps[i + 1].address : question.next.address;
    if (log.steps[first].address == instead) places.push_back(first);
  }
  std::reverse(places.begin(), places.end());
  return places;
}

// What is in the graph is done: there it was not stopped.
LoopAnswer GraphLoops::at_repeat(const LoopQuestion& question) {
  if (is_probing_ || question.was_left) return LoopAnswer::kGoOn;
  const bool is_idle = changes_nothing(question);
  const auto go_on = [&] {
    return is_idle ? compare_rounds(question) : LoopAnswer::kGoOn;
  };
  if (search_.has_more(question.thread)) return go_on();
  std::vector<std::uint32_t> places = places_of(question);
  if (places.empty()) return go_on();
  const LoopLog& log = runtime::loop_log(question.thread);
  const std::uint64_t key = runtime::mix(log.past ^ question.next.site * 31,
                                         question.to - question.from);
  const auto found = known_.find(key);
  if (found != known_.end()) {
    if (found->second == kNo) return go_on();
    in_circles_ &= ~sched::bit(question.thread);
    if (found->second == question.from) {
      in_circles_ |= sched::bit(question.thread);
    }
    return stop(question);
  }
  // The same place gets another key each time: something that is not under
  // control decides what the thread sees.
  const std::size_t place = search_.events().size();
  same_place_ = place == asked_place_ ? same_place_ + 1 : 0;
  asked_place_ = place;
  if (same_place_ > kMostAsked) return go_on();
  asked_key_ = key;
  asked_places_ = std::move(places);
  note_question(question);
  return LoopAnswer::kAsk;
}

LoopAnswer GraphLoops::stop(const LoopQuestion& question) {
  const LoopLog& log = runtime::loop_log(question.thread);
  auto& circle = circle_[question.thread];
  circle.clear();
  const auto& spurious = runtime::state.fibers[question.thread].spurious;
  const bool failed = spurious[0] + spurious[1] != 0;
  will_get_on_ &= ~sched::bit(question.thread);
  if (failed) will_get_on_ |= sched::bit(question.thread);
  for (std::uint32_t i = question.from; i < question.to; ++i) {
    circle.push_back(log.steps[i].number);
  }
  return LoopAnswer::kCut;
}

LoopAnswer GraphLoops::compare_rounds(const LoopQuestion& question) {
  auto& seen = seen_[question.thread];
  const auto known =
      std::find_if(seen.begin(), seen.end(), [&](const Seen& one) {
        return one.run == runtime::run_number && one.site == question.next.site;
      });
  runtime::Picture picture;
  take_picture(question.thread, 0, {}, picture);
  // What is in the graph is done: there it was not stopped, since others did
  // something meanwhile.
  if (known != seen.end() && known->position == question.from &&
      !search_.has_more(question.thread) && same(known->picture, picture) &&
      known->picture.time == picture.time) {
    in_circles_ |= sched::bit(question.thread);
    return stop(question);
  }
  Seen* place = known != seen.end() ? &*known : nullptr;
  if (place == nullptr) {
    std::erase_if(
        seen, [](const Seen& one) { return one.run != runtime::run_number; });
    place = &seen.emplace_back();
  }
  place->run = runtime::run_number;
  place->site = question.next.site;
  place->position = question.to;
  place->picture = std::move(picture);
  return LoopAnswer::kGoOn;
}

// What the thread follows, and what it did.
void GraphLoops::note_question(const LoopQuestion& question) {
  asked_ = question;
  const LoopLog& log = runtime::loop_log(question.thread);
  const sched::ExecutionGraph& graph = search_.graph();
  const auto& events = search_.events();
  const sched::EventId last =
      search_.last_of(log.steps[question.to - 1].number);
  const sched::Past& past = graph[last].porf;
  std::vector<sched::ThreadId> threads;
  sched::ThreadMask goes_on = sched::bit(question.thread);
  for (std::size_t n = events.size(); n-- > 0;) {
    const sched::ThreadId thread = events[n].thread;
    const bool is_past = search_.knows(n) && past.contains(search_.last_of(n));
    if (is_past) goes_on |= sched::bit(thread);
    if (goes_on & sched::bit(thread)) threads.push_back(thread);
  }
  std::reverse(threads.begin(), threads.end());
  asked_steps_ = steps_of_graph(search_, threads);
}

// Runs these steps.  Is the thread then about to do what it was asked about?
bool GraphLoops::run_plan(sched::GraphReplay& plan,
                          std::span<const runtime::FirstStack> rubbish,
                          runtime::Picture& picture) {
  if (runtime::left != runtime::Left::kNot) return false;
  plan.start_run();
  bool is_right = false;
  const auto see = [&] {
    const Event& next = runtime::pending_events()[asked_.thread];
    is_right = plan.did_all() && next.site == asked_.next.site &&
               next.address == asked_.next.address &&
               next.kind == asked_.next.kind;
    if (is_right) take_picture(asked_.thread, 0, {}, picture);
  };
  const LookAtEnd at_end(see);
  runtime::first_stacks = rubbish;
  const runtime::Outcome outcome =
      runtime::run(plan, settings_, main_, argument_);
  runtime::first_stacks = {};
  return outcome.end == sched::RunEnd::kAbandoned && is_right;
}

namespace {

// Does the shorter one demand no more of the graph?
bool is_no_stronger(const sched::ExecutionGraph& longer,
                    const GraphEvent& before,
                    const sched::ExecutionGraph& shorter,
                    const GraphEvent& now) {
  if (before.kind != now.kind || before.exclusive != now.exclusive ||
      before.label.is_sync != now.label.is_sync) {
    return false;
  }
  const bool is_read = before.kind == GraphKind::kRead;
  if (is_read ? before.order < now.order : before.order != now.order) {
    return false;
  }
  if (!is_read && before.kind != GraphKind::kWrite) return true;
  // On x86, those that fail empty the store buffer.
  const auto can_update = [](const GraphEvent& read) {
    return read.label.updates != sched::Updates::kNever;
  };
  if (is_read && can_update(now) && !can_update(before)) return false;
  const auto place_of = [&](const sched::ExecutionGraph& graph,
                            const GraphEvent& access) {
    return is_read ? graph.place_of(access.source) : access.place;
  };
  return longer.location(before.location).key ==
             shorter.location(now.location).key &&
         place_of(longer, before) == place_of(shorter, now);
}

}  // namespace

// Is the graph of the shorter run that of the longer one without these steps
// of the thread?
bool GraphLoops::is_without(const sched::GraphReplay& shorter,
                            const sched::GraphReplay& longer, std::size_t first,
                            std::size_t to) const {
  std::vector<sched::EventId> kept;
  std::size_t step = 0;
  for (std::size_t n = 0; n < longer.events().size(); ++n) {
    if (longer.events()[n].thread != asked_.thread) continue;
    const std::size_t at = step++;
    if ((at >= first && at < to) || !longer.knows(n)) continue;
    const sched::EventId last = longer.last_of(n);
    for (sched::EventId id = longer.first_of(n); id.index <= last.index;
         ++id.index) {
      kept.push_back(id);
    }
  }
  const sched::ExecutionGraph& graph = shorter.graph();
  const std::size_t size =
      asked_.thread < graph.threads() ? graph.size(asked_.thread) : 0;
  if (size != kept.size()) return false;
  for (std::uint16_t i = 0; i < kept.size(); ++i) {
    if (!is_no_stronger(longer.graph(), longer.graph()[kept[i]], graph,
                        graph[{asked_.thread, i}])) {
      return false;
    }
  }
  return true;
}

// From which position on were so many events as the round has in vain?  The
// state is the same without them, but for what the thread never wrote on its
// stack; and so is the graph.
std::uint32_t GraphLoops::find_out() {
  using Replay = sched::GraphReplay;
  runtime::Picture long_picture, short_picture;
  Replay longer(steps_to_do(asked_steps_), Replay::AtEnd::kStops);
  if (!run_plan(longer, {}, long_picture)) return kNo;
  const runtime::FirstStack rubbish = {asked_.thread, long_picture.stack.data(),
                                       long_picture.stack.size()};
  const std::size_t mine = static_cast<std::size_t>(std::count_if(
      asked_steps_.begin(), asked_steps_.end(),
      [&](const Step& one) { return one.thread == asked_.thread; }));
  const std::size_t before = mine - asked_.to;  // in earlier calls
  for (const std::uint32_t place : asked_places_) {
    const std::size_t first = before + place;
    const std::size_t to = first + asked_.to - asked_.from;
    std::vector<Step> plan;
    std::size_t step = 0;
    for (const Step& one : asked_steps_) {
      const bool is_mine = one.thread == asked_.thread;
      const bool is_left_out = is_mine && step >= first && step < to;
      step += is_mine;
      if (!is_left_out) plan.push_back(one);
    }
    Replay shorter(steps_to_do(plan), Replay::AtEnd::kStops);
    // What the longer one left on the stack makes them look alike; but who
    // reads it there goes astray.
    const bool comes_there = run_plan(shorter, {&rubbish, 1}, short_picture) ||
                             run_plan(shorter, {}, short_picture);
    if (comes_there && is_without(shorter, longer, first, to) &&
        same(long_picture, short_picture) &&
        long_picture.time == short_picture.time) {
      return place;
    }
  }
  return kNo;
}

void GraphLoops::resolve() {
  is_probing_ = true;
  known_[asked_key_] = find_out();
  is_probing_ = false;
}

bool GraphLoops::is_livelock(sched::ThreadMask cut) const {
  if ((cut & will_get_on_) != 0 || (cut & ~in_circles_) != 0) return false;
  const sched::ExecutionGraph& graph = search_.graph();
  for (; cut != 0; cut &= cut - 1) {
    for (const std::uint32_t number : circle_[__builtin_ctz(cut)]) {
      const sched::GraphEvent& event = graph[search_.first_of(number)];
      if (event.kind != GraphKind::kRead) continue;
      const sched::EventId latest = graph.latest(event.location);
      const sched::Bytes& now = graph.value_of(event.location, latest);
      if (now != graph.value_read(event)) return false;
      // What is beside memory may have no values: there, others did something.
      const bool is_own = latest.thread == search_.first_of(number).thread;
      if (event.label.is_sync && !is_own) return false;
    }
  }
  return true;
}

}  // namespace plumb::harness
