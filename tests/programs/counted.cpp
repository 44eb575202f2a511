// SPDX-License-Identifier: Apache-2.0
// Programs of which GenMC's tests say how many graphs they have, where those
// need more of C++ than tests/sched/genmc_counts.txt does (counts.py).
#include <plumb/test.h>
#include <threads.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

template <typename... Functions>
void together(const Functions&... functions) {
  std::thread threads[] = {std::thread(functions)...};
  for (std::thread& thread : threads) thread.join();
}
template <typename Function>
void each_of(int count, const Function& function) {
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(function, i);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace

PLUMB_TEST(infr_TLS1) {
  test.run([] {
    static thread_local int mine = 0;
    std::atomic<int> x{0}, y{0};
    const auto visit = [](auto& here, auto& there, int number) {
      here.store(42);
      static_cast<void>(there.load());
      mine = number;
      PLUMB_ASSERT(mine == number);
    };
    together([&] { visit(x, y, 1); }, [&] { visit(y, x, 42); });
  });
}
PLUMB_TEST(infr_TLS2) {
  test.run([] {
    static thread_local std::atomic<int> mine{0};
    together([] { mine.store(42); }, [] { PLUMB_ASSERT(mine.load() == 0); },
             [] { mine.store(42); });
  });
}
PLUMB_TEST(infr_atomic_ops) {
  test.run([] {
    std::atomic<int> x{-1};
    together([&] {
      int seen = x.load();
      while (seen < 42 && !x.compare_exchange_strong(seen, 42)) {
      }
      PLUMB_ASSERT(x.load() == 42);
    });
  });
}
PLUMB_TEST(infr_c11_threads) {
  test.run([] {
    static mtx_t mutex;
    static int x = 0;
    mtx_init(&mutex, mtx_plain);
    const auto adds = [](void* by) -> int {
      mtx_lock(&mutex);
      x += *static_cast<int*>(by);
      mtx_unlock(&mutex);
      return 0;
    };
    int up = 1, down = -1;
    thrd_t one, other;
    thrd_create(&one, adds, &up);
    thrd_create(&other, adds, &down);
    thrd_join(one, nullptr);
    thrd_join(other, nullptr);
    PLUMB_ASSERT(x == 0);
    mtx_destroy(&mutex);
  });
}
PLUMB_TEST(infr_cpp_mp) {
  test.run([] {
    std::atomic<int> x{0}, y{0};
    together(
        [&] {
          y.store(20, kRelease);
          x.store(10, kRelease);
        },
        [&] {
          if (x.load(kAcquire) == 10) PLUMB_ASSERT(y.load(kAcquire) == 20);
        });
  });
}
PLUMB_TEST(infr_cpp_mutex) {
  test.run([] {
    std::mutex mutex;
    int count = 0;
    std::thread thread;
    {
      const std::lock_guard guard(mutex);
      thread = std::thread([&] { ++count; });
    }
    {
      const std::lock_guard guard(mutex);
      thread.join();
    }
    PLUMB_ASSERT(count == 1);
  });
}
PLUMB_TEST(infr_cpp_mutex2) {
  test.run([] {
    std::mutex mutex;
    int count = 0;
    each_of(2, [&](int) {
      const std::lock_guard guard(mutex);
      ++count;
    });
    PLUMB_ASSERT(count == 2);
  });
}

namespace {
struct Vars {
  std::atomic<int> x, y;
  Vars() {
    x.store(0);
    y.store(0);
  }
  void do_xy() {
    x.store(1);
    static_cast<void>(y.load());
  }
  void do_yx() {
    y.store(1);
    static_cast<void>(x.load());
  }
};
// Stores when it is made, loads when it is gone.
struct StoreLoad {
  std::atomic<int>&here, &there;
  StoreLoad(std::atomic<int>& a, std::atomic<int>& b) : here(a), there(b) {
    here.store(1, kRelaxed);
  }
  ~StoreLoad() { static_cast<void>(there.load(kRelaxed)); }
};
}  // namespace

PLUMB_TEST(infr_cpp_sb) {
  test.run([] {
    std::atomic<int> x{0}, y{0};
    together([&] { x.store(42), static_cast<void>(y.load()); },
             [&] { y.store(42), static_cast<void>(x.load()); });
  });
}
PLUMB_TEST(infr_cpp_sb_class) {
  test.run([] {
    std::atomic<int> x{0}, y{0};
    struct Both {
      int seen;
      Both(std::atomic<int>& a, std::atomic<int>& b) : seen(0) {
        a.store(42);
        seen = b.load();
      }
    };
    together([&] { const Both both(x, y); }, [&] { const Both both(y, x); });
  });
}
PLUMB_TEST(infr_cpp_sb_static) {
  test.run([] {
    Vars vars;
    together([&] { vars.do_xy(); }, [&] { vars.do_yx(); });
  });
}
PLUMB_TEST(infr_cpp_sb_ctor_dtor) {
  test.run([] {
    std::atomic<int> x{0}, y{0};
    together([&] { const StoreLoad both(x, y); },
             [&] { const StoreLoad both(y, x); });
  });
}
PLUMB_TEST(infr_unsigned_cas) {
  test.run([] {
    std::atomic<unsigned> x{1u << 31};
    unsigned expected = 1u << 31;
    together([&] { PLUMB_ASSERT(x.compare_exchange_strong(expected, 0)); });
  });
}
