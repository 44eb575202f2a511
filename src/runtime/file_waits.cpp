// SPDX-License-Identifier: Apache-2.0
#include "runtime/file_waits.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "runtime/core.h"
#include "runtime/fibers.h"
#include "runtime/loops.h"
#include "runtime/sync_objects.h"
#include "runtime/time.h"

namespace plumb::runtime {
namespace {

struct Request {
  pollfd* files;
  nfds_t count;
};

// Not by way of our own stand-in.
bool is_ready(const void* object) {
  const OwnWork own;
  const auto& request = *static_cast<const Request*>(object);
  const timespec at_once = {0, 0};
  const int error = errno;
  const long ready =
      syscall(SYS_ppoll, request.files, request.count, &at_once, nullptr, 0);
  errno = error;
  return ready != 0;
}

void wait(Request request, bool for_ever, const void* pc) {
  note_blind();
  const Event event = sync_event(Kind::kDown, kFiles, true, pc);
  if (for_ever) {
    state.waits_outside |= sched::bit(self());
    announce_when(event, is_ready, &request);
    state.waits_outside &= ~sched::bit(self());
  } else {
    announce(event);
  }
  did(event);
}

// Its flags say that it never waits.
bool never_waits(int file) {
  return (fcntl(file, F_GETFL) & O_NONBLOCK) != 0;
}

// Of a test that only prints.
bool is_printing(int file, short what) {
  return what == POLLOUT && (file == STDOUT_FILENO || file == STDERR_FILENO);
}

}  // namespace

void wait_for_file(int file, short what, const void* pc) {
  if (!active || alone() || is_printing(file, what)) return;
  pollfd one = {file, what, 0};
  wait({&one, 1}, what != 0 && !never_waits(file), pc);
}

void wait_for_files(pollfd* files, nfds_t count, int milliseconds,
                    const void* pc) {
  if (!active || alone()) return;
  if (milliseconds > 0) yield_to_others(pc);
  wait({files, count}, milliseconds < 0, pc);
}

void waited_for_files(int ready, int milliseconds, const void* pc) {
  if (!active || alone() || ready != 0 || milliseconds <= 0) return;
  wait_in_vain({milliseconds / 1000, milliseconds % 1000 * 1'000'000L}, pc);
}

void wait_for_sets(int count, const fd_set* in, const fd_set* out,
                   int milliseconds, const void* pc) {
  if (!active || alone()) return;
  pollfd files[FD_SETSIZE];
  nfds_t used = 0;
  for (int file = 0; file < count && file < FD_SETSIZE; ++file) {
    const bool reads = in != nullptr && FD_ISSET(file, in);
    const bool writes = out != nullptr && FD_ISSET(file, out);
    if (!reads && !writes) continue;
    const int what = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0);
    files[used++] = {file, static_cast<short>(what), 0};
  }
  wait_for_files(files, used, milliseconds, pc);
}

}  // namespace plumb::runtime
