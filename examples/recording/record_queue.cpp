// SPDX-License-Identifier: Apache-2.0
// Records a run of a queue with four threads; `broken` is a queue whose deq
// lets go of its lock between looking and taking.
//
//   record_queue good run.jsonl
//   plumb history --spec queue run.jsonl
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "plumb/record.h"

namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 500;  // of an enq and a deq

class GoodQueue {
 public:
  void enq(int value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(value);
  }
  std::optional<int> deq() {
    const std::lock_guard lock(mutex_);
    if (values_.empty()) return std::nullopt;
    const int value = values_.front();
    values_.pop_front();
    return value;
  }

 private:
  std::mutex mutex_;
  std::deque<int> values_;
};

// Every access is under the lock, so there is no data race for a sanitizer to
// find.  Still two threads can look at the same value and both return it: the
// one that comes too late does not look again, as if a failed compare-exchange
// were taken for a success.
class BrokenQueue {
 public:
  void enq(int value) {
    const std::lock_guard lock(mutex_);
    values_.push_back(value);
  }
  std::optional<int> deq() {
    const std::optional<int> value = front();
    if (!value) return value;
    // The bug is there without a pause, but would not show in every run.
    if (*value % 4 == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(1));
    }
    pop_if_front_is(*value);
    return value;
  }

 private:
  std::optional<int> front() {
    const std::lock_guard lock(mutex_);
    if (values_.empty()) return std::nullopt;
    return values_.front();
  }
  void pop_if_front_is(int value) {
    const std::lock_guard lock(mutex_);
    if (!values_.empty() && values_.front() == value) values_.pop_front();
  }

  std::mutex mutex_;
  std::deque<int> values_;
};

// Lets all threads start at once, so that their calls overlap.
class Gate {
 public:
  explicit Gate(int threads) : missing_(threads) {}
  void pass() {
    --missing_;
    while (missing_ > 0) std::this_thread::yield();
  }

 private:
  std::atomic<int> missing_;
};

// Puts distinct values: histories of such runs are decided fastest.  The
// yields make calls overlap on a busy machine too, or on a single core.
template <typename Queue>
void work(Queue& queue, plumb::Process me, int first) {
  for (int value = first; value < first + kRounds; ++value) {
    me.record("enq", value, [&] {
      std::this_thread::yield();
      queue.enq(value);
    });
    me.record("deq", [&] {
      std::this_thread::yield();
      return queue.deq();
    });
  }
}

template <typename Queue>
void run(const std::string& path) {
  Queue queue;
  Gate gate(kThreads);
  plumb::Recorder recorder(2 * kRounds);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i, me = recorder.process()] {
      gate.pass();
      work(queue, me, i * kRounds);
    });
  }
  for (std::thread& thread : threads) thread.join();
  recorder.write(path);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string which = argc == 3 ? argv[1] : "";
  if (which != "good" && which != "broken") {
    std::fputs("usage: record_queue good|broken FILE\n", stderr);
    return 2;
  }
  try {
    which == "good" ? run<GoodQueue>(argv[2]) : run<BrokenQueue>(argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
}
