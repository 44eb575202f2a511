// SPDX-License-Identifier: Apache-2.0
// The system's own functions, where the runtime defines one of the same name.
#pragma once

#include <dlfcn.h>

#include <atomic>

#include "runtime/core.h"

namespace plumb::runtime {

// The next definition of a name after ours, looked up at its first use: calls
// may come before any constructor of ours has run.  Several threads may look
// at once; all find the same.
template <typename Function>
class Real {
 public:
  constexpr explicit Real(const char* name) : name_(name) {}
  // `ours` tells the type.
  constexpr Real(Function* ours, const char* name,
                 const char* version = nullptr)
      : name_(name), version_(version) {
    static_cast<void>(ours);
  }

  template <typename... Arguments>
  auto operator()(Arguments... arguments) {
    return get()(arguments...);
  }

  Function* get() {
    Function* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) {
      const OwnWork own;  // looking up may allocate
      void* next = version_ ? dlvsym(RTLD_NEXT, name_, version_) : nullptr;
      if (next == nullptr) next = dlsym(RTLD_NEXT, name_);
      if (next == nullptr) __builtin_trap();  // nothing could go on
      found = reinterpret_cast<Function*>(next);
      found_.store(found, std::memory_order_relaxed);
    }
    return found;
  }

 private:
  const char* name_;
  const char* version_ = nullptr;
  std::atomic<Function*> found_ = nullptr;
};

}  // namespace plumb::runtime

// real_NAME(...) calls the system's NAME.
#define PLUMB_REAL(name)                         \
  constinit ::plumb::runtime::Real real_##name { \
    &::name, #name                               \
  }
// The same where a name has several versions.
#define PLUMB_REAL_VERSION(name, version)        \
  constinit ::plumb::runtime::Real real_##name { \
    &::name, #name, version                      \
  }
