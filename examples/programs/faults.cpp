// SPDX-License-Identifier: Apache-2.0
// Free-form tests of what must never happen, one of each kind.
#include <plumb/test.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <thread>

// Each has one lock and wants the other one.
PLUMB_TEST(deadlock) {
  test.expect("deadlock");
  test.run([] {
    std::mutex a;
    std::mutex b;
    std::thread other([&] {
      const std::lock_guard first(b);
      const std::lock_guard second(a);
    });
    {
      const std::lock_guard first(a);
      const std::lock_guard second(b);
    }
    other.join();
  });
}
// In the same order nothing can happen.
PLUMB_TEST(locks_in_order) {
  test.run([] {
    std::mutex a;
    std::mutex b;
    auto work = [&] {
      const std::lock_guard first(a);
      const std::lock_guard second(b);
    };
    std::thread other(work);
    work();
    other.join();
  });
}

// Undefined in C++, whatever the machine makes of it.
PLUMB_TEST(data_race) {
  test.expect("race");
  test.run([] {
    int count = 0;
    std::thread other([&] { ++count; });
    ++count;
    other.join();
  });
}
// A flag with too weak an order does not publish the data.
PLUMB_TEST(relaxed_flag) {
  test.expect("race");
  test.run([] {
    int data = 0;
    std::atomic<bool> ready{false};
    std::thread other([&] {
      data = 1;
      ready.store(true, std::memory_order_relaxed);
    });
    if (ready.load(std::memory_order_relaxed)) PLUMB_ASSERT(data == 1);
    other.join();
  });
}
PLUMB_TEST(released_flag) {
  test.run([] {
    int data = 0;
    std::atomic<bool> ready{false};
    std::thread other([&] {
      data = 1;
      ready.store(true, std::memory_order_release);
    });
    if (ready.load(std::memory_order_acquire)) PLUMB_ASSERT(data == 1);
    other.join();
  });
}

// Deleted before it is used; that it is ordered does not help.
PLUMB_TEST(use_after_free) {
  test.expect("use-after-free");
  test.run([] {
    auto* shared = new int(1);
    std::atomic<bool> done{false};
    std::thread other([&] {
      delete shared;
      done.store(true, std::memory_order_release);
    });
    if (done.load(std::memory_order_acquire)) *shared = 2;
    other.join();
  });
}
// Deleted between the look and the use: a race, whoever comes first.
PLUMB_TEST(delete_while_used) {
  test.expect("race");
  test.run([] {
    std::atomic<std::atomic<int>*> shared{new std::atomic<int>(1)};
    std::thread other([&] { delete shared.exchange(nullptr); });
    if (std::atomic<int>* mine = shared.load()) mine->fetch_add(1);
    other.join();
  });
}

// Both find it there, both delete it.
PLUMB_TEST(double_free) {
  test.expect("double-free");
  test.run([] {
    std::atomic<int*> shared{new int(1)};
    auto drop = [&] {
      int* mine = shared.load();
      shared.store(nullptr);
      delete mine;
    };
    std::thread other(drop);
    drop();
    other.join();
  });
}

// Both make it, one of the two is forgotten.
PLUMB_TEST(leak) {
  test.expect("leak");
  test.run([] {
    std::atomic<int*> shared{nullptr};
    auto make = [&] {
      if (shared.load() == nullptr) shared.store(new int(1));
    };
    std::thread other(make);
    make();
    other.join();
    delete shared.load();
  });
}

// Two draw places, but there is only one.
PLUMB_TEST(overflow) {
  test.expect("overflow");
  test.run([] {
    auto places = std::make_unique<int[]>(1);
    std::atomic<std::size_t> next{0};
    auto write = [&] {
      if (next.load() < 1) places[next.fetch_add(1)] = 1;
    };
    std::thread other(write);
    write();
    other.join();
  });
}

// An increment is lost.
PLUMB_TEST(assertion) {
  test.expect("assertion");
  test.run([] {
    std::atomic<int> count{0};
    auto add = [&] { count.store(count.load() + 1); };
    std::thread other(add);
    add();
    other.join();
    PLUMB_ASSERT(count.load() == 2);
  });
}

// Nobody catches what is thrown when the other one was first.
PLUMB_TEST(uncaught_exception) {
  test.expect("exception");
  test.run([] {
    std::atomic<bool> taken{false};
    auto take = [&] {
      if (taken.exchange(true)) throw std::runtime_error("taken");
    };
    std::thread other(take);
    try {
      take();
    } catch (const std::runtime_error&) {
    }
    other.join();
  });
}

// Waits for something that never comes.
PLUMB_TEST(livelock) {
  test.expect("livelock");
  test.run([] {
    std::atomic<int> turn{0};
    std::thread other([&] {
      while (turn.load() != 2) {
      }
    });
    turn.store(1);
    other.join();
  });
}
