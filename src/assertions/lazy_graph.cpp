// SPDX-License-Identifier: Apache-2.0
#include "assertions/lazy_graph.h"

#include "verify/words.h"

namespace plumb::assertions {

using lts::LabelKind;

bool LazyGraph::start() {
  return add(system_.initial()) != explore::kNoState;
}

bool LazyGraph::expand_now(StateId state) {
  system_.successors(store_[state], scratch_);
  Row row;
  row.begin = steps_.size();
  row.is_stable = scratch_.cut == 0;
  cut_ |= scratch_.cut;
  for (std::size_t i = 0; i < scratch_.size(); ++i) {
    const lts::Label& label = scratch_.label(i);
    if (label.kind == LabelKind::kFault) {
      row.has_fault = true;
      continue;
    }
    const StateId to = add(scratch_.state(i));
    if (to == explore::kNoState) return false;
    const EventId event = events_.number(label);
    if (event == Events::kTau) row.is_stable = false;
    if (!steps_.push_back({to, event})) return false;
    ++row.count;
  }
  rows_[state] = row;
  return true;
}

LazyGraph::StateId LazyGraph::add(lts::StateView state) {
  const auto [id, is_new] = store_.insert(state);
  if (is_new && !rows_.push_back(Row())) return explore::kNoState;
  return id;
}

lts::Label LazyGraph::label(StateId from, std::uint64_t number) const {
  lts::Successors out;
  system_.successors(store_[from], out);
  std::uint64_t at = rows_[from].begin;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out.label(i).kind == LabelKind::kFault) continue;
    if (at++ == number) return out.label(i);
  }
  verify::fail("a step is no longer there");
}

LazyGraph::Fault LazyGraph::fault(StateId from) const {
  lts::Successors out;
  system_.successors(store_[from], out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out.label(i).kind != LabelKind::kFault) continue;
    const lts::StateView after = out.state(i);
    return {out.label(i), {after.begin(), after.end()}};
  }
  verify::fail("a fault is no longer there");
}

}  // namespace plumb::assertions
