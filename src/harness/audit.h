// SPDX-License-Identifier: Apache-2.0
// Accesses that no hook announces, in words, and whether they matter.
#pragma once

#include <cstdint>
#include <string>

#include "runtime/core.h"

namespace plumb::harness {

// Did audited executions of a program (runtime/audit.h) show accesses that
// nothing announces, and that are in conflict with another thread's?
bool audit_matters();

// Is there code that may do anything, locks and waits included, so that what it
// does are events of the search?  Else accesses that were unseen are plain, of
// the C and C++ libraries and the kernel, and only watched for data races.
bool audit_makes_events();

// A place in such code that was not compiled along, which executions came to;
// 0: none.
std::uintptr_t visited_unseen();
// Where nothing was audited: which code the search came to that no hook tells
// of, and what to do about it; "" if there was none.
std::string report_of_visits();
// ... of threads that run beside the executions; "": there are none.
std::string report_of_outsiders();

// What these are.
struct AuditReport {
  // Some that nothing can be made of, so that a search of all orders would not
  // be one.  Who, where, what; and what to do about it.
  std::string lost;
  // ... and those that a search can follow, audited as well.
  std::string followed;
};
AuditReport report_of_audit();

// Is this about an access that only an audit sees?
bool is_of_audit(const runtime::Finding& finding);
// ... and which: "strcmp (libc.so.6), called from set.cpp:12, reads name".
std::string name_of_unseen(const runtime::Finding& finding);
// ... of a library that may order things by means that an audit does not see?
bool is_uncertain(const runtime::Finding& finding);

// Why nothing more can be told after runtime::spoilt_at.
std::string reason_of_library(std::uintptr_t pc);

}  // namespace plumb::harness
