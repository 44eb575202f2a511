// SPDX-License-Identifier: Apache-2.0
// Which words of memory races can be about: for a search by states.
//
// Nothing is allocated: this runs while a test does.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/core.h"

namespace plumb::runtime {

// An access can be part of a race only if another one that is in conflict comes
// to the same word later: reads of what nobody writes again, and atomic
// accesses where nobody comes plainly, count for nothing, and who remembers
// them tells states apart that are alike.  So it is learnt what executions do
// to each word: whether an access came first in its execution, as those of
// constructors do, or after others.
class RaceWords {
 public:
  bool reserve();
  // Forgets all words, and counts from here on.
  void start_search();
  void stop() { is_on_ = false; }
  bool is_on() const { return is_on_; }

  void start_run() {
    touched_count_ = 0;
    has_forgotten_ = false;
  }

  // The first cell of a word was made, in this execution.
  void touch(void* cell, std::uintptr_t address) {
    if (__builtin_expect(!is_on_, 1)) return;
    if (touched_count_ == kMostTouched) {
      is_full_ = true;
      return;
    }
    touched_[touched_count_++] = {cell, address & ~std::uintptr_t{7}};
  }
  // Cells are empty again, and may be made once more.
  void forget_some() { has_forgotten_ = true; }

  // A kind of access, as Races remembers them.
  enum Kind : std::uint8_t {
    kPlainWrite,
    kPlainRead,
    kAtomicWrite,
    kAtomicRead
  };
  // An access of a word by `thread`; `is_first`: of this execution.
  void note(std::uintptr_t word, Kind kind, ThreadId thread, bool is_first);
  // The kinds that count, as bits.
  unsigned counting(std::uintptr_t word) const;

  // There are kinds of words that did not count before this was asked last.
  bool has_more() {
    const bool more = has_more_;
    has_more_ = false;
    return more;
  }
  // There was no room to know all.
  bool is_full() const { return is_full_; }
  void set_full() { is_full_ = true; }

  struct Touched {
    void* cell = nullptr;
    std::uintptr_t word = 0;
  };
  // Those of this execution, each once.
  Touched* begin();
  Touched* end() { return touched_ + touched_count_; }

 private:
  struct Entry {
    std::uintptr_t word;
    std::uint32_t search;  // of another one: it is empty
    std::uint8_t first;    // kinds, as bits
    std::uint8_t later;
    std::uint8_t counting;
    ThreadMask first_by;
  };
  static constexpr std::size_t kMostTouched = std::size_t{1} << 16;
  static constexpr std::size_t kEntries = std::size_t{1} << 16;

  Entry* find(std::uintptr_t word) const;

  bool is_on_ = false;
  bool is_full_ = false;
  bool has_more_ = false;
  bool has_forgotten_ = false;
  std::uint32_t search_ = 0;
  std::size_t used_ = 0;
  std::size_t touched_count_ = 0;
  Touched* touched_ = nullptr;
  Entry* entries_ = nullptr;
};

}  // namespace plumb::runtime
