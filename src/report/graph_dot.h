// SPDX-License-Identifier: Apache-2.0
// Execution graphs as Graphviz reads them.
#pragma once

#include <string>

#include "report/json_value.h"

namespace plumb::report {

// Of each violation in a file of results that has a graph, a subgraph.
std::string graphs_as_dot(const Json& file);

}  // namespace plumb::report
