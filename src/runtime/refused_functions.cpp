// SPDX-License-Identifier: Apache-2.0
// Functions that nobody can stand in for, nor undo: refused by their names.
//
// What System V's queues, semaphores and memory hold stays after a process; who
// waits there waits in the kernel.  Contexts of one's own (ucontext) would
// change stacks behind our back.  Who a process is, and where its root lies,
// cannot be put back.
#include <mqueue.h>
#include <sys/types.h>
#include <ucontext.h>

#include <cstdarg>
#include <cstddef>

#include "runtime/core.h"
#include "runtime/reals.h"
#include "runtime/sync_objects.h"
#include "runtime/touch.h"

using namespace plumb::runtime;

#define PLUMB_REFUSED(result, name, parameters, arguments)              \
  PLUMB_STAND_IN(result, name, parameters) {                            \
    if (active) not_supported(__builtin_return_address(0), #name "()"); \
    return real_##name arguments;                                       \
  }

PLUMB_REFUSED(int, shmget, (key_t key, std::size_t bytes, int flags),
              (key, bytes, flags))
PLUMB_REFUSED(void*, shmat, (int id, const void* at, int flags),
              (id, at, flags))
PLUMB_REFUSED(int, semget, (key_t key, int count, int flags),
              (key, count, flags))
PLUMB_REFUSED(int, semop, (int id, void* what, std::size_t count),
              (id, what, count))
PLUMB_REFUSED(int, semtimedop,
              (int id, void* what, std::size_t count, const void* most),
              (id, what, count, most))
PLUMB_REFUSED(int, msgget, (key_t key, int flags), (key, flags))
PLUMB_REFUSED(int, msgsnd,
              (int id, const void* message, std::size_t bytes, int flags),
              (id, message, bytes, flags))
PLUMB_REFUSED(ssize_t, msgrcv,
              (int id, void* message, std::size_t bytes, long type, int flags),
              (id, message, bytes, type, flags))
PLUMB_REFUSED(mqd_t, mq_open,
              (const char* name, int flags, mode_t mode, mq_attr* attributes),
              (name, flags, mode, attributes))

PLUMB_REFUSED(int, swapcontext, (ucontext_t * from, const ucontext_t* to),
              (from, to))
PLUMB_REFUSED(int, setcontext, (const ucontext_t* to), (to))
// It takes arguments for another function, which nobody passes on.
extern "C" void stand_in_makecontext(ucontext_t*, void (*)(), int,
                                     ...) asm("makecontext");
void stand_in_makecontext(ucontext_t* context, void (*function)(), int count,
                          ...) {
  if (active) not_supported(__builtin_return_address(0), "makecontext()");
  static constinit Real<void(ucontext_t*, void (*)(), int, long, long, long,
                             long, long, long)>
      real{"makecontext"};
  long given[6] = {};
  va_list list;
  va_start(list, count);
  for (int i = 0; i < count && i < 6; ++i) given[i] = va_arg(list, long);
  va_end(list);
  if (count > 6) __builtin_trap();  // LIMIT: outside of executions
  real(context, function, count, given[0], given[1], given[2], given[3],
       given[4], given[5]);
}

// It would start threads of its own.
#define PLUMB_REFUSED_IO(name) PLUMB_REFUSED(int, name, (void* block), (block))
PLUMB_REFUSED_IO(aio_read)
PLUMB_REFUSED_IO(aio_read64)
PLUMB_REFUSED_IO(aio_write)
PLUMB_REFUSED_IO(aio_write64)
PLUMB_REFUSED(int, lio_listio, (int mode, void* all, int count, void* event),
              (mode, all, count, event))
PLUMB_REFUSED(int, lio_listio64, (int mode, void* all, int count, void* event),
              (mode, all, count, event))

PLUMB_REFUSED(int, setuid, (uid_t id), (id))
PLUMB_REFUSED(int, setgid, (gid_t id), (id))
PLUMB_REFUSED(int, seteuid, (uid_t id), (id))
PLUMB_REFUSED(int, setegid, (gid_t id), (id))
PLUMB_REFUSED(int, setreuid, (uid_t real, uid_t used), (real, used))
PLUMB_REFUSED(int, setregid, (gid_t real, gid_t used), (real, used))
PLUMB_REFUSED(int, setresuid, (uid_t real, uid_t used, uid_t saved),
              (real, used, saved))
PLUMB_REFUSED(int, setresgid, (gid_t real, gid_t used, gid_t saved),
              (real, used, saved))
PLUMB_REFUSED(int, setgroups, (std::size_t count, const gid_t* all),
              (count, all))
PLUMB_REFUSED(pid_t, setsid, (), ())
PLUMB_REFUSED(int, setpgid, (pid_t process, pid_t group), (process, group))
PLUMB_REFUSED(int, chroot, (const char* path), (path))
PLUMB_REFUSED(int, unshare, (int what), (what))
PLUMB_REFUSED(int, setns, (int file, int what), (file, what))
PLUMB_REFUSED(int, sethostname, (const char* name, std::size_t bytes),
              (name, bytes))
