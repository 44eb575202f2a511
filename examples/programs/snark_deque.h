// SPDX-License-Identifier: Apache-2.0
// Snark: a deque as a doubly linked list, whose ends are moved two at a time.
//
// Source: D. L. Detlefs, C. H. Flood, A. T. Garthwaite, P. A. Martin, N. N.
// Shavit, G. L. Steele Jr., Even better DCAS-based concurrent deques, DISC
// 2000.  Its faults: S. Doherty et al., DCAS is not a silver bullet for
// nonblocking algorithm design, SPAA 2004.
//
// It was published with a proof and is not linearizable.  A pop at the right
// reads the right end ("hat"); a pop at the left then removes that very node
// and makes its right link point to itself, which to the slow pop means that
// the deque is empty, although it never was.  A second look at the hat mends
// that.  The other fault takes three threads: an item is popped twice, when the
// hats have come back to where a slow pop saw them.  Our repair of both: who
// has moved the hats must still claim the value, and starts again if somebody
// else has it.
#pragma once

#include <atomic>
#include <optional>
#include <utility>

#include "dcas.h"

struct SnarkOptions {
  bool look_again = false;
  bool claim = false;
};

template <SnarkOptions kOptions = SnarkOptions{}>
class SnarkDeque {
 public:
  SnarkDeque() {
    dummy_->link[kLeft] = dummy_;
    dummy_->link[kRight] = dummy_;
  }

  void push_back(int value) { push(kRight, value); }
  void push_front(int value) { push(kLeft, value); }
  std::optional<int> pop_back() { return pop(kRight); }
  std::optional<int> pop_front() { return pop(kLeft); }

 private:
  enum Side : unsigned { kLeft, kRight };
  // Never freed: see memory.h, Collected.
  struct Node {
    explicit Node(int item) : value(item) {}

    std::atomic<int> value;  // 0: claimed
    Node* link[2] = {nullptr, nullptr};
  };

  static Side other(Side side) { return side == kLeft ? kRight : kLeft; }

  void push(Side side, int value) {
    auto* node = new Node(value);
    node->link[side] = dummy_;
    while (true) {
      Node* hat = words_.read(hat_[side]);
      Node* outside = words_.read(hat->link[side]);
      if (outside == hat) {
        node->link[other(side)] = dummy_;
        Node* far = words_.read(hat_[other(side)]);
        if (words_.dcas(hat_[side], hat_[other(side)], hat, far, node, node)) {
          return;
        }
      } else {
        node->link[other(side)] = hat;
        if (words_.dcas(hat_[side], hat->link[side], hat, outside, node,
                        node)) {
          return;
        }
      }
    }
  }

  std::optional<int> pop(Side side) {
    while (true) {
      Node* hat = words_.read(hat_[side]);
      Node* far = words_.read(hat_[other(side)]);
      if (words_.read(hat->link[side]) == hat) {
        if (!kOptions.look_again || words_.read(hat_[side]) == hat) {
          return std::nullopt;
        }
        continue;
      }
      if (!take_off(side, hat, far)) continue;
      const int value = kOptions.claim
                            ? hat->value.exchange(0, std::memory_order_acq_rel)
                            : hat->value.load(std::memory_order_acquire);
      if (hat != far) words_.write(hat->link[side], dummy_);
      if (value != 0) return value;
    }
  }

  // Takes the node under the hat off the list.
  bool take_off(Side side, Node* hat, Node* far) {
    if (hat == far) {
      return words_.dcas(hat_[side], hat_[other(side)], hat, far, dummy_,
                         dummy_);
    }
    Node* inside = words_.read(hat->link[other(side)]);
    return words_.dcas(hat_[side], hat->link[other(side)], hat, inside, inside,
                       hat);
  }

  DcasDomain words_;
  Node* const dummy_ = new Node(0);
  Node* hat_[2] = {dummy_, dummy_};
};
