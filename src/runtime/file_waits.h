// SPDX-License-Identifier: Apache-2.0
// Calls of the system that wait for pipes, sockets and the like.
//
// A thread that would wait in the kernel would keep all others waiting: so it
// waits as for a lock, until the file is ready.  What is done to files is not
// under control, but its order is: all of these are events.
#pragma once

#include <poll.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>

namespace plumb::runtime {

// What is said of a thread whose wait nobody else of the test can end.
inline constexpr const char* kWaitsOutside =
    "a thread waits for a pipe, a socket or the like, and no other can go on";

// Waits until `file` can be read (POLLIN) or written (POLLOUT) without waiting;
// 0: whoever asks does not want to wait.
void wait_for_file(int file, short what, const void* pc);
// The same to read from a stream that has nothing left in its buffer.
void wait_for_stream(FILE* stream, const void* pc);
// What is done to a file without waiting: an event, since its order matters.
void file_step(const void* pc);
// The same for one of several; `milliseconds` negative: as long as it takes.
// Else time may pass instead: the caller asks with a timeout of 0.
void wait_for_files(pollfd* files, nfds_t count, int milliseconds,
                    const void* pc);
// Blocking writes to a pipe or a stream take what there is room for, and wait
// for more room: each part is an event, and others go on in between.  Returns
// false if this is none.  `sent`: what the whole returns.
bool send_in_parts(int file, const msghdr& message, int flags, const void* pc,
                   ssize_t& sent);
// After the caller asked: time has passed if none was ready.
void waited_for_files(int ready, int milliseconds, const void* pc);
// For select(): sets may be null.
void wait_for_sets(int count, const fd_set* in, const fd_set* out,
                   int milliseconds, const void* pc);

}  // namespace plumb::runtime
