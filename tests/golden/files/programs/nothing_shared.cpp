// SPDX-License-Identifier: Apache-2.0
// A test in which one operation does nothing that threads could see.
#include <plumb/test.h>

#include <mutex>

namespace {

class Register {
 public:
  void write(int value) {
    const std::lock_guard lock(mutex_);
    value_ = value;
  }
  static int read() { return 0; }

 private:
  std::mutex mutex_;
  int value_ = 0;
};

}  // namespace

PLUMB_TEST(nothing_shared) {
  auto object = test.object<Register>();
  object.operation("write", PLUMB_METHOD(write)).values(0);
  object.operation("read", PLUMB_METHOD(read));
  test.spec("register(0)").programs(2, 1);
}
