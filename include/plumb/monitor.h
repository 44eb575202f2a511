// SPDX-License-Identifier: Apache-2.0
// Judges an object while a program uses it, for as long as it runs (C++17).
//
//   plumb::Monitor monitor("queue", [](const std::string& what) {
//     std::fprintf(stderr, "%s\n", what.c_str());       // the first violation
//   });
//   auto me = monitor.process();                        // one for each thread
//   me.record("enq", 7, [&] { queue.enq(7); });
//   auto v = me.record("deq", [&] { return queue.deq(); });
//   plumb::Judgement all = monitor.finish();
//
// The tool runs beside, as `plumb history --follow`, and keeps what overlaps
// and what is inside: nothing here grows with the length of the run.  (See
// plumb/judge.h for which tool that is.)  Events go through one lock, whose
// order is that of the history; who records faster than the tool judges has to
// wait.
#pragma once

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "plumb/judge.h"
#include "plumb/record/log.h"
#include "plumb/record/value.h"

namespace plumb {

class Monitor {
 public:
  // Is told once, in a thread of its own, of the first event that no order
  // explains: "line 6: no order explains deq() -> 2, after 3 operations", where
  // lines are events.  It must not call the monitor.
  using Tell = std::function<void(const std::string& what)>;

  explicit Monitor(const std::string& specification, Tell tell = {},
                   const std::string& condition = "linearizable")
      : tell_(std::move(tell)) {
    start("exec " + judging::quoted(judging::tool()) +
          " history --no-color --follow --spec " +
          judging::quoted(specification) + " --condition " +
          judging::quoted(condition) + " - 2>&1");
    writer_ = std::thread([this] { write_lines(); });
    reader_ = std::thread([this] { read_answers(); });
  }
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  ~Monitor() {
    try {
      finish();
    } catch (...) {
    }
  }

  class Process {
   public:
    // Right before and right after the operation, as in plumb/record.h.
    // Throws std::logic_error if they do not alternate.
    template <typename Argument = std::nullptr_t>
    void invoke(record::Name name, const Argument& argument = nullptr) {
      if (open_ != nullptr) misuse("invokes '", name.text());
      open_ = name.text();
      monitor_->say(number_, "invoke", open_, text_of(argument));
    }
    template <typename Result = std::nullptr_t>
    void ok(const Result& result = nullptr) {
      end("ok", text_of(result));
    }
    void fail() { end("fail", "null"); }
    void info() { end("info", "null"); }

    template <typename Call>
    auto record(record::Name name, Call&& call) {
      return record(name, nullptr, std::forward<Call>(call));
    }
    template <typename Argument, typename Call>
    auto record(record::Name name, const Argument& argument, Call&& call) {
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
    friend class Monitor;
    Process(Monitor& monitor, std::uint32_t number)
        : monitor_(&monitor), number_(number) {}

    template <typename T>
    static std::string text_of(const T& value) {
      record::Texts texts;
      std::string out;
      texts.encode(value).append_to(out);
      return out;
    }
    void end(const char* type, const std::string& value) {
      if (open_ == nullptr) misuse("returns, but it has no open call", "");
      monitor_->say(number_, type, std::exchange(open_, nullptr), value);
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
    [[noreturn]] void misuse(const std::string& what, const char* name) const {
      throw std::logic_error("plumb: process " + std::to_string(number_) + ' ' +
                             what + name +
                             (*name ? "' within another call" : ""));
    }

    Monitor* monitor_;
    std::uint32_t number_;
    const char* open_ = nullptr;
  };

  // A new process; each thread needs its own.  Any thread may ask.
  Process process() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return Process(*this, processes_++);
  }

  // Has a violation been told?
  bool violated() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return told_;
  }

  // Ends the history: what has not returned is pending.  Returns what the tool
  // says of the whole.  Afterwards events are not heard any more.
  Judgement finish() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (ended_) return made_;
      ended_ = true;
    }
    more_.notify_all();
    writer_.join();
    ::shutdown(socket_, SHUT_WR);
    reader_.join();
    ::close(socket_);
    int status = 0;
    while (::waitpid(tool_, &status, 0) < 0 && errno == EINTR) {
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    made_.consistent = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 127) {
      made_.text +=
          "plumb: the tool was not found; put it on the PATH, or name it in "
          "the environment variable PLUMB\n";
    }
    return made_;
  }

 private:
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 20;  // bytes

  void start(const std::string& command) {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
      throw std::system_error(errno, std::generic_category(),
                              "plumb: cannot start a monitor");
    }
    tool_ = ::fork();
    if (tool_ == 0) {
      ::dup2(ends[1], 0);
      ::dup2(ends[1], 1);
      ::execl("/bin/sh", "sh", "-c", command.c_str(),
              static_cast<char*>(nullptr));
      ::_exit(127);
    }
    ::close(ends[1]);
    socket_ = ends[0];
    if (tool_ < 0) {
      ::close(socket_);
      throw std::system_error(errno, std::generic_category(),
                              "plumb: cannot start a monitor");
    }
  }

  void say(std::uint32_t process, const char* type, const char* name,
           const std::string& value) {
    std::string line = "{\"process\": ";
    record::append_json(line, process);
    line.append(", \"type\": \"").append(type).append("\", \"f\": ");
    record::append_json(line, std::string_view(name));
    line.append(", \"value\": ").append(value).append("}\n");
    std::unique_lock<std::mutex> lock(mutex_);
    room_.wait(lock, [this] {
      return waiting_.size() < kMostWaiting || broken_ || ended_;
    });
    if (broken_ || ended_) return;
    waiting_ += line;
    lock.unlock();
    more_.notify_one();
  }

  void write_lines() {
    std::string lines;
    std::unique_lock<std::mutex> lock(mutex_);
    while (true) {
      more_.wait(lock, [this] { return !waiting_.empty() || ended_; });
      if (waiting_.empty()) return;
      lines.swap(waiting_);
      lock.unlock();
      room_.notify_all();
      const bool sent = send_all(lines);
      lines.clear();
      lock.lock();
      if (!sent) {
        broken_ = true;
        waiting_.clear();
        room_.notify_all();
        return;
      }
    }
  }
  bool send_all(std::string_view rest) const {
    while (!rest.empty()) {
      const ::ssize_t sent =
          ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent < 0) return false;
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  void read_answers() {
    std::string line;
    char block[4096];
    while (true) {
      const ::ssize_t got = ::read(socket_, block, sizeof block);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) break;
      for (::ssize_t i = 0; i < got; ++i) {
        line += block[i];
        if (block[i] == '\n') take_line(std::exchange(line, {}));
      }
    }
    take_line(std::exchange(line, {}));
  }
  void take_line(const std::string& line) {
    constexpr std::string_view kStart = "<stdin>:";
    const bool tells = line.find(": no order explains ") != std::string::npos &&
                       line.compare(0, kStart.size(), kStart) == 0;
    std::unique_lock<std::mutex> lock(mutex_);
    made_.text += line;
    if (!tells || std::exchange(told_, true) || !tell_) return;
    lock.unlock();
    tell_("line " +
          line.substr(kStart.size(), line.size() - kStart.size() - 1));
  }

  Tell tell_;
  int socket_ = -1;
  ::pid_t tool_ = -1;
  mutable std::mutex mutex_;  // of all below
  std::condition_variable more_, room_;
  std::string waiting_;  // lines to be written
  std::uint32_t processes_ = 0;
  bool ended_ = false, broken_ = false, told_ = false;
  Judgement made_;
  std::thread writer_, reader_;
};

}  // namespace plumb
