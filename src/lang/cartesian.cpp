// SPDX-License-Identifier: Apache-2.0
#include "lang/cartesian.h"

#include <algorithm>
#include <cstring>
#include <deque>

#include "base/invariant.h"
#include "lang/heap.h"

namespace plumb::lang {
namespace {

using lts::LabelKind;

// Sequences may end anywhere, so a limit does no harm.
constexpr std::size_t kMostJoined = 256;
// Of more ways to call than this none is followed: each would be compared with
// each of the other processes.
constexpr std::size_t kMostTogether = 64;

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
  std::size_t process = 0;
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

  void clear(lts::StateView from, std::size_t of_process) {
    process = of_process;
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
  // Several sequences that cannot be extended as one.
  void absorb(const Part& other) {
    cut |= other.cut;
    for (const Location& location : other.locations) {
      if (std::find(locations.begin(), locations.end(), location) ==
          locations.end()) {
        locations.push_back(location);
      }
    }
    ends.cut |= other.ends.cut;
    if (!other.forks) ends.add(other.labels, other.state);
    for (std::size_t i = 0; i < other.ends.size(); ++i) {
      ends.add(other.ends.labels(i), other.ends.state(i));
    }
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
  lts::StateView origin;
  std::uint32_t known_to_all = 0;  // of its cells, see keeps_names()
  std::deque<Part> parts;          // the first `used` of them
  std::size_t used = 0;
  lts::Successors steps, calls, returned;
  std::vector<lts::Label> call;
  std::vector<Location> locations;
  std::vector<lts::Label> labels;
  lts::StateBytes state;

  Part& add(lts::StateView from, std::size_t process) {
    if (used == parts.size()) parts.emplace_back();
    parts[used].clear(from, process);
    return parts[used++];
  }
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
  work.used = 0;
  work.origin = state;
  work.known_to_all = ProgramSystem::kUnknown;
  for (std::size_t p = 0; p < program_.processes; ++p) {
    if (rest_at(state, p) == 0) {
      begin_calls(state, p, out);
    } else {
      begin(work.add(state, p), out);
    }
  }
  bool cut = false;
  for (std::size_t i = 0; i < work.used; ++i) {
    Part& part = work.parts[i];
    cut |= part.cut;
    for (std::size_t j = 0; j < i; ++j) {
      Part& other = work.parts[j];
      if (part.process == other.process) continue;
      if (!may_meet(part.locations, other.locations)) continue;
      part.extendable = other.extendable = false;
    }
  }
  for (bool going_on = !cut; going_on;) {
    going_on = false;
    for (std::size_t i = 0; i < work.used; ++i) {
      if (!work.parts[i].extendable) continue;
      extend(work.parts[i]);
      going_on = true;
    }
  }
  for (std::size_t i = 0; i < work.used; ++i) add_to(out, work.parts[i]);
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

// The first step of a sequence, or the first after an invocation.
void CartesianVectors::begin(Part& part, lts::Successors& out) const {
  Scratch& work = scratch();
  add_locations(part.state, part.process, part.locations);
  part.remember();
  work.steps.clear();
  whole_.successors_of(part.state, part.process, work.steps, names_);
  part.cut |= work.steps.cut != 0;
  out.cut |= work.steps.cut;
  if (part.labels.empty()) out.waiting |= work.steps.waiting;
  if (work.steps.size() == 0) {
    part.forks = true;  // to no transition at all
    return;
  }
  part.extendable = true;
  take(part);
}

// Each call is a sequence of its own; those of one process exclude each other.
void CartesianVectors::begin_calls(lts::StateView state, std::size_t process,
                                   lts::Successors& out) const {
  Scratch& work = scratch();
  work.calls.clear();
  whole_.successors_of(state, process, work.calls, names_);
  out.cut |= work.calls.cut;
  Part& at_once = work.add(state, process);
  at_once.forks = true;
  at_once.cut = work.calls.cut != 0;
  for (std::size_t i = 0; i < work.calls.size(); ++i) {
    const lts::Label& call = work.calls.label(i);
    const lts::StateView begun = work.calls.state(i);
    // A mark that is passed by the invocation must not be put off.
    if (!tight_ || call.kind == LabelKind::kFault ||
        (keep_marks_ && call.marked)) {
      fork(at_once, {&call, 1}, begun);
      continue;
    }
    Part& part = work.add(begun, process);
    part.labels.push_back(call);
    while (goes_on_alone(part)) {
    }
    if (returns_at_once(part.labels.back(), part.state)) {
      work.call.assign(part.labels.begin(), part.labels.end());
      part.labels.clear();
      part.forks = true;
      fork(part, work.call, part.state);
      continue;
    }
    begin(part, out);
    // See take(): a cell was made before the end of the sequence.
    if (footprints_.of_invocation(call.operation).allocates) {
      part.extendable = false;
    }
    if (work.calls.size() > kMostTogether) {
      at_once.absorb(part);
      --work.used;
    }
  }
}

// As in ReducedSystem::begin_call().
bool CartesianVectors::goes_on_alone(Part& part) const {
  Scratch& work = scratch();
  if (persistent_ == nullptr || part.labels.size() >= kMostJoined ||
      !persistent_->may_be_in_set(rest_at(part.state, part.process)) ||
      !persistent_->may_go_alone(persistent_->view(part.state), part.process)) {
    return false;
  }
  work.steps.clear();
  whole_.successors_of(part.state, part.process, work.steps, names_);
  if (work.steps.size() != 1 || work.steps.cut != 0 ||
      work.steps.label(0).kind == LabelKind::kFault) {
    return false;
  }
  part.labels.push_back(work.steps.label(0));
  const lts::StateView next = work.steps.state(0);
  part.state.assign(next.begin(), next.end());
  return true;
}

void CartesianVectors::extend(Part& part) const {
  Scratch& work = scratch();
  part.extendable = false;
  work.locations.clear();
  add_locations(part.state, part.process, work.locations);
  for (std::size_t i = 0; i < work.used; ++i) {
    const Part& other = work.parts[i];
    if (other.process != part.process &&
        may_meet(work.locations, other.earlier_steps())) {
      return;
    }
  }
  work.steps.clear();
  whole_.successors_of(part.state, part.process, work.steps, names_);
  if (work.steps.size() == 0 || work.steps.cut != 0) return;
  part.extendable = part.labels.size() < kMostJoined;
  for (std::size_t i = 0; i < work.used; ++i) {
    Part& other = work.parts[i];
    if (other.process == part.process ||
        !may_meet(work.locations, other.last_step())) {
      continue;
    }
    part.extendable = other.extendable = false;
  }
  part.last = part.locations.size();
  part.locations.insert(part.locations.end(), work.locations.begin(),
                        work.locations.end());
  take(part);
  if (!part.extendable) return;
  part.endless = part.was_here();
  part.extendable = !part.endless;
  part.remember();
}

void CartesianVectors::take(Part& part) const {
  Scratch& work = scratch();
  const lts::Successors& steps = work.steps;
  const std::uint32_t rest = rest_at(part.state, part.process);
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
  PLUMB_CHECK(work.returned.size() == 1);
  part.ends.cut |= work.returned.cut;  // clients may forget what they got
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
  out.cut |= part.ends.cut;
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
  Scratch& work = scratch();
  if (whole_.keeps_names(work.origin, state, labels.front().process,
                         work.known_to_all)) {
    out.add(labels, state);
    return;
  }
  lts::StateBytes& copy = work.state;
  copy.assign(state.begin(), state.end());
  const auto cells = static_cast<std::uint32_t>((copy.size() - program_.heap) /
                                                program_.cell_size);
  copy.resize(program_.heap + std::size_t{program_.cell_size} *
                                  collect(program_, copy.data(), cells));
  out.add(labels, copy);
}

}  // namespace plumb::lang
