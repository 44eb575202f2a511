// SPDX-License-Identifier: Apache-2.0
// A CSP# process with the variables of its module, as a transition system.
#include "csp/csp_system.h"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace plumb::csp {

namespace {

// Bits of Successors::cut.
constexpr std::uint64_t kDepthBound = 1, kMovesBound = 2;

bool is_choice(lts::StateView term) {
  return term.size() == 1 && term[0] == kChooseNode;
}

lts::LabelKind kind_of(const Move& move) {
  switch (move.kind) {
    case Move::Kind::kEvent:
      return lts::LabelKind::kEvent;
    case Move::Kind::kTerminate:
      return lts::LabelKind::kTerminate;
    case Move::Kind::kFault:
      return lts::LabelKind::kFault;
    default:
      return lts::LabelKind::kInternal;
  }
}

lts::Label label_of(Events& events, const Move& move) {
  lts::Label label;
  label.kind = kind_of(move);
  if (move.actors != 0) {
    label.process = static_cast<std::uint16_t>(std::countr_zero(move.actors));
  }
  if (move.kind == Move::Kind::kEvent) label.value = events.value(move.event);
  if (move.kind != Move::Kind::kFault) {
    label.edge = events.edge(move.event, move.actors, move.node);
  }
  return label;
}

}  // namespace

Steps& steps_of_thread(const Shared& shared) {
  struct Slot {
    std::uint64_t id = 0;
    std::unique_ptr<Steps> steps;
  };
  thread_local std::array<Slot, 4> slots;
  thread_local std::size_t next = 0;
  for (Slot& slot : slots) {
    if (slot.id == shared.id) return *slot.steps;
  }
  Slot& slot = slots[next];
  next = (next + 1) % slots.size();
  slot = {shared.id, std::make_unique<Steps>(*shared.nodes, shared.edges)};
  return *slot.steps;
}

CspSystem::CspSystem(std::shared_ptr<const Shared> shared, RootTerm root,
                     std::shared_ptr<const Forget> forget,
                     std::optional<std::size_t> valuation,
                     std::shared_ptr<const AmpleSets> ample)
    : shared_(std::move(shared)),
      root_(std::move(root)),
      forget_(std::move(forget)),
      ample_(std::move(ample)) {
  if (!valuation && shared_->valuations.size() > 1) {
    initial_ = shared_->valuations[0];
    initial_.push_back(kChooseNode);
  } else {
    initial_ = initial_state(valuation.value_or(0));
  }
  Steps& steps = steps_of_thread(*shared_);
  steps.read(initial_);
  constexpr std::size_t kMost = 64;  // see lts::System
  try {
    processes_ =
        std::clamp<std::size_t>(steps.components(root_.term), 1, kMost);
  } catch (const RuntimeFault&) {
    processes_ = 1;  // the first step will say what is wrong
  } catch (const StepFault&) {
    processes_ = 1;
  }
}

lts::StateBytes CspSystem::initial_state(std::size_t valuation) const {
  lts::StateBytes state = shared_->valuations[valuation];
  state.insert(state.end(), root_.term.begin(), root_.term.end());
  return forgetting(state);
}

// Before initial values are chosen nothing is.
lts::StateBytes CspSystem::forgetting(lts::StateView state) const {
  Valuation values(*shared_->nodes->layout);
  const std::uint8_t* end = state.data() + state.size();
  const std::uint8_t* from = values.decode(state.data(), end);
  const lts::StateView term(from, end);
  if (forget_ == nullptr || is_choice(term)) {
    return {state.begin(), state.end()};
  }
  forget_->apply(term, values);
  lts::StateBytes forgotten;
  values.encode(forgotten);
  forgotten.insert(forgotten.end(), term.begin(), term.end());
  return forgotten;
}

void CspSystem::successors(lts::StateView state, lts::Successors& out) const {
  out.clear();
  Steps& steps = steps_of_thread(*shared_);
  steps.find(state);
  if (is_choice(steps.term())) {
    add_choices(steps, out);
    return;
  }
  if (steps.too_deep()) out.cut |= kDepthBound;
  if (steps.too_many()) out.cut |= kMovesBound;
  if (ample_ != nullptr && add_some(steps, out)) return;
  const std::span<const Move> moves = steps.moves();
  // What is in atomic{...} goes first.
  const bool atomic =
      std::any_of(moves.begin(), moves.end(), [](const Move& move) {
        return move.atomic && move.kind != Move::Kind::kTerminate;
      });
  for (const Move& move : moves) {
    if (atomic && !move.atomic && move.kind != Move::Kind::kFault) continue;
    add(steps, move, out);
  }
}

bool CspSystem::add_some(Steps& steps, lts::Successors& out) const {
  const std::optional<TermRange> chosen = ample_->choose(steps);
  if (!chosen) return false;
  for (const Move& move : steps.moves()) {
    if (!chosen->contains(move.low)) continue;
    add(steps, move, out);
    // What goes wrong is no step that can be taken first.
    if (out.label(out.size() - 1).kind == lts::LabelKind::kFault) {
      out.clear();
      return false;
    }
  }
  out.left_out = static_cast<std::uint32_t>(steps.moves().size() - out.size());
  return true;
}

lts::StateView CspSystem::state_after(Steps& steps, const Move& move) const {
  lts::StateBytes& state = steps.buffer();
  const bool ends = move.kind == Move::Kind::kTerminate;
  const std::uint8_t stop = kStopNode;
  const lts::StateView term =
      ends ? lts::StateView(&stop, 1) : steps.term_after(move);
  if (move.effects == 0 && forget_ == nullptr) {
    const lts::StateView before = steps.valuation_bytes();
    state.assign(before.begin(), before.end());
  } else {
    Valuation& values = steps.apply(move);
    if (forget_ != nullptr) forget_->apply(term, values);
    state.clear();
    values.encode(state);
  }
  state.insert(state.end(), term.begin(), term.end());
  return state;
}

void CspSystem::add(Steps& steps, const Move& move,
                    lts::Successors& out) const {
  if (move.kind == Move::Kind::kFault) {
    add_fault(steps, move, shared_->faults->number(steps.failure(move)), out);
    return;
  }
  try {
    const lts::StateView after = state_after(steps, move);
    out.add(label_of(steps.events(), move), after);
  } catch (const RuntimeFault& fault) {
    add_fault(steps, move, shared_->faults->number(fault), out);
  }
}

void CspSystem::add_fault(Steps& steps, const Move& move, std::uint16_t fault,
                          lts::Successors& out) const {
  Move failed = move;
  failed.kind = Move::Kind::kFault;
  lts::Label label = label_of(steps.events(), failed);
  label.fault = fault;
  lts::StateBytes& state = steps.buffer();
  const lts::StateView values = steps.valuation_bytes();
  const lts::StateView term = steps.term();
  state.assign(values.begin(), values.end());
  state.insert(state.end(), term.begin(), term.end());
  out.add(label, state);
}

void CspSystem::add_choices(Steps& steps, lts::Successors& out) const {
  Move move;
  move.kind = Move::Kind::kTau;
  move.node = kChooseNode;
  move.event = steps.events().find(shared_->nodes->choose, {});
  for (std::size_t i = 0; i < shared_->valuations.size(); ++i) {
    out.add(label_of(steps.events(), move), initial_state(i));
  }
}

std::vector<lts::Bound> CspSystem::bounds() const {
  return {{.text = std::to_string(Steps::kDeepest) + " nested processes",
           .by_user = false,
           .hint = "a process term grows without end; look for P = ... (P; Q) "
                   "or P = ... (P ||| Q)"},
          {.text = std::to_string(Steps::kMostMoves) + " steps of a state",
           .by_user = false,
           .hint = "many components can take the same event in many ways"}};
}

std::uint64_t CspSystem::actors(const lts::Label& label) const {
  if (label.kind == lts::LabelKind::kFault) return 0;
  return shared_->edges[label.edge].actors;
}

}  // namespace plumb::csp
