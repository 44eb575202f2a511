// SPDX-License-Identifier: Apache-2.0
// Which registers and local blocks are still read after an instruction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lang/program.h"

namespace plumb::lang {

// A set of small numbers.
class BitSet {
 public:
  explicit BitSet(std::size_t size = 0) : words_((size + 63) / 64) {}
  bool test(std::size_t i) const { return (words_[i / 64] >> (i % 64)) & 1; }
  void set(std::size_t i) { words_[i / 64] |= std::uint64_t{1} << (i % 64); }
  void reset(std::size_t i) {
    words_[i / 64] &= ~(std::uint64_t{1} << (i % 64));
  }
  // Returns whether anything was new.
  bool add(const BitSet& other);

 private:
  std::vector<std::uint64_t> words_;
};

// Before each instruction: the registers that some path reads before it
// writes them; local block i is number registers.size() + i.
std::vector<BitSet> find_live(const Program& program);

// Where control may go from instruction `at`: at most two places.
struct Targets {
  std::uint32_t places[2];
  int count = 0;
};
Targets targets_of(const Program& program, std::uint32_t at);

// Turns steps that access nothing but cells of the process's own, just made
// and not yet shown to anybody, into local computation.
void fold_private_accesses(Program& program);

// Finds out which numbers registers can hold, where their types allow more, so
// that frames are smaller.
void narrow_registers(Program& program);

// Gives each Step that is left, and each return, a Rest with the layout of
// its frame.  Sets the program's frame size.
void lay_out_frames(Program& program);

}  // namespace plumb::lang
