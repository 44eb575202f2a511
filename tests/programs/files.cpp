// SPDX-License-Identifier: Apache-2.0
// Tests of what threads do to pipes, sockets and files, in every order.
#include <fcntl.h>
#include <plumb/test.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

namespace {

std::atomic<int> signals = 0;

void count_signal(int) {
  ++signals;
}

struct Pipe {
  int ends[2] = {-1, -1};
  Pipe() { PLUMB_ASSERT(pipe(ends) == 0); }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  void close_end(int which) {
    if (ends[which] >= 0) close(ends[which]);
    ends[which] = -1;
  }
  ssize_t put(const void* bytes, std::size_t count) {
    return write(ends[1], bytes, count);
  }
  bool finds_it_broken() { return put("x", 1) == -1 && errno == EPIPE; }
  std::vector<char> get(std::size_t count, std::size_t most) {
    std::vector<char> all(count);
    for (std::size_t done = 0; done < count;) {
      const ssize_t got =
          read(ends[0], all.data() + done, std::min(most, count - done));
      PLUMB_ASSERT(got > 0);
      done += static_cast<std::size_t>(got);
    }
    return all;
  }
};

constexpr std::size_t kMoreThanAPipe = 70'000;

}  // namespace

PLUMB_TEST(a_broken_pipe_is_ignored) {
  test.run([] {
    std::signal(SIGPIPE, SIG_IGN);
    Pipe pipe;
    pipe.close_end(0);
    std::thread([&] { PLUMB_ASSERT(pipe.finds_it_broken()); }).join();
  });
}

PLUMB_TEST(a_broken_pipe_ends_the_program) {
  test.expect("crash").run([] {
    Pipe pipe;
    std::thread other([&] { pipe.close_end(0); });
    pipe.put("x", 1);
    other.join();
  });
}

PLUMB_TEST(a_pipe_that_is_read_in_time_is_not_broken) {
  test.expect("assertion").run([] {
    std::signal(SIGPIPE, SIG_IGN);
    Pipe pipe;
    std::thread other([&] { pipe.close_end(0); });
    PLUMB_ASSERT(pipe.finds_it_broken());
    other.join();
  });
}

PLUMB_TEST(a_broken_pipe_is_handled) {
  test.run([] {
    signals = 0;
    std::signal(SIGPIPE, count_signal);
    Pipe pipe;
    pipe.close_end(0);
    std::thread([&] { PLUMB_ASSERT(pipe.finds_it_broken()); }).join();
    PLUMB_ASSERT(signals == 1);
  });
}

PLUMB_TEST(a_socket_is_told_not_to_signal) {
  test.run([] {
    int ends[2];
    PLUMB_ASSERT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    close(ends[0]);
    PLUMB_ASSERT(send(ends[1], "x", 1, MSG_NOSIGNAL) == -1);
    PLUMB_ASSERT(errno == EPIPE);
    close(ends[1]);
  });
}

PLUMB_TEST(a_stream_breaks_a_pipe) {
  test.expect("crash").run([] {
    Pipe pipe;
    pipe.close_end(0);
    std::FILE* const stream = fdopen(dup(pipe.ends[1]), "w");
    std::fputs("x", stream);
    std::fclose(stream);
  });
}

PLUMB_TEST(a_stream_breaks_a_pipe_that_is_ignored) {
  test.run([] {
    std::signal(SIGPIPE, SIG_IGN);
    Pipe pipe;
    pipe.close_end(0);
    std::FILE* const stream = fdopen(dup(pipe.ends[1]), "w");
    std::fputs("x", stream);
    PLUMB_ASSERT(std::fflush(stream) == EOF && errno == EPIPE);
    std::fclose(stream);
  });
}

PLUMB_TEST(a_large_write_comes_in_parts) {
  test.run([] {
    Pipe pipe;
    const std::vector<char> sent(kMoreThanAPipe, 'a');
    std::thread other([&] {
      PLUMB_ASSERT(pipe.put(sent.data(), sent.size()) == kMoreThanAPipe);
    });
    PLUMB_ASSERT(pipe.get(sent.size(), sent.size()) == sent);
    other.join();
  });
}

PLUMB_TEST(a_large_write_waits_until_somebody_reads) {
  test.run([] {
    Pipe pipe;
    std::atomic<bool> reads = false;
    const std::vector<char> sent(kMoreThanAPipe, 'a');
    std::thread other([&] {
      pipe.put(sent.data(), sent.size());
      PLUMB_ASSERT(reads);
    });
    reads = true;
    pipe.get(sent.size(), sent.size());
    other.join();
  });
}

PLUMB_TEST(a_small_write_comes_between_the_parts_of_a_large_one) {
  test.expect("assertion").run([] {
    Pipe pipe;
    const std::vector<char> sent(kMoreThanAPipe, 'a');
    std::thread large([&] { pipe.put(sent.data(), sent.size()); });
    std::thread small([&] { pipe.put("b", 1); });
    const auto got = pipe.get(sent.size() + 1, 35'000);
    large.join();
    small.join();
    PLUMB_ASSERT(got.front() == 'b' || got.back() == 'b');
  });
}

PLUMB_TEST(a_write_of_pieces_comes_in_parts) {
  test.run([] {
    int ends[2];
    PLUMB_ASSERT(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    std::vector<char> sent(400'000, 'a');
    std::thread other([&] {
      iovec pieces[2] = {{sent.data(), 1}, {sent.data() + 1, sent.size() - 1}};
      msghdr message = {};
      message.msg_iov = pieces;
      message.msg_iovlen = 2;
      PLUMB_ASSERT(sendmsg(ends[1], &message, MSG_NOSIGNAL) == 400'000);
    });
    std::vector<char> got(sent.size());
    PLUMB_ASSERT(recv(ends[0], got.data(), got.size(), MSG_WAITALL) > 0);
    PLUMB_ASSERT(got[0] == 'a');
    close(ends[0]);
    other.join();
    close(ends[1]);
  });
}

PLUMB_TEST(to_accept_is_to_wait) {
  test.run([] {
    const int server = socket(AF_UNIX, SOCK_STREAM, 0);
    const int client = socket(AF_UNIX, SOCK_STREAM, 0);
    sockaddr_un address = {};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path + 1, 30, "plumb-%d", getpid());
    auto* const name = reinterpret_cast<sockaddr*>(&address);
    PLUMB_ASSERT(bind(server, name, sizeof(address)) == 0);
    PLUMB_ASSERT(listen(server, 1) == 0);
    std::thread other([&] {
      const int accepted = accept(server, nullptr, nullptr);
      PLUMB_ASSERT(accepted >= 0);
      close(accepted);
    });
    PLUMB_ASSERT(connect(client, name, sizeof(address)) == 0);
    other.join();
    close(client);
    close(server);
  });
}

PLUMB_TEST(events_are_counted) {
  test.run([] {
    const int file = eventfd(0, 0);
    std::thread other([&] {
      eventfd_t value = 0;
      PLUMB_ASSERT(eventfd_read(file, &value) == 0 && value == 3);
    });
    PLUMB_ASSERT(eventfd_write(file, 3) == 0);
    other.join();
    close(file);
  });
}

PLUMB_TEST(a_stream_waits_for_a_pipe) {
  test.run([] {
    Pipe pipe;
    std::FILE* const stream = fdopen(dup(pipe.ends[0]), "r");
    std::thread other([&] {
      char line[10] = "";
      PLUMB_ASSERT(std::fgets(line, sizeof(line), stream) == line);
      PLUMB_ASSERT(std::strcmp(line, "ab\n") == 0);
    });
    pipe.put("ab\n", 3);
    other.join();
    std::fclose(stream);
  });
}

PLUMB_TEST(names_of_files_come_and_go_in_every_order) {
  test.expect("assertion").run([] {
    char name[40];
    std::snprintf(name, sizeof(name), "/tmp/plumb-files-%d", getpid());
    close(open(name, O_CREAT | O_EXCL | O_RDWR, 0600));
    std::atomic<bool> was_there = false;
    std::thread other([&] { was_there = access(name, F_OK) == 0; });
    unlink(name);
    other.join();
    PLUMB_ASSERT(!was_there);
  });
}
