// SPDX-License-Identifier: Apache-2.0
// Walks a counterexample of an earlier run again.
#pragma once

#include <string>
#include <vector>

#include "cli/common.h"

namespace plumb::cli {

// `path`: a file that --trace wrote.  `models`: the model, if it is not where
// the trace says.  Throws InputError if a step does not fit the model.
ExitStatus replay(const std::string& path,
                  const std::vector<std::string>& models,
                  const CommonOptions& options);

}  // namespace plumb::cli
