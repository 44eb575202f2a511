// SPDX-License-Identifier: Apache-2.0
// Who is told of the operations of a history while it is read.
#pragma once

#include <cstdint>
#include <string>

#include "base/budget.h"
#include "history/event.h"
#include "history/history.h"
#include "history/read.h"

namespace plumb::history {

class Watcher {
 public:
  virtual ~Watcher() = default;

  // Keys are numbered from 0 in the order in which they come.  `slot` is the
  // operation's until it is completed: so are slots used again.
  virtual void invoked(std::uint32_t part, Value key, std::uint32_t slot,
                       const Operation& operation) = 0;
  // `how` is kOk, kFail or kInfo; after kInfo nothing more is heard of it.
  virtual void completed(std::uint32_t part, std::uint32_t slot,
                         const Operation& operation, EventType how) = 0;
  // Nothing more is there to read at the moment, or ever.
  virtual void waiting() = 0;
};

// Reads as read_histories() does, but keeps nothing: the watcher is told of
// each event as soon as its line is there.  Values of a register are tuples
// only if the options say so.  Throws InputError.
ReadStats follow(const std::string& path, const spec::Specification& object,
                 const ReadOptions& options, Watcher& watcher, Budget* budget);

}  // namespace plumb::history
