// SPDX-License-Identifier: Apache-2.0
#include "harness/story.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "harness/finding_text.h"
#include "harness/story_table.h"
#include "runtime/sync_objects.h"

namespace plumb::harness {

using sched::Kind;
using What = StoryStep::What;

namespace {

// A loop may take this many steps a round; rounds beyond the second are told
// by their number.
constexpr std::size_t kLongestRound = 12;
constexpr std::size_t kRoundsShown = 2;

// What is done to things that lie nowhere; null: it is none of these.
const char* effect_elsewhere(const sched::Event& event) {
  if (event.address - runtime::kEnds < 8 * sched::kMaxThreads) {
    if (event.address == runtime::end_of(event.thread)) return "ends";
    return event.writes ? "joins a thread" : "cannot join a thread yet";
  }
  switch (event.address) {
    case runtime::kClock:
      if (event.kind != Kind::kYield) return "reads the clock";
      return event.writes ? "has waited in vain" : "sleeps";
    case runtime::kSignalHandlers:
      return event.writes ? "sets a handler of signals"
                          : "looks for a handler of signals";
    case runtime::kFiles:
      return "uses a pipe, a socket or the like";
    default:
      return nullptr;
  }
}

bool touches_memory(const StoryStep& step) {
  if (step.what != What::kEvent || step.event.address == 0 ||
      effect_elsewhere(step.event) != nullptr) {
    return false;
  }
  const Kind kind = step.event.kind;
  return kind == Kind::kRead || kind == Kind::kWrite || kind == Kind::kUpdate;
}

bool same_step(const StoryStep& a, const StoryStep& b) {
  return a.what == What::kEvent && b.what == What::kEvent &&
         a.event.thread == b.event.thread && a.event.kind == b.event.kind &&
         a.event.address == b.event.address && a.before == b.before &&
         a.after == b.after && a.call == b.call && a.stack == b.stack;
}

std::uintptr_t word_of(std::uintptr_t address) {
  return address / 8;
}

// Calls visit(word) for each word that a step touches.
template <typename Visit>
void each_word(const StoryStep& step, Visit visit) {
  const std::uintptr_t last =
      step.event.address + std::max<std::uint32_t>(step.event.size, 1) - 1;
  for (std::uintptr_t word = word_of(step.event.address); word <= word_of(last);
       ++word) {
    visit(word);
  }
}

const char* name_of(What what) {
  switch (what) {
    case What::kEvent:
      return "event";
    case What::kCallBegins:
      return "call";
    case What::kCallReturns:
      return "return";
    case What::kFault:
      return "fault";
  }
  return "";
}

const char* access_of(Kind kind) {
  if (kind == Kind::kRead) return "read";  // so is a CAS that fails
  return kind == Kind::kWrite ? "write" : "update";
}

}  // namespace

Story::Story(StoryInput input, Symbols& symbols)
    : input_(std::move(input)),
      symbols_(symbols),
      names_(input_.memory, symbols) {
  bool learned = true;
  while (std::exchange(learned, false)) {
    for (const StoryStep& step : input_.steps) {
      if (!touches_memory(step)) continue;
      for (const std::uint64_t bits : {step.before, step.after}) {
        learned |= names_.learn(step.event.address, step.event.size, bits);
      }
    }
  }
  find_shared_words();
  find_locks();
  for (StoryStep& step : FindingText(*this).last_lines()) {
    input_.steps.push_back(std::move(step));
  }
  // Names are given in the order of what is shown.
  for (const Row& row : rows(true)) {
    if (row.remark.empty()) effect_of(input_.steps[row.step]);
  }
}

std::string Story::thread_name(sched::ThreadId thread) const {
  if (thread < input_.threads.size()) return input_.threads[thread];
  return fmt::format("T{}", thread);
}

// Words that two threads touch and one writes, and those of the finding.
void Story::find_shared_words() {
  struct Use {
    sched::ThreadMask threads = 0;
    bool written = false;
  };
  std::map<std::uintptr_t, Use> uses;
  for (const StoryStep& step : input_.steps) {
    if (!touches_memory(step)) continue;
    each_word(step, [&](std::uintptr_t word) {
      uses[word].threads |= sched::bit(step.event.thread);
      uses[word].written |= step.event.writes;
    });
  }
  const runtime::Finding& finding = input_.finding;
  if (finding.address != 0) {
    uses[word_of(finding.address)] = {~sched::ThreadMask{0}, true};
  }
  for (const auto& [word, use] : uses) {
    const bool several = (use.threads & (use.threads - 1)) != 0;
    if (several && use.written) shared_words_.push_back(word);
  }
}

void Story::find_locks() {
  for (const auto* steps : {&input_.steps, &input_.waiting}) {
    for (const StoryStep& step : *steps) {
      const Kind kind = step.event.kind;
      if (kind != Kind::kLock && kind != Kind::kUnlock) continue;
      locks_.push_back(step.event.address);
    }
  }
  std::sort(locks_.begin(), locks_.end());
}

bool Story::is_locked_somewhere(std::uintptr_t address) const {
  return std::binary_search(locks_.begin(), locks_.end(), address);
}

bool Story::is_private(const StoryStep& step) const {
  if (!step.plain || !touches_memory(step)) return false;
  bool shared = false;
  each_word(step, [&](std::uintptr_t word) {
    shared |=
        std::binary_search(shared_words_.begin(), shared_words_.end(), word);
  });
  return !shared;
}

// How often the `length` steps from `begin` on come again behind themselves.
std::size_t Story::rounds_at(std::size_t begin, std::size_t length) const {
  const std::vector<StoryStep>& steps = input_.steps;
  std::size_t at = begin + length;
  while (at < steps.size() && same_step(steps[at], steps[at - length])) ++at;
  return (at - begin) / length - 1;
}

// How many steps from `begin` on are one thread's own business.
std::size_t Story::private_run(std::size_t begin) const {
  const std::vector<StoryStep>& steps = input_.steps;
  std::size_t end = begin;
  while (end < steps.size() && is_private(steps[end]) &&
         steps[end].event.thread == steps[begin].event.thread) {
    ++end;
  }
  return end - begin;
}

std::vector<Story::Row> Story::rows(bool fold) const {
  std::vector<Row> rows;
  for (std::size_t i = 0; i < input_.steps.size();) {
    if (const std::size_t run = fold ? private_run(i) : 0; run > 1) {
      rows.push_back({i, fmt::format("... {} accesses of its own", run)});
      i += run;
      continue;
    }
    std::size_t length = 1;
    while (fold && length <= kLongestRound &&
           rounds_at(i, length) < kRoundsShown) {
      ++length;
    }
    if (!fold || length > kLongestRound) {
      rows.push_back({i++, ""});
      continue;
    }
    const std::size_t again = rounds_at(i, length);
    for (std::size_t k = 0; k < length; ++k) rows.push_back({i + k, ""});
    rows.push_back(
        {i + length, fmt::format("... and {} times more the same", again)});
    i += length * (again + 1);
  }
  return rows;
}

// Names are given in the order in which they are read, so they are asked for
// in statements of their own: the order of operands is the compiler's business.
std::string Story::effect_of_access(const StoryStep& step) {
  const sched::Event& event = step.event;
  const auto value = [&](std::uint64_t bits) {
    return names_.value(event.address, event.size, bits);
  };
  const std::string place = names_.place(event.address, event.size);
  if (event.kind != Kind::kRead) {
    const std::string before = value(step.before);
    return fmt::format("{}{}: {} -> {}", step.compares ? "CAS " : "", place,
                       before, value(step.after));
  }
  if (step.compares) {
    const std::string expected = value(step.expected);
    const std::string desired = value(step.desired);
    return fmt::format("CAS {}: {} -> {} fails, is {}", place, expected,
                       desired, value(step.before));
  }
  const bool fails = event.tries || !step.succeeded;
  if (event.choice != 0) {
    return fmt::format("CAS {} fails for no reason, is {}", place,
                       value(step.before));
  }
  return fmt::format("{} {}{}{}", fails ? "CAS" : "read", place,
                     fails ? " fails, is " : " = ", value(step.before));
}

std::string Story::effect_of_wait(const sched::Event& event) {
  const std::string place = name_of_object(event.address);
  const std::string other = name_of_object(event.second);
  const char* ends = event.choice != 0 ? ", wakes for no reason" : "";
  if (event.second == 0 || other == place) {
    return fmt::format("waits on {}{}", place, ends);
  }
  return fmt::format("waits on {}, unlocks {}{}", place, other, ends);
}

std::string Story::name_of_object(std::uintptr_t address) {
  return names_.place(address & ~runtime::kNoMemory, 1);
}

// An access to what is locked elsewhere tries to lock it.
std::string Story::effect_of_try(const sched::Event& event) {
  const std::string place = name_of_object(event.address);
  return event.writes ? "locks " + place : "cannot lock " + place;
}

// Which write it read, where that is not plain to see.
std::string Story::source_of(const StoryStep& step) const {
  const bool reads = step.source != StoryStep::kNotKnown;
  if (step.newer.empty()) {
    const bool is_others =
        step.source >= 0 &&
        input_.steps[static_cast<std::size_t>(step.source)].event.thread !=
            step.event.thread;
    return is_others ? fmt::format("<- step {}", step.source + 1) : "";
  }
  const std::size_t newest = step.newer.back() + 1;
  if (!reads) {
    return fmt::format("goes before step {} in the order of writes", newest);
  }
  const std::string from = step.source < 0
                               ? "what was there at first"
                               : fmt::format("step {}", step.source + 1);
  return fmt::format(
      "<- {}, not the latest: step {} had been written, not yet visible here",
      from, newest);
}

std::string Story::effect_of(const StoryStep& step) {
  if (step.what != What::kEvent) return "";
  const sched::Event& event = step.event;
  if (const char* elsewhere = effect_elsewhere(event)) return elsewhere;
  const auto place = [&] { return name_of_object(event.address); };
  switch (event.kind) {
    case Kind::kRead:
    case Kind::kWrite:
    case Kind::kUpdate:
      return is_locked_somewhere(event.address) ? effect_of_try(event)
                                                : effect_of_access(step);
    case Kind::kLock:
      return (event.writes ? "locks " : "passes ") + place();
    case Kind::kUnlock:
      return "unlocks " + place();
    case Kind::kDown:
      return "takes one from " + place();
    case Kind::kUp:
      return "gives one to " + place();
    case Kind::kWait:
      return effect_of_wait(event);
    case Kind::kSignal:
      return "wakes who waits on " + place();
    case Kind::kSpawn:
      return "starts " +
             thread_name(static_cast<sched::ThreadId>(event.address));
    case Kind::kJoin:
      return "sees the end of " +
             thread_name(static_cast<sched::ThreadId>(event.address));
    case Kind::kFree:
      return "frees " + names_.block(event.address);
    case Kind::kAllocate:
      return event.writes ? "is given " + names_.block(event.value)
                          : std::string("is given memory");
    case Kind::kFence:
      return "fence";
    case Kind::kChoose:
      return fmt::format("chooses {}", event.choice);
    case Kind::kYield:
      return "yields";
  }
  return "";
}

CodePlace Story::place_of(const StoryStep& step) {
  if (step.stack.empty()) return {};
  return place_to_show(symbols_, step.stack);
}

report::Json Story::json() {
  report::Json all = report::Json::array();
  for (const StoryStep& step : input_.steps) {
    report::Json entry = {{"thread", thread_name(step.event.thread)},
                          {"kind", name_of(step.what)}};
    if (step.call >= 0) entry["call"] = step.call;
    const CodePlace place = place_of(step);
    if (!place.file.empty()) {
      entry["file"] = place.file;
      entry["line"] = place.line;
      entry["source"] = symbols_.source_line(place.file, place.line);
    }
    if (!place.function.empty()) entry["function"] = place.function;
    entry["text"] = step.what == What::kEvent ? effect_of(step) : step.text;
    if (const std::string source = source_of(step); !source.empty()) {
      entry["text"] = fmt::format("{} ({})", effect_of(step), source);
    }
    if (step.source >= -1) entry["reads_from"] = step.source;
    if (!step.newer.empty()) entry["newer"] = step.newer.back();
    if (touches_memory(step) && !is_locked_somewhere(step.event.address)) {
      const sched::Event& event = step.event;
      entry["access"] = access_of(event.kind);
      entry["plain"] = step.plain;
      entry["place"] = names_.place(event.address, event.size);
      entry["before"] = names_.value(event.address, event.size, step.before);
      entry["after"] = names_.value(event.address, event.size, step.after);
    }
    if (step.what == What::kEvent && step.event.kind == Kind::kFree) {
      entry["frees"] = names_.block(step.event.address);
    }
    all.push_back(std::move(entry));
  }
  return all;
}

report::Json Story::edges() const {
  report::Json all = report::Json::array();
  for (const StoryEdge& edge : input_.edges) {
    all.push_back({edge.from, edge.to, edge.kind});
  }
  return all;
}

std::string Story::text(const StoryOptions& options) {
  return StoryTable(*this, options).draw();
}

std::string Story::explanation() {
  return FindingText(*this).tell();
}

}  // namespace plumb::harness
