// SPDX-License-Identifier: Apache-2.0
// What happens before what by way of files, pipes and sockets.
//
// Who writes releases, who reads what is there acquires, as the kernel orders
// them.  Pipes and files on a disk are told apart; sockets and all that has no
// name (eventfd, epoll) are one, and so are all names of files: in another
// order, which is tried as well, who did not learn anything is found to race.
//
// Nothing happens outside of executions, and while one thread is alone.
#pragma once

#include <poll.h>
#include <sys/select.h>

#include <cstdint>

namespace plumb::runtime {

// This thread is about to do something to the file that others can notice.
void file_gives(int file);
// It has noticed what they did.
void file_tells(int file);
// It is about to close it.
void file_goes(int file);
// The same for files of which some are ready.
void files_tell(const pollfd* files, nfds_t count);
void files_tell(int count, const fd_set* set);
void all_files_tell();
// Names of files: made, removed, looked up.
void names_give();
void names_tell();

// Is this one that others may notice, or that may notice others?
bool is_about_files(long number, const std::uint64_t (&arguments)[6]);
// Does it read or write bytes that this execution has mapped as well?
bool moves_mapped_bytes(long number, const std::uint64_t (&arguments)[6]);
// For system calls, which are made between these two.
void order_before_call(long number, const std::uint64_t (&arguments)[6]);
void order_after_call(long number, const std::uint64_t (&arguments)[6],
                      long result);

}  // namespace plumb::runtime
