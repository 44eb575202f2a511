// SPDX-License-Identifier: Apache-2.0
#include "runtime/time.h"

#include <sched.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timeb.h>
#include <sys/times.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "runtime/core.h"
#include "runtime/execution.h"
#include "runtime/loop_points.h"
#include "runtime/loops.h"
#include "runtime/processor.h"
#include "runtime/reals.h"
#include "runtime/sync_calls.h"
#include "runtime/sync_objects.h"
#include "runtime/thread_settings.h"
#include "runtime/touch.h"

namespace plumb::runtime {

namespace {

PLUMB_REAL(clock_gettime);
PLUMB_REAL(gettimeofday);
PLUMB_REAL(time);
PLUMB_REAL(clock);
PLUMB_REAL(timespec_get);
PLUMB_REAL(nanosleep);
PLUMB_REAL(clock_nanosleep);
PLUMB_REAL(usleep);
PLUMB_REAL(sleep);
PLUMB_REAL(sched_yield);
PLUMB_REAL(sched_getcpu);
PLUMB_REAL(rand);
PLUMB_REAL(srand);
PLUMB_REAL(rand_r);
PLUMB_REAL(random);
PLUMB_REAL(srandom);
PLUMB_REAL(drand48);
PLUMB_REAL(lrand48);
PLUMB_REAL(mrand48);
PLUMB_REAL(srand48);
PLUMB_REAL(erand48);
PLUMB_REAL(nrand48);
PLUMB_REAL(jrand48);
PLUMB_REAL(random_r);
PLUMB_REAL(times);
PLUMB_REAL(getcpu);
PLUMB_REAL(getrandom);
PLUMB_REAL(getentropy);
// Not in every C library.
constinit Real<std::uint32_t()> real_arc4random{"arc4random"};
constinit Real<void(void*, std::size_t)> real_arc4random_buf{"arc4random_buf"};
constinit Real<std::uint32_t(std::uint32_t)> real_arc4random_uniform{
    "arc4random_uniform"};

constexpr std::int64_t kBillion = 1'000'000'000;
constexpr std::int64_t kBegin = kBillion;  // in seconds: September 2001
constexpr std::int64_t kTick = 1'000'000;
constexpr std::int64_t kLongest = kBillion;  // in seconds; more overflows

// Nanoseconds since kBegin: of all threads, as in the real world.
struct CommonClock {
  std::uint32_t run = 0;
  bool was_read = false;
  std::int64_t now = 0;
};
constinit CommonClock common;

std::int64_t& now() {
  if (common.run != run_number) common = {run_number, false, 0};
  return common.now;
}

std::int64_t in_nanoseconds(std::int64_t seconds, std::int64_t rest) {
  if (seconds > kLongest) return kLongest * kBillion;
  if (seconds < 0) return 0;
  return seconds * kBillion + rest;
}

// One of the values that the code under test may get.
unsigned any_value() {
  return choose(settings().rand_values);
}

// Two who sleep do not notice each other, whichever wakes first: times add up.
// Who reads the clock does.
void sleep_for(const timespec& duration, const void* pc) {
  Event event = sync_event(Kind::kYield, kClock, false, pc);
  Turn turn(event);
  now() += in_nanoseconds(duration.tv_sec, duration.tv_nsec);
  turn.done();
}

// What random numbers of the caller's own come from.
void tell_seed(unsigned short* seed, std::uintptr_t pc) {
  using Seed = unsigned short[3];
  tell_write(reinterpret_cast<Seed*>(seed), pc);
}

}  // namespace

void random_bytes(void* buffer, std::size_t size, std::uintptr_t pc) {
  const unsigned value = any_value();
  if (is_seen(pc)) {
    tell_before(pc, [&](Ranges& to) { to.writes(buffer, size); });
  }
  globals_written(number_of(buffer), size);
  auto* bytes = static_cast<unsigned char*>(buffer);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = i == 0 ? static_cast<unsigned char>(value) : 0;
  }
}

constinit bool clock_was_read = false;

std::int64_t time_now() {
  return now();
}

timespec read_clock(const void* pc) {
  Turn turn(sync_event(Kind::kUpdate, kClock, true, pc));
  const std::int64_t value = now() += kTick;
  times_were_compared |= common.was_read && !alone();
  common.was_read = true;
  clock_was_read = true;
  note_unseen();
  note_seen(static_cast<std::uint64_t>(value));
  turn.done(static_cast<std::uint64_t>(value));
  return {kBegin + value / kBillion, value % kBillion};
}

void wait_in_vain(const timespec& duration, const void* pc) {
  sleep_for(duration, pc);
}

void wait_in_vain_until(const timespec& deadline, const void* pc) {
  Turn turn(sync_event(Kind::kYield, kClock, true, pc));
  const std::int64_t then =
      in_nanoseconds(deadline.tv_sec - kBegin, deadline.tv_nsec);
  if (now() < then) now() = then;
  turn.done();
}

int sleep_as_told(const timespec* duration, const void* pc) {
  tell_read(duration, number_of(pc));
  if (!is_time(*duration) || duration->tv_sec < 0) return EINVAL;
  sleep_for(*duration, pc);
  return 0;
}

}  // namespace plumb::runtime

using namespace plumb::runtime;

#define PLUMB_PC __builtin_return_address(0)

extern "C" {

int clock_gettime(clockid_t clock_id, timespec* time_) noexcept {
  if (!active && !has_fast_clocks()) {
    return static_cast<int>(syscall(SYS_clock_gettime, clock_id, time_));
  }
  if (!active) return real_clock_gettime(clock_id, time_);
  tell_write(time_, PLUMB_PC_NUMBER);
  store(time_, read_clock(PLUMB_PC));
  return 0;
}

int gettimeofday(timeval* time_, void* zone) noexcept {
  if (!active) return real_gettimeofday(time_, zone);
  tell_write(time_, PLUMB_PC_NUMBER);
  const timespec now_ = read_clock(PLUMB_PC);
  store(time_, timeval{now_.tv_sec, now_.tv_nsec / 1000});
  return 0;
}

time_t time(time_t* time_) noexcept {
  if (!active) return real_time(time_);
  tell_write(time_, PLUMB_PC_NUMBER);
  const time_t seconds = read_clock(PLUMB_PC).tv_sec;
  store(time_, seconds);
  return seconds;
}

clock_t clock() noexcept {
  if (!active) return real_clock();
  const timespec now_ = read_clock(PLUMB_PC);
  return (now_.tv_sec - kBegin) * CLOCKS_PER_SEC +
         now_.tv_nsec / (kBillion / CLOCKS_PER_SEC);
}

int timespec_get(timespec* time_, int base) noexcept {
  if (!active) return real_timespec_get(time_, base);
  tell_write(time_, PLUMB_PC_NUMBER);
  store(time_, read_clock(PLUMB_PC));
  return base;
}

int nanosleep(const timespec* duration, timespec* left) {
  if (!active) return real_nanosleep(duration, left);
  const int error = sleep_as_told(duration, PLUMB_PC);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

int clock_nanosleep(clockid_t clock_id, int flags, const timespec* time_,
                    timespec* left) {
  if (!active) return real_clock_nanosleep(clock_id, flags, time_, left);
  if (!(flags & TIMER_ABSTIME)) return sleep_as_told(time_, PLUMB_PC);
  tell_read(time_, PLUMB_PC_NUMBER);
  if (!is_time(*time_) || time_->tv_sec < 0) return EINVAL;
  wait_in_vain_until(*time_, PLUMB_PC);
  return 0;
}

int usleep(useconds_t duration) {
  if (!active) return real_usleep(duration);
  sleep_for({duration / 1'000'000, duration % 1'000'000 * 1000L}, PLUMB_PC);
  return 0;
}

unsigned sleep(unsigned seconds) {
  if (!active) return real_sleep(seconds);
  sleep_for({seconds, 0}, PLUMB_PC);
  return 0;
}

PLUMB_LOOP_POINT(int, sched_yield, 0, ()) {
  if (!active) return real_sched_yield();
  const LoopPoint point;
  yield_to_others(PLUMB_PC);
  return 0;
}

int sched_getcpu() noexcept {
  if (!active) return real_sched_getcpu();
  return static_cast<int>(my_processor());
}

int rand() noexcept {
  return active ? static_cast<int>(any_value()) : real_rand();
}

void srand(unsigned seed) noexcept {
  if (!active) real_srand(seed);
}

int rand_r(unsigned* seed) noexcept {
  if (!active) return real_rand_r(seed);
  tell_write(seed, PLUMB_PC_NUMBER);
  return static_cast<int>(any_value());
}

long random() noexcept {
  return active ? static_cast<long>(any_value()) : real_random();
}

void srandom(unsigned seed) noexcept {
  if (!active) real_srandom(seed);
}

double drand48() noexcept {
  return active ? static_cast<double>(any_value()) / settings().rand_values
                : real_drand48();
}

long lrand48() noexcept {
  return active ? static_cast<long>(any_value()) : real_lrand48();
}

long mrand48() noexcept {
  return active ? static_cast<long>(any_value()) : real_mrand48();
}

double erand48(unsigned short seed[3]) noexcept {
  if (!active) return real_erand48(seed);
  tell_seed(seed, PLUMB_PC_NUMBER);
  return static_cast<double>(any_value()) / settings().rand_values;
}

long nrand48(unsigned short seed[3]) noexcept {
  if (!active) return real_nrand48(seed);
  tell_seed(seed, PLUMB_PC_NUMBER);
  return static_cast<long>(any_value());
}

long jrand48(unsigned short seed[3]) noexcept {
  if (!active) return real_jrand48(seed);
  tell_seed(seed, PLUMB_PC_NUMBER);
  return static_cast<long>(any_value());
}

int random_r(random_data* state_, int32_t* out) noexcept {
  if (!active) return real_random_r(state_, out);
  tell_write(state_, PLUMB_PC_NUMBER);
  tell_write(out, PLUMB_PC_NUMBER);
  store(out, static_cast<int32_t>(any_value()));
  return 0;
}

void arc4random_buf(void* buffer, std::size_t size) noexcept {
  if (!active) return real_arc4random_buf(buffer, size);
  random_bytes(buffer, size, PLUMB_PC_NUMBER);
}

int getcpu(unsigned* processor, unsigned* node) noexcept {
  if (!active) return real_getcpu(processor, node);
  tell_write(processor, PLUMB_PC_NUMBER);
  tell_write(node, PLUMB_PC_NUMBER);
  store(processor, my_processor());
  store(node, 0u);
  return 0;
}

clock_t times(tms* out) noexcept {
  if (!active) return real_times(out);
  const timespec now_ = read_clock(PLUMB_PC);
  const clock_t ticks =
      (now_.tv_sec - kBegin) * 100 + now_.tv_nsec / (kBillion / 100);
  tell_write(out, PLUMB_PC_NUMBER);
  store(out, tms{ticks, 0, 0, 0});
  return ticks;
}

void srand48(long seed) noexcept {
  if (!active) real_srand48(seed);
}

std::uint32_t arc4random() noexcept {
  return active ? any_value() : real_arc4random();
}

std::uint32_t arc4random_uniform(std::uint32_t bound) noexcept {
  if (!active) return real_arc4random_uniform(bound);
  return bound > 1 ? any_value() % bound : 0;
}

ssize_t getrandom(void* buffer, std::size_t size, unsigned flags) {
  if (!active) return real_getrandom(buffer, size, flags);
  random_bytes(buffer, size, PLUMB_PC_NUMBER);
  return static_cast<ssize_t>(size);
}

int getentropy(void* buffer, std::size_t size) {
  if (!active) return real_getentropy(buffer, size);
  random_bytes(buffer, size, PLUMB_PC_NUMBER);
  return 0;
}

// std::random_device asks the processor, which nobody can stand in for.
unsigned plumb_random_device(void* device) asm(
    "_ZNSt13random_device9_M_getvalEv");
unsigned plumb_random_device(void* device) {
  static constinit Real<unsigned(void*)> real{
      "_ZNSt13random_device9_M_getvalEv"};
  return active ? any_value() : real(device);
}

}  // extern "C"
