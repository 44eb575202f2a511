// SPDX-License-Identifier: Apache-2.0
// What the processes of a recorder did, and how their events are merged.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <forward_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "plumb/record/clock.h"
#include "plumb/record/value.h"

namespace plumb::record {

// The name of an operation: a string literal, kept by pointer.
class Name {
 public:
  template <std::size_t N>
  constexpr Name(const char (&literal)[N]) : text_(literal) {}
  constexpr const char* text() const { return text_; }

 private:
  const char* text_;
};

struct Operation {
  Stamp invoked = 0;
  Stamp returned = 0;
  const char* name = nullptr;
  const char* key = nullptr;   // JSON; none: nullptr
  const char* type = nullptr;  // of the return: "ok", "fail" or "info"
  Datum argument;
  Datum result;
};

// What one process did.  Only that process writes here, and only write()
// reads, up to the number of events that the process has published.
class alignas(64) Log {
 public:
  Log(std::uint32_t number, std::size_t operations) : number_(number) {
    auto last = chunks_.before_begin();
    for (std::size_t room = 0; room == 0 || room < operations; room += kChunk) {
      last = chunks_.emplace_after(last);
    }
    chunk_ = chunks_.begin();
  }

  Texts& texts() { return texts_; }

  // Makes room here, not in finish(), and before the stamp is taken.  What is
  // begun is published with the number of events before it.
  Operation& start(Name name, std::uint64_t& events) {
    events = events_.load(std::memory_order_relaxed);
    if (events & 1) {
      if (opener_.load(std::memory_order_relaxed) != this_thread()) shared();
      misuse("invokes '" + std::string(name.text()) + "', but '" +
             current().name + "' has not returned");
    }
    if (used_ == kChunk) {
      const auto next = std::next(chunk_);
      chunk_ = next == chunks_.end() ? chunks_.emplace_after(chunk_) : next;
      used_ = 0;
    }
    Operation& operation = (*chunk_)[used_];
    operation.name = name.text();
    return operation;
  }
  void publish_invocation(Operation& operation, Stamp stamp,
                          std::uint64_t events) {
    operation.invoked = stamp;
    opener_.store(this_thread(), std::memory_order_relaxed);
    publish(events);
  }

  Operation& current() { return (*chunk_)[used_]; }
  // Returns the number of events.
  std::uint64_t require_open() const {
    const std::uint64_t events = events_.load(std::memory_order_relaxed);
    if (!(events & 1)) misuse("returns, but it has no open call");
    return events;
  }
  void publish_return(Stamp stamp, std::uint64_t events) {
    current().returned = last_return_ = stamp;
    publish(events);
    ++used_;
  }
  Stamp last_return() const { return last_return_; }

  std::uint32_t number() const { return number_; }
  std::uint64_t published() const {
    return events_.load(std::memory_order_acquire);
  }

 private:
  friend class Cursor;
  static constexpr std::size_t kChunk = 512;
  using Chunks = std::forward_list<std::array<Operation, kChunk>>;

  // Something else may have been published meanwhile: by another thread.
  void publish(std::uint64_t events) {
    if (!events_.compare_exchange_strong(events, events + 1,
                                         std::memory_order_release,
                                         std::memory_order_relaxed)) {
      shared();
    }
  }
  // Different for each thread that runs.
  static const void* this_thread() {
    static thread_local const char mark = 0;
    return &mark;
  }
  [[noreturn]] void shared() const {
    misuse("is used by two threads at once; each needs a process() of its own");
  }
  [[noreturn]] void misuse(const std::string& what) const {
    throw std::logic_error("plumb: process " + std::to_string(number_) + ' ' +
                           what);
  }

  Chunks chunks_;  // a list, so that nothing moves when it grows
  Chunks::iterator chunk_;
  std::size_t used_ = 0;  // complete operations in *chunk_
  // Invocations and returns; odd while a call is open.
  std::atomic<std::uint64_t> events_{0};
  std::atomic<const void*> opener_{nullptr};  // the thread of the open call
  Stamp last_return_ = 0;
  Texts texts_;
  std::uint32_t number_;
};

// Walks over the first `events` events of a log.
class Cursor {
 public:
  Cursor(const Log& log, std::uint64_t events)
      : log_(&log), chunk_(log.chunks_.begin()), left_(events) {}

  bool done() const { return left_ == 0; }
  bool at_return() const { return returns_; }
  std::uint32_t process() const { return log_->number(); }
  const Operation& operation() const { return (*chunk_)[index_]; }
  Stamp stamp() const {
    return returns_ ? operation().returned : operation().invoked;
  }
  // Throws if the clock went backwards, which a broken TSC would do.
  void advance() {
    const Stamp before = stamp();
    --left_;
    if (returns_ && ++index_ == Log::kChunk && left_ > 0) {
      ++chunk_;
      index_ = 0;
    }
    returns_ = !returns_;
    if (left_ > 0 && stamp() < before) {
      throw std::runtime_error("plumb: the clock of process " +
                               std::to_string(process()) +
                               " went backwards; use plumb::record::"
                               "Recorder<plumb::record::CounterClock>");
    }
  }
  // The event as one line of JSON.
  void append_line(std::string& out) const {
    const Operation& call = operation();
    out += "{\"process\": ";
    append_json(out, process());
    out += ", \"type\": \"";
    out += returns_ ? call.type : "invoke";
    out += "\", \"f\": ";
    append_json(out, std::string_view(call.name));
    if (call.key) out.append(", \"key\": ").append(call.key);
    out += ", \"value\": ";
    (returns_ ? call.result : call.argument).append_to(out);
    out += "}\n";
  }
  // A reversed order, for std::priority_queue.  At equal stamps invocations
  // come first: calls that may overlap are written as overlapping.
  friend bool operator<(const Cursor& a, const Cursor& b) {
    if (a.stamp() != b.stamp()) return a.stamp() > b.stamp();
    if (a.returns_ != b.returns_) return a.returns_;
    return a.process() > b.process();
  }

 private:
  const Log* log_;
  Log::Chunks::const_iterator chunk_;
  std::size_t index_ = 0;
  std::uint64_t left_;
  bool returns_ = false;
};

}  // namespace plumb::record
