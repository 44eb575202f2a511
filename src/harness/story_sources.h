// SPDX-License-Identifier: Apache-2.0
// Tells a story which write each read read, as the execution graph has it.
#pragma once

#include "harness/story.h"
#include "sched/graph_scheduler.h"

namespace plumb::harness {

// Requires: `run` did what the steps of `input` show.
void add_sources(const sched::GraphScheduler& run, StoryInput& input);

}  // namespace plumb::harness
