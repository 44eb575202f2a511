// SPDX-License-Identifier: Apache-2.0
// Looks first, and takes what may be gone by then.
#include <plumb/test.h>

#include <atomic>

class Accounts {
 public:
  bool move(int amount) {
    if (first_ < amount) return false;
    first_ -= amount;
    second_ += amount;
    return true;
  }
  int left() const { return first_; }

 private:
  std::atomic<int> first_ = 2, second_ = 2;
};

PLUMB_TEST(accounts) {
  auto accounts = test.object<Accounts>();
  accounts.operation("move", PLUMB_METHOD(move)).values(1, 2);
  accounts.operation("left", PLUMB_METHOD(left));
  test.spec("accounts.plumb:accounts(2)");
  test.programs(2, 1);
}
