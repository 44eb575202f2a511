// SPDX-License-Identifier: Apache-2.0
#include "harness/schedule.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "base/input_error.h"

namespace plumb::harness {

namespace {

constexpr std::array<std::pair<std::string_view, Heap>, 4> kHeapNames = {{
    {"lifo", Heap::kLifo},
    {"fifo", Heap::kFifo},
    {"quarantine", Heap::kQuarantine},
    {"shared", Heap::kShared},
}};

constexpr std::array<std::pair<std::string_view, sched::MemoryModel>, 3>
    kMemoryNames = {{
        {"sc", sched::MemoryModel::kSc},
        {"tso", sched::MemoryModel::kTso},
        {"rc11", sched::MemoryModel::kRc11},
    }};

constexpr std::string_view kAudited = "+audit";

constexpr const char* kShape =
    "a schedule is PROGRAM:HEAP:STEPS, as in 3:lifo:1x4,2x2,1,c1,2x7";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& source)
      : text_(text), source_(source) {}

  Schedule parse();

 private:
  [[noreturn]] void fail(std::size_t at, std::size_t length,
                         const std::string& what) const;
  [[noreturn]] void fail_here(const std::string& expected) const;
  bool at_end() const { return at_ == text_.size(); }
  bool skip(char c);
  void expect(char c, const std::string& behind);
  std::uint32_t number(const std::string& of_what);
  Heap heap();
  void step();

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
  Schedule schedule_;
};

void Parser::fail(std::size_t at, std::size_t length,
                  const std::string& what) const {
  throw InputError(Place{source_, 1, at + 1, std::max<std::size_t>(length, 1),
                         std::string(text_)},
                   what, kShape);
}

void Parser::fail_here(const std::string& expected) const {
  if (at_end()) {
    fail(at_, 1, fmt::format("the schedule ends where {} should be", expected));
  }
  // Bytes beyond ASCII may be a part of a character only.
  const char found = text_[at_];
  const bool shown = found >= 0x20 && found < 0x7f;
  fail(at_, 1,
       shown ? fmt::format("'{}' where {} should be", found, expected)
             : fmt::format("a strange character where {} should be", expected));
}

bool Parser::skip(char c) {
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void Parser::expect(char c, const std::string& behind) {
  if (!skip(c)) fail_here(fmt::format("a '{}' behind {}", c, behind));
}

std::uint32_t Parser::number(const std::string& of_what) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::uint32_t>::max();
  const std::size_t begin = at_;
  std::uint64_t value = 0;
  while (!at_end() && is_digit(text_[at_])) {
    const auto digit = static_cast<std::uint64_t>(text_[at_++] - '0');
    value = std::min(value * 10 + digit, kLargest + 1);
  }
  if (at_ == begin) fail_here(of_what);
  if (value > kLargest) {
    fail(begin, at_ - begin, of_what + " is too large");
  }
  return static_cast<std::uint32_t>(value);
}

Heap Parser::heap() {
  const std::size_t begin = at_;
  while (!at_end() && text_[at_] != ':') ++at_;
  std::string_view name = text_.substr(begin, at_ - begin);
  schedule_.audited = name.ends_with(kAudited);
  if (schedule_.audited) name.remove_suffix(kAudited.size());
  for (const auto& [memory, which] : kMemoryNames) {
    const std::string suffix = fmt::format("+{}", memory);
    if (!name.ends_with(suffix)) continue;
    schedule_.memory = which;
    name.remove_suffix(suffix.size());
    break;
  }
  const std::optional<Heap> heap = parse_heap(name);
  if (!heap) {
    fail(begin, name.size(),
         "the heap is none of lifo, fifo, quarantine and shared");
  }
  return *heap;
}

void Parser::step() {
  if (skip('c')) {
    schedule_.steps.push_back({sched::kNoThread, number("the choice")});
    return;
  }
  const std::size_t begin = at_;
  const std::uint32_t thread = number("the number of a thread");
  if (thread >= sched::kMaxThreads) {
    fail(begin, at_ - begin,
         fmt::format("there is no thread {}: they are numbered from 0 to {}",
                     thread, sched::kMaxThreads - 1));
  }
  if (skip('c')) {
    schedule_.steps.push_back(
        {static_cast<sched::ThreadId>(thread), number("the choice")});
    return;
  }
  const std::size_t times_at = at_ + 1;
  const std::uint32_t times = skip('x') ? number("the number of events") : 1;
  if (times == 0) fail(times_at, at_ - times_at, "a step of no events");
  if (times > kMostSteps - std::min(kMostSteps, schedule_.steps.size())) {
    fail(begin, at_ - begin,
         fmt::format("the schedule has more than {} steps", kMostSteps));
  }
  schedule_.steps.insert(
      schedule_.steps.end(), times,
      Step{static_cast<sched::ThreadId>(thread), std::nullopt});
}

Schedule Parser::parse() {
  schedule_.program = number("the number of the program");
  expect(':', "the number of the program");
  schedule_.heap = heap();
  expect(':', "the heap");
  if (at_end()) return std::move(schedule_);
  step();
  while (skip(',')) step();
  if (!at_end()) fail_here("a ',' or the end");
  return std::move(schedule_);
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpaces = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

}  // namespace

std::string_view to_string(Heap heap) {
  for (const auto& [name, which] : kHeapNames) {
    if (which == heap) return name;
  }
  return "?";
}

std::optional<Heap> parse_heap(std::string_view name) {
  for (const auto& [known, heap] : kHeapNames) {
    if (known == name) return heap;
  }
  return std::nullopt;
}

std::string_view to_string(sched::MemoryModel memory) {
  return kMemoryNames[static_cast<std::size_t>(memory)].first;
}

std::optional<sched::MemoryModel> parse_memory(std::string_view name) {
  for (const auto& [known, memory] : kMemoryNames) {
    if (known == name) return memory;
  }
  return std::nullopt;
}

std::string to_string(const Schedule& schedule) {
  std::string out = fmt::format(
      "{}:{}{}{}:", schedule.program, to_string(schedule.heap),
      schedule.memory ? fmt::format("+{}", to_string(*schedule.memory)) : "",
      schedule.audited ? kAudited : "");
  const std::vector<Step>& steps = schedule.steps;
  for (std::size_t i = 0; i < steps.size();) {
    std::size_t end = i + 1;
    while (!steps[i].choice && end < steps.size() && steps[end] == steps[i]) {
      ++end;
    }
    if (i > 0) out += ',';
    if (steps[i].choice) {
      if (steps[i].thread != sched::kNoThread) {
        out += fmt::format("{}", steps[i].thread);
      }
      out += fmt::format("c{}", *steps[i].choice);
    } else {
      out += fmt::format("{}", steps[i].thread);
      if (end > i + 1) out += fmt::format("x{}", end - i);
    }
    i = end;
  }
  return out;
}

std::vector<sched::Recorded::Step> steps_to_do(const std::vector<Step>& steps) {
  std::vector<sched::Recorded::Step> out;
  for (const Step& step : steps) {
    out.push_back({step.thread, step.choice.has_value(),
                   static_cast<std::uint16_t>(step.choice.value_or(0))});
  }
  return out;
}

Schedule parse_schedule(std::string_view text, const std::string& source) {
  return Parser(trimmed(text), source).parse();
}

}  // namespace plumb::harness
