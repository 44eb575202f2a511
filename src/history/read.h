// SPDX-License-Identifier: Apache-2.0
// Reads recorded histories: JSON Lines or EDN, plain or compressed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/budget.h"
#include "history/history.h"
#include "history/times.h"
#include "spec/specification.h"

namespace plumb::history {

struct ReadOptions {
  // Which values are Jepsen's tuples [key value]?  The fields "key" and
  // "object" of an event count in any case.
  enum class Keys : std::uint8_t {
    kAuto,    // look at the values if the object is a register, else none
    kTuples,  // every value is a tuple
    kNone,    // no value is a tuple
  };
  Keys keys = Keys::kAuto;

  // Give one history of all keys, in which every argument is the list
  // [key, argument]: what a product of objects takes.  Without any key in
  // the source the arguments stay as they are.
  bool together = false;

  bool times = false;  // note them, too

  // Off: every line goes through the JSON parser.  Only tests want that.
  bool remember_shapes = true;
};

struct ReadStats {
  std::uint64_t lines = 0;
  std::uint64_t events = 0;   // of clients
  std::uint64_t skipped = 0;  // events of the nemesis, and other remarks
  std::uint64_t bytes = 0;    // after decompression
};

struct ReadResult {
  // One for each key, in order of first appearance; exactly one, of object
  // null, if there are no keys.  Their moments are 0, 1, 2, ... without a
  // gap, so below twice the number of operations.
  std::vector<History> histories;
  ReadStats stats;
  // In the order of their lines.
  std::vector<Remark> remarks;
  LineTimes times;     // if they were asked for
  bool keyed = false;  // did any operation have a key?
  // Not kNone: the budget was spent before the end of the source, and the
  // histories are those of the part that was read.
  Limit limit = Limit::kNone;
};

// Reads a file, or standard input if `path` is "-".  Throws InputError.
// `budget`, if there is one, is polled all the time, also while waiting for a
// pipe.
ReadResult read_histories(const std::string& path,
                          const spec::Specification& object,
                          const ReadOptions& options = {},
                          Budget* budget = nullptr);

// The same for bytes in memory; `source` is what errors call them.
ReadResult read_histories_from(std::string_view bytes,
                               const std::string& source,
                               const spec::Specification& object,
                               const ReadOptions& options = {},
                               Budget* budget = nullptr);

}  // namespace plumb::history
