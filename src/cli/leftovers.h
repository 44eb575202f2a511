// SPDX-License-Identifier: Apache-2.0
// Folders that are removed when this process ends, even by SIGKILL.
#pragma once

#include <sys/types.h>

#include <filesystem>

namespace plumb::cli {

// A process of its own waits until nobody holds the other end of a socket.
class Leftovers {
 public:
  // Before there are threads.  Where it cannot be had, nobody cleans up.
  Leftovers();
  ~Leftovers();
  Leftovers(const Leftovers&) = delete;
  Leftovers& operator=(const Leftovers&) = delete;

  void add(const std::filesystem::path& folder) { tell('+', folder); }
  void forget(const std::filesystem::path& folder) { tell('-', folder); }

 private:
  void tell(char what, const std::filesystem::path& folder) const;

  pid_t cleaner_ = -1;
  int socket_ = -1;
};

}  // namespace plumb::cli
