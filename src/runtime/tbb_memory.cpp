// SPDX-License-Identifier: Apache-2.0
// oneTBB's own allocator: what a test gets from it is memory of the test.
//
// scalable_malloc and what containers call keep memory from one execution to
// the next, with locks that nobody sees.  While a test runs they are malloc.
#include <malloc.h>
#include <stdlib.h>

#include <cstddef>
#include <cstdint>

#include "runtime/core.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

constexpr std::size_t kCacheLine = 128;  // as oneTBB has it

bool is_tests(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) - kRegion < kRegionBytes;
}

}  // namespace
}  // namespace plumb::runtime

using namespace plumb::runtime;
using std::size_t;

#define PLUMB_TBB(result, name, parameters, arguments, ours) \
  PLUMB_STAND_IN(result, name, parameters) {                 \
    if (active) return ours;                                 \
    return real_##name arguments;                            \
  }
// Of memory that the test got, or that was there before.
#define PLUMB_TBB_OF(result, name, parameters, arguments, ours) \
  PLUMB_STAND_IN(result, name, parameters) {                    \
    if (active && (memory == nullptr || is_tests(memory))) {    \
      return ours;                                              \
    }                                                           \
    return real_##name arguments;                               \
  }

PLUMB_TBB(void*, scalable_malloc, (size_t size), (size), malloc(size))
PLUMB_TBB(void*, scalable_calloc, (size_t count, size_t size), (count, size),
          calloc(count, size))
PLUMB_TBB(int, scalable_posix_memalign,
          (void** out, size_t alignment, size_t size), (out, alignment, size),
          posix_memalign(out, alignment, size))
PLUMB_TBB(void*, scalable_aligned_malloc, (size_t size, size_t alignment),
          (size, alignment), memalign(alignment, size))
PLUMB_TBB_OF(void, scalable_free, (void* memory), (memory), free(memory))
PLUMB_TBB_OF(void, scalable_aligned_free, (void* memory), (memory),
             free(memory))
PLUMB_TBB_OF(void*, scalable_realloc, (void* memory, size_t size),
             (memory, size), realloc(memory, size))
PLUMB_TBB_OF(size_t, scalable_msize, (void* memory), (memory),
             malloc_usable_size(memory))

// As the headers of containers call them.
PLUMB_TBB(void*, _ZN3tbb6detail2r122cache_aligned_allocateEm, (size_t size),
          (size), memalign(kCacheLine, size))
PLUMB_TBB(void*, _ZN3tbb6detail2r115allocate_memoryEm, (size_t size), (size),
          malloc(size))
PLUMB_TBB_OF(void, _ZN3tbb6detail2r124cache_aligned_deallocateEPv,
             (void* memory), (memory), free(memory))
PLUMB_TBB_OF(void, _ZN3tbb6detail2r117deallocate_memoryEPv, (void* memory),
             (memory), free(memory))
