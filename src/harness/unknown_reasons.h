// SPDX-License-Identifier: Apache-2.0
// Why a test is unknown, of which programs.
#pragma once

#include <string>
#include <vector>

#include "harness/outcome.h"
#include "harness/programs.h"

namespace plumb::harness {

// Which bounds were met, and for how many programs.  `limit`: why some were not
// begun, if none of the others says so.
std::string reasons_of(const std::vector<ProgramOutcome>& outcomes,
                       const ProgramList& list, const std::string& limit);

}  // namespace plumb::harness
