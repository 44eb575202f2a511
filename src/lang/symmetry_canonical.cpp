// SPDX-License-Identifier: Apache-2.0
#include "lang/symmetry_canonical.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "lang/heap.h"

namespace plumb::lang {
namespace {

constexpr std::size_t kMostArrangements = 24;

double factorial(std::size_t n) {
  double product = 1;
  for (std::size_t i = 2; i <= n; ++i) product *= static_cast<double>(i);
  return product;
}

// Is there a container like that, also inside arrays?
template <typename Like>
bool any_container(const Region& region, const Like& like) {
  return std::any_of(region.containers.begin(), region.containers.end(),
                     like) ||
         std::any_of(region.blocks.begin(), region.blocks.end(),
                     [&](const ProcessBlock& block) {
                       return any_container(*block.element, like);
                     });
}

bool sorts_values(const Region& region) {
  return any_container(region, [](const ContainerSlot& slot) {
    return slot.is_sorted() &&
           (slot.key == Naming::kValue || slot.element == Naming::kValue);
  });
}

bool values_order_cells(const Region& region) {
  return any_container(region, [](const ContainerSlot& slot) {
    return slot.key == Naming::kValue &&
           slot.shape->element->kind == ShapeKind::kReference;
  });
}

bool has_processes(const Region& region) {
  return !region.processes.empty() || !region.blocks.empty() ||
         any_container(region, [](const ContainerSlot& slot) {
           return slot.key == Naming::kProcess ||
                  slot.element == Naming::kProcess;
         });
}

}  // namespace

struct ProgramSymmetry::Work {
  SortKeys keys;
  Form best, other;
  lts::StateBytes swapped;
  std::vector<std::uint8_t> frames;
  std::array<std::uint8_t, 256> structure;

  static Work& of_thread() {
    thread_local Work work;
    return work;
  }
};

ProgramSymmetry::ProgramSymmetry(SymmetryPlan plan,
                                 std::vector<std::uint8_t> groups)
    : plan_(std::move(plan)), group_of_(std::move(groups)) {
  const std::vector<std::uint8_t>& of = group_of_;
  for (std::size_t i = 0; i < plan_.values.size(); ++i) {
    values_.push_back(Value::integer(plan_.values[i]));
  }
  std::vector<bool> placed(of.size());
  std::uint8_t places = 0;
  for (std::size_t p = 0; p < of.size(); ++p) {
    if (placed[p]) continue;
    const std::uint8_t begin = places;
    for (std::size_t q = p; q < of.size(); ++q) {
      if (of[q] != of[p]) continue;
      placed[q] = true;
      place_[places++] = static_cast<std::uint8_t>(q);
    }
    if (places - begin > 1) groups_.push_back({begin, places});
  }
  look_at_regions();
}

void ProgramSymmetry::look_at_regions() {
  const Regions& regions = plan_.regions;
  const auto look_at = [&](const Region& region) {
    plan_.names_processes |= has_processes(region);
    values_order_cells_ |= values_order_cells(region);
    values_are_sorted_ |= sorts_values(region);
  };
  look_at(regions.variables);
  for (const Region& region : regions.structs) {
    look_at(region);
    cells_have_names_ |= region.has_names();
  }
  plain_ = !regions.variables.has_names() && !cells_have_names_;
  for (const Region& region : regions.rests) {
    look_at(region);
    rest_flags_.push_back(static_cast<std::uint8_t>(
        (region.has_names() ? kHasNames : 0) |
        (region.references.empty() ? 0 : kHasReferences)));
  }
}

double ProgramSymmetry::order() const {
  double product = factorial(values_.size());
  for (const Range& group : groups_) {
    product *= factorial(static_cast<std::size_t>(group.end - group.begin));
  }
  return product;
}

// Frames with nothing but numbers, and cells that all can see, read the same
// whoever they belong to.
bool ProgramSymmetry::is_plain(lts::StateView state) const {
  if (!plain_) return false;
  std::uint8_t flags = 0;
  for (std::size_t p = 0; p < plan_.program.processes; ++p) {
    flags |= rest_flags_[rest_of(plan_.program, plan_.frame(state, p))];
  }
  if ((flags & kHasNames) != 0) return false;
  return (flags & kHasReferences) == 0 ||
         reachable_by_all(plan_.program, state.data()) == plan_.cells(state);
}

int ProgramSymmetry::compare_plain(lts::StateView state, std::size_t p,
                                   std::size_t q) const {
  const int calls =
      int{plan_.calls_of(state, p)} - int{plan_.calls_of(state, q)};
  if (calls != 0) return calls;
  return std::memcmp(plan_.frame(state, p), plan_.frame(state, q),
                     plan_.program.frame_size);
}

// Insertion: few processes, and mostly in order already.  Returns whether
// anything moved.
template <typename Compare>
bool ProgramSymmetry::sort(Order& order, const Compare& compare) const {
  bool moved = false;
  for (const Range& group : groups_) {
    for (std::size_t i = group.begin + std::size_t{1}; i < group.end; ++i) {
      const std::uint8_t process = order[i];
      std::size_t to = i;
      while (to > group.begin && compare(process, order[to - 1]) < 0) {
        order[to] = order[to - 1];
        --to;
      }
      order[to] = process;
      moved |= to != i;
    }
  }
  return moved;
}

lts::Permutation ProgramSymmetry::permutation(const Order& order) const {
  lts::Permutation made;
  for (const Range& group : groups_) {
    for (std::size_t k = group.begin; k < group.end; ++k) {
      made.set(order[k], place_[k]);
    }
  }
  return made;
}

template <typename Compare>
std::uint16_t ProgramSymmetry::find_ties(const Order& order,
                                         const Compare& compare) const {
  unsigned ties = 0;
  for (const Range& group : groups_) {
    for (std::size_t k = group.begin; k + 1 < group.end; ++k) {
      if (compare(order[k], order[k + 1]) == 0) ties |= 1u << k;
    }
  }
  return static_cast<std::uint16_t>(ties);
}

std::uint16_t ProgramSymmetry::twins_of(std::uint16_t ties) const {
  unsigned twins = 0;
  for (unsigned left = ties; left != 0; left &= left - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(left));
    if (place_[k] + 1 == place_[k + 1]) twins |= 1u << place_[k];
  }
  return static_cast<std::uint16_t>(twins);
}

template <typename Compare>
lts::Canonical ProgramSymmetry::sort_plain_by(const Compare& compare,
                                              lts::StateBytes& state,
                                              Work& work) const {
  lts::Canonical how;
  how.used_values = 0;
  Order order = place_;
  const bool moved = sort(order, compare);
  how.twins = twins_of(find_ties(order, compare));
  if (moved) {
    how.renaming.processes = permutation(order);
    move_frames(state.data(), how.renaming.processes, work);
  }
  return how;
}

// Short frames are compared as one word.
lts::Canonical ProgramSymmetry::sort_plain(lts::StateBytes& state,
                                           Work& work) const {
  const std::size_t size = plan_.program.frame_size;
  if (size >= sizeof(std::uint64_t)) {
    return sort_plain_by(
        [&](std::size_t p, std::size_t q) {
          return compare_plain(state, p, q);
        },
        state, work);
  }
  std::array<std::uint64_t, kMost> words;
  const std::uint8_t* frame = plan_.frame(state, 0);
  for (std::size_t p = 0; p < plan_.program.processes; ++p) {
    std::uint64_t word = plan_.calls_of(state, p);
    for (std::size_t i = 0; i < size; ++i) word = word << 8 | *frame++;
    words[p] = word;
  }
  return sort_plain_by(
      [&](std::size_t p, std::size_t q) {
        return words[p] == words[q] ? 0 : words[p] < words[q] ? -1 : 1;
      },
      state, work);
}

lts::Canonical ProgramSymmetry::canonicalize(lts::StateBytes& state) const {
  Work& work = Work::of_thread();
  if (is_plain(state)) return sort_plain(state, work);
  work.keys.make(plan_, state);
  const auto compare = [&](std::size_t p, std::size_t q) {
    return work.keys.compare(p, q);
  };
  Order order = place_;
  sort(order, compare);
  const std::uint16_t ties = find_ties(order, compare);
  make_form(state, order, work, work.best);
  if (ties != 0) break_ties(state, order, ties, work);
  lts::Canonical how;
  how.renaming = work.best.renaming;
  how.used_values = work.best.used_values;
  how.twins = twins_of(find_twins(ties, work));
  state.assign(work.best.bytes.begin(), work.best.bytes.end());
  return how;
}

void ProgramSymmetry::make_form(lts::StateView state, const Order& order,
                                Work& work, Form& form) const {
  form.bytes.assign(state.begin(), state.end());
  form.renaming = {permutation(order), {}};
  form.used_values = 0;
  if (!form.renaming.is_identity()) apply(form.bytes, form.renaming, work);
  if (values_.empty()) return;
  name_values(form.bytes, work, form);
  if (form.renaming.values.is_identity()) return;
  rename_parts(form.bytes, {{}, form.renaming.values}, work);
  if (values_order_cells_) {
    collect(plan_.program, form.bytes.data(), plan_.cells(form.bytes));
  }
}

// Equal keys: if exchanging neighbours changes nothing, then no arrangement
// does.
void ProgramSymmetry::break_ties(lts::StateView state, const Order& order,
                                 std::uint16_t ties, Work& work) const {
  for (unsigned left = ties; left != 0; left &= left - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(left));
    if (work.keys.are_twins(order[k], order[k + 1])) continue;
    Order exchanged = order;
    std::swap(exchanged[k], exchanged[k + 1]);
    make_form(state, exchanged, work, work.other);
    if (work.other.bytes == work.best.bytes) continue;
    try_arrangements(state, order, ties, work);
    return;
  }
}

// LIMIT: where there are more arrangements than that, symmetric states may
// get different forms.
void ProgramSymmetry::try_arrangements(lts::StateView state, Order order,
                                       std::uint16_t ties, Work& work) const {
  std::array<Range, kMost> ranges;
  std::size_t count = 0;
  std::size_t arrangements = 1;
  for (std::size_t k = 0; k < kMost; ++k) {
    const std::size_t begin = k;
    for (; (ties >> k & 1) != 0; ++k) arrangements *= k + 2 - begin;
    if (k == begin) continue;
    ranges[count++] = {static_cast<std::uint8_t>(begin),
                       static_cast<std::uint8_t>(k + 1)};
  }
  if (arrangements > kMostArrangements) return;
  // sort() is stable: equal ones are in the order of their numbers, the first
  // of all arrangements.
  for (;;) {
    make_form(state, order, work, work.other);
    if (work.other.bytes < work.best.bytes) std::swap(work.best, work.other);
    std::size_t i = 0;
    while (i < count && !std::next_permutation(order.begin() + ranges[i].begin,
                                               order.begin() + ranges[i].end)) {
      ++i;
    }
    if (i == count) return;
  }
}

std::uint16_t ProgramSymmetry::find_twins(std::uint16_t ties,
                                          Work& work) const {
  if (ties == 0) return 0;
  unsigned twins = 0;
  const lts::Permutation old = work.best.renaming.processes.inverse();
  for (unsigned left = ties; left != 0; left &= left - 1) {
    const auto k = static_cast<std::size_t>(std::countr_zero(left));
    const std::size_t p = place_[k];
    const std::size_t q = place_[k + 1];
    if (!work.keys.are_twins(old[p], old[q])) {
      work.swapped.assign(work.best.bytes.begin(), work.best.bytes.end());
      apply(work.swapped, {lts::Permutation::swap(p, q), {}}, work);
      if (work.swapped != work.best.bytes) continue;
    }
    twins |= 1u << k;
  }
  return static_cast<std::uint16_t>(twins);
}

lts::StateBytes ProgramSymmetry::rename(lts::StateView state,
                                        const lts::Renaming& renaming) const {
  lts::StateBytes made(state.begin(), state.end());
  apply(made, renaming, Work::of_thread());
  return made;
}

void ProgramSymmetry::apply(lts::StateBytes& state,
                            const lts::Renaming& renaming, Work& work) const {
  const bool moves = !renaming.processes.is_identity();
  const bool changes_values = !renaming.values.is_identity();
  const std::uint32_t cells = plan_.cells(state);
  if (changes_values || (moves && plan_.names_processes)) {
    if (cells_have_names_ && cells != 0) find_structures(state, work);
    rename_parts(state, renaming, work);
  }
  if (moves) move_frames(state.data(), renaming.processes, work);
  if (cells != 0 && (moves || (changes_values && values_order_cells_))) {
    collect(plan_.program, state.data(), cells);
  }
}

// Requires: the structures of the cells are known.
void ProgramSymmetry::rename_parts(lts::StateBytes& state,
                                   const lts::Renaming& renaming,
                                   Work& work) const {
  const Program& program = plan_.program;
  const Regions& regions = plan_.regions;
  const NewNames names{program.processes, plan_.values, renaming};
  if (cells_have_names_) {
    const std::uint32_t cells = plan_.cells(state);
    std::uint8_t* cell = state.data() + program.heap;
    for (std::uint32_t i = 1; i <= cells; ++i, cell += program.cell_size) {
      rename_region(regions.structs[work.structure[i]], cell, names);
    }
  }
  rename_region(regions.variables, state.data(), names);
  for (std::size_t p = 0; p < program.processes; ++p) {
    std::uint8_t* frame =
        state.data() + program.frames + p * program.frame_size;
    rename_region(regions.rests[rest_of(program, frame)], frame, names);
  }
}

void ProgramSymmetry::move_frames(std::uint8_t* state,
                                  lts::Permutation processes,
                                  Work& work) const {
  const Program& program = plan_.program;
  const std::size_t size = program.frame_size;
  work.frames.assign(state + program.client, state + program.heap);
  const std::uint8_t* frames =
      work.frames.data() + (program.frames - program.client);
  for (std::size_t p = 0; p < program.processes; ++p) {
    const std::size_t to = processes[p];
    if (plan_.client.calls) state[program.client + to] = work.frames[p];
    std::memcpy(state + program.frames + to * size, frames + p * size, size);
  }
}

// Values in the order in which they are found; those that are not found
// follow in their old order.
void ProgramSymmetry::name_values(const lts::StateBytes& state, Work& work,
                                  Form& form) const {
  unsigned found = 0;
  std::size_t count = 0;
  lts::Permutation& names = form.renaming.values;
  const auto see = [&](std::int32_t number) {
    const int i = plan_.values.index_of(number);
    if (i < 0 || (found >> i & 1) != 0) return;
    found |= 1u << i;
    names.set(static_cast<std::size_t>(i), count++);
  };
  if (cells_have_names_ && plan_.cells(state) != 0) {
    find_structures(state, work);
  }
  see_values(state, work, false, see);
  if (values_are_sorted_) see_values(state, work, true, see);
  form.used_values = static_cast<std::uint8_t>(count);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if ((found >> i & 1) == 0) names.set(i, count++);
  }
}

template <typename See>
void ProgramSymmetry::see_values(const lts::StateBytes& state, const Work& work,
                                 bool sorted, const See& see) const {
  const Program& program = plan_.program;
  const auto look = [&](const Region& region, const std::uint8_t* bytes) {
    for_each_value(region, bytes, program.processes, sorted, see);
  };
  look(plan_.regions.variables, state.data());
  const std::uint32_t cells = cells_have_names_ ? plan_.cells(state) : 0;
  for (std::uint32_t i = 1; i <= cells; ++i) {
    look(plan_.regions.structs[work.structure[i]], plan_.cell(state, i));
  }
  for (std::size_t p = 0; p < program.processes; ++p) {
    const std::uint8_t* frame = plan_.frame(state, p);
    look(plan_.regions.rests[rest_of(program, frame)], frame);
  }
}

// Which struct each cell is one of.  Names are canonical, so that those of
// cells that are found later are larger.
void ProgramSymmetry::find_structures(lts::StateView state, Work& work) const {
  const Program& program = plan_.program;
  if (program.layouts->structs.size() == 1) {
    std::memset(work.structure.data(), 0, plan_.cells(state) + 1);
    return;
  }
  std::uint32_t found = 0;
  std::uint32_t followed = 0;
  const auto visit = [&](const std::vector<ReferenceSlot>& slots,
                         const std::uint8_t* bytes) {
    for (const ReferenceSlot& slot : slots) {
      const std::uint32_t name = bytes[slot.offset];
      if (name <= found) continue;
      found = name;
      work.structure[name] = static_cast<std::uint8_t>(slot.structure);
    }
  };
  const auto follow = [&] {
    while (followed < found) {
      ++followed;
      visit(program.layouts->structs[work.structure[followed]].references,
            plan_.cell(state, followed));
    }
  };
  visit(program.references, state.data());
  follow();
  for (std::size_t p = 0; p < program.processes; ++p) {
    const std::uint8_t* frame = plan_.frame(state, p);
    visit(program.rests[rest_of(program, frame)].references, frame);
    follow();
  }
}

bool ProgramSymmetry::keeps(lts::StateView state) const {
  const auto same = [&](const lts::Renaming& renaming) {
    const lts::StateBytes other = rename(state, renaming);
    return std::equal(other.begin(), other.end(), state.begin(), state.end());
  };
  for (const Range& group : groups_) {
    for (std::size_t k = group.begin; k + 1 < group.end; ++k) {
      if (!same({lts::Permutation::swap(place_[k], place_[k + 1]), {}})) {
        return false;
      }
    }
  }
  for (std::size_t i = 0; i + 1 < values_.size(); ++i) {
    if (!same({{}, lts::Permutation::swap(i, i + 1)})) return false;
  }
  return true;
}

std::uint16_t ProgramSymmetry::values_in(lts::StateView state) const {
  std::uint16_t found = 0;
  Form form;
  const lts::StateBytes bytes(state.begin(), state.end());
  name_values(bytes, Work::of_thread(), form);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (form.renaming.values[i] < form.used_values) {
      found = static_cast<std::uint16_t>(found | 1u << i);
    }
  }
  return found;
}

}  // namespace plumb::lang
