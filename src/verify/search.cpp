// SPDX-License-Identifier: Apache-2.0
#include "verify/search.h"

#include <algorithm>

#include "verify/lossy_search.h"
#include "verify/pair_search.h"

namespace plumb::verify {

SearchLimits limits_of(const Options& options) {
  return {.order = options.order,
          .states = options.state_limit,
          .threads = options.order == Options::Order::kBreadthFirst
                         ? std::max<std::size_t>(options.threads, 1)
                         : 1,
          .small_level = options.states_alone,
          .journal = options.journal,
          .is_large = true};
}

Search::End Search::end_of(PairSteps::Result what) {
  return what == PairSteps::Result::kFound   ? End::kFound
         : what == PairSteps::Result::kEmpty ? End::kEmpty
                                             : End::kFault;
}

std::unique_ptr<Search> make_search(const Question& question,
                                    const Options& options, Tagging& moves,
                                    const SearchLimits& limits,
                                    Budget& budget) {
  const lts::System& system = question.system;
  const lts::System& reduced = question.reduced_or_whole();
  if (options.store == Options::Store::kExact) {
    return std::make_unique<PairSearch>(system, reduced, moves, limits, budget);
  }
  const LossyTable table{.kind = options.store, .bytes = options.table_bytes};
  return std::make_unique<LossySearch>(system, reduced, moves, limits, budget,
                                       table);
}

}  // namespace plumb::verify
