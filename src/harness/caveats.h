// SPDX-License-Identifier: Apache-2.0
// What a verdict does not speak about, in words that stand beside it.
//
// Weaker memory orders, values that were merged, operations that the test
// lacks.
#pragma once

#include <string>
#include <vector>

#include "harness/case.h"
#include "harness/explore.h"
#include "harness/programs.h"
#include "harness/settings.h"
#include "spec/specification.h"

namespace plumb::harness {

struct Caveats {
  std::vector<std::string> clauses;
  // Lines with atomic operations whose order is weaker than seq_cst.
  std::vector<std::string> weaker_orders;
  // Of memory: what was explored, if it was explored to the end.
  sched::MemoryModel memory = sched::MemoryModel::kSc;
};

// What execution graphs do not know, with its place: ": REASON at FILE:LINE".
std::string why_not_explored(const runtime::Finding& beyond_graphs);

// `object` is null for a free-form test.
Caveats caveats_of(const test::Case& test, const spec::Specification* object,
                   const ProgramList& list, const Statistics& statistics,
                   const Settings& settings);

}  // namespace plumb::harness
