// SPDX-License-Identifier: Apache-2.0
#include "runtime/stream_use.h"

#include <stdio.h>

#include "runtime/core.h"
#include "runtime/file_order.h"
#include "runtime/file_waits.h"
#include "runtime/loops.h"
#include "runtime/races.h"
#include "runtime/stream_memory.h"
#include "runtime/sync_objects.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

// Where a stream lies differs from execution to execution: it is known by who
// opened it, and as which of those that this thread did.
struct Opened {
  const FILE* stream = nullptr;
  std::uintptr_t place = 0;
};
// LIMIT: so many at once; of those beyond, each is its own address.
struct AllOpened {
  static constexpr std::size_t kMost = 256;
  std::uint32_t run = 0;
  std::size_t count = 0;
  std::uint32_t by_thread[sched::kMaxThreads] = {};
  Opened all[kMost] = {};
};
constinit AllOpened opened;

Opened* find(const FILE* stream) {
  if (opened.run != run_number) return nullptr;
  for (std::size_t i = 0; i < opened.count; ++i) {
    if (opened.all[i].stream == stream) return &opened.all[i];
  }
  return nullptr;
}

// It is there; beside it: what it holds.
std::uintptr_t place_of(const FILE* stream) {
  const Opened* const found = find(stream);
  return found ? found->place : number_of(stream) | kHiddenState;
}
constexpr std::uintptr_t kContents = 8;

std::uintptr_t new_place() {
  constexpr std::uintptr_t kFirst = kHiddenState | 1 << 16;
  constexpr std::uintptr_t kOfOne = std::uintptr_t{1} << 24;
  const std::uint32_t number = opened.by_thread[self()]++;
  return kFirst + self() * kOfOne + number * 2 * kContents % kOfOne;
}

SyncObject& object_of(const FILE* stream) {
  return object_at(reinterpret_cast<const void*>(place_of(stream)));
}

// SyncObject::bound: it was closed.
constexpr std::uint32_t kClosed = 1;

void require_open(const SyncObject& object, std::uintptr_t pc) {
  if (object.bound != kClosed) return;
  fail(Fault::kMisuse, pc, "a stream is used that was closed");
}

bool is_printed(const FILE* stream) {
  return stream == stdout || stream == stderr;
}

bool may_be_used(const void* object) {
  const auto& stream = *static_cast<const SyncObject*>(object);
  return stream.owner == sched::kNoThread || stream.owner == self();
}

// The predicate is asked for a thread that does not run, whose stack may not be
// looked at.
struct Wish {
  const SyncObject* stream = nullptr;
  ThreadId thread = 0;
};
constinit Wish wishes[sched::kMaxThreads];

const Wish* wish_for(const SyncObject& stream) {
  wishes[self()] = {&stream, self()};
  return &wishes[self()];
}
bool is_granted(const void* object) {
  const auto& wish = *static_cast<const Wish*>(object);
  return wish.stream->owner == sched::kNoThread ||
         wish.stream->owner == wish.thread;
}

// What is done to a file is to be seen in its order with other files.
Event event_of(Kind kind, const FILE* stream, std::uintptr_t pc) {
  const void* const caller = reinterpret_cast<const void*>(pc);
  Event event = sync_event(kind, place_of(stream), true, caller);
  if (stream->_fileno >= 0) event.second = kFiles;
  return event;
}

void lock(FILE* stream, std::uintptr_t pc) {
  SyncObject& object = object_of(stream);
  require_open(object, pc);
  note_hidden(place_of(stream), false, pc);
  if (object.owner == self()) {
    ++object.count;
    return;
  }
  Turn turn(event_of(Kind::kLock, stream, pc), is_granted, wish_for(object));
  object.owner = self();
  object.count = 1;
  if (!alone()) races().acquire(self(), object.address);
  turn.done();
}

bool try_lock(FILE* stream, std::uintptr_t pc) {
  SyncObject& object = object_of(stream);
  require_open(object, pc);
  note_hidden(place_of(stream), false, pc);
  if (object.owner == self()) {
    ++object.count;
    return true;
  }
  Turn turn(event_of(Kind::kUpdate, stream, pc));
  if (object.owner != sched::kNoThread) {
    turn.failed();
    return false;
  }
  object.owner = self();
  object.count = 1;
  if (!alone()) races().acquire(self(), object.address);
  turn.done();
  return true;
}

void unlock(FILE* stream, std::uintptr_t pc) {
  SyncObject& object = object_of(stream);
  if (object.owner != self()) {
    fail(Fault::kMisuse, pc,
         "a stream is unlocked that this thread has not locked");
  }
  if (--object.count != 0) return;
  Turn turn(event_of(Kind::kUnlock, stream, pc));
  object.owner = sched::kNoThread;
  if (!alone()) races().release(self(), object.address);
  turn.done();
}

}  // namespace

void use_stream(FILE* stream, StreamUse how, std::uintptr_t pc, bool locks) {
  if (!is_seen(pc) || stream == nullptr) return;
  SyncObject& object = object_of(stream);
  require_open(object, pc);
  if (how == StreamUse::kRead) tell_memory_read_by(stream, pc);
  note_unseen();
  if (alone() || (is_printed(stream) && may_be_used(&object))) return;
  note_hidden(place_of(stream), false, pc);
  Turn turn(event_of(Kind::kUpdate, stream, pc), is_granted, wish_for(object));
  require_open(object, pc);
  if (locks) races().acquire(self(), object.address);
  note_hidden(place_of(stream) + kContents, true, pc);
  if (locks) races().release(self(), object.address);
  turn.done();
  if (how == StreamUse::kWrite && stream->_fileno >= 0) {
    file_gives(stream->_fileno);
  }
}

void stream_told(FILE* stream) {
  if (stream != nullptr && stream->_fileno >= 0) file_tells(stream->_fileno);
}

void stream_begins(const FILE* stream) {
  if (opened.run != run_number) opened = {run_number};
  Opened* found = find(stream);
  if (found == nullptr && opened.count < AllOpened::kMost) {
    found = &opened.all[opened.count++];
  }
  if (found != nullptr) *found = {stream, new_place()};
}

void stream_ends(FILE* stream, std::uintptr_t pc) {
  if (is_seen(pc)) note_hidden(place_of(stream), true, pc);
  use_stream(stream, StreamUse::kWrite, pc);
  if (is_seen(pc)) object_of(stream).bound = kClosed;
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

PLUMB_STAND_IN(void, flockfile, (FILE * stream)) {
  if (!active) return real_flockfile(stream);
  lock(stream, PLUMB_PC_NUMBER);
}
PLUMB_STAND_IN(int, ftrylockfile, (FILE * stream)) {
  if (!active) return real_ftrylockfile(stream);
  return try_lock(stream, PLUMB_PC_NUMBER) ? 0 : 1;
}
PLUMB_STAND_IN(void, funlockfile, (FILE * stream)) {
  if (!active) return real_funlockfile(stream);
  unlock(stream, PLUMB_PC_NUMBER);
}
