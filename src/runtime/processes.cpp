// SPDX-License-Identifier: Apache-2.0
// fork, exec, system, popen, ...: executions start no processes.
//
// Another process would share files with the test and nothing else; what it
// does, and when, is not under control.
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cstdarg>

#include "runtime/core.h"
#include "runtime/reals.h"
#include "runtime/sync_objects.h"

namespace plumb::runtime {
namespace {

PLUMB_REAL(fork);
PLUMB_REAL(_Fork);
PLUMB_REAL(daemon);
PLUMB_REAL(system);
PLUMB_REAL(popen);
PLUMB_REAL_VERSION(posix_spawn, "GLIBC_2.15");
PLUMB_REAL_VERSION(posix_spawnp, "GLIBC_2.15");
PLUMB_REAL(execve);
PLUMB_REAL(execv);
PLUMB_REAL(execvp);
PLUMB_REAL(execvpe);
PLUMB_REAL(fexecve);
constinit Real<int(int (*)(void*), void*, int, void*, void*, void*, void*)>
    real_clone{"clone"};

void require_none(const char* what, const void* pc) {
  if (active) not_supported(pc, what);
}

// The words of execl() and its kin; what follows them is left in `rest`.
constexpr int kMostWords = 1024;
void collect(char** words, const char* first, va_list& rest) {
  words[0] = const_cast<char*>(first);
  for (int i = 0; words[i] != nullptr && i + 1 < kMostWords; ++i) {
    words[i + 1] = va_arg(rest, char*);
  }
  words[kMostWords - 1] = nullptr;
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_NO_PROCESS(name) \
  require_none(#name "()", __builtin_return_address(0))

extern "C" {

pid_t fork() noexcept {
  PLUMB_NO_PROCESS(fork);
  return real_fork();
}

pid_t _Fork() noexcept {
  PLUMB_NO_PROCESS(_Fork);
  return real__Fork();
}

// It could not return twice from here, so it is a fork().
pid_t vfork() noexcept {
  PLUMB_NO_PROCESS(vfork);
  return real_fork();
}

int clone(int (*function)(void*), void* stack, int flags, void* argument,
          ...) noexcept {
  PLUMB_NO_PROCESS(clone);
  va_list rest;
  va_start(rest, argument);
  void* const one = va_arg(rest, void*);
  void* const two = va_arg(rest, void*);
  void* const three = va_arg(rest, void*);
  va_end(rest);
  return real_clone(function, stack, flags, argument, one, two, three);
}

int daemon(int keep_folder, int keep_files) noexcept {
  PLUMB_NO_PROCESS(daemon);
  return real_daemon(keep_folder, keep_files);
}

int system(const char* command) {
  PLUMB_NO_PROCESS(system);
  return real_system(command);
}

FILE* popen(const char* command, const char* mode) {
  PLUMB_NO_PROCESS(popen);
  return real_popen(command, mode);
}

int posix_spawn(pid_t* process, const char* path,
                const posix_spawn_file_actions_t* files,
                const posix_spawnattr_t* attributes, char* const argv[],
                char* const environment[]) {
  PLUMB_NO_PROCESS(posix_spawn);
  return real_posix_spawn(process, path, files, attributes, argv, environment);
}

int posix_spawnp(pid_t* process, const char* path,
                 const posix_spawn_file_actions_t* files,
                 const posix_spawnattr_t* attributes, char* const argv[],
                 char* const environment[]) {
  PLUMB_NO_PROCESS(posix_spawnp);
  return real_posix_spawnp(process, path, files, attributes, argv, environment);
}

int execve(const char* path, char* const argv[],
           char* const environment[]) noexcept {
  PLUMB_NO_PROCESS(execve);
  return real_execve(path, argv, environment);
}

int execv(const char* path, char* const argv[]) noexcept {
  PLUMB_NO_PROCESS(execv);
  return real_execv(path, argv);
}

int execvp(const char* path, char* const argv[]) noexcept {
  PLUMB_NO_PROCESS(execvp);
  return real_execvp(path, argv);
}

int execvpe(const char* path, char* const argv[],
            char* const environment[]) noexcept {
  PLUMB_NO_PROCESS(execvpe);
  return real_execvpe(path, argv, environment);
}

int fexecve(int file, char* const argv[], char* const environment[]) noexcept {
  PLUMB_NO_PROCESS(fexecve);
  return real_fexecve(file, argv, environment);
}

int execl(const char* path, const char* first, ...) noexcept {
  PLUMB_NO_PROCESS(execl);
  char* words[kMostWords];
  va_list rest;
  va_start(rest, first);
  collect(words, first, rest);
  va_end(rest);
  return real_execv(path, words);
}

int execlp(const char* path, const char* first, ...) noexcept {
  PLUMB_NO_PROCESS(execlp);
  char* words[kMostWords];
  va_list rest;
  va_start(rest, first);
  collect(words, first, rest);
  va_end(rest);
  return real_execvp(path, words);
}

int execle(const char* path, const char* first, ...) noexcept {
  PLUMB_NO_PROCESS(execle);
  char* words[kMostWords];
  va_list rest;
  va_start(rest, first);
  collect(words, first, rest);
  char** const environment = va_arg(rest, char**);
  va_end(rest);
  return real_execve(path, words, environment);
}

}  // extern "C"
