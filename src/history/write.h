// SPDX-License-Identifier: Apache-2.0
// Writes a history as JSON Lines that the reader gives back.
#pragma once

#include <string>

#include "history/history.h"
#include "spec/specification.h"

namespace plumb::history {

struct WriteOptions {
  // The arguments are lists [key, argument], as ReadOptions::together makes.
  bool together = false;
};

// Reading the text gives the same operations, moments (renumbered from 0) and
// processes.  Operations that are pending have an invocation only, and an
// `info` where their process goes on.
std::string write_jsonl(const History& history,
                        const spec::Specification& object,
                        const WriteOptions& options = {});

}  // namespace plumb::history
