// SPDX-License-Identifier: Apache-2.0
// An atomic snapshot of two registers by double collect.
//
// Source: Y. Afek, H. Attiya, D. Dolev, E. Gafni, M. Merritt, N. Shavit, Atomic
// snapshots of shared memory, J. ACM 40(4), 1993, section 3.
//
// Each update leaves a new number beside its value.  A scan reads both until
// two rounds (collects) see the same numbers: then nothing changed from the end
// of the first to the start of the second.  Linearizable.  Each register has
// one writer.
//
// A single collect gives two values that were never there together: not
// linearizable, but sequentially and quiescent consistent, as each thread by
// itself sees nothing wrong.  Comparing values instead of numbers fails when
// values come back, which takes three updates of each register.
//
// All must agree in which order the registers change, so the orders are
// seq_cst: with release and acquire two threads that update, then scan, need
// not see each other.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

enum class Collect { kNumbers, kValues, kOnce };

struct SnapshotOrders {
  std::memory_order store = std::memory_order_seq_cst;
  std::memory_order load = std::memory_order_seq_cst;
};

template <Collect kCollect = Collect::kNumbers,
          SnapshotOrders kOrders = SnapshotOrders{}>
class Snapshot {
 public:
  void update_first(int value) { update(registers_[0], value); }
  void update_second(int value) { update(registers_[1], value); }

  std::pair<int, int> scan() const {
    Both seen = collect();
    if (kCollect == Collect::kOnce) return values(seen);
    while (true) {
      const Both again = collect();
      const bool same = kCollect == Collect::kNumbers
                            ? seen == again
                            : values(seen) == values(again);
      if (same) return values(seen);
      seen = again;
    }
  }

 private:
  struct alignas(8) Register {
    std::int32_t value = 0;
    std::uint32_t number = 0;
    friend bool operator==(Register, Register) = default;
  };
  using Both = std::array<Register, 2>;

  // Two steps, as there is one writer only.
  static void update(std::atomic<Register>& target, int value) {
    const Register old = target.load(std::memory_order_relaxed);
    target.store({value, old.number + 1}, kOrders.store);
  }
  Both collect() const {
    return {registers_[0].load(kOrders.load), registers_[1].load(kOrders.load)};
  }
  static std::pair<int, int> values(const Both& both) {
    return {both[0].value, both[1].value};
  }

  std::array<std::atomic<Register>, 2> registers_{};
};

// What a snapshot must do, one call at a time.
struct TwoRegisters {
  int first = 0;
  int second = 0;

  void update_first(int value) { first = value; }
  void update_second(int value) { second = value; }
  std::pair<int, int> scan() const { return {first, second}; }
};
