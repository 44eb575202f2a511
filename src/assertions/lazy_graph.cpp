// SPDX-License-Identifier: Apache-2.0
#include "assertions/lazy_graph.h"

#include "verify/words.h"

namespace plumb::assertions {

using lts::LabelKind;

bool LazyGraph::start() {
  return store_.insert(system_.initial()).is_new && rows_.push_back(Row());
}

bool LazyGraph::expand_now(StateId state) {
  const std::size_t before = store_.size();
  expander_.expand(state, store_, scratch_);
  const lts::Successors& out = scratch_.successors;
  Row row;
  row.begin = steps_.size();
  row.is_stable = out.cut == 0;
  cut_ |= out.cut;
  left_out_ += out.left_out;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const lts::Label& label = out.label(i);
    if (label.kind == LabelKind::kFault) {
      row.has_fault = true;
      continue;
    }
    const StateId to = look_up(i);
    if (to == explore::kNoState) return false;
    const EventId event = events_.number(label);
    if (event == Events::kTau) row.is_stable = false;
    if (!steps_.push_back({to, event})) return false;
    if (keeps_renamings_ && !renamings_.push_back(label.operation)) {
      return false;
    }
    ++row.count;
  }
  rows_[state] = row;
  expander_.finish(scratch_, before, store_);
  return true;
}

LazyGraph::StateId LazyGraph::add(lts::StateView state) {
  const auto [id, is_new] = store_.insert(state);
  if (is_new && !rows_.push_back(Row())) return explore::kNoState;
  return id;
}

// Where the step of scratch_ leads; kNoState: there is no more memory.
LazyGraph::StateId LazyGraph::look_up(std::size_t step) {
  if (scratch_.target(step) != explore::kNoState) return scratch_.target(step);
  const auto [to, is_new] =
      store_.insert(scratch_.successors.state(step), scratch_.hashes[step]);
  if (is_new && !rows_.push_back(Row())) return explore::kNoState;
  scratch_.set_target(step, to);
  return to;
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
