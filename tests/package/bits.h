// SPDX-License-Identifier: Apache-2.0
// A set of small numbers, in a library.
#pragma once

#include <atomic>

class Bits {
 public:
  bool add(int number);
  bool contains(int number);

 private:
  std::atomic<unsigned> bits_{0};
};
