// SPDX-License-Identifier: Apache-2.0
// A call that tests cannot make.
#include <plumb/test.h>
#include <pthread.h>

#include <thread>

PLUMB_TEST(cancelling) {
  test.run([] {
    std::thread thread([] {});
    pthread_cancel(thread.native_handle());
    thread.join();
  });
}
