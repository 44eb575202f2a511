// SPDX-License-Identifier: Apache-2.0
// Values that a test gives piece by piece: arguments and results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/value.h"

namespace plumb::harness {

// Collects what plumb_give_*() gives.  Nulls, booleans and integers cost no
// allocation.
class Given {
 public:
  void clear() {
    value_ = Value();
    count_ = 0;
    blocks_ = is_refused_ = false;
    open_.clear();
    items_.clear();
  }

  // A finished value: an item if a list is open.
  void add(Value value) {
    if (!open_.empty()) {
      items_.push_back(value);
    } else if (count_++ == 0) {
      value_ = value;
    }
  }
  void open_list() { open_.push_back(items_.size()); }
  void close_list();
  void block() { blocks_ = true; }
  void refuse() { is_refused_ = true; }

  bool in_list() const { return !open_.empty(); }
  // Was nothing given, as by a call that returns void?
  bool empty() const { return count_ == 0; }
  // The value that was given first; null if there is none.
  Value value() const { return value_; }
  // The same if the same was given, in the same way.
  std::uint64_t hash() const;
  // Did a model say that its call blocks here?
  bool blocks() const { return blocks_; }
  // Is it a number that is too large?
  bool is_refused() const { return is_refused_; }

 private:
  Value value_;
  std::uint32_t count_ = 0;
  bool blocks_ = false;
  bool is_refused_ = false;
  std::vector<std::size_t> open_;  // where each open list begins in items_
  std::vector<Value> items_;
};

// What plumb_give_*() adds to: asked by every one of them.  As long as nobody
// says otherwise, one for each thread of the operating system.
using FindGiven = Given& (*)();
extern FindGiven find_given;
Given& given_of_this_thread();

// Is the code that runs now a thread of an execution, whose allocations are
// not ours?  Set to false while a value is made that needs memory.
extern bool* code_under_test_runs;

// While it lives, what is given goes to `collector`.
class GivenTo {
 public:
  explicit GivenTo(Given& collector);
  ~GivenTo();
  GivenTo(const GivenTo&) = delete;
  GivenTo& operator=(const GivenTo&) = delete;

 private:
  Given* previous_;
  FindGiven found_by_;
};

}  // namespace plumb::harness
