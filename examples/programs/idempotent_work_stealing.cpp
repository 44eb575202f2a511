// SPDX-License-Identifier: Apache-2.0
#include "idempotent_work_stealing.h"

#include <plumb/test.h>

#include <optional>
#include <thread>
#include <vector>

namespace {

// A stack for owner and thief, one call at a time.
struct PlainStack {
  std::vector<int> tasks;

  void put(int task) { tasks.push_back(task); }
  std::optional<int> take() {
    if (tasks.empty()) return std::nullopt;
    const int task = tasks.back();
    tasks.pop_back();
    return task;
  }
  std::optional<int> steal() { return take(); }
};

}  // namespace

// As a stack: owner and thief have the same task.
PLUMB_TEST(idempotent_stack_linearizable) {
  auto stack = test.object<IdempotentStack, PlainStack>();
  auto put = stack.operation("put", PLUMB_METHOD(put));
  auto take = stack.operation("take", PLUMB_METHOD(take));
  auto steal = stack.operation("steal", PLUMB_METHOD(steal));
  test.expect("violated");
  test.program().before(put(1)).thread(take()).thread(steal());
}

// Alone it is a stack, whichever way one takes.
PLUMB_TEST(idempotent_stack_owner) {
  auto stack = test.object<IdempotentStack, PlainStack>();
  auto put = stack.operation("put", PLUMB_METHOD(put));
  auto take = stack.operation("take", PLUMB_METHOD(take));
  auto steal = stack.operation("steal", PLUMB_METHOD(steal));
  test.program().thread(put(1), put(2), take(), put(3), take(), take(), take());
  test.program().thread(put(1), put(2), steal(), put(3), steal(), steal(),
                        steal());
}

// What it promises: each task is done, if need be twice.
PLUMB_TEST(idempotent_stack_at_least_once) {
  test.run([] {
    IdempotentStack stack;
    std::vector<int> done(4);
    std::vector<int> stolen(4);
    stack.put(1);
    stack.put(2);
    std::thread thief([&] {
      for (int i = 0; i < 2; ++i) {
        if (const auto task = stack.steal())
          stolen[static_cast<std::size_t>(*task)] = 1;
      }
    });
    if (const auto task = stack.take())
      done[static_cast<std::size_t>(*task)] = 1;
    stack.put(3);
    while (const auto task = stack.take())
      done[static_cast<std::size_t>(*task)] = 1;
    thief.join();
    while (const auto task = stack.take())
      done[static_cast<std::size_t>(*task)] = 1;
    for (std::size_t task = 1; task < 4; ++task) {
      PLUMB_ASSERT(done[task] + stolen[task] >= 1);
    }
  });
}
