// SPDX-License-Identifier: Apache-2.0
#include "lang/persistent.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>

#include "lang/heap.h"

namespace plumb::lang {

PersistentSets::PersistentSets(const Program& program, const Client& client,
                               const lts::Reductions& wanted)
    : program_(program),
      client_(client),
      footprints_(program),
      keep_marks_(wanted.keep_marks) {
  for (const auto& operations : client.allowed) {
    calls_.push_back(footprints_.of_calls(operations));
  }
  find_sticky();
}

bool PersistentSets::never_alone(std::uint32_t rest) const {
  // Whether a new cell is one too many depends on what the others hold.
  const StepFootprint& step = footprints_.of_rest(rest);
  return step.allocates || step.deletes || (keep_marks_ && step.marks);
}

// How much is lost if the steps from a place are never reduced.
std::uint32_t PersistentSets::rank(std::uint32_t rest,
                                   const Places& all) const {
  if (never_alone(rest)) return 0;
  const StepFootprint& step = footprints_.of_rest(rest);
  if (conflicts(step.places, all) == 0) return 3;
  return (step.places.written | step.places.own_written) != 0 ? 1 : 2;
}

namespace {

// A cycle of the graph, or nothing.
class CycleFinder {
 public:
  CycleFinder(const Footprints& footprints, const std::vector<bool>& removed)
      : footprints_(footprints), removed_(removed), color_(removed.size()) {}

  std::vector<std::uint32_t> find() {
    for (std::uint32_t r = 1; r < color_.size(); ++r) {
      if (color_[r] == 0 && visit(r)) return cycle_;
    }
    return {};
  }

 private:
  enum : std::uint8_t { kNew, kOpen, kDone };
  struct Open {
    std::uint32_t rest;
    std::size_t next;
  };

  bool visit(std::uint32_t root) {
    if (removed_[root]) return false;
    std::vector<Open> path = {{root, 0}};
    color_[root] = kOpen;
    while (!path.empty()) {
      Open& top = path.back();
      const auto& next = footprints_.of_rest(top.rest).next;
      if (top.next == next.size()) {
        color_[top.rest] = kDone;
        path.pop_back();
        continue;
      }
      const std::uint32_t to = next[top.next++];
      if (removed_[to] || color_[to] == kDone) continue;
      if (color_[to] == kOpen) {
        for (std::size_t i = path.size(); i-- > 0;) {
          cycle_.push_back(path[i].rest);
          if (path[i].rest == to) return true;
        }
      }
      color_[to] = kOpen;
      path.push_back({to, 0});
    }
    return false;
  }

  const Footprints& footprints_;
  const std::vector<bool>& removed_;
  std::vector<std::uint8_t> color_;
  std::vector<std::uint32_t> cycle_;
};

}  // namespace

// Takes places out of the graph of steps until it has no cycle, first those
// whose steps can hardly be reduced anyway.
void PersistentSets::find_sticky() {
  std::vector<bool> sticky(program_.rests.size());
  Places all;
  for (const Places& places : calls_) all.add(places);
  for (;;) {
    const auto cycle = CycleFinder(footprints_, sticky).find();
    if (cycle.empty()) break;
    sticky[*std::min_element(cycle.begin(), cycle.end(),
                             [&](std::uint32_t x, std::uint32_t y) {
                               return rank(x, all) < rank(y, all);
                             })] = true;
  }
  for (std::uint32_t r = 0; r < sticky.size(); ++r) {
    const bool returns = program_.rests[r].kind == StepKind::kReturn;
    reducible_.push_back(r != 0 && !returns && !sticky[r] && !never_alone(r));
  }
}

PersistentSets::View PersistentSets::view(lts::StateView state) const {
  View made;
  made.state = state;
  const std::uint8_t* frame = state.data() + program_.frames;
  const std::uint8_t* client = state.data() + program_.client;
  for (std::size_t p = 0; p < program_.processes; ++p) {
    const std::uint64_t bit = std::uint64_t{1} << p;
    made.rests[p] = rest_of(program_, frame + p * program_.frame_size);
    if (!client_.calls || client[p] < *client_.calls) made.calls |= bit;
    if (made.rests[p] != 0) made.active |= bit;
  }
  made.active |= made.calls;
  return made;
}

// Does nothing that `other` may ever do depend on the next step of `process`?
bool PersistentSets::are_independent(const View& view, std::size_t process,
                                     std::size_t other) const {
  const std::uint32_t rest = view.rests[process];
  const StepFootprint& step = footprints_.of_rest(rest);
  const StepFootprint& next = footprints_.of_rest(view.rests[other]);
  Places later = next.later;
  if ((view.calls >> other & 1) != 0) later.add(calls_[other]);
  const PlaceMask with_later = conflicts(step.places, later);
  const PlaceMask met = with_later | conflicts(step.places, next.places);
  if (met == 0) return true;
  const std::uint8_t* frame =
      view.state.data() + program_.frames + process * program_.frame_size;
  for (const Access& access : step.accesses) {
    if ((met >> access.place & 1) == 0 || access.releases) continue;
    const Location mine = footprints_.location(access, rest, process, frame);
    if (access.base == Access::Base::kCell &&
        is_known_only_to(program_, view.state, process, mine.cell)) {
      continue;
    }
    if ((with_later >> access.place & 1) != 0) return false;
    if (meets_next_step(view, mine, other)) return false;
  }
  return true;
}

bool PersistentSets::meets_next_step(const View& view, const Location& mine,
                                     std::size_t other) const {
  const std::uint32_t rest = view.rests[other];
  const std::uint8_t* frame =
      view.state.data() + program_.frames + other * program_.frame_size;
  for (const Access& access : footprints_.of_rest(rest).accesses) {
    if (mine.may_meet(footprints_.location(access, rest, other, frame))) {
      return true;
    }
  }
  return false;
}

bool PersistentSets::may_go_alone(const View& view, std::size_t process) const {
  if (!may_be_in_set(view.rests[process])) return false;
  for (std::size_t q = 0; q < program_.processes; ++q) {
    if (q != process && !are_independent(view, process, q)) return false;
  }
  return true;
}

// Whoever may one day do something that depends on a step of the set has to be
// in the set as well.  One who waits is in it for those who could end its
// waiting.
std::uint64_t PersistentSets::may_go_with(const View& view,
                                          std::size_t process) const {
  if (!may_be_in_set(view.rests[process])) return 0;
  std::uint64_t set = std::uint64_t{1} << process;
  for (std::uint64_t open = set; open != 0;) {
    const auto p = static_cast<std::size_t>(std::countr_zero(open));
    open &= ~(std::uint64_t{1} << p);
    for (std::size_t q = 0; q < program_.processes; ++q) {
      const std::uint64_t bit = std::uint64_t{1} << q;
      if ((set & bit) != 0 || are_independent(view, p, q)) continue;
      if (!may_be_in_set(view.rests[q])) return 0;
      set |= bit;
      open |= bit;
    }
  }
  return set == view.active ? 0 : set;
}

bool is_known_only_to(const Program& program, lts::StateView state,
                      std::size_t process, std::uint32_t cell) {
  const std::size_t cells =
      (state.size() - program.heap) / std::max(program.cell_size, 1u);
  if (cell == 0 || cell > cells) return false;
  const std::uint8_t* at =
      state.data() + program.heap + (cell - 1) * program.cell_size;
  // Whoever makes a cell may get one that was freed.
  if (program.frees() && *at != 0) return false;
  std::array<bool, 256> seen{};
  std::array<std::uint8_t, 256> found;
  std::array<std::uint8_t, 256> structures;
  std::size_t count = 0;
  const auto visit = [&](const std::vector<ReferenceSlot>& slots,
                         const std::uint8_t* base) {
    for (const ReferenceSlot& slot : slots) {
      const std::uint8_t name = base[slot.offset];
      if (name == 0 || seen[name]) continue;
      seen[name] = true;
      found[count] = name;
      structures[count++] = static_cast<std::uint8_t>(slot.structure);
    }
  };
  visit(program.references, state.data());
  for (std::size_t q = 0; q < program.processes; ++q) {
    const std::uint8_t* frame =
        state.data() + program.frames + q * program.frame_size;
    if (q == process) continue;
    visit(program.rests[rest_of(program, frame)].references, frame);
  }
  for (std::size_t i = 0; i < count && !seen[cell]; ++i) {
    visit(program.layouts->structs[structures[i]].references,
          state.data() + program.heap +
              std::size_t{found[i] - 1u} * program.cell_size);
  }
  return !seen[cell];
}

}  // namespace plumb::lang
