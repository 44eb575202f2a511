// SPDX-License-Identifier: Apache-2.0
#include "search/random_code.h"

#include <fmt/format.h>

namespace plumb::search_test {

namespace {

constexpr const char* kNames[] = {
    "load",         "store",      "add",       "swap",        "cas",
    "increment",    "snap",       "lock",      "unlock",      "trylock",
    "spinlock",     "spinunlock", "read",      "write",       "push",
    "pop",          "enqueue",    "dequeue",   "popfree",     "skipif",
    "until",        "check",      "badpush",   "badpop",      "badenqueue",
    "badincrement", "down",       "up",        "trydown",     "readlocked",
    "writelocked",  "waitfor",    "notifyone", "notifyall",   "futexwait",
    "futexwake",    "meet",       "once",      "startanother"};

std::vector<Do> menu(Flavour flavour) {
  switch (flavour) {
    case Flavour::kCells:
      return {Do::kLoad, Do::kStore, Do::kAdd,   Do::kSwap,
              Do::kCas,  Do::kCas,   Do::kSkipIf};
    case Flavour::kRetries:
      return {Do::kLoad,      Do::kStore,    Do::kCas,   Do::kIncrement,
              Do::kIncrement, Do::kSnapshot, Do::kSkipIf};
    case Flavour::kSpins:
      return {Do::kLoad, Do::kStore, Do::kStore,    Do::kSwap,
              Do::kCas,  Do::kUntil, Do::kSpinLock, Do::kSkipIf};
    case Flavour::kLocks:
      return {Do::kLock,    Do::kLock,      Do::kUnlock,
              Do::kTryLock, Do::kPlainRead, Do::kPlainWrite,
              Do::kStore,   Do::kLoad,      Do::kSkipIf};
    case Flavour::kCollections:
      return {Do::kPush,    Do::kPop,  Do::kEnqueue,
              Do::kDequeue, Do::kLoad, Do::kStore};
    case Flavour::kFaults:
      return {Do::kPush,  Do::kPop,   Do::kPopAndFree, Do::kLoad,
              Do::kStore, Do::kCheck, Do::kSkipIf};
    case Flavour::kWaits:
      return {Do::kDown,       Do::kUp,        Do::kUp,          Do::kTryDown,
              Do::kReadLocked, Do::kStore,     Do::kWriteLocked, Do::kLoad,
              Do::kWaitFor,    Do::kWaitFor,   Do::kNotifyOne,   Do::kNotifyAll,
              Do::kFutexWait,  Do::kFutexWait, Do::kFutexWake,   Do::kMeet,
              Do::kMeet,       Do::kOnce,      Do::kStartAnother};
    case Flavour::kWeak:
      return {Do::kLoad,     Do::kStore,    Do::kStore,   Do::kIncrement,
              Do::kSnapshot, Do::kSnapshot, Do::kSkipIf,  Do::kPush,
              Do::kPop,      Do::kEnqueue,  Do::kDequeue, Do::kCas};
  }
  return {};
}

class Writer {
 public:
  Writer(std::mt19937& random, Flavour flavour)
      : random_(random), flavour_(flavour), menu_(menu(flavour)) {}

  Code write(std::size_t steps) {
    Code code;
    code.keeps_locks = below(3) == 0;
    while (code.size < steps) add(code);
    return code;
  }

 private:
  unsigned below(unsigned bound) {
    return static_cast<unsigned>(random_() % bound);
  }

  Instruction simple(Do what) {
    Instruction step;
    step.what = what;
    const bool few = flavour_ != Flavour::kCells;
    step.variable = static_cast<std::uint8_t>(few ? below(2) * 3 : below(2));
    step.constant = static_cast<std::uint8_t>(below(3));
    step.other = static_cast<std::uint8_t>(below(2));
    if (flavour_ == Flavour::kWeak) step.strength = strength(what);
    return step;
  }

  // Nodes are plain, so they must be published.
  Strength strength(Do what) {
    const bool has_nodes = what == Do::kPush || what == Do::kPop ||
                           what == Do::kEnqueue || what == Do::kDequeue;
    const auto any = static_cast<Strength>(below(3));
    return has_nodes && below(8) != 0 ? Strength::kAcquireRelease : any;
  }

  void add(Code& code) {
    const Do what = menu_[below(static_cast<unsigned>(menu_.size()))];
    if (what == Do::kUntil) return add_loop(code);
    code.steps[code.size++] = simple(what);
    if (what != Do::kSpinLock) return;
    const Instruction taken = code.steps[code.size - 1];
    if (below(2)) code.steps[code.size++] = simple(Do::kLoad);
    code.steps[code.size++] = {Do::kSpinUnlock, taken.variable, 0, 0};
  }

  // Until a cell holds something: nothing, a store, or a choice of stores.
  void add_loop(Code& code) {
    Instruction& head = code.steps[code.size++];
    head = simple(Do::kUntil);
    head.other = 0;
    const unsigned length = below(4);
    for (unsigned i = 0; i < length; ++i) {
      constexpr Do kBody[] = {Do::kLoad, Do::kStore, Do::kStore,
                              Do::kSwap, Do::kCas,   Do::kSkipIf};
      code.steps[code.size] = simple(kBody[below(6)]);
      code.steps[code.size++].variable = static_cast<std::uint8_t>(below(4));
      ++head.other;
    }
    // Who leaves the last out must not leave out what follows the loop.
    if (head.other && code.steps[code.size - 1].what == Do::kSkipIf) {
      code.steps[code.size - 1].what = Do::kStore;
    }
  }

  std::mt19937& random_;
  Flavour flavour_;
  std::vector<Do> menu_;
};

}  // namespace

const char* to_string(Flavour flavour) {
  constexpr const char* kFlavourNames[] = {"cells", "retries",     "spins",
                                           "locks", "collections", "faults",
                                           "waits", "weak"};
  return kFlavourNames[static_cast<int>(flavour)];
}

Threads random_threads(std::mt19937& random, Flavour flavour) {
  Writer writer(random, flavour);
  Threads threads;
  const bool three = random() % 3 == 0;
  const bool long_ones =
      flavour == Flavour::kCells || flavour == Flavour::kLocks;
  for (int t = 0; t < (three ? 3 : 2); ++t) {
    const bool weak = flavour == Flavour::kWeak;
    const unsigned most = three ? (long_ones ? 3
                                   : weak    ? 2
                                             : 1)
                                : (long_ones ? 4 : 3);
    threads.push_back(writer.write(1 + random() % most));
  }
  return threads;
}

std::string to_string(const Threads& threads) {
  std::string text;
  for (const Code& code : threads) {
    text += text.empty() ? "" : " | ";
    for (std::size_t i = 0; i < code.size; ++i) {
      const Instruction& step = code.steps[i];
      constexpr const char* kStrengths[] = {"", ",acq_rel", ",relaxed"};
      text += fmt::format("{}{}({},{},{}{})", i ? " " : "",
                          kNames[static_cast<int>(step.what)], step.variable,
                          step.constant, step.other,
                          kStrengths[static_cast<int>(step.strength)]);
    }
  }
  return text;
}

bool is_weak(const Threads& threads) {
  for (const Code& code : threads) {
    for (std::size_t i = 0; i < code.size; ++i) {
      if (code.steps[i].strength != Strength::kSeqCst) return true;
    }
  }
  return false;
}

bool may_spin(const Threads& threads) {
  for (const Code& code : threads) {
    for (std::size_t i = 0; i < code.size; ++i) {
      const Do what = code.steps[i].what;
      if (what == Do::kUntil || what == Do::kSpinLock) return true;
    }
  }
  return false;
}

}  // namespace plumb::search_test
