// SPDX-License-Identifier: Apache-2.0
// What functions for threads do for callers at `pc`, in POSIX and in C11.
//
// All require: active.  What they return is an error, or 0.
#pragma once

#include <pthread.h>

#include <ctime>

namespace plumb::runtime {

int create_thread(pthread_t* name, const pthread_attr_t* attributes,
                  void* (*entry)(void*), void* argument, const void* pc);
// Is it what std::thread was given to start the thread that runs?
// LIMIT: no test tells by where such a block lay; each would be another order.
bool starts_this_thread(const void* block);
int join_thread(pthread_t name, void** result, const void* pc);
// If it has ended by now.  `deadline` null: does not wait.
int try_join_thread(pthread_t name, void** result, const timespec* deadline,
                    const void* pc);

int make_mutex(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes,
               const void* pc);
int destroy_mutex(pthread_mutex_t* mutex, const void* pc);
int lock_mutex(pthread_mutex_t* mutex, const void* pc);
int try_lock_mutex(pthread_mutex_t* mutex, const void* pc);
int timed_lock_mutex(pthread_mutex_t* mutex, const timespec* deadline,
                     const void* pc);
int unlock_mutex(pthread_mutex_t* mutex, const void* pc);
// At the end of a thread.
void require_no_robust_mutex();

int make_condition(pthread_cond_t* condition,
                   const pthread_condattr_t* attributes, const void* pc);
int destroy_condition(pthread_cond_t* condition, const void* pc);
// `deadline` null: as long as it takes.
int wait_at_condition(pthread_cond_t* condition, pthread_mutex_t* mutex,
                      const timespec* deadline, const void* pc);
int signal_condition(pthread_cond_t* condition, bool all, const void* pc);

int run_once(pthread_once_t* control, void (*routine)(), const void* pc);
int make_key(pthread_key_t* key, void (*destructor)(void*), const void* pc);
int sleep_as_told(const timespec* duration, const void* pc);

}  // namespace plumb::runtime
