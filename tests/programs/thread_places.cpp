// SPDX-License-Identifier: Apache-2.0
// Places of what the C library keeps for each thread, in a test that has no
// thread-local data of its own.
#include <plumb/test.h>

#include <dlfcn.h>
#include <resolv.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

namespace {
template <typename Place>
void differ(Place place) {
  const auto mine = place();
  decltype(place()) theirs = {};
  std::thread other([&] { theirs = place(); });
  other.join();
  PLUMB_ASSERT(mine != theirs);
}

// Known by where its owner's data is.
class ReentrantLock {
 public:
  void lock() {
    void* const me = __builtin_thread_pointer();
    if (owner_.load() == me) {
      ++depth_;
      return;
    }
    void* nobody = nullptr;
    while (!owner_.compare_exchange_strong(nobody, me)) nobody = nullptr;
    depth_ = 1;
  }
  void unlock() {
    if (--depth_ == 0) owner_ = nullptr;
  }

 private:
  std::atomic<void*> owner_ = nullptr;
  int depth_ = 0;
};
}  // namespace

PLUMB_TEST(of_errno) {
  test.run([] { differ([] { return &errno; }); });
}
PLUMB_TEST(of_the_resolver) {
  test.run([] { differ([] { return &_res; }); });
}
PLUMB_TEST(of_all) {
  test.run([] { differ([] { return __builtin_thread_pointer(); }); });
}

PLUMB_TEST(a_lock_that_knows_its_owner) {
  test.run([] {
    ReentrantLock lock;
    int count = 0;
    const auto add = [&] {
      lock.lock();
      lock.lock();
      ++count;
      lock.unlock();
      lock.unlock();
    };
    std::thread other(add);
    add();
    other.join();
    PLUMB_ASSERT(count == 2);
  });
}

PLUMB_TEST(errno_of_another_thread) {
  test.expect("race").run([] {
    int* const mine = &errno;
    std::thread other([=] { *mine = 3; });
    *mine = 4;
    other.join();
  });
}

PLUMB_TEST(errors_of_the_loader) {
  test.run([] {
    std::atomic<int> step = 0;
    std::thread other([&] {
      dlsym(RTLD_DEFAULT, "no_such_first");
      step = 1;
      PLUMB_ASSERT(std::strstr(dlerror(), "no_such_first"));
    });
    dlsym(RTLD_DEFAULT, "no_such_second");
    step = 2;
    PLUMB_ASSERT(std::strstr(dlerror(), "no_such_second"));
    other.join();
  });
}
