// SPDX-License-Identifier: Apache-2.0
#include "support/ways_to_reduce.h"

#include <cstdlib>

namespace plumb::testing {

using lts::Reductions;
using PartialOrder = Reductions::PartialOrder;

unsigned rounds(unsigned usual) {
  const char* const times = std::getenv("PLUMB_ROUNDS");
  return times == nullptr ? usual : usual * static_cast<unsigned>(atoi(times));
}

namespace {

Way with(const std::string& name, void (*set)(Reductions&)) {
  Way way{name, Reductions::none()};
  set(way.reductions);
  return way;
}

}  // namespace

std::vector<Way> ways_to_reduce() {
  std::vector<Way> ways = {
      with("process symmetry",
           [](Reductions& r) { r.process_symmetry = true; }),
      with("data symmetry", [](Reductions& r) { r.data_symmetry = true; }),
      with("tight calls", [](Reductions& r) { r.tight_calls = true; }),
      with("persistent",
           [](Reductions& r) { r.partial_order = PartialOrder::kPersistent; }),
      with("Cartesian",
           [](Reductions& r) { r.partial_order = PartialOrder::kCartesian; }),
      {"all", Reductions()},
  };
  Way threads{"all, two threads", Reductions()};
  threads.options.threads = 2;
  ways.push_back(threads);
  Way depth_first{"all, depth-first", Reductions()};
  depth_first.options.order = verify::Options::Order::kDepthFirst;
  ways.push_back(depth_first);
  return ways;
}

}  // namespace plumb::testing
