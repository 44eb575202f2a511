// SPDX-License-Identifier: Apache-2.0
#include "runtime/entry.h"

#include <cxxabi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <typeinfo>

#include "runtime/core.h"

namespace plumb::runtime {

namespace {

// "std::runtime_error: no such key".
void describe(const std::type_info& type, const char* what, Finding& finding) {
  finding.fault = Fault::kException;
  int status = 0;
  const OwnWork own;
  char* name = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::snprintf(finding.text, sizeof(finding.text), "%s%s%s",
                status == 0 ? name : type.name(), *what ? ": " : "", what);
  std::free(name);
}

}  // namespace

void* run_entry(void* (*entry)(void*), void* argument) {
  Finding finding;
  try {
    return entry(argument);
  } catch (const std::exception& error) {
    describe(typeid(error), error.what(), finding);
  } catch (abi::__forced_unwind&) {
    throw;
  } catch (...) {
    const std::type_info* type = abi::__cxa_current_exception_type();
    describe(type ? *type : typeid(void), "", finding);
  }
  fail(finding);
}

}  // namespace plumb::runtime
