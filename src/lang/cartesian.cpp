// SPDX-License-Identifier: Apache-2.0
#include "lang/cartesian.h"

#include <algorithm>
#include <cstring>

#include "lang/heap.h"

namespace plumb::lang {
namespace {

using lts::LabelKind;

// Sequences may end anywhere, so a limit does no harm.
constexpr std::size_t kMostSteps = 256;

bool may_meet(std::span<const Location> mine,
              std::span<const Location> theirs) {
  for (const Location& x : mine) {
    for (const Location& y : theirs) {
      if (x.may_meet(y)) return true;
    }
  }
  return false;
}

}  // namespace

struct CartesianVectors::Part {
  std::vector<lts::Label> labels;
  lts::StateBytes state;
  // Where the last step has several outcomes: all transitions.
  bool forks = false;
  lts::Successors ends;

  std::vector<Location> locations;  // of all steps, one after the other
  std::size_t last = 0;             // where those of the last step begin
  bool extendable = false;
  bool endless = false;
  bool cut = false;
  // States passed, to notice when one comes back.
  std::vector<std::uint8_t> trail;
  std::vector<std::size_t> lengths;

  void clear(lts::StateView from) {
    labels.clear();
    state.assign(from.begin(), from.end());
    forks = false;
    ends.clear();
    locations.clear();
    last = 0;
    extendable = endless = cut = false;
    trail.clear();
    lengths.clear();
  }
  std::span<const Location> last_step() const {
    return std::span(locations).subspan(endless ? locations.size() : last);
  }
  std::span<const Location> earlier_steps() const {
    return std::span(locations).first(endless ? locations.size() : last);
  }
  bool was_here() const {
    std::size_t begin = 0;
    for (const std::size_t length : lengths) {
      if (length == state.size() &&
          std::memcmp(trail.data() + begin, state.data(), length) == 0) {
        return true;
      }
      begin += length;
    }
    return false;
  }
  void remember() {
    trail.insert(trail.end(), state.begin(), state.end());
    lengths.push_back(state.size());
  }
};

struct CartesianVectors::Scratch {
  std::vector<Part> parts;
  lts::Successors steps, calls, returned;
  std::vector<Location> locations;
  std::vector<lts::Label> labels;
  lts::StateBytes state;
  // A call that begins, and its state.
  std::vector<lts::Label> call;
  lts::StateBytes begun;
};

CartesianVectors::Scratch& CartesianVectors::scratch() {
  thread_local Scratch of_thread;
  return of_thread;
}

CartesianVectors::CartesianVectors(const ProgramSystem& whole,
                                   const lts::Reductions& wanted,
                                   const PersistentSets* persistent)
    : whole_(whole),
      program_(whole.program()),
      persistent_(persistent),
      footprints_(whole.program()),
      tight_(wanted.tight_calls),
      keep_marks_(wanted.keep_marks),
      names_(whole.program().frees() ? ProgramSystem::Names::kCanonical
                                     : ProgramSystem::Names::kKept) {}

std::uint32_t CartesianVectors::rest_at(lts::StateView state,
                                        std::size_t process) const {
  return rest_of(
      program_, state.data() + program_.frames + process * program_.frame_size);
}

// Does a return follow the step that led to `next`?
bool CartesianVectors::returns_at_once(const lts::Label& label,
                                       lts::StateView next) const {
  if (!tight_ || label.kind == LabelKind::kFault) return false;
  const std::uint32_t rest = rest_at(next, label.process);
  return rest != 0 && program_.rests[rest].kind == StepKind::kReturn;
}

bool CartesianVectors::is_seen(const lts::Label& label) const {
  return label.kind != LabelKind::kInternal || (keep_marks_ && label.marked);
}

void CartesianVectors::successors(lts::StateView state,
                                  lts::Successors& out) const {
  out.clear();
  Scratch& work = scratch();
  const std::size_t count = program_.processes;
  if (work.parts.size() < count) work.parts.resize(count);
  const std::span<Part> parts = std::span(work.parts).first(count);
  bool cut = false;
  for (std::size_t p = 0; p < count; ++p) {
    parts[p].clear(state);
    begin(p, parts[p], out);
    cut |= parts[p].cut;
  }
  for (std::size_t p = 0; p < count; ++p) {
    if (cut) parts[p].extendable = false;
    for (std::size_t q = 0; q < p; ++q) {
      if (!may_meet(parts[p].locations, parts[q].locations)) continue;
      parts[p].extendable = parts[q].extendable = false;
    }
  }
  for (bool going_on = true; going_on;) {
    going_on = false;
    for (std::size_t p = 0; p < count; ++p) {
      if (!parts[p].extendable) continue;
      extend(p, work);
      going_on = true;
    }
  }
  for (const Part& part : parts) add_to(out, part);
}

void CartesianVectors::add_locations(lts::StateView state, std::size_t process,
                                     std::vector<Location>& out) const {
  const std::uint32_t rest = rest_at(state, process);
  const std::uint8_t* frame =
      state.data() + program_.frames + process * program_.frame_size;
  for (const Access& access : footprints_.of_rest(rest).accesses) {
    out.push_back(footprints_.location(access, rest, process, frame));
    if (names_ == ProgramSystem::Names::kCanonical && out.back().cell != 0) {
      out.back().cell = Location::kAnyCell;
    }
  }
}

// The first step of a sequence; all of it, where a call begins, for these come
// in several kinds.
void CartesianVectors::begin(std::size_t process, Part& part,
                             lts::Successors& out) const {
  Scratch& work = scratch();
  if (rest_at(part.state, process) == 0) {
    begin_calls(process, part, out);
    return;
  }
  add_locations(part.state, process, part.locations);
  part.remember();
  work.steps.clear();
  whole_.successors_of(part.state, process, work.steps, names_);
  part.cut = work.steps.cut != 0;
  out.cut |= work.steps.cut;
  out.waiting |= work.steps.waiting;
  if (work.steps.size() == 0) {
    part.forks = true;  // to no transition at all
    return;
  }
  part.extendable = true;
  take(process, part);
}

void CartesianVectors::begin_calls(std::size_t process, Part& part,
                                   lts::Successors& out) const {
  Scratch& work = scratch();
  work.calls.clear();
  whole_.successors_of(part.state, process, work.calls, names_);
  std::uint64_t cut = work.calls.cut;
  part.forks = true;
  for (std::size_t i = 0; i < work.calls.size(); ++i) {
    const lts::Label& call = work.calls.label(i);
    const lts::StateView begun = work.calls.state(i);
    // A mark that is passed by the invocation must not be put off.
    if (!tight_ || call.kind == LabelKind::kFault ||
        (keep_marks_ && call.marked)) {
      fork(part, {&call, 1}, begun);
      continue;
    }
    work.call.assign(1, call);
    work.begun.assign(begun.begin(), begun.end());
    begin_call(process, part, cut);
  }
  part.cut = cut != 0;
  out.cut |= cut;
}

// As ReducedSystem::begin_call().
void CartesianVectors::begin_call(std::size_t process, Part& part,
                                  std::uint64_t& cut) const {
  Scratch& work = scratch();
  while (goes_on_alone(process, work)) {
  }
  if (returns_at_once(work.call.back(), work.begun)) {
    fork(part, work.call, work.begun);
    return;
  }
  add_locations(work.begun, process, part.locations);
  work.steps.clear();
  whole_.successors_of(work.begun, process, work.steps, names_);
  cut |= work.steps.cut;
  for (std::size_t i = 0; i < work.steps.size(); ++i) {
    work.call.push_back(work.steps.label(i));
    fork(part, work.call, work.steps.state(i));
    work.call.pop_back();
  }
}

bool CartesianVectors::goes_on_alone(std::size_t process, Scratch& work) const {
  if (persistent_ == nullptr || work.call.size() >= kMostSteps ||
      !persistent_->may_be_in_set(rest_at(work.begun, process)) ||
      !persistent_->may_go_alone(persistent_->view(work.begun), process)) {
    return false;
  }
  work.steps.clear();
  whole_.successors_of(work.begun, process, work.steps, names_);
  if (work.steps.size() != 1 || work.steps.cut != 0 ||
      work.steps.label(0).kind == LabelKind::kFault) {
    return false;
  }
  work.call.push_back(work.steps.label(0));
  const lts::StateView next = work.steps.state(0);
  work.begun.assign(next.begin(), next.end());
  return true;
}

void CartesianVectors::extend(std::size_t process, Scratch& work) const {
  Part& part = work.parts[process];
  const std::span<Part> parts = std::span(work.parts).first(program_.processes);
  part.extendable = false;
  work.locations.clear();
  add_locations(part.state, process, work.locations);
  for (const Part& other : parts) {
    if (&other != &part && may_meet(work.locations, other.earlier_steps())) {
      return;
    }
  }
  work.steps.clear();
  whole_.successors_of(part.state, process, work.steps, names_);
  if (work.steps.size() == 0 || work.steps.cut != 0) return;
  part.extendable = part.labels.size() < kMostSteps;
  for (Part& other : parts) {
    if (&other == &part || !may_meet(work.locations, other.last_step())) {
      continue;
    }
    part.extendable = other.extendable = false;
  }
  part.last = part.locations.size();
  part.locations.insert(part.locations.end(), work.locations.begin(),
                        work.locations.end());
  take(process, part);
  if (!part.extendable) return;
  part.endless = part.was_here();
  part.extendable = !part.endless;
  part.remember();
}

void CartesianVectors::take(std::size_t process, Part& part) const {
  Scratch& work = scratch();
  const lts::Successors& steps = work.steps;
  const std::uint32_t rest = rest_at(part.state, process);
  if (is_seen(steps.label(0)) || footprints_.of_rest(rest).allocates) {
    part.extendable = false;
  }
  if (steps.size() > 1 || steps.label(0).kind == LabelKind::kFault ||
      returns_at_once(steps.label(0), steps.state(0))) {
    part.forks = true;
    part.extendable = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      fork(part, {&steps.label(i), 1}, steps.state(i));
    }
    return;
  }
  part.labels.push_back(steps.label(0));
  const lts::StateView next = steps.state(0);
  part.state.assign(next.begin(), next.end());
}

void CartesianVectors::fork(Part& part, std::span<const lts::Label> more,
                            lts::StateView state) const {
  Scratch& work = scratch();
  work.labels.assign(part.labels.begin(), part.labels.end());
  work.labels.insert(work.labels.end(), more.begin(), more.end());
  if (!returns_at_once(more.back(), state)) {
    part.ends.add(work.labels, state);
    return;
  }
  work.returned.clear();
  whole_.successors_of(state, more.back().process, work.returned, names_);
  work.labels.push_back(work.returned.label(0));
  part.ends.add(work.labels, work.returned.state(0));
}

void CartesianVectors::add_to(lts::Successors& out, const Part& part) const {
  // Each step that was taken along is one where nobody else was asked.
  if (part.labels.size() > 1) {
    out.left_out += static_cast<std::uint32_t>(part.labels.size() - 1);
  }
  if (part.endless) return;
  if (!part.forks) {
    add_collected(part.labels, part.state, out);
    return;
  }
  for (std::size_t i = 0; i < part.ends.size(); ++i) {
    add_collected(part.ends.labels(i), part.ends.state(i), out);
  }
}

void CartesianVectors::add_collected(std::span<const lts::Label> labels,
                                     lts::StateView state,
                                     lts::Successors& out) const {
  if (!program_.has_heap() || names_ == ProgramSystem::Names::kCanonical) {
    out.add(labels, state);
    return;
  }
  lts::StateBytes& copy = scratch().state;
  copy.assign(state.begin(), state.end());
  const auto cells = static_cast<std::uint32_t>((copy.size() - program_.heap) /
                                                program_.cell_size);
  copy.resize(program_.heap + std::size_t{program_.cell_size} *
                                  collect(program_, copy.data(), cells));
  out.add(labels, copy);
}

}  // namespace plumb::lang
