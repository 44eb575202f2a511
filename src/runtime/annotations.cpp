// SPDX-License-Identifier: Apache-2.0
// AnnotateHappensBefore, AnnotateIgnoreReadsBegin, __tsan_acquire, ...: what
// libraries (libcds, Chromium's, folly's) tell detectors of data races.
#include "runtime/annotations.h"

#include <cstddef>

#include "runtime/core.h"
#include "runtime/fibers.h"
#include "runtime/races.h"
#include "runtime/sync_objects.h"

namespace plumb::runtime {

constinit bool is_annotated = false;

namespace {

// How often a thread asked that its reads, its writes be left alone.
struct Ignored {
  int reads = 0;
  int writes = 0;
};
constinit Ignored ignored[sched::kMaxThreads];

struct Range {
  std::uintptr_t begin = 0;
  std::size_t size = 0;
};
// LIMIT: of so many; beyond, races are told all the same.
constexpr std::size_t kMostRanges = 256;
constinit Range benign[kMostRanges];
constinit std::size_t benign_count = 0;

void ignore(int Ignored::*what, int change) {
  if (!active) return;
  int& count = ignored[self()].*what;
  count = count + change > 0 ? count + change : 0;
  is_annotated = true;
}

void allow_races(const volatile void* begin, std::size_t size) {
  if (!active || benign_count == kMostRanges) return;
  benign[benign_count++] = {number_of(begin), size};
  is_annotated = true;
}

// Who comes after follows all who came before.
void order(const volatile void* object, bool before, const void* pc) {
  if (!active || alone()) return;
  const std::uintptr_t address = number_of(object);
  Event event = sync_event(Kind::kUpdate, address | kNoMemory, true, pc);
  announce(event);
  if (before) {
    races().release(self(), address);
  } else {
    races().acquire(self(), address);
  }
  if (graphs) {
    access_in_graph(
        {event.address, before ? __ATOMIC_RELEASE : __ATOMIC_ACQUIRE}, false);
  }
  did(event);
}

}  // namespace

bool is_race_allowed(std::uintptr_t address, std::uint32_t size, bool writes) {
  const Ignored& mine = ignored[state.current];
  if ((writes ? mine.writes : mine.reads) > 0) return true;
  for (std::size_t i = 0; i < benign_count; ++i) {
    if (sched::overlap(address, size, benign[i].begin, benign[i].size)) {
      return true;
    }
  }
  return false;
}

void forget_annotations() {
  if (!is_annotated) return;
  is_annotated = false;
  benign_count = 0;
  for (Ignored& each : ignored) each = {};
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC __builtin_return_address(0)
#define PLUMB_FROM const char*, int
#define PLUMB_SAYS_NOTHING(name, ...) \
  void name(PLUMB_FROM __VA_OPT__(, ) __VA_ARGS__) {}

using Place = const volatile void*;

extern "C" {

void AnnotateIgnoreReadsBegin(PLUMB_FROM) {
  ignore(&Ignored::reads, 1);
}
void AnnotateIgnoreReadsEnd(PLUMB_FROM) {
  ignore(&Ignored::reads, -1);
}
void AnnotateIgnoreWritesBegin(PLUMB_FROM) {
  ignore(&Ignored::writes, 1);
}
void AnnotateIgnoreWritesEnd(PLUMB_FROM) {
  ignore(&Ignored::writes, -1);
}
void AnnotateHappensBefore(PLUMB_FROM, Place object) {
  order(object, true, PLUMB_PC);
}
void AnnotateHappensAfter(PLUMB_FROM, Place object) {
  order(object, false, PLUMB_PC);
}
void AnnotateBenignRace(PLUMB_FROM, Place memory, const char*) {
  allow_races(memory, 8);
}
void AnnotateBenignRaceSized(PLUMB_FROM, Place memory, std::size_t size,
                             const char*) {
  allow_races(memory, size);
}
void AnnotateRWLockAcquired(PLUMB_FROM, Place lock, long) {
  order(lock, false, PLUMB_PC);
}
void AnnotateRWLockReleased(PLUMB_FROM, Place lock, long) {
  order(lock, true, PLUMB_PC);
}
// As WebKit has them.
void WTFAnnotateHappensBefore(PLUMB_FROM, Place object) {
  order(object, true, PLUMB_PC);
}
void WTFAnnotateHappensAfter(PLUMB_FROM, Place object) {
  order(object, false, PLUMB_PC);
}
void WTFAnnotateBenignRaceSized(PLUMB_FROM, Place memory, std::size_t size,
                                const char*) {
  allow_races(memory, size);
}

// Locks and conditions are told by what they are made of.
PLUMB_SAYS_NOTHING(AnnotateRWLockCreate, Place)
PLUMB_SAYS_NOTHING(AnnotateRWLockCreateStatic, Place)
PLUMB_SAYS_NOTHING(AnnotateRWLockDestroy, Place)
PLUMB_SAYS_NOTHING(AnnotateCondVarSignal, Place)
PLUMB_SAYS_NOTHING(AnnotateCondVarSignalAll, Place)
PLUMB_SAYS_NOTHING(AnnotateCondVarWait, Place, Place)
PLUMB_SAYS_NOTHING(AnnotateMutexIsUsedAsCondVar, Place)
PLUMB_SAYS_NOTHING(AnnotateMutexIsNotPHB, Place)
PLUMB_SAYS_NOTHING(AnnotateNewMemory, Place, std::size_t)
PLUMB_SAYS_NOTHING(AnnotateMemoryIsInitialized, Place, std::size_t)
PLUMB_SAYS_NOTHING(AnnotateMemoryIsUninitialized, Place, std::size_t)
PLUMB_SAYS_NOTHING(AnnotatePublishMemoryRange, Place, std::size_t)
PLUMB_SAYS_NOTHING(AnnotateUnpublishMemoryRange, Place, std::size_t)
PLUMB_SAYS_NOTHING(AnnotateExpectRace, Place, const char*)
PLUMB_SAYS_NOTHING(AnnotateFlushExpectedRaces)
PLUMB_SAYS_NOTHING(AnnotateTraceMemory, Place)
PLUMB_SAYS_NOTHING(AnnotateThreadName, const char*)
PLUMB_SAYS_NOTHING(AnnotateEnableRaceDetection, int)
PLUMB_SAYS_NOTHING(AnnotateIgnoreSyncBegin)
PLUMB_SAYS_NOTHING(AnnotateIgnoreSyncEnd)
PLUMB_SAYS_NOTHING(AnnotateFlushState)
PLUMB_SAYS_NOTHING(AnnotateNoOp, Place)
PLUMB_SAYS_NOTHING(AnnotatePCQCreate, Place)
PLUMB_SAYS_NOTHING(AnnotatePCQDestroy, Place)
PLUMB_SAYS_NOTHING(AnnotatePCQPut, Place)
PLUMB_SAYS_NOTHING(AnnotatePCQGet, Place)
int RunningOnValgrind() {
  return 0;
}

// What <sanitizer/tsan_interface.h> declares.
void __tsan_acquire(void* object) {
  order(object, false, PLUMB_PC);
}
void __tsan_release(void* object) {
  order(object, true, PLUMB_PC);
}
void __tsan_mutex_create(void*, unsigned) {}
void __tsan_mutex_destroy(void*, unsigned) {}
void __tsan_mutex_pre_lock(void*, unsigned) {}
void __tsan_mutex_post_lock(void* mutex, unsigned, int) {
  order(mutex, false, PLUMB_PC);
}
int __tsan_mutex_pre_unlock(void* mutex, unsigned) {
  order(mutex, true, PLUMB_PC);
  return 0;
}
void __tsan_mutex_post_unlock(void*, unsigned) {}
void __tsan_mutex_pre_signal(void*, unsigned) {}
void __tsan_mutex_post_signal(void*, unsigned) {}
void __tsan_mutex_pre_divert(void*, unsigned) {}
void __tsan_mutex_post_divert(void*, unsigned) {}

// Only called so that clang takes the addresses of locals for known to others
// (TestBuilder::flags_for): the hooks tell.
#define PLUMB_NOTHING(size)                 \
  void __sanitizer_cov_load##size(void*) {} \
  void __sanitizer_cov_store##size(void*) {}
PLUMB_NOTHING(1)
PLUMB_NOTHING(2)
PLUMB_NOTHING(4)
PLUMB_NOTHING(8)
PLUMB_NOTHING(16)
}
