// SPDX-License-Identifier: Apache-2.0
// The part that is compiled as tests are: each order is known to the compiler.
#include "search/weak_machine.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace plumb::search_test {
namespace {

using oracle::WeakStep;
using oracle::WeakThread;
using Do = WeakStep::Do;

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;
constexpr auto kBoth = std::memory_order_acq_rel;
constexpr auto kSeqCst = std::memory_order_seq_cst;

struct Cells {
  std::atomic<int> cells[kWeakCells] = {};
  std::mutex mutexes[kWeakCells];
};

int load(std::atomic<int>& cell, int order) {
  if (order == 0) return cell.load(kRelaxed);
  return order == 5 ? cell.load(kSeqCst) : cell.load(kAcquire);
}

void store(std::atomic<int>& cell, int order, int value) {
  if (order == 0) return cell.store(value, kRelaxed);
  order == 5 ? cell.store(value, kSeqCst) : cell.store(value, kRelease);
}

int add(std::atomic<int>& cell, int order, int value) {
  switch (order) {
    case 0:
      return cell.fetch_add(value, kRelaxed);
    case 2:
      return cell.fetch_add(value, kAcquire);
    case 3:
      return cell.fetch_add(value, kRelease);
    case 4:
      return cell.fetch_add(value, kBoth);
    default:
      return cell.fetch_add(value, kSeqCst);
  }
}

// Returns what was there.
template <std::memory_order kOrder>
int exchange_as(std::atomic<int>& cell, const WeakStep& step) {
  int found = step.expected;
  if (step.failure == 0) {
    cell.compare_exchange_strong(found, step.value, kOrder, kRelaxed);
  } else if (step.failure == 5) {
    cell.compare_exchange_strong(found, step.value, kOrder, kSeqCst);
  } else {
    cell.compare_exchange_strong(found, step.value, kOrder, kAcquire);
  }
  return found;
}

int compare_exchange(std::atomic<int>& cell, const WeakStep& step) {
  switch (step.order) {
    case 0:
      return exchange_as<kRelaxed>(cell, step);
    case 2:
      return exchange_as<kAcquire>(cell, step);
    case 3:
      return exchange_as<kRelease>(cell, step);
    case 4:
      return exchange_as<kBoth>(cell, step);
    default:
      return exchange_as<kSeqCst>(cell, step);
  }
}

void fence(int order) {
  switch (order) {
    case 2:
      return std::atomic_thread_fence(kAcquire);
    case 3:
      return std::atomic_thread_fence(kRelease);
    case 4:
      return std::atomic_thread_fence(kBoth);
    default:
      return std::atomic_thread_fence(kSeqCst);
  }
}

class Thread final : public test::Action {
 public:
  explicit Thread(const WeakThread* thread) : thread_(*thread) {}
  void run(void* object) const override {
    auto& cells = *static_cast<Cells*>(object);
    std::int64_t told = 0;
    for (int at = thread_.empty() ? -1 : 0; at >= 0;) {
      const WeakStep& step = thread_[static_cast<std::size_t>(at)];
      int value = 0;
      if (do_step(cells, step, value)) told = tell_also(told, value);
      at = step.next[value % 2];
    }
    plumb_give_integer(told);
  }

 private:
  // Did it read a value?
  static bool do_step(Cells& cells, const WeakStep& step, int& value) {
    std::atomic<int>& cell = cells.cells[step.location];
    switch (step.what) {
      case Do::kLoad:
        value = load(cell, step.order);
        return true;
      case Do::kStore:
        store(cell, step.order, step.value);
        return false;
      case Do::kAdd:
        value = add(cell, step.order, step.value);
        return true;
      case Do::kCas:
        value = compare_exchange(cell, step);
        return true;
      case Do::kFence:
        fence(step.order);
        return false;
      // To the oracle, these are updates, of 0 and of 1.
      case Do::kLock:
        cells.mutexes[step.location].lock();
        value = 0;
        return true;
      case Do::kUnlock:
        cells.mutexes[step.location].unlock();
        value = 1;
        return true;
    }
    return false;
  }

  const WeakThread& thread_;
};

class Look final : public test::Action {
 public:
  void run(void* object) const override {
    std::int64_t told = 0;
    for (auto& cell : static_cast<Cells*>(object)->cells) {
      told = tell_also(told, cell.load());
    }
    plumb_give_integer(told);
  }
};

class Make final : public test::Maker {
 public:
  void* make() const override { return new Cells; }
  void destroy(void* object) const override {
    delete static_cast<Cells*>(object);
  }
};

}  // namespace

test::Maker* make_cells() {
  return new Make;
}
test::Action* make_weak_thread(const WeakThread* thread) {
  return new Thread(thread);
}
test::Action* make_look_at_cells() {
  return new Look;
}

}  // namespace plumb::search_test
