// SPDX-License-Identifier: Apache-2.0
// Tests that call what executions cannot do, nor put back.
#include <plumb/test.h>

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <thread>

#define REFUSED(name, ...)         \
  PLUMB_TEST(name) {               \
    test.run([] { __VA_ARGS__; }); \
  }

REFUSED(shared_memory, shmget(IPC_PRIVATE, 4096, 0600))
REFUSED(semaphores, semget(IPC_PRIVATE, 1, 0600))
REFUSED(queues, msgget(IPC_PRIVATE, 0600))
REFUSED(queues_by_number, syscall(SYS_msgget, IPC_PRIVATE, 0600))
REFUSED(contexts, static char stack[1 << 16]; static ucontext_t here, there;
        getcontext(&there); there.uc_stack.ss_sp = stack;
        there.uc_stack.ss_size = sizeof(stack); there.uc_link = &here;
        makecontext(
            &there, [] {}, 0);
        swapcontext(&here, &there))
REFUSED(users, if (setuid(getuid()) != 0) return )
REFUSED(privileges, prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
REFUSED(a_mapped_file, const int file = memfd_create("file", 0);
        if (ftruncate(file, 4096) != 0) return;
        void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                MAP_SHARED, file, 0);
        std::thread other([=] { *static_cast<char*>(page) = 1; });
        char letter = 0; if (pread(file, &letter, 1, 0) != 1) return;
        other.join(); munmap(page, 4096); close(file))
