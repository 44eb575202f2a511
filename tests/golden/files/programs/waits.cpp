// SPDX-License-Identifier: Apache-2.0
// Tests that wait for what never comes, with nobody else there.
#include <plumb/test.h>

#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>
#include <thread>

namespace {

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() { PLUMB_ASSERT(pipe(ends) == 0); }
};

}  // namespace

#define WAITS(name, ...)           \
  PLUMB_TEST(name) {               \
    test.run([] { __VA_ARGS__; }); \
  }

WAITS(poll_of_nothing, poll(nullptr, 0, -1))
WAITS(select_of_nothing, select(0, nullptr, nullptr, nullptr, nullptr))
WAITS(epoll_of_nothing, epoll_event event;
      epoll_wait(epoll_create1(0), &event, 1, -1))
WAITS(empty_pipe, Pipe pipe; char byte;
      if (read(pipe.ends[0], &byte, 1)) return )
WAITS(empty_event, eventfd_t value; eventfd_read(eventfd(0, 0), &value))
WAITS(full_pipe, Pipe pipe; static char bytes[1 << 17];
      if (write(pipe.ends[1], bytes, sizeof(bytes))) return )
WAITS(stream_without_a_line, Pipe pipe; char line[8];
      fgets(line, 8, fdopen(pipe.ends[0], "r")))
WAITS(poll_by_number, syscall(SYS_poll, nullptr, 0, -1))
WAITS(after_a_join, Pipe pipe; std::thread([] {}).join();
      pollfd one = {pipe.ends[0], POLLIN, 0}; poll(&one, 1, -1))
