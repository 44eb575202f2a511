// SPDX-License-Identifier: Apache-2.0
#include "explore/explorer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "lts/extend.h"

namespace plumb::explore {
namespace {

StateId store_limit(const SearchOptions& options) {
  if (options.state_limit == 0) return kNoState;
  return static_cast<StateId>(
      std::min<std::uint64_t>(options.state_limit, kNoState));
}

lts::StateBytes copy(lts::StateView state) {
  return {state.begin(), state.end()};
}

}  // namespace

Explorer::Explorer(const lts::System& system, const SearchOptions& options,
                   Budget& budget)
    : system_(system),
      options_(options),
      budget_(budget),
      store_(store_limit(options)),
      expander_(system, options.expander) {}

bool Explorer::add_initial() {
  assert(store_.size() == 0);
  return store_.insert(system_.initial()).is_new &&
         parents_.push_back(kNoState);
}

std::string Explorer::why_truncated() const {
  if (budget_.limit() != Limit::kNone) return budget_.describe_limit();
  if (options_.state_limit != 0 && store_.size() >= options_.state_limit) {
    return fmt::format("the limit of {} states was reached",
                       options_.state_limit);
  }
  return store_.full() ? store_.why_full() : "there is no more memory";
}

// Only parents are kept, not labels: the label is the first one that leads
// from the parent to the state, found by expanding the parent again.
lts::Path Explorer::path_to(StateId state) const {
  std::vector<StateId> way;
  for (StateId at = state; at != kNoState; at = parents_[at]) {
    way.push_back(at);
  }
  lts::Path path;
  path.states.push_back(copy(store_[way.back()]));
  for (std::size_t step = way.size() - 1; step-- > 0;) {
    [[maybe_unused]] const bool is_there = lts::extend(
        path, system_, store_[way[step]], [](const lts::Label& label) {
          return label.kind != lts::LabelKind::kFault;
        });
    assert(is_there);
  }
  return path;
}

}  // namespace plumb::explore
