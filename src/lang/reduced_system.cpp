// SPDX-License-Identifier: Apache-2.0
#include "lang/reduced_system.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/invariant.h"
#include "lang/heap.h"

namespace plumb::lang {
namespace {

using lts::LabelKind;

// A transition may end after any step, so a limit does no harm.
constexpr std::size_t kLongestStep = 256;

bool has_fault(const lts::Successors& steps) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps.label(i).kind == LabelKind::kFault) return true;
  }
  return false;
}

}  // namespace

struct ReducedSystem::Scratch {
  lts::Successors first;   // of the state that is expanded
  lts::Successors second;  // of a call that has just begun
  lts::Successors next;    // of a transition that may go on
  std::vector<lts::Label> labels;
  lts::StateBytes state;
  std::size_t process = 0;

  void take(const lts::Successors& steps, std::size_t i) {
    labels.push_back(steps.label(i));
    const lts::StateView view = steps.state(i);
    state.assign(view.begin(), view.end());
  }
};

ReducedSystem::Scratch& ReducedSystem::scratch() {
  thread_local Scratch of_thread;
  return of_thread;
}

ReducedSystem::ReducedSystem(std::shared_ptr<const ProgramSystem> whole,
                             const lts::Reductions& wanted,
                             std::unique_ptr<lts::Symmetry> symmetry)
    : whole_(std::move(whole)),
      wanted_(wanted),
      symmetry_(std::move(symmetry)) {
  using PartialOrder = lts::Reductions::PartialOrder;
  const PartialOrder order = wanted.partial_order;
  if (order == PartialOrder::kPersistent || order == PartialOrder::kBoth) {
    persistent_.emplace(whole_->program(), whole_->client(), wanted);
  }
  if (order == PartialOrder::kCartesian || order == PartialOrder::kBoth) {
    cartesian_.emplace(*whole_, wanted, persistent_ ? &*persistent_ : nullptr);
  }
}

std::uint32_t ReducedSystem::rest_of_process(lts::StateView state,
                                             std::size_t process) const {
  const Program& program = whole_->program();
  return rest_of(program,
                 state.data() + program.frames + process * program.frame_size);
}

bool ReducedSystem::at_return(lts::StateView state, std::size_t process) const {
  const std::uint32_t rest = rest_of_process(state, process);
  return rest != 0 && whole_->program().rests[rest].kind == StepKind::kReturn;
}

void ReducedSystem::successors(lts::StateView state,
                               lts::Successors& out) const {
  if (cartesian_ && !persistent_) {
    cartesian_->successors(state, out);
    return;
  }
  out.clear();
  if (persistent_ && expand_as_set(state, out)) return;
  if (cartesian_) {
    expand_as_vector(state, out);
    return;
  }
  for (std::size_t p = 0; p < processes(); ++p) expand(state, p, out);
}

// The transitions of a proper persistent set, if there is one.
bool ReducedSystem::expand_as_set(lts::StateView state,
                                  lts::Successors& out) const {
  const PersistentSets::View view = persistent_->view(state);
  for (std::size_t p = 0; p < processes(); ++p) {
    const std::uint64_t alone = std::uint64_t{1} << p;
    if (persistent_->may_go_alone(view, p) && try_set(view, alone, out)) {
      return true;
    }
  }
  for (std::size_t p = 0; p < processes(); ++p) {
    const std::uint64_t set = persistent_->may_go_with(view, p);
    if (std::popcount(set) > 1 && try_set(view, set, out)) return true;
  }
  return false;
}

// The transitions of a persistent set, if that is what it is.  It has to have a
// step, or else the others would be forgotten; a fault ends a run, and so might
// hide what the others can do without it.
bool ReducedSystem::try_set(const PersistentSets::View& view, std::uint64_t set,
                            lts::Successors& out) const {
  lts::Successors& steps = scratch().first;
  steps.clear();
  for (std::size_t p = 0; p < processes(); ++p) {
    if ((set >> p & 1) != 0) whole_->successors_of(view.state, p, steps);
  }
  if (steps.size() == 0 || steps.cut != 0 || has_fault(steps)) return false;
  out.waiting |= steps.waiting;
  out.left_out += static_cast<std::uint32_t>(std::popcount(view.active & ~set));
  for (std::size_t i = 0; i < steps.size(); ++i) follow(steps, i, out);
  return true;
}

void ReducedSystem::expand(lts::StateView state, std::size_t process,
                           lts::Successors& out) const {
  lts::Successors& steps = scratch().first;
  steps.clear();
  whole_->successors_of(state, process, steps);
  out.waiting |= steps.waiting;
  out.cut |= steps.cut;
  for (std::size_t i = 0; i < steps.size(); ++i) follow(steps, i, out);
}

// Both reductions: where no persistent set is to be had, the sequences of a
// Cartesian vector, each with the persistent steps that follow it.  Together
// they are as sound as each alone.  Take a run that is to be matched: a vector
// uses up some of its steps, and so does a persistent set, or it leaves the run
// as it is and takes a step that the run does not have; but there are only so
// many of these in a row, since none closes a cycle.
void ReducedSystem::expand_as_vector(lts::StateView state,
                                     lts::Successors& out) const {
  Scratch& work = scratch();
  lts::Successors& steps = work.first;
  cartesian_->successors(state, steps);
  out.waiting |= steps.waiting;
  out.cut |= steps.cut;
  out.left_out += steps.left_out;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::span<const lts::Label> labels = steps.labels(i);
    if (labels.back().kind == LabelKind::kFault) {
      out.add(labels, steps.state(i));
      continue;
    }
    work.process = labels.back().process;
    work.labels.assign(labels.begin(), labels.end());
    const lts::StateView next = steps.state(i);
    work.state.assign(next.begin(), next.end());
    go_on(work, out);
  }
}

void ReducedSystem::follow(const lts::Successors& steps, std::size_t i,
                           lts::Successors& out) const {
  const lts::Label& label = steps.label(i);
  if (label.kind == LabelKind::kFault) {
    out.add(label, steps.state(i));
    return;
  }
  Scratch& work = scratch();
  work.process = label.process;
  work.labels.clear();
  work.take(steps, i);
  // A mark that is passed by the invocation must not be put off.
  if (wanted_.tight_calls && label.kind == LabelKind::kInvoke &&
      !(wanted_.keep_marks && label.marked)) {
    begin_call(work, out);
  } else {
    go_on(work, out);
  }
}

// The invocation takes the first step along that somebody else might notice,
// with those before it.  These are independent of all that the others can do,
// so they too can wait until then; and they stay so, since the others' future
// only gets shorter.
void ReducedSystem::begin_call(Scratch& work, lts::Successors& out) const {
  while (goes_on_alone(work, out)) {
  }
  if (at_return(work.state, work.process)) {
    go_on(work, out);
    return;
  }
  work.second.clear();
  whole_->successors_of(work.state, work.process, work.second);
  out.cut |= work.second.cut;
  const std::size_t before = work.labels.size();
  for (std::size_t i = 0; i < work.second.size(); ++i) {
    work.labels.resize(before);
    work.take(work.second, i);
    if (work.labels.back().kind == LabelKind::kFault) {
      out.add(work.labels, work.state);
    } else {
      go_on(work, out);
    }
  }
}

// Takes the next step if it is a persistent set.  Several outcomes are left to
// the state, which is stored then.
bool ReducedSystem::goes_on_alone(Scratch& work, lts::Successors& out) const {
  if (!persistent_ || work.labels.size() >= kLongestStep ||
      !persistent_->may_be_in_set(rest_of_process(work.state, work.process))) {
    return false;
  }
  const PersistentSets::View view = persistent_->view(work.state);
  if (!persistent_->may_go_alone(view, work.process)) return false;
  work.next.clear();
  whole_->successors_of(work.state, work.process, work.next);
  if (work.next.size() != 1 || work.next.cut != 0 || has_fault(work.next)) {
    return false;
  }
  out.left_out += static_cast<std::uint32_t>(std::popcount(view.active) - 1);
  work.take(work.next, 0);
  return true;
}

// Adds the transition after all steps that it can take along: a return, and
// steps that are a persistent set of their state.
void ReducedSystem::go_on(Scratch& work, lts::Successors& out) const {
  while (goes_on_alone(work, out)) {
  }
  if (wanted_.tight_calls && at_return(work.state, work.process)) {
    work.next.clear();
    whole_->successors_of(work.state, work.process, work.next);
    PLUMB_CHECK(work.next.size() == 1);
    out.cut |= work.next.cut;  // clients may forget what they got
    work.take(work.next, 0);
  }
  out.add(work.labels, work.state);
}

}  // namespace plumb::lang
