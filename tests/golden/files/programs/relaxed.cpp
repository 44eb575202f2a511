// SPDX-License-Identifier: Apache-2.0
#include <plumb/test.h>

#include <atomic>
#include <optional>

struct Cell {
  std::atomic<int> value{0};
  void write(int next) { value.store(next, std::memory_order_release); }
  std::optional<int> read() {
    const int seen = value.load(std::memory_order_acquire);
    return seen == 0 ? std::nullopt : std::optional(seen);
  }
};

PLUMB_TEST(cell) {
  auto cell = test.object<Cell>();
  auto write = cell.operation("write", PLUMB_METHOD(write));
  auto read = cell.operation("read", PLUMB_METHOD(read));
  write.values(1, 2).distinct();
  test.spec("register").programs(2, 2);
}
