// SPDX-License-Identifier: Apache-2.0
// syscall(): futexes above all, on which std::atomic::wait, std::latch and
// their like are built.
//
// To wait is to read the word and to join those who wait there, at once; to
// wake touches only them.  So they have an address of their own (kNoMemory),
// and who reads or writes the word does not disturb who wakes.
#include <linux/futex.h>
#include <sched.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdarg>
#include <ctime>

#include "runtime/audit.h"
#include "runtime/audit_calls.h"
#include "runtime/audit_signals.h"
#include "runtime/core.h"
#include "runtime/file_order.h"
#include "runtime/file_waits.h"
#include "runtime/globals.h"
#include "runtime/graph_accesses.h"
#include "runtime/loops.h"
#include "runtime/mappings.h"
#include "runtime/races.h"
#include "runtime/refused_calls.h"
#include "runtime/sync_objects.h"
#include "runtime/system_call.h"
#include "runtime/system_calls.h"
#include "runtime/thread_settings.h"
#include "runtime/time.h"
#include "runtime/touch.h"

namespace plumb::runtime {
namespace {

struct Arguments {
  long at[6];
};

CallArguments as_kernel_takes(const Arguments& arguments) {
  CallArguments values;
  for (std::size_t i = 0; i < 6; ++i) {
    values.value[i] = static_cast<std::uint64_t>(arguments.at[i]);
  }
  return values;
}

long with_errno(long result) {
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

// The system's syscall().
long enter_kernel(long number, const Arguments& arguments) {
  return with_errno(kernel(number, as_kernel_takes(arguments)));
}

long fail_with(int error) {
  errno = error;
  return -1;
}

struct FutexCall {
  std::uint32_t* word = nullptr;
  std::uint32_t value = 0;
  const timespec* timeout = nullptr;
  std::uint32_t bitset = FUTEX_BITSET_MATCH_ANY;
  bool until = false;  // the timeout is a moment, not a duration
};

std::uintptr_t queue_of(const FutexCall& call) {
  return number_of(call.word) | kNoMemory;
}

enum class Begun : std::uint8_t {
  kWaits,
  kChanged,  // the word has another value
  kIsOver,   // for no reason
};

void full_barrier(const void* pc) {
  Event event = sync_event(Kind::kFence, 0, false, pc);
  event.size = 0;
  event.order = __ATOMIC_SEQ_CST;
  announce(event);
  fence_in_graph(__ATOMIC_SEQ_CST);
  did(event);
}

// In execution graphs, what the kernel does is several events: it locks the
// queue (queue.owner), and after a full barrier it reads the word.  Who wakes
// has a barrier, too, and who is woken follows.
std::uint32_t read_word(SyncObject& queue, const FutexCall& call,
                        const void* pc) {
  {
    Turn turn(sync_event(Kind::kLock, queue.address, true, pc), has_no_owner,
              &queue);
    queue.owner = self();
    turn.done();
  }
  full_barrier(pc);
  Event event = sync_event(Kind::kRead, number_of(call.word), false, pc);
  event.size = 4;
  announce(event);
  event.value = load_in_graph(call.word, __ATOMIC_RELAXED, number_of(pc));
  event.seen = event.value;
  tell_races();
  did(event);
  return static_cast<std::uint32_t>(event.value);
}

Begun begin_wait_in_graph(SyncObject& queue, const FutexCall& call,
                          const void* pc) {
  const bool is_same = read_word(queue, call, pc) == call.value;
  Turn turn(sync_event(Kind::kWait, queue.address, true, pc));
  queue.owner = sched::kNoThread;
  const bool is_over = is_same && turn.ends_spuriously();
  if (is_same && !is_over) {
    start_waiting(queue, call.timeout != nullptr);
    waiting_of(self()).bitset = call.bitset;
  }
  turn.done();
  if (!is_same) return Begun::kChanged;
  return is_over ? Begun::kIsOver : Begun::kWaits;
}

Begun begin_wait(SyncObject& queue, const FutexCall& call, const void* pc) {
  if (graphs && !alone()) return begin_wait_in_graph(queue, call, pc);
  Event event = sync_event(Kind::kWait, number_of(call.word), false, pc);
  event.size = 4;
  event.second = queue.address;
  Turn turn(event);
  turn.event.value = __atomic_load_n(call.word, __ATOMIC_RELAXED);
  if (turn.event.value != call.value) {
    turn.event.kind = Kind::kRead;
    turn.done();
    return Begun::kChanged;
  }
  if (turn.ends_spuriously()) {
    turn.done();
    return Begun::kIsOver;
  }
  start_waiting(queue, call.timeout != nullptr);
  waiting_of(self()).bitset = call.bitset;
  turn.done();
  return Begun::kWaits;
}

long wait(const FutexCall& call, const void* pc) {
  tell_read(call.timeout, number_of(pc));
  if (call.timeout != nullptr && !is_time(*call.timeout)) {
    return fail_with(EINVAL);
  }
  SyncObject& queue = object_at(reinterpret_cast<void*>(queue_of(call)));
  const Begun begun = begin_wait(queue, call, pc);
  if (begun == Begun::kChanged) return fail_with(EAGAIN);
  if (begun == Begun::kIsOver || go_on(queue, pc, __ATOMIC_ACQUIRE)) return 0;
  if (call.until) {
    wait_in_vain_until(*call.timeout, pc);
  } else {
    wait_in_vain(*call.timeout, pc);
  }
  return fail_with(ETIMEDOUT);
}

long wake(const FutexCall& call, const void* pc) {
  SyncObject& queue = object_at(reinterpret_cast<void*>(queue_of(call)));
  const Event event = sync_event(Kind::kSignal, queue.address, true, pc);
  if (graphs && !alone()) full_barrier(pc);
  Turn turn(event, has_no_owner, &queue, __ATOMIC_RELEASE);
  for (ThreadMask left = queue.waiters; left != 0; left &= left - 1) {
    const auto thread = static_cast<ThreadId>(__builtin_ctz(left));
    if (!(waiting_of(thread).bitset & call.bitset)) {
      not_supported(pc, "to wake some of those who wait for a futex by bits");
    }
  }
  long woken = 0;
  if (call.value >=
      static_cast<std::uint32_t>(__builtin_popcount(queue.waiters))) {
    woken = wake_all(queue);
  } else {
    while (woken < static_cast<long>(call.value) && wake_one(queue)) ++woken;
  }
  turn.done(static_cast<std::uint64_t>(woken));
  return woken;
}

long futex(const Arguments& arguments, const void* pc) {
  FutexCall call;
  call.word = reinterpret_cast<std::uint32_t*>(arguments.at[0]);
  call.value = static_cast<std::uint32_t>(arguments.at[2]);
  const int operation = static_cast<int>(arguments.at[1]) & FUTEX_CMD_MASK;
  const auto bitset = static_cast<std::uint32_t>(arguments.at[5]);
  switch (operation) {
    case FUTEX_WAIT_BITSET:
      call.bitset = bitset;
      call.until = true;
      [[fallthrough]];
    case FUTEX_WAIT:
      call.timeout = reinterpret_cast<const timespec*>(arguments.at[3]);
      return wait(call, pc);
    case FUTEX_WAKE_BITSET:
      call.bitset = bitset;
      [[fallthrough]];
    case FUTEX_WAKE:
      return wake(call, pc);
    default:
      not_supported(pc, "this operation on a futex");
  }
}

// Orders everything before it and after it, of all threads.
// LIMIT: only the calling thread's fence is modelled; values are sequentially
// consistent anyway, so this matters to data races alone.
long membarrier(const void* pc) {
  Event event = sync_event(Kind::kFence, 0, false, pc);
  event.size = 0;
  event.order = __ATOMIC_SEQ_CST;
  Turn turn(event, kOwnAccess);
  if (!alone()) races().fence(self(), __ATOMIC_SEQ_CST);
  if (graphs && turn.is_announced()) {
    not_supported(pc, "membarrier(), where weaker orders are explored,");
  }
  turn.done();
  return 0;
}

// What functions of the C library have under control is so by this way, too.
long controlled_call(long number, const Arguments& arguments, bool& is_one) {
  const auto pointer = [&](std::size_t i) {
    return reinterpret_cast<void*>(arguments.at[i]);
  };
  is_one = true;
  switch (number) {
    case SYS_getrandom:
      return getrandom(pointer(0), static_cast<std::size_t>(arguments.at[1]),
                       static_cast<unsigned>(arguments.at[2]));
    case SYS_clock_gettime:
      return clock_gettime(static_cast<clockid_t>(arguments.at[0]),
                           static_cast<timespec*>(pointer(1)));
    case SYS_gettimeofday:
      return gettimeofday(static_cast<timeval*>(pointer(0)), nullptr);
    case SYS_time:
      return time(static_cast<time_t*>(pointer(0)));
    case SYS_getcpu:
      return getcpu(static_cast<unsigned*>(pointer(0)),
                    static_cast<unsigned*>(pointer(1)));
    case SYS_nanosleep:
      return nanosleep(static_cast<const timespec*>(pointer(0)), nullptr);
    case SYS_clock_nanosleep:
      return clock_nanosleep(static_cast<clockid_t>(arguments.at[0]),
                             static_cast<int>(arguments.at[1]),
                             static_cast<const timespec*>(pointer(2)), nullptr);
    default:
      is_one = false;
      return 0;
  }
}

// Of calls of which nothing is known, what looks like a pointer.
void require_not_shared(const CallTouch& touch) {
  const std::uintptr_t region = touch.address - kRegion;
  if (alone() || (!in_globals(touch.address) && region >= kRegionBytes)) return;
  if (check_access(touch.address, 1, false, 0)) {
    fail(Fault::kUnsupported, 0,
         "a system call gets an address, and what it does there is not known");
  }
}

void tell_touch(void* to, const CallTouch& touch) {
  const auto* begin = reinterpret_cast<const void*>(touch.address);
  auto& ranges = *static_cast<Ranges*>(to);
  if (!touch.is_known) return require_not_shared(touch);
  if (touch.writes) {
    ranges.writes(begin, touch.bytes);
  } else {
    ranges.reads(begin, touch.bytes);
  }
}

void tell_call(long number, const CallArguments& arguments, std::uintptr_t pc) {
  if (!is_seen(pc)) return;
  tell_before(pc, [&](Ranges& to) {
    each_touch(number, arguments.value, tell_touch, &to);
  });
}

long other_call(long number, const Arguments& arguments, const void* pc) {
  const auto from = reinterpret_cast<std::uintptr_t>(pc);
  const CallArguments values = as_kernel_takes(arguments);
  long answer = 0;
  if (settings_by_call(number, values.value, pc, answer)) {
    return with_errno(answer);
  }
  require_supported(number, values.value, from);
  if (map_by_call(number, values, from, answer)) return with_errno(answer);
  tell_call(number, values, from);
  bool is_controlled = false;
  const long result = controlled_call(number, arguments, is_controlled);
  if (is_controlled) return result;
  if (is_seen(from)) note_unseen();
  if (is_about_files(number, values.value)) file_step(pc);
  const OwnWork own;
  // The kernel refuses what is protected.
  if (audit::on) audit_open_all();
  answer = make_call(number, values);
  if (audit::on) audit_close_all();
  return with_errno(answer);
}

}  // namespace

long system_call(long number, const std::uint64_t (&arguments)[6],
                 const void* pc) {
  Arguments values;
  for (std::size_t i = 0; i < 6; ++i) {
    values.at[i] = static_cast<long>(arguments[i]);
  }
  if (!active) return enter_kernel(number, values);
  return other_call(number, values, pc);
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

extern "C" long syscall(long number, ...) noexcept {
  Arguments arguments;
  va_list list;
  va_start(list, number);
  for (long& argument : arguments.at) argument = va_arg(list, long);
  va_end(list);
  if (!active) return enter_kernel(number, arguments);
  const void* pc = __builtin_return_address(0);
  switch (number) {
    case SYS_futex:
      return futex(arguments, pc);
    case SYS_membarrier:
      // The first argument 0 asks what the system can do.
      if (arguments.at[0] == 0) return enter_kernel(number, arguments);
      return membarrier(pc);
    case SYS_sched_yield:
      yield_to_others(pc);
      return 0;
    case SYS_gettid:
      note_who_asks(number_of(pc));
      return getpid() + self();
    default:
      return other_call(number, arguments, pc);
  }
}

extern "C" pid_t gettid() noexcept {
  note_who_asks(PLUMB_PC_NUMBER);
  return static_cast<pid_t>(syscall(SYS_gettid));
}
