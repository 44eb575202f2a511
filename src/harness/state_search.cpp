// SPDX-License-Identifier: Apache-2.0
#include "harness/state_search.h"

#include "runtime/fibers.h"
#include "runtime/picture.h"
#include "runtime/sync_objects.h"

namespace plumb::harness {

namespace {

using sched::Event;
using sched::Kind;

// Others change what the runtime keeps of threads, files, clocks.
bool is_about_memory(const Event& event) {
  if (event.kind == Kind::kSpawn || event.kind == Kind::kJoin) return false;
  for (const std::uintptr_t place :
       {runtime::kOrderOfSpawns, runtime::kListOfKeys, runtime::kClock,
        runtime::kSignalHandlers, runtime::kFiles}) {
    if (event.address == place || event.second == place) return false;
  }
  return true;
}

}  // namespace

const char* StateSearch::cannot_search(const Question& question) {
  if (question.test->body) return "free-form tests have no calls";
  if (!question.judge) return nullptr;
  const check::Condition& condition = question.judge->condition();
  if (condition.order != check::Order::kRealTime) {
    return "the condition is not about real time";
  }
  if (condition.relaxed()) return "the condition is relaxed";
  return nullptr;
}

StateSearch::StateSearch(const Question& question, ProgramRun& run)
    : question_(question), run_(run), search_(*this) {
  runtime::fails_after_anchors = true;
  if (question.judge) configurations_.emplace(*question.judge);
  runtime::loop_guard = this;
}

StateSearch::~StateSearch() {
  runtime::fails_after_anchors = false;
  runtime::loop_guard = nullptr;
}

void StateSearch::resolve() {
  if (asks_of_before_) configurations_->after(run_.before());
  if (asked_) configurations_->after(*asked_);
  asks_of_before_ = false;
  asked_.reset();
}

const char* StateSearch::why_not() const {
  if (why_not_ != nullptr) return why_not_;
  return search_.has_no_way_out() ? "threads may go round in circles" : nullptr;
}

StateSearch::Level& StateSearch::level(std::size_t events) {
  if (levels_.size() <= events) levels_.resize(events * 2 + 16);
  return levels_[events];
}

// Are there calls before the threads that have not returned?
bool StateSearch::is_in_before() const {
  return !run_.before().empty() && !run_.before().back().returned;
}

std::uint32_t StateSearch::returned() const {
  std::uint32_t count = 0;
  for (const auto& record : run_.calls()) count += record.returned;
  return count;
}

// Follows the calls to the place after so many events.
StateSearch::Step StateSearch::follow(std::size_t events) {
  level(events);  // may move levels_
  Level& now = levels_[events];
  now = {};
  now.returned = returned();
  const Level before = events == 0 ? Level{} : levels_[events - 1];
  now.set = before.set;
  now.is_known = before.is_known;
  if (!now.is_known && configurations_ && !is_in_before()) {
    const auto first = configurations_->known_after(run_.before());
    if (!first) {
      asks_of_before_ = true;
      return Step::kAsk;
    }
    now.set = *first;
    now.is_known = true;
  }
  if (now.returned == before.returned) return Step::kKnown;
  const ProgramRun::Record* last = nullptr;
  const sched::ThreadId thread =
      events == 0 ? 0 : search_.trace()[events - 1].thread;
  open_.clear();
  for (const auto& record : run_.calls()) {
    if (!record.began) continue;
    if (record.returned) {
      if (record.thread == thread) last = &record;
    } else if (runtime::span_of(record.thread).first != UINT32_MAX) {
      open_.push_back({record.thread, record.call});
    }
  }
  if (now.returned != before.returned + 1 || last == nullptr ||
      last->span.first == UINT32_MAX) {
    why_not_ = "a call makes no event";
    return Step::kStop;
  }
  if (!configurations_) return Step::kKnown;
  open_.push_back({last->thread, last->call});
  const Configurations::Return what{before.set, open_, last->thread,
                                    last->result};
  const auto set = configurations_->known_after(what);
  if (set) {
    now.set = *set;
    return Step::kKnown;
  }
  asked_ = what;
  return Step::kAsk;
}

bool StateSearch::explains_end() {
  if (!configurations_) return true;
  const std::size_t events = search_.trace().size();
  for (int asked = 0; asked < 2; ++asked) {
    if (follow(events) != Step::kAsk) break;
    resolve();
  }
  return configurations_->explains(levels_[events].set, run_.after());
}

bool StateSearch::invokes(const Event& event) {
  if (!is_about_memory(event)) {
    why_not_ = "a thread asks the runtime for more than memory and locks";
  }
  return runtime::span_of(event.thread).first == runtime::events_so_far();
}

// Which calls threads are in, and what is needed of those that have returned.
sched::Fingerprint StateSearch::with_calls(sched::Fingerprint memory,
                                           const Level& level) {
  runtime::StateHash hash;
  hash.word(memory.a);
  hash.word(memory.b);
  std::uint64_t calls = 0;
  for (const auto& record : run_.calls()) {
    calls = calls << 2 | (record.began ? 2u : 0u) | (record.returned ? 1u : 0u);
    if (question_.observer && record.returned) hash.word(record.result.word());
  }
  hash.word(calls);
  if (configurations_) {
    const sched::Fingerprint& set = configurations_->fingerprint(level.set);
    hash.word(set.a);
    hash.word(set.b);
  }
  return hash.done();
}

sched::StateWatch::View StateSearch::look(std::size_t events) {
  View view;
  const Step step = follow(events);
  if (why_not_ == nullptr) why_not_ = runtime::beyond_fingerprints();
  if (why_not_ != nullptr) {
    view.what = What::kStop;
    return view;
  }
  if (step == Step::kAsk) {
    view.what = What::kAsk;
    return view;
  }
  const Level& now = levels_[events];
  view.returned = events > 0 && now.returned != levels_[events - 1].returned;
  if (configurations_ && now.set == Configurations::kNone) {
    view.what = What::kWrong;
  } else if (runtime::alone()) {
    view.what = What::kNone;
  } else {
    view.state = with_calls(runtime::fingerprint(), now);
  }
  return view;
}

void StateSearch::at_point(sched::ThreadId thread) {
  if (thread == 0) return;
  runtime::anchor(
      thread, runtime::mix(runtime::frames_of(thread), run_.given_by(thread)));
}

}  // namespace plumb::harness
