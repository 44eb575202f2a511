// SPDX-License-Identifier: Apache-2.0
#include "assertions/refinement.h"

#include <algorithm>
#include <mutex>

namespace plumb::assertions {

using explore::kFailed;

namespace {

bool is_renamed_together(const lts::System& implementation,
                         const lts::System& specification) {
  return implementation.symmetry() != nullptr &&
         implementation.symmetry() == specification.symmetry();
}

bool has_internal_step(const lts::Successors& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out.label(i).kind == lts::LabelKind::kInternal) return true;
  }
  return false;
}

bool has_fault(const lts::Successors& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out.label(i).kind == lts::LabelKind::kFault) return true;
  }
  return false;
}

}  // namespace

RefinementTags::RefinementTags(const lts::System& implementation,
                               const lts::System& specification,
                               Semantics semantics, const Options& options,
                               Budget& budget)
    : semantics_(semantics),
      budget_(budget),
      renames_(is_renamed_together(implementation, specification)),
      sets_(specification, events_, budget, options.state_limit),
      graph_(implementation, events_),
      divergences_(graph_),
      initial_(fine(sets_.initial())) {}

// A step after which the specification diverges is not followed.
std::optional<std::uint32_t> RefinementTags::point(
    const lts::Label& label) const {
  const bool moves = is_visible(label) || (renames_ && label.operation != 0) ||
                     semantics_ == Semantics::kFailuresDivergences;
  return moves ? std::optional<std::uint32_t>(0) : std::nullopt;
}

RefinementTags::Tag RefinementTags::after(Tag tag, const lts::Label& label) {
  const std::lock_guard lock(mutex_);
  if (diverges(tag)) return explore::kBeyond;
  SetId next = tag;
  std::size_t before = sets_.size();
  if (is_visible(label)) {
    next = fine(sets_.step(tag, events_.number(label)));
    lts::Label plain = label;
    plain.operation = 0;
    note_if_new(next, before, tag, renames_ ? plain : label);
  }
  if (renames_) {
    before = sets_.size();
    next = fine(sets_.renamed(next, label.operation));
    note_if_new(next, before, tag, label);
  }
  return next != kFailed && diverges(next) ? explore::kBeyond : next;
}

void RefinementTags::note_if_new(SetId set, std::size_t before, Tag from,
                                 const lts::Label& label) {
  if (set >= before) note({from, false, label, {}});
}

bool RefinementTags::is_harder(Tag tag, Tag other) {
  const std::shared_lock lock(mutex_);
  return sets_.is_subset(tag, other);
}

bool RefinementTags::diverges(Tag set) {
  if (semantics_ != Semantics::kFailuresDivergences) return false;
  const auto allowed = sets_.diverges(set);
  if (!allowed) throw Stopped{sets_.why()};
  return *allowed;
}

// Of the implementation.
bool RefinementTags::diverges(lts::StateView state) {
  const explore::StateId id = graph_.add(state);
  const auto found =
      id == explore::kNoState ? std::nullopt : divergences_.from(id, budget_);
  if (found) return *found;
  throw Stopped{budget_.limit() != Limit::kNone ? budget_.describe_limit()
                                                : "there is no more memory"};
}

SpecificationSets::EventSet RefinementTags::offered(
    const lts::Successors& out) {
  SpecificationSets::EventSet events;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out.label(i).kind == lts::LabelKind::kFault) continue;
    events.push_back(events_.number(out.label(i)));
  }
  std::ranges::sort(events);
  events.erase(std::unique(events.begin(), events.end()), events.end());
  return events;
}

bool RefinementTags::offends(lts::StateView state, Tag tag,
                             const lts::Successors& out) {
  const bool is_unstable = has_internal_step(out);
  const std::lock_guard lock(mutex_);
  if (diverges(tag)) return false;
  if (is_unstable) {
    return semantics_ == Semantics::kFailuresDivergences && diverges(state);
  }
  // Steps that a bound cuts off might be internal.
  if (out.cut != 0 || has_fault(out)) return false;
  const SpecificationSets::EventSet events = offered(out);
  return std::ranges::none_of(
      sets_.acceptances(tag), [&](const auto& acceptance) {
        return std::ranges::includes(events, acceptance);
      });
}

}  // namespace plumb::assertions
