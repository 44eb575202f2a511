// SPDX-License-Identifier: Apache-2.0
#include "assertions/fairness.h"

#include <algorithm>
#include <set>
#include <utility>

namespace plumb::assertions {
namespace {

using lts::Label;

// Is each step that the cycle's states have on the cycle?
bool takes_all_steps(const lts::Lasso& lasso, const lts::System& system) {
  const lts::Path& path = lasso.path;
  lts::Successors out;
  for (std::size_t at = lasso.back_to; at < path.size(); ++at) {
    system.successors(path.states[at], out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      bool taken = false;
      for (std::size_t j = lasso.back_to; j < path.size() && !taken; ++j) {
        taken = path.states[j] == path.states[at] &&
                path.labels[j] == out.label(i) &&
                std::ranges::equal(path.states[j + 1], out.state(i));
      }
      if (!taken) return false;
    }
  }
  return true;
}

}  // namespace

std::uint32_t Parties::event(const Label& label) {
  Label name = name_of(label);
  if (!is_visible(label)) {
    name = Label();
    name.edge = label.edge;
  }
  const auto next = static_cast<std::uint32_t>(count_);
  const auto [entry, is_new] = events_.try_emplace(name, next);
  if (is_new) ++count_;
  return entry->second;
}

bool is_fair(const lts::Lasso& lasso, const lts::System& system,
             Fairness fairness) {
  const lts::Path& path = lasso.path;
  if (fairness == Fairness::kNone || lasso.back_to == path.size()) return true;
  if (fairness == Fairness::kStrongGlobal) {
    return takes_all_steps(lasso, system);
  }
  Parties parties(system, fairness);
  std::set<std::uint32_t> taken, once, always;
  lts::Successors out;
  for (std::size_t at = lasso.back_to; at < path.size(); ++at) {
    parties.of(path.labels[at], [&](std::uint32_t p) { taken.insert(p); });
    std::set<std::uint32_t> here, both;
    system.successors(path.states[at], out);
    for (std::size_t i = 0; i < out.size(); ++i) {
      parties.of(out.label(i), [&](std::uint32_t p) { here.insert(p); });
    }
    once.insert(here.begin(), here.end());
    if (at == lasso.back_to) always = here;
    std::ranges::set_intersection(always, here,
                                  std::inserter(both, both.end()));
    always = std::move(both);
  }
  return std::ranges::includes(taken, is_weak(fairness) ? always : once);
}

}  // namespace plumb::assertions
