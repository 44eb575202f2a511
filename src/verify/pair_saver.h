// SPDX-License-Identifier: Apache-2.0
// Writes the pairs of a search down as they come, and reads them again.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "explore/shared_store.h"
#include "explore/tagging.h"
#include "verify/byte_stream.h"
#include "verify/journal.h"
#include "verify/pair_store.h"
#include "verify/pair_worker.h"

namespace plumb::verify {

// How far a breadth-first search has come, but for its pairs and sets.
struct SearchState {
  std::uint64_t depth = 0;
  PairWorker::Count count;
  std::vector<PairRange> to_expand;  // the rest of the present level
};

// In the journal pairs are numbered as they are written down, first pairs and
// further ones each by themselves, so that a search that reads it gets dense
// ids, whatever the ids of the one before were.  Every final entry has, with
// those before it, what is new since the last one.  Sets are not written down,
// only how they were made: they are made again.
//
// All of it needs that no thread works.
class PairSaver {
 public:
  // All must last.
  PairSaver(Journal& journal, PairStore& pairs, Tagging& moves);

  // Adds an entry with what is new.  Returns false if it cannot be written.
  bool save(const SearchState& state);
  // Reads all entries.  Throws InputError if they make no sense.
  SearchState load();

 private:
  // A pair in the journal: 0 is none, 1 + 2 n the first pair n, 2 + 2 n the
  // further pair n.
  using Code = std::uint64_t;
  struct Numbered {
    explore::StateId begin, end;
    std::uint64_t number;  // of `begin`
  };
  // Where the last entry that was written ended.
  struct Progress {
    explore::StoreMark mark;
    std::vector<Numbered> firsts;  // sorted
    std::uint64_t first_count = 0, more_count = 0;
    // For each stripe, the numbers of its pairs.
    std::array<std::vector<std::uint64_t>, PairStore::kStripes> mores;
    std::size_t origins = 0;
  };

  // What an item of an entry is.
  enum class Item : std::uint8_t { kSet, kFirst, kMore, kReplaced, kState };
  struct Restored {
    PairId pair;
    Tag set;
    Code parent;
  };

  Code code_of(PairId pair) const;
  // Starts an item; ends the entry before it if that is long enough.
  void begin(Item item);
  void number_pairs();
  void write_sets();
  void write_pairs(const Progress& before);
  void write_replaced();
  void write_state(const SearchState& state);
  void write_ranges(const std::vector<PairRange>& ranges);

  PairId pair_of(Code code) const;
  Tag read_set(ByteReader& in) const;
  void read_item(Item item, ByteReader& in, SearchState& state);
  void read_origin(ByteReader& in);
  void read_more(ByteReader& in);
  void read_state(ByteReader& in, SearchState& state);
  std::vector<PairRange> read_ranges(ByteReader& in) const;

  Journal& journal_;
  PairStore& pairs_;
  Tagging& moves_;
  Progress progress_;
  ByteWriter out_;
  bool fine_ = true;                   // the entry can be written so far
  std::vector<PairId> restored_more_;  // by number
  std::vector<Restored> restored_;     // whose parents may come later
};

}  // namespace plumb::verify
