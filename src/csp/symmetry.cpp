// SPDX-License-Identifier: Apache-2.0
// States of a CSP# process that differ only in the names of indices.
#include "csp/symmetry.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "csp/symmetry_terms.h"

namespace plumb::csp {

namespace {

std::uint64_t next_symmetry() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

double factorial(std::size_t n) {
  return n < 2 ? 1 : static_cast<double>(n) * factorial(n - 1);
}

}  // namespace

// The state at hand, and room to work in.
struct NameSymmetry::Scratch {
  explicit Scratch(const SymmetryPlan& plan)
      : values(*plan.nodes->layout),
        changed(*plan.nodes->layout),
        colours(plan) {}

  Valuation values, changed;
  lts::StateView term;
  Colours colours;
  lts::StateBytes bytes;

  void read(lts::StateView state) {
    const std::uint8_t* end = state.data() + state.size();
    term = {values.decode(state.data(), end), end};
  }
};

NameSymmetry::NameSymmetry(SymmetryPlan plan)
    : plan_(std::move(plan)), id_(next_symmetry()) {
  for (std::size_t set = 0; set < plan_.sets.size(); ++set) {
    set_of_name_.insert(set_of_name_.end(), plan_.sets[set].values.size(),
                        static_cast<std::uint8_t>(set));
  }
  for (const SymmetryPlan::ChannelPlan& channel : plan_.channels) {
    has_channels_ |= channel.index != kNoSet;
    for (const SetNumber field : channel.fields) {
      has_channels_ |= field != kNoSet;
    }
  }
}

NameSymmetry::Scratch& NameSymmetry::scratch() const {
  struct Slot {
    std::uint64_t id = 0;
    std::shared_ptr<const Nodes> nodes;
    std::unique_ptr<SymmetryPlan> plan;
    std::unique_ptr<Scratch> scratch;
  };
  thread_local std::array<Slot, 4> slots;
  thread_local std::size_t next = 0;
  for (Slot& slot : slots) {
    if (slot.id == id_) return *slot.scratch;
  }
  // What it refers to must live as long as the thread may use it.
  Slot& slot = slots[next];
  next = (next + 1) % slots.size();
  slot.scratch = nullptr;
  slot.id = id_;
  slot.nodes = plan_.nodes;
  slot.plan = std::make_unique<SymmetryPlan>(plan_);
  slot.scratch = std::make_unique<Scratch>(*slot.plan);
  return *slot.scratch;
}

double NameSymmetry::order() const {
  double all = 1;
  for (const NameSet& set : plan_.sets) {
    const std::size_t size = set.values.size();
    all *= set.is_ring ? static_cast<double>(size) : factorial(size);
  }
  return all;
}

void NameSymmetry::rename_values(lts::Permutation names, const Valuation& from,
                                 Valuation& to) const {
  to = from;
  if (names.is_identity()) return;
  for (std::size_t v = 0; v < plan_.variables.size(); ++v) {
    const SymmetryPlan::VariablePlan& plan = plan_.variables[v];
    if (plan.element == kNoSet && plan.dimensions.empty()) continue;
    const Layout::Entry& entry = from.layout().variables()[v];
    for (std::uint32_t i = 0; i < entry.length; ++i) {
      std::uint32_t rest = i, unit = 1, place = 0;
      for (std::size_t d = plan.dimensions.size(); d-- > 0;) {
        const std::uint32_t size = entry.dimensions[d];
        const Datum at = Datum::integer(static_cast<std::int32_t>(rest % size));
        const Datum moved = csp::renamed(at, plan.dimensions[d], plan_, names);
        place += static_cast<std::uint32_t>(moved.number()) * unit;
        rest /= size;
        unit *= size;
      }
      if (plan.dimensions.empty()) place = i;
      to.slot(entry.first + place) =
          csp::renamed(from.slot(entry.first + i), plan.element, plan_, names);
    }
  }
  if (has_channels_) rename_channels(names, from, to);
}

void NameSymmetry::rename_channels(lts::Permutation names,
                                   const Valuation& from, Valuation& to) const {
  for (std::size_t c = 0; c < plan_.channels.size(); ++c) {
    const SymmetryPlan::ChannelPlan& plan = plan_.channels[c];
    const Channel& channel = from.layout().channels()[c];
    for (std::uint32_t i = 0; i < channel.elements; ++i) {
      while (to.size(channel.first + i) > 0) to.pop(channel.first + i);
    }
    for (std::uint32_t i = 0; i < channel.elements; ++i) {
      const Datum at =
          csp::renamed(Datum::integer(static_cast<std::int32_t>(i)), plan.index,
                       plan_, names);
      const auto buffer =
          channel.first + static_cast<std::uint32_t>(at.number());
      for (auto& message : from.messages(channel.first + i)) {
        for (std::size_t f = 0; f < message.size(); ++f) {
          if (f >= plan.fields.size()) continue;
          message[f] = csp::renamed(message[f], plan.fields[f], plan_, names);
        }
        to.push(buffer, message);
      }
    }
  }
}

void NameSymmetry::write(lts::Permutation names, Scratch& work,
                         lts::StateBytes& out) const {
  out.clear();
  rename_values(names, work.values, work.changed);
  work.changed.encode(out);
  const std::uint8_t* at = work.term.data();
  TermRenamer(plan_, names).write(at, out);
}

lts::StateBytes NameSymmetry::rename(lts::StateView state,
                                     const lts::Renaming& renaming) const {
  Scratch& work = scratch();
  work.read(state);
  lts::StateBytes out;
  write(renaming.processes, work, out);
  return out;
}

namespace {

// Puts the ring's names in their order, from this one on.
void turn(const NameSet& ring, std::size_t start,
          std::array<std::uint8_t, lts::Permutation::kMost>& order) {
  const lts::Permutation names = ring.rotation(start);
  for (std::size_t i = ring.first; i < ring.first + ring.values.size(); ++i) {
    order[i] = static_cast<std::uint8_t>(names[i]);
  }
}

}  // namespace

std::vector<std::size_t> NameSymmetry::starts(const Scratch& work,
                                              const NameSet& ring) {
  const std::size_t size = ring.values.size();
  const auto colours_from = [&](std::size_t start) {
    std::vector<std::uint64_t> colours;
    for (std::size_t i = 0; i < size; ++i) {
      colours.push_back(work.colours[ring.first + (start + i) % size]);
    }
    return colours;
  };
  std::vector<std::size_t> found = {0};
  std::vector<std::uint64_t> least = colours_from(0);
  for (std::size_t start = 1; start < size; ++start) {
    std::vector<std::uint64_t> colours = colours_from(start);
    if (colours > least) continue;
    if (colours < least) found.clear();
    least = std::move(colours);
    found.push_back(start);
  }
  return found;
}

void NameSymmetry::sort_by_colours(Scratch& work, Names& order) const {
  for (std::size_t i = 0; i < plan_.names; ++i) {
    order[i] = static_cast<std::uint8_t>(i);
  }
  work.colours.make(work.values, work.term);
  for (const NameSet& set : plan_.sets) {
    if (set.is_ring) {
      turn(set, starts(work, set).front(), order);
      continue;
    }
    const auto begin = order.begin() + set.first;
    std::stable_sort(begin,
                     begin + static_cast<std::ptrdiff_t>(set.values.size()),
                     [&](std::uint8_t left, std::uint8_t right) {
                       return work.colours[left] < work.colours[right];
                     });
  }
}

namespace {

// The name order[i] becomes i.
lts::Permutation permutation_of(
    const std::array<std::uint8_t, lts::Permutation::kMost>& order,
    std::size_t names) {
  lts::Permutation made;
  for (std::size_t i = 0; i < names; ++i) made.set(order[i], i);
  return made;
}

// LIMIT: of orders that are tried; beyond that a state may have several
// canonical forms.
constexpr std::size_t kMostTries = 120;

}  // namespace

// Of names with one colour: those that can be exchanged for each other get the
// same number.
std::vector<std::uint8_t> NameSymmetry::twins(Scratch& work, const Names& order,
                                              std::size_t begin,
                                              std::size_t end) const {
  lts::StateBytes now, swapped;
  write({}, work, now);
  std::vector<std::uint8_t> kinds;
  std::vector<std::size_t> firsts;
  for (std::size_t i = begin; i < end; ++i) {
    std::size_t kind = 0;
    for (; kind < firsts.size(); ++kind) {
      write(lts::Permutation::swap(order[firsts[kind]], order[i]), work,
            swapped);
      if (swapped == now) break;
    }
    if (kind == firsts.size()) firsts.push_back(i);
    kinds.push_back(static_cast<std::uint8_t>(kind));
  }
  return kinds;
}

// Groups of names with one colour, of a set, and of two or more; and rings that
// can be turned.
std::vector<NameSymmetry::Group> NameSymmetry::groups(
    Scratch& work, const Names& order) const {
  std::vector<Group> groups;
  for (std::size_t begin = 0, end = 0; begin < plan_.names; begin = end) {
    const NameSet& set = plan_.sets[set_of_name_[begin]];
    if (set.is_ring) {
      end = begin + set.values.size();
      groups.push_back({begin, {}, {}, &set, starts(work, set)});
      continue;
    }
    end = begin + 1;
    while (end < plan_.names &&
           set_of_name_[order[end]] == set_of_name_[order[begin]] &&
           work.colours[order[end]] == work.colours[order[begin]]) {
      ++end;
    }
    if (end - begin < 2) continue;
    groups.push_back({begin, twins(work, order, begin, end), {}, nullptr, {}});
    for (std::size_t i = begin; i < end; ++i) {
      groups.back().names.push_back(order[i]);
    }
  }
  return groups;
}

// Calls `use` for orders of the names of these groups; twins do not change
// places.  Returns false when there are no more tries.
bool NameSymmetry::for_each_order(std::span<const Group> groups, Names& order,
                                  std::size_t& tries,
                                  const std::function<void()>& use) {
  if (groups.empty()) {
    use();
    return ++tries < kMostTries;
  }
  const Group& group = groups.front();
  for (const std::size_t start : group.starts) {
    turn(*group.ring, start, order);
    if (!for_each_order(groups.subspan(1), order, tries, use)) return false;
  }
  if (group.ring != nullptr) return true;
  std::vector<std::uint8_t> kinds = group.kinds;
  std::sort(kinds.begin(), kinds.end());
  do {
    std::vector<std::size_t> next(kinds.size(), 0);
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      std::size_t& from = next[kinds[i]];
      while (group.kinds[from] != kinds[i]) ++from;
      order[group.begin + i] = group.names[from++];
    }
    if (!for_each_order(groups.subspan(1), order, tries, use)) return false;
  } while (std::next_permutation(kinds.begin(), kinds.end()));
  return true;
}

// Is there more than one order of its names?
bool NameSymmetry::is_open(const Group& group) {
  if (group.ring != nullptr) return group.starts.size() > 1;
  return *std::max_element(group.kinds.begin(), group.kinds.end()) > 0;
}

void NameSymmetry::break_ties(Scratch& work, Names& order,
                              lts::StateBytes& best) const {
  write(permutation_of(order, plan_.names), work, best);
  std::vector<Group> open = groups(work, order);
  std::erase_if(open, [](const Group& group) { return !is_open(group); });
  if (open.empty()) return;
  Names tried = order;
  std::size_t tries = 0;
  for_each_order(open, tried, tries, [&] {
    write(permutation_of(tried, plan_.names), work, work.bytes);
    if (work.bytes < best) {
      best = work.bytes;
      order = tried;
    }
  });
}

lts::Canonical NameSymmetry::canonicalize(lts::StateBytes& state) const {
  Scratch& work = scratch();
  work.read(state);
  Names order{};
  sort_by_colours(work, order);
  lts::StateBytes best;
  break_ties(work, order, best);
  lts::Canonical how;
  how.renaming.processes = permutation_of(order, plan_.names);
  state = std::move(best);
  return how;
}

double NameSymmetry::orbit(lts::StateView state) const {
  Scratch& work = scratch();
  work.read(state);
  Names order{};
  sort_by_colours(work, order);
  double same = 1;
  lts::StateBytes now, turned;
  write({}, work, now);
  for (const Group& group : groups(work, order)) {
    if (group.ring != nullptr) {
      std::size_t alike = 1;
      for (std::size_t by = 1; by < group.ring->values.size(); ++by) {
        write(group.ring->rotation(by), work, turned);
        alike += turned == now ? 1u : 0u;
      }
      same *= static_cast<double>(alike);
      continue;
    }
    for (std::uint8_t kind = 0; kind < group.kinds.size(); ++kind) {
      same *= factorial(static_cast<std::size_t>(
          std::count(group.kinds.begin(), group.kinds.end(), kind)));
    }
  }
  return this->order() / same;
}

}  // namespace plumb::csp
