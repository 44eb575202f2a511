// SPDX-License-Identifier: Apache-2.0
// Memory that executions did not map is mapped anew, or taken away.
#include <plumb/test.h>
#include <sys/mman.h>

namespace {

alignas(4096) int page[1024];

}  // namespace

PLUMB_TEST(maps_over_globals) {
  test.run([] {
    mmap(page, 4096, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  });
}

PLUMB_TEST(unmaps_globals) {
  test.run([] { munmap(page, 4096); });
}

PLUMB_TEST(protects_globals) {
  test.run([] { mprotect(page, 4096, PROT_READ); });
}

// What it mapped itself it may map again.
PLUMB_TEST(maps_over_its_own) {
  test.run([] {
    void* const all =
        mmap(nullptr, 16384, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    auto* const part = static_cast<char*>(
        mmap(static_cast<char*>(all) + 4096, 4096, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0));
    *part = 1;
    mprotect(part, 4096, PROT_READ);
    munmap(all, 16384);
  });
}
