// SPDX-License-Identifier: Apache-2.0
// A payload whose publication is checked.
//
// Containers of numbers hand over what an atomic holds, so a missing release or
// acquire shows only in which number comes out.  Users hand over pointers, and
// then it is a data race: somebody reads what another one has written, and
// nothing orders the two.  Put boxes in, and the race is found:
//
//   void enq(int value) { queue.push(plumb::Boxed<int>(value)); }
//   std::optional<int> deq() {
//     plumb::Boxed<int> box;
//     if (!queue.pop(box)) return std::nullopt;
//     return box.take();
//   }
//
// It is as large as a pointer, and copied as one; whoever takes out the payload
// frees it, so what is taken twice is a fault, too, and what is never taken a
// leak (test.set("leaks", "allow"), or a drain).
#pragma once

#include <utility>

namespace plumb {

template <typename T>
class Boxed {
 public:
  Boxed() = default;  // no payload
  explicit Boxed(T value) : payload_(new T(std::move(value))) {}

  bool is_empty() const { return payload_ == nullptr; }

  // Requires: it is not empty, and no copy was taken out.
  T take() {
    T* const payload = std::exchange(payload_, nullptr);
    T value = std::move(*payload);
    delete payload;
    return value;
  }

  friend bool operator==(Boxed a, Boxed b) { return a.payload_ == b.payload_; }

 private:
  T* payload_ = nullptr;
};

}  // namespace plumb
