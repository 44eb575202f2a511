// SPDX-License-Identifier: Apache-2.0
#include "runtime/loaded_libraries.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace plumb::runtime {
namespace {

unsigned long long loads = 0;  // so far, when the execution began
std::vector<std::string> first;

bool is_internal(const char* path) {
  for (const char* part : {"/libnss_", "/libresolv.so", "/libgcc_s.so",
                           "/gconv/", "/ld-linux", "linux-vdso", "/libc.so"}) {
    if (std::strstr(path, part) != nullptr) return true;
  }
  return path[0] == '\0';
}

int count_loads(dl_phdr_info* info, std::size_t, void* out) {
  *static_cast<unsigned long long*>(out) = info->dlpi_adds;
  return 1;
}

unsigned long long loads_now() {
  unsigned long long out = 0;
  dl_iterate_phdr(count_loads, &out);
  return out;
}

int add_name(dl_phdr_info* info, std::size_t, void* out) {
  if (!is_internal(info->dlpi_name)) {
    static_cast<std::vector<std::string>*>(out)->emplace_back(info->dlpi_name);
  }
  return 0;
}

std::vector<std::string> loaded() {
  std::vector<std::string> out;
  dl_iterate_phdr(add_name, &out);
  return out;
}

// Takes away what executions have added to its count.  Returns whether it stays
// although they had: others are needed by those that stay.
bool stays(const std::string& path) {
  constexpr int kMost = 1000;
  bool was_opened = false;
  for (int i = 0; i < kMost; ++i) {
    void* const library = dlopen(path.c_str(), RTLD_NOLOAD | RTLD_LAZY);
    if (library == nullptr) return false;
    dlclose(library);
    if (dlclose(library) != 0) break;
    was_opened = true;
  }
  dlerror();  // nobody is to find what went wrong here
  return was_opened;
}

}  // namespace

void remember_loaded_libraries() {
  const unsigned long long now = loads_now();
  if (now == loads) return;
  loads = now;
  first = loaded();
}

bool unload_libraries() {
  if (loads_now() == loads) return true;
  bool all_gone = true;
  for (const std::string& path : loaded()) {
    if (std::find(first.begin(), first.end(), path) != first.end()) continue;
    if (stays(path)) all_gone = false;
  }
  loads = loads_now();
  return all_gone;
}

}  // namespace plumb::runtime
