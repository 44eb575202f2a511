// SPDX-License-Identifier: Apache-2.0
// Small programs with memory orders as text, and how many graphs they have.
//
//   x=1; fence.sc; $r=y.acq | y.rel=1; if cas.ar(x,0,2)==0 { add(x,1); }
//
// Threads stand between '|'; 'n: ...' is n threads, which know their number as
// $t.  Locals begin with '$', all other names are atomic locations, or arrays
// of them (a[$r+1]), that hold 0 at first unless `initial` says otherwise.  An
// access is relaxed unless it says otherwise: .acq .rel .ar .sc.  add, sub,
// swap and cas return what was there before; a second order of cas is that of
// its failure.  `assume c` ends all that a graph can show if c is 0: it does
// not count.  N is the size that the caller asks for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sched/execution_graph.h"

namespace plumb::test_support {

struct WeakInstruction {
  enum class Do : std::uint8_t {
    kConstant,  // value
    kLocal,     // number of it
    kSetLocal,
    kBinary,  // a character
    kNot,
    kDrop,
    kJump,
    kJumpIfZero,
    // Of locations, whose keys lie below their operands.
    kLoad,
    kStore,
    kUpdate,  // a character: '+', '=' or '?' (compare and exchange)
    kLock,
    kUnlock,
    kFence,
    kAssume,
  };
  Do what = Do::kConstant;
  int order = 0, failure = 0;  // as in oracle::WeakStep
  std::int64_t value = 0;
};
using WeakCode = std::vector<WeakInstruction>;

inline constexpr std::uint64_t kArray = 1000;  // most elements of one

struct WeakText {
  std::vector<WeakCode> threads;
  std::vector<std::uint64_t> locks;  // keys
  std::vector<std::pair<std::uint64_t, std::int64_t>> initial;
};
// Throws std::runtime_error if it is wrong.
WeakText compile_weak_text(std::string_view threads, std::string_view initial,
                           int size);

struct WeakCounts {
  std::uint64_t complete = 0;  // graphs in which all threads ended
  std::uint64_t twice = 0;     // of those: visited before
  std::uint64_t unlocked = 0;  // different ones, but for what locks do
  bool diverged = false;
};
// `compares`: whether a graph was visited before is looked at; it takes memory.
WeakCounts count_graphs(const WeakText& text, sched::MemoryModel model,
                        bool compares);

}  // namespace plumb::test_support
