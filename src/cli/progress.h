// SPDX-License-Identifier: Apache-2.0
// One overwritten line on a terminal while work takes more than a second.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

namespace plumb::cli {

// Silent unless standard error is a terminal.
class Progress {
 public:
  // `noun`: what there are `count` of, "inputs"; `unit`: what a step of the
  // search is called.
  Progress(std::size_t count, const char* noun, const char* unit);
  ~Progress() { stop(); }
  Progress(const Progress&) = delete;

  void finished_one() { ++finished_; }
  // Removes the line, so that something can be printed.
  void clear();
  void stop();

 private:
  void loop();
  void draw(double seconds);

  std::size_t count_;
  const char* noun_;
  const char* unit_;
  std::atomic<std::size_t> finished_ = 0;
  std::mutex mutex_;
  std::condition_variable stopping_;
  bool stopped_ = false;               // guarded by mutex_
  bool on_screen_ = false;             // guarded by mutex_
  std::vector<std::jthread> threads_;  // one, or none
};

}  // namespace plumb::cli
