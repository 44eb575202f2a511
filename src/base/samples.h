// SPDX-License-Identifier: Apache-2.0
// How a count grew over time, as a few points.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace plumb {

// The points are about as far from each other in time, however long it takes:
// when there are too many, every other one goes.
class Samples {
 public:
  static constexpr std::size_t kMost = 60;

  struct Point {
    double seconds = 0;
    std::uint64_t count = 0;
  };

  // Any thread may; costs little more than looking at the clock.
  void add(std::uint64_t more);

  // From nothing at the start to `last`, which is what there was in the end,
  // or to more if more were counted; at most kMost.
  std::vector<Point> until(Point last) const;

  // While it lives, steps of every Budget that this thread polls are counted,
  // and those of threads that it starts.
  class Counting {
   public:
    explicit Counting(Samples& samples);
    ~Counting();
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

   private:
    Samples* before_;
  };
  // Of threads that work for another: null if nobody counts.
  static Samples* of_this_thread();
  static void set_for_this_thread(Samples* samples);
  // This thread begins so many steps; those begun before count as done.
  static void begin_steps(std::uint64_t steps);

 private:
  using Clock = std::chrono::steady_clock;

  void take(Point point);

  const Clock::time_point start_ = Clock::now();
  std::atomic<std::uint64_t> count_ = 0;
  std::atomic<double> next_ = 0;  // when, in seconds

  mutable std::mutex mutex_;  // guards what follows
  double interval_ = 0.002;
  std::array<Point, kMost> points_{};
  std::size_t size_ = 0;
};

}  // namespace plumb
