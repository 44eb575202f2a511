// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "sched/trust.h"
#include "support/weak_code.h"

namespace plumb::test_support {

namespace {

using sched::Bytes;
using sched::EventId;
using sched::ExecutionGraph;
using sched::GraphEvent;
using sched::GraphKind;
using sched::ReadLabel;
using sched::ThreadId;
using sched::ThreadMask;
using sched::Updates;
using Do = WeakInstruction::Do;

std::int64_t calculate(std::int64_t operation, std::int64_t a, std::int64_t b) {
  switch (operation) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '%':
      return a % b;
    case '&':
      return a & b;
    case '<':
      return a < b;
    case '>':
      return a > b;
    case '<' + 128:
      return a <= b;
    case '>' + 128:
      return a >= b;
    case '!' + 128:
      return a != b;
    default:
      return a == b;
  }
}

// One execution.
class CodeMachine {
 public:
  CodeMachine(const WeakText& text, sched::Trust& search)
      : text_(text), search_(search), threads_(text.threads.size()) {
    for (std::size_t t = 0; t < threads_.size(); ++t) go_on(t);
  }

  // Did all threads come to their ends?
  bool run() {
    for (;;) {
      ThreadMask enabled = 0;
      bool all = true;
      for (std::size_t t = 0; t < threads_.size(); ++t) {
        if (threads_[t].at < 0) continue;
        all = false;
        if (!waits(t) && !threads_[t].is_stuck) enabled |= 1u << t;
      }
      if (enabled == 0) {
        if (!all) tell_who_waits();
        return all;
      }
      const ThreadId next = search_.pick({.enabled = enabled});
      if (next == sched::kNoThread) {
        if (search_.is_stalled()) tell_who_waits();
        return false;
      }
      step(next);
      go_on(next);
    }
  }

 private:
  struct Thread {
    std::int64_t at = 0;  // -1: at its end
    bool is_stuck = false;
    std::vector<std::int64_t> stack;
    std::vector<std::int64_t> locals = std::vector<std::int64_t>(32);

    std::int64_t pop() {
      const std::int64_t out = stack.back();
      stack.pop_back();
      return out;
    }
  };

  const WeakInstruction& instruction(std::size_t t) const {
    return text_.threads[t][static_cast<std::size_t>(threads_[t].at)];
  }
  Bytes initial(std::uint64_t key) const {
    for (const auto& [other, value] : text_.initial) {
      if (other == key) return {static_cast<std::uint64_t>(value), 0};
    }
    return {};
  }
  bool waits(std::size_t t) const {
    return instruction(t).what == Do::kLock &&
           held_.count(threads_[t].stack.back()) != 0;
  }
  void tell_who_waits() {
    for (std::size_t t = 0; t < threads_.size(); ++t) {
      if (threads_[t].at < 0 || threads_[t].is_stuck) continue;
      const ReadLabel label =
          label_of(instruction(t), threads_[t].stack.back(), 0);
      search_.waits(static_cast<ThreadId>(t), label, {}, [](const Bytes&) {
        return Bytes{1, 0};
      });
    }
  }

  static ReadLabel label_of(const WeakInstruction& what, std::int64_t key,
                            std::int64_t expected) {
    ReadLabel label;
    label.key = static_cast<std::uint64_t>(key);
    label.order = static_cast<std::uint8_t>(what.order);
    label.failure = static_cast<std::uint8_t>(what.failure);
    label.expected.low = static_cast<std::uint64_t>(expected);
    if (what.what == Do::kUpdate) {
      label.updates = what.value == '?' ? Updates::kIfEqual : Updates::kAlways;
    } else if (what.what == Do::kLock) {
      label.updates = Updates::kIfEqual;
      label.order = 2;
      label.waits = label.in_place = label.is_sync = true;
    } else if (what.what == Do::kUnlock) {
      label.updates = Updates::kAlways;
      label.order = 3;
      label.is_sync = true;
      label.on_x86 = sched::OnX86::kStore;
    }
    return label;
  }

  // One access.
  void step(std::size_t t) {
    const WeakInstruction& what = instruction(t);
    Thread& thread = threads_[t];
    ++thread.at;
    const auto id = static_cast<ThreadId>(t);
    if (what.what == Do::kFence) return search_.fence(id, what.order);
    if (what.what == Do::kStore) {
      const auto value = static_cast<std::uint64_t>(thread.pop());
      const auto key = static_cast<std::uint64_t>(thread.pop());
      search_.wrote(id, key, {value, 0}, what.order, initial(key));
      return;
    }
    const bool is_update = what.what == Do::kUpdate;
    const std::int64_t operand = is_update ? thread.pop() : 0;
    const std::int64_t expected =
        is_update && what.value == '?' ? thread.pop() : 0;
    const std::int64_t key = thread.pop();
    const auto next = [&](const Bytes& old) {
      std::int64_t value = operand;
      if (what.what == Do::kLock) value = 1;
      if (what.value == '+' || what.value == '-') {
        value =
            calculate(what.value, static_cast<std::int64_t>(old.low), operand);
      }
      return Bytes{static_cast<std::uint64_t>(value), 0};
    };
    const ReadLabel label = label_of(what, key, expected);
    const auto read = search_.read(id, label, initial(label.key), next);
    if (read.updates) search_.updated(id, next(read.value));
    if (what.what == Do::kLock && read.updates) held_.insert(key);
    if (what.what == Do::kUnlock) held_.erase(key);
    thread.stack.push_back(static_cast<std::int64_t>(read.value.low));
  }

  // Up to the next access.
  void go_on(std::size_t t) {
    Thread& thread = threads_[t];
    const auto size = static_cast<std::int64_t>(text_.threads[t].size());
    while (thread.at >= 0 && !thread.is_stuck) {
      if (thread.at == size) {
        thread.at = -1;
        return;
      }
      const WeakInstruction& what = instruction(t);
      if (!calculates(thread, what)) return;
      if (!thread.is_stuck && thread.at >= 0) ++thread.at;
    }
  }
  static bool calculates(Thread& thread, const WeakInstruction& what) {
    switch (what.what) {
      case Do::kConstant:
        thread.stack.push_back(what.value);
        return true;
      case Do::kLocal:
        thread.stack.push_back(
            thread.locals.at(static_cast<std::size_t>(what.value)));
        return true;
      case Do::kSetLocal:
        thread.locals.at(static_cast<std::size_t>(what.value)) = thread.pop();
        return true;
      case Do::kBinary: {
        const std::int64_t second = thread.pop();
        thread.stack.back() =
            calculate(what.value, thread.stack.back(), second);
        return true;
      }
      case Do::kNot:
        thread.stack.back() = thread.stack.back() == 0;
        return true;
      case Do::kDrop:
        thread.pop();
        return true;
      case Do::kJumpIfZero:
        if (thread.pop() == 0) thread.at = what.value - 1;
        return true;
      case Do::kJump:
        thread.at = what.value < 0 ? -1 : what.value - 1;
        return true;
      case Do::kAssume:
        thread.is_stuck = thread.pop() == 0;
        return true;
      default:
        return false;
    }
  }

  const WeakText& text_;
  sched::Trust& search_;
  std::vector<Thread> threads_;
  std::set<std::int64_t> held_;
};

// Which writes are read, and mo.
std::string name_of(const ExecutionGraph& graph,
                    const std::vector<std::uint64_t>& left_out) {
  std::string out;
  const auto is_lock = [&](std::uint64_t key) {
    return std::find(left_out.begin(), left_out.end(), key - key % kArray) !=
           left_out.end();
  };
  const auto add = [&](EventId id) {
    out += static_cast<char>(id.thread + 1);
    out += static_cast<char>(id.index);
    out += static_cast<char>(id.index >> 8);
  };
  for (std::uint16_t t = 0; t < graph.threads(); ++t) {
    for (std::uint16_t i = 0; i < graph.size(t); ++i) {
      const GraphEvent& event = graph[{t, i}];
      if (event.kind == GraphKind::kRead && !is_lock(event.label.key)) {
        add({t, i});
        add(event.source);
      }
    }
  }
  std::map<std::uint64_t, const std::vector<EventId>*> orders;
  for (std::size_t l = 0; l < graph.locations(); ++l) {
    const std::uint64_t key = graph.location(l).key;
    if (!is_lock(key)) orders[key] = &graph.location(l).writes;
  }
  for (const auto& [key, writes] : orders) {
    out += '/';
    for (const EventId write : *writes) add(write);
  }
  return out;
}

}  // namespace

WeakCounts count_graphs(const WeakText& text, sched::MemoryModel model,
                        bool compares) {
  WeakCounts out;
  sched::Trust search(model);
  std::set<std::string> seen, seen_unlocked;
  while (search.start_run()) {
    const bool ended = CodeMachine(text, search).run();
    out.diverged |= search.diverged();
    if (!ended) continue;
    ++out.complete;
    if (!compares) continue;
    out.twice += !seen.insert(name_of(search.graph(), {})).second;
    if (!text.locks.empty()) {
      seen_unlocked.insert(name_of(search.graph(), text.locks));
    }
  }
  out.unlocked = seen_unlocked.size();
  return out;
}

}  // namespace plumb::test_support
