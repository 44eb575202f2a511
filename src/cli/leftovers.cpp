// SPDX-License-Identifier: Apache-2.0
#include "cli/leftovers.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <set>
#include <string>
#include <system_error>

namespace plumb::cli {

namespace {

// Who reads our output waits until nobody holds it.
void hold_nothing_but(int socket) {
  const int none = open("/dev/null", O_RDWR);
  for (const int number : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (none >= 0) dup2(none, number);
  }
  constexpr unsigned kFirst = STDERR_FILENO + 1;
  const auto kept = static_cast<unsigned>(socket);
  if (kept > kFirst) close_range(kFirst, kept - 1, 0);
  close_range(kept + 1, UINT_MAX, 0);
}

[[noreturn]] void clean_up_after(int socket) {
  setsid();  // what ends us by the terminal or the group does not end it
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGALRM}) {
    std::signal(signal, SIG_IGN);
  }
  hold_nothing_but(socket);
  std::string text;
  std::array<char, PATH_MAX> block;
  ssize_t got = 0;
  while ((got = read(socket, block.data(), block.size())) > 0 ||
         (got < 0 && errno == EINTR)) {
    text.append(block.data(),
                static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  std::set<std::string> folders;
  for (std::size_t at = 0, end = 0; (end = text.find('\0', at)) != text.npos;
       at = end + 1) {
    const std::string folder = text.substr(at + 1, end - at - 1);
    if (text[at] == '+') folders.insert(folder);
    if (text[at] == '-') folders.erase(folder);
  }
  for (const std::string& folder : folders) {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  _exit(0);
}

}  // namespace

Leftovers::Leftovers() {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return;
  }
  cleaner_ = fork();
  if (cleaner_ == 0) {
    close(ends[1]);
    clean_up_after(ends[0]);
  }
  close(ends[0]);
  socket_ = ends[1];
}

Leftovers::~Leftovers() {
  if (socket_ >= 0) close(socket_);
  int status = 0;
  while (cleaner_ > 0 && waitpid(cleaner_, &status, 0) < 0 && errno == EINTR) {
  }
}

void Leftovers::tell(char what, const std::filesystem::path& folder) const {
  const std::string line =
      what + std::filesystem::absolute(folder).string() + '\0';
  if (socket_ >= 0) send(socket_, line.data(), line.size(), MSG_NOSIGNAL);
}

}  // namespace plumb::cli
