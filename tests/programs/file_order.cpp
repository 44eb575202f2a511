// SPDX-License-Identifier: Apache-2.0
// Tests of what files, pipes, sockets and streams order: who has learnt from
// one what another thread did to it follows that thread.
#include <plumb/test.h>

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>

namespace {

int shared = 0;

// One thread writes `shared` and calls `give`; the other one calls `take`, and
// reads it if that says so.
template <typename Give, typename Take>
void hand_over(Give give, Take take) {
  shared = 0;
  std::thread other([&] {
    shared = 1;
    give();
  });
  if (take()) PLUMB_ASSERT(shared == 1);
  other.join();
}

struct Ends {
  int in = -1, out = -1;
};
Ends make_pipe() {
  int ends[2] = {-1, -1};
  PLUMB_ASSERT(pipe(ends) == 0);
  return {ends[0], ends[1]};
}
Ends make_sockets() {
  int ends[2] = {-1, -1};
  PLUMB_ASSERT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  return {ends[0], ends[1]};
}
void put(int file) {
  PLUMB_ASSERT(write(file, "x", 1) == 1);
}
bool get(int file) {
  char byte = 0;
  return read(file, &byte, 1) == 1;
}
void add(int poll, int file) {
  epoll_event event = {};
  event.events = EPOLLIN;
  epoll_ctl(poll, EPOLL_CTL_ADD, file, &event);
}

}  // namespace

#define HOLDS(name, ...)           \
  PLUMB_TEST(name) {               \
    test.run([] { __VA_ARGS__; }); \
  }
#define RACES(name, ...)                          \
  PLUMB_TEST(name) {                              \
    test.expect("race").run([] { __VA_ARGS__; }); \
  }

HOLDS(pipe_orders, const Ends e = make_pipe();
      hand_over([=] { put(e.out); }, [=] { return get(e.in); }))
HOLDS(end_of_a_pipe_orders, const Ends e = make_pipe();
      hand_over([=] { close(e.out); }, [=] { return !get(e.in); }))
HOLDS(pieces_order, const Ends e = make_pipe(); hand_over(
          [=] {
            char byte = 'x';
            const iovec piece = {&byte, 1};
            PLUMB_ASSERT(writev(e.out, &piece, 1) == 1);
          },
          [=] {
            char byte = 0;
            const iovec piece = {&byte, 1};
            return readv(e.in, &piece, 1) == 1;
          }))
HOLDS(calls_by_number_order, const Ends e = make_pipe(); put(e.out);
      hand_over([=] { PLUMB_ASSERT(syscall(SYS_write, e.out, "xy", 2) == 2); },
                [=] {
                  char bytes[4];
                  return syscall(SYS_read, e.in, bytes, 4) == 3;
                }))
HOLDS(socket_orders, const Ends e = make_sockets();
      hand_over([=] { send(e.out, "x", 1, 0); },
                [=] {
                  char byte = 0;
                  return recv(e.in, &byte, 1, 0) == 1;
                }))
HOLDS(shutdown_orders, const Ends e = make_sockets();
      hand_over([=] { shutdown(e.out, SHUT_WR); }, [=] { return !get(e.in); }))
HOLDS(messages_order, const Ends e = make_sockets(); hand_over(
          [=] {
            char byte = 'x';
            iovec piece = {&byte, 1};
            msghdr message = {};
            message.msg_iov = &piece;
            message.msg_iovlen = 1;
            sendmsg(e.out, &message, 0);
          },
          [=] {
            char byte = 0;
            iovec piece = {&byte, 1};
            msghdr message = {};
            message.msg_iov = &piece;
            message.msg_iovlen = 1;
            return recvmsg(e.in, &message, 0) == 1;
          }))
HOLDS(event_orders, const int e = eventfd(0, 0);
      hand_over([=] { eventfd_write(e, 1); },
                [=] {
                  eventfd_t value = 0;
                  return eventfd_read(e, &value) == 0;
                }))
HOLDS(poll_orders, const Ends e = make_pipe();
      hand_over([=] { put(e.out); },
                [=] {
                  pollfd one = {e.in, POLLIN, 0};
                  return poll(&one, 1, -1) == 1;
                }))
HOLDS(select_orders, const Ends e = make_pipe();
      hand_over([=] { put(e.out); },
                [=] {
                  fd_set set;
                  FD_ZERO(&set);
                  FD_SET(e.in, &set);
                  return select(e.in + 1, &set, nullptr, nullptr, nullptr) == 1;
                }))
HOLDS(epoll_orders, const Ends e = make_pipe(); const int p = epoll_create1(0);
      add(p, e.in); hand_over([=] { put(e.out); },
                              [=] {
                                epoll_event event;
                                return epoll_wait(p, &event, 1, -1) == 1;
                              }))
HOLDS(adding_to_epoll_orders, const Ends e = make_pipe();
      const int p = epoll_create1(0); put(e.out);
      hand_over([=] { add(p, e.in); },
                [=] {
                  epoll_event event;
                  return epoll_wait(p, &event, 1, -1) == 1;
                }))
HOLDS(file_orders, FILE* const f = tmpfile(); const int file = fileno(f);
      hand_over([=] { PLUMB_ASSERT(pwrite(file, "x", 1, 0) == 1); },
                [=] {
                  char byte = 0;
                  return pread(file, &byte, 1, 0) == 1;
                }))
HOLDS(length_of_a_file_orders, FILE* const f = tmpfile();
      const int file = fileno(f);
      hand_over([=] { PLUMB_ASSERT(ftruncate(file, 5) == 0); },
                [=] { return lseek(file, 0, SEEK_END) == 5; }))
HOLDS(file_that_is_sent_orders, FILE* const f = tmpfile();
      const Ends e = make_pipe(); const int file = fileno(f);
      PLUMB_ASSERT(pwrite(file, "x", 1, 0) == 1);
      hand_over([=] { sendfile(e.out, file, nullptr, 1); },
                [=] { return get(e.in); }))
HOLDS(room_in_a_pipe_orders, const Ends e = make_pipe();
      fcntl(e.out, F_SETPIPE_SZ, 4096); char page[4096] = {};
      PLUMB_ASSERT(write(e.out, page, 4096) == 4096); hand_over(
          [=] {
            char bytes[4096];
            PLUMB_ASSERT(read(e.in, bytes, 4096) == 4096);
          },
          [=] {
            put(e.out);
            return true;
          }))
HOLDS(connection_orders, const int server = socket(AF_UNIX, SOCK_STREAM, 0);
      sockaddr_un name = {}; name.sun_family = AF_UNIX;
      std::strcpy(name.sun_path + 1, "plumb_file_order");
      const auto* at = reinterpret_cast<const sockaddr*>(&name);
      bind(server, at, sizeof(name)); listen(server, 1); hand_over(
          [=] { connect(socket(AF_UNIX, SOCK_STREAM, 0), at, sizeof(name)); },
          [=] { return accept(server, nullptr, nullptr) >= 0; }))

// ---- streams

HOLDS(streams_on_a_pipe_order, const Ends e = make_pipe();
      FILE* const in = fdopen(e.in, "r"); FILE* const out = fdopen(e.out, "w");
      hand_over(
          [=] {
            fputc('x', out);
            fflush(out);
          },
          [=] { return fgetc(in) == 'x'; }))
HOLDS(printing_to_a_pipe_orders, const Ends e = make_pipe();
      FILE* const in = fdopen(e.in, "r");
      hand_over([=] { dprintf(e.out, "%d\n", 5); },
                [=] {
                  char line[8];
                  return fgets(line, 8, in) != nullptr;
                }))
HOLDS(
    locked_stream_orders, FILE* const f = tmpfile(); const auto count =
                                                         [=] {
                                                           flockfile(f);
                                                           ++shared;
                                                           funlockfile(f);
                                                         };
    shared = 0; std::thread other(count); count(); other.join();
    PLUMB_ASSERT(shared == 2))
HOLDS(
    locked_stdout_orders, const auto count =
                              [] {
                                flockfile(stdout);
                                ++shared;
                                flockfile(stdout);
                                funlockfile(stdout);
                                funlockfile(stdout);
                              };
    shared = 0; std::thread other(count); count(); other.join();
    PLUMB_ASSERT(shared == 2))
RACES(
    other_stream_s_lock_does_not, FILE* const f = tmpfile();
    FILE* const g = tmpfile(); const auto count =
                                   [=](FILE* stream) {
                                     flockfile(stream);
                                     ++shared;
                                     funlockfile(stream);
                                   };
    std::thread other(count, f); count(g); other.join())
PLUMB_TEST(a_locked_stream_is_waited_for) {
  test.run([] {
    FILE* const f = tmpfile();
    std::thread other([=] {
      flockfile(f);
      fputc('a', f);
      fputc('b', f);
      funlockfile(f);
    });
    fputc('x', f);
    other.join();
    rewind(f);
    char text[4] = {};
    PLUMB_ASSERT(fread(text, 1, 3, f) == 3);
    PLUMB_ASSERT(!std::strcmp(text, "abx") || !std::strcmp(text, "xab"));
  });
}
PLUMB_TEST(either_thread_may_print_first) {
  test.expect("assertion").run([] {
    FILE* const f = tmpfile();
    std::thread other([=] { fputs("a", f); });
    fputs("b", f);
    other.join();
    rewind(f);
    PLUMB_ASSERT(fgetc(f) == 'a');
  });
}
PLUMB_TEST(either_thread_may_print_last) {
  test.expect("assertion").run([] {
    FILE* const f = tmpfile();
    std::thread other([=] { fprintf(f, "a"); });
    fwrite("b", 1, 1, f);
    other.join();
    rewind(f);
    PLUMB_ASSERT(fgetc(f) == 'b');
  });
}
RACES(stream_is_closed_while_used, FILE* const f = tmpfile();
      std::thread other([=] { fputc('x', f); }); fclose(f); other.join())
RACES(stream_is_closed_while_read, FILE* const f = fopen("/etc/passwd", "r");
      std::thread other([=] { fgetc(f); }); fclose(f); other.join())
RACES(unlocked_use_of_a_stream, FILE* const f = tmpfile();
      std::thread other([=] { fputs_unlocked("x", f); }); fputc('y', f);
      other.join())
PLUMB_TEST(a_stream_is_used_that_was_closed) {
  test.expect("misuse").run([] {
    FILE* const f = tmpfile();
    fclose(f);
    fputc('x', f);
  });
}
HOLDS(
    streams_that_follow_each_other, for (int i = 0; i < 2; ++i) {
      FILE* const f = tmpfile();
      std::thread other([=] { fputc('x', f); });
      fputc('y', f);
      other.join();
      std::thread last([=] { fclose(f); });
      last.join();
    })
HOLDS(
    streams_over_memory, static char text[] = "a\nb\n";
    FILE* const f = fmemopen(text, 4, "r");
    const auto read_line =
        [=] {
          char line[8];
          PLUMB_ASSERT(fgets(line, 8, f));
        };
    std::thread other(read_line); read_line(); other.join(); fclose(f))
HOLDS(
    streams_over_what_cannot_be_written,
    FILE* const f = fmemopen(const_cast<char*>("ab"), 2, "r");
    const auto read_one = [=] { PLUMB_ASSERT(fgetc(f) != EOF); };
    std::thread other(read_one); read_one(); other.join(); fclose(f))
RACES(memory_of_a_stream_is_written, static char text[] = "a\nb\n";
      FILE* const f = fmemopen(text, 4, "r");
      std::thread other([] { text[0] = 'x'; }); fgetc(f); other.join())

// ---- where nothing orders

RACES(who_does_not_read_is_not_ordered, const Ends e = make_pipe();
      hand_over([=] { put(e.out); }, [] { return true; }))
RACES(write_does_not_order_behind_a_write, const Ends e = make_pipe();
      hand_over([=] { put(e.out); },
                [=] {
                  put(e.out);
                  return true;
                }))
RACES(another_pipe_does_not_order, const Ends e = make_pipe();
      const Ends other = make_pipe(); put(other.out);
      hand_over([=] { put(e.out); }, [=] { return get(other.in); }))
RACES(another_event_does_not_order, const int e = eventfd(0, 0);
      const int other = eventfd(1, 0);
      hand_over([=] { eventfd_write(e, 1); },
                [=] {
                  eventfd_t value = 0;
                  return eventfd_read(other, &value) == 0;
                }))
RACES(poll_in_vain_does_not_order, const Ends e = make_pipe();
      hand_over([=] { put(e.out); },
                [=] {
                  pollfd one = {e.in, POLLIN, 0};
                  poll(&one, 1, 0);
                  return true;
                }))
RACES(what_follows_the_write_is_not_ordered, const Ends e = make_pipe();
      hand_over(
          [=] {
            put(e.out);
            shared = 1;
          },
          [=] { return get(e.in); }))
