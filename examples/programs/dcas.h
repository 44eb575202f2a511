// SPDX-License-Identifier: Apache-2.0
// Words that a double compare-and-swap changes two at a time.
#pragma once

#include <mutex>

// No machine has it any more; a lock stands in for it.
class DcasDomain {
 public:
  template <typename T>
  T read(const T& word) {
    const std::lock_guard guard(lock_);
    return word;
  }
  template <typename T>
  void write(T& word, T value) {
    const std::lock_guard guard(lock_);
    word = value;
  }
  // If both are as expected, changes both.
  template <typename T>
  bool dcas(T& a, T& b, T a_from, T b_from, T a_to, T b_to) {
    const std::lock_guard guard(lock_);
    if (a != a_from || b != b_from) return false;
    a = a_to;
    b = b_to;
    return true;
  }

 private:
  std::mutex lock_;
};
