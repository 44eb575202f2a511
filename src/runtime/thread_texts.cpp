// SPDX-License-Identifier: Apache-2.0
// Texts that the C library keeps for each thread: strerror, inet_ntoa, ...
//
// To it all threads of the test are one, so they have their texts here.
#include <arpa/inet.h>
#include <locale.h>
#include <netdb.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "runtime/core.h"
#include "runtime/hidden_data.h"
#include "runtime/reals.h"
#include "runtime/sync_objects.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

struct Texts {
  char error[64] = {};
  char signal[64] = {};
  char address[INET_ADDRSTRLEN] = {};
};
constinit Texts texts[sched::kMaxThreads];

// h_errno, which functions for hosts set.
struct HostError {
  std::uint32_t run = 0;
  int error = 0;
};
constinit HostError host_errors[sched::kMaxThreads];

Texts& mine() {
  return texts[self()];
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;

// What is known has a text that nobody changes.
PLUMB_STAND_IN(char*, strerror, (int error)) {
  if (!active || strerrordesc_np(error) != nullptr) return real_strerror(error);
  snprintf(mine().error, sizeof(mine().error), "Unknown error %d", error);
  return mine().error;
}

PLUMB_STAND_IN(char*, strsignal, (int signal)) {
  if (!active || sigdescr_np(signal) != nullptr) return real_strsignal(signal);
  const bool is_real_time = signal >= SIGRTMIN && signal <= SIGRTMAX;
  snprintf(mine().signal, sizeof(mine().signal),
           is_real_time ? "Real-time signal %d" : "Unknown signal %d",
           is_real_time ? signal - SIGRTMIN : signal);
  return mine().signal;
}

PLUMB_STAND_IN(char*, inet_ntoa, (in_addr address)) {
  if (!active) return real_inet_ntoa(address);
  unsigned char bytes[4];
  memcpy(bytes, &address, sizeof(bytes));
  snprintf(mine().address, sizeof(mine().address), "%d.%d.%d.%d", bytes[0],
           bytes[1], bytes[2], bytes[3]);
  return mine().address;
}

PLUMB_STAND_IN(int*, __h_errno_location, ()) {
  if (!active) return real___h_errno_location();
  HostError& own = host_errors[self()];
  if (own.run != run_number) own = {run_number, 0};
  return &own.error;
}

PLUMB_STAND_IN(hostent*, gethostbyname, (const char* name)) {
  if (!active) return real_gethostbyname(name);
  tell_host(name, PLUMB_PC_NUMBER);
  int* const error = stand_in___h_errno_location();
  const InLibrary quiet;
  hostent* const found = real_gethostbyname(name);
  *error = *real___h_errno_location();
  return found;
}

// A locale of a thread's own.  The C++ library sets one, and sets it back.
PLUMB_STAND_IN(locale_t, uselocale, (locale_t locale)) {
  if (active && locale != nullptr && !is_in_cxx_library(PLUMB_PC_NUMBER)) {
    not_supported(__builtin_return_address(0), "uselocale()");
  }
  return real_uselocale(locale);
}
