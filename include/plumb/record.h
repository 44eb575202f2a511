// SPDX-License-Identifier: Apache-2.0
// Records the history of a concurrent object in a running program (C++17).
//
//   plumb::Recorder recorder;                    // one for each history
//   auto me = recorder.process();                // one for each thread
//   me.invoke("enq", 7);                         // by hand ...
//   queue.enq(7);
//   me.ok();
//   auto v = me.record("deq", [&] { return queue.deq(); });  // ... or so
//   recorder.write("run.jsonl");                 // read by `plumb history`
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <mutex>
#include <ostream>
#include <queue>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <utility>
#include <vector>

#if __has_include(<sys/stat.h>)
#include <sys/stat.h>
#endif

#include "plumb/record/clock.h"
#include "plumb/record/log.h"
#include "plumb/record/value.h"

namespace plumb::record {

// A process of the history: used by one thread at a time, and whoever comes
// second gets an std::logic_error.  Copies are the same process.  Must not
// outlive its recorder.
template <typename Clock>
class Process {
 public:
  Process(Log& log, Clock& clock) : log_(&log), clock_(&clock) {}

  // The same process at work on one of several objects.
  template <typename Key>
  Process on(const Key& key) const {
    Process bound = *this;
    bound.key_ = log_->texts().keep(key);
    return bound;
  }

  // Call these right before and right after the operation.  An `ok` may carry
  // a result; `fail`: it did not happen; `info`: it may happen, now or later.
  // Throws std::logic_error if invocations and returns do not alternate.
  template <typename Argument = std::nullptr_t>
  void invoke(Name name, const Argument& argument = nullptr) {
    std::uint64_t events = 0;
    Operation& operation = log_->start(name, events);
    operation.key = key_;
    operation.argument = log_->texts().encode(argument);
    Stamp stamp = clock_->invocation();
    // Strictly after our last return, see the order rule.
    while (stamp == log_->last_return()) stamp = clock_->invocation();
    log_->publish_invocation(operation, stamp, events);
  }
  template <typename Result = std::nullptr_t>
  void ok(const Result& result = nullptr) {
    finish("ok", result);
  }
  void fail() { finish("fail", nullptr); }
  void info() { finish("info", nullptr); }

  // Invokes, calls, returns what the call gave.  A call that throws is
  // recorded as `info`, since nobody knows how far it came.
  template <typename Call>
  auto record(Name name, Call&& call) {
    return record(name, nullptr, std::forward<Call>(call));
  }
  template <typename Argument, typename Call>
  auto record(Name name, const Argument& argument, Call&& call) {
    invoke(name, argument);
    if constexpr (std::is_void_v<std::invoke_result_t<Call&>>) {
      attempt(call);
      ok();
    } else {
      auto result = attempt(call);
      ok(result);
      return result;
    }
  }

 private:
  template <typename Result>
  void finish(const char* type, const Result& result) {
    const Stamp stamp = clock_->completion();
    const std::uint64_t events = log_->require_open();
    log_->current().result = log_->texts().encode(result);
    log_->current().type = type;
    log_->publish_return(stamp, events);
  }
  template <typename Call>
  auto attempt(Call& call) {
    try {
      return call();
    } catch (...) {
      info();
      throw;
    }
  }

  Log* log_;
  Clock* clock_;
  const char* key_ = nullptr;
};

// A file that is being written; every error is thrown, a full disk too.  It
// has another name until it is whole, so that nobody takes a part of it for
// all, and what was there before stays until then.  What is no plain file, a
// pipe or a device, is written to as it is.
class File {
 public:
  explicit File(const std::string& path)
      : path_(path),
        written_(is_special(path) ? path : path + ".partial"),
        file_(std::fopen(written_.c_str(), "wb")) {
    if (!file_) fail();
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (!file_) return;
    std::fclose(file_);
    if (written_ != path_) std::remove(written_.c_str());
  }
  void write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) fail();
  }
  void close() {  // only now is it known that everything arrived
    if (std::fflush(file_) != 0) fail();
    if (std::fclose(std::exchange(file_, nullptr)) != 0 ||
        (written_ != path_ &&
         std::rename(written_.c_str(), path_.c_str()) != 0)) {
      const int error = errno;
      if (written_ != path_) std::remove(written_.c_str());
      errno = error;
      fail();
    }
  }

 private:
  static bool is_special(const std::string& path) {
#ifdef S_ISREG
    struct stat status = {};
    return stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
#else
    return path.empty();
#endif
  }
  [[noreturn]] void fail() const {
    throw std::system_error(errno, std::generic_category(),
                            "plumb: cannot write '" + path_ + "'");
  }

  std::string path_;
  std::string written_;  // its name until it is whole
  std::FILE* file_;
};

template <typename Clock>
class Recorder {
 public:
  // Each process gets room for `operations` calls at once, and more if needed.
  explicit Recorder(std::size_t operations = 0) : operations_(operations) {}
  Recorder(const Recorder&) = delete;  // its processes point to it
  Recorder& operator=(const Recorder&) = delete;

  // A new process, numbered from 0.  Any thread may ask.
  Process<Clock> process() {
    const std::lock_guard lock(mutex_);
    const auto number = static_cast<std::uint32_t>(logs_.size());
    return Process<Clock>(logs_.emplace_back(number, operations_), clock_);
  }

  // Writes what was recorded, as JSON Lines; calls without a return stay
  // pending.  No process may record meanwhile (that throws std::logic_error),
  // but some may hang inside their calls, in a deadlock for example.
  // Throws std::system_error if the file cannot be written.  A file of that
  // name is whole: it is written beside, and renamed.
  void write(const std::string& path) const {
    File file(path);
    merge([&file](std::string_view lines) { file.write(lines); });
    file.close();
  }
  // Errors show in the state of the stream.
  void write(std::ostream& out) const {
    merge([&out](std::string_view lines) { out << lines; });
  }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 16;

  // Merges the logs by stamp, n events of k processes in O(n log k).
  //
  // Looks at the number of events of every process twice.  If none has
  // changed, all of them were at rest when the first look ended, so that what
  // was written is a prefix of the history [AfekEtAl93]; otherwise a return
  // might stand there whose cause is missing.
  template <typename Sink>
  void merge(const Sink& sink) const {
    const std::lock_guard lock(mutex_);
    const std::vector<std::uint64_t> events = count_events();
    std::priority_queue<Cursor> next;
    for (const Log& log : logs_) {
      if (const auto n = events[log.number()]; n > 0) next.emplace(log, n);
    }
    std::string lines;
    while (!next.empty()) {
      Cursor cursor = next.top();
      next.pop();
      cursor.append_line(lines);
      cursor.advance();
      if (!cursor.done()) next.push(cursor);
      if (lines.size() < kBlock && !next.empty()) continue;
      sink(std::string_view(lines));
      lines.clear();
    }
    if (count_events() != events) {
      throw std::logic_error("plumb: a process recorded during write()");
    }
  }
  std::vector<std::uint64_t> count_events() const {
    std::vector<std::uint64_t> events;
    for (const Log& log : logs_) events.push_back(log.published());
    return events;
  }

  std::size_t operations_;
  Clock clock_;
  mutable std::mutex mutex_;  // guards the list of logs, not what is in them
  std::deque<Log> logs_;      // a deque: logs never move
};

}  // namespace plumb::record

namespace plumb {

using Recorder = record::Recorder<record::BestClock>;
using Process = record::Process<record::BestClock>;

}  // namespace plumb
