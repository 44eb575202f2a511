// SPDX-License-Identifier: Apache-2.0
// A number for each name that says where it stands in a state.
#include <algorithm>
#include <set>

#include "csp/symmetry_terms.h"
#include "csp/term.h"

namespace plumb::csp {

namespace {

std::uint64_t mixed(std::uint64_t x, std::uint64_t y) {
  std::uint64_t z = x * 0x9E3779B97F4A7C15 + y + 0x632BE59BD9B4E019;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

constexpr std::uint64_t kSelf = 1, kHeld = 2;
// Of names that stand for others; two are enough nearly always.
constexpr int kRounds = 3;

}  // namespace

void Colours::make(const Valuation& values, lts::StateView term) {
  for (std::size_t set = 0; set < plan_.sets.size(); ++set) {
    const NameSet& names = plan_.sets[set];
    for (std::size_t i = 0; i < names.values.size(); ++i) {
      colours_[names.first + i] = set + 1;
    }
  }
  std::size_t known = plan_.sets.size();
  for (int round = 0; round < kRounds; ++round) {
    sums_.fill(0);
    names_meet_ = false;
    for (std::size_t v = 0; v < plan_.variables.size(); ++v) {
      look_at_variable(v, values);
    }
    for (std::size_t c = 0; c < plan_.channels.size(); ++c) {
      look_at_channel(c, values);
    }
    const std::uint8_t* at = term.data();
    look_at_term(at, 0);
    for (std::size_t i = 0; i < plan_.names; ++i) {
      colours_[i] = mixed(colours_[i], sums_[i]);
    }
    const std::size_t now = count_colours();
    if (!names_meet_ || now == plan_.names || now == known) return;
    known = now;
  }
}

std::size_t Colours::count_colours() const {
  Numbers sorted = colours_;
  const auto end = sorted.begin() + static_cast<std::ptrdiff_t>(plan_.names);
  std::sort(sorted.begin(), end);
  return static_cast<std::size_t>(std::unique(sorted.begin(), end) -
                                  sorted.begin());
}

int Colours::name_in(const Datum& datum, SetNumber set) const {
  if (set == kNoSet || !datum.is_plain()) return -1;
  return plan_.sets[static_cast<std::size_t>(set)].name_of(datum.number());
}

std::uint64_t Colours::number_of(const Datum& datum, int name) {
  if (name >= 0) return colours_[static_cast<std::size_t>(name)];
  if (datum.is_integer()) {
    return mixed(3, static_cast<std::uint64_t>(datum.number()));
  }
  bytes_.clear();
  write_datum(datum, bytes_);
  std::uint64_t number = 4;
  for (const std::uint8_t byte : bytes_) number = mixed(number, byte);
  return number;
}

void Colours::look_at_variable(std::size_t variable, const Valuation& values) {
  const SymmetryPlan::VariablePlan& plan = plan_.variables[variable];
  if (plan.element == kNoSet && plan.dimensions.empty()) return;
  const Layout::Entry& entry = values.layout().variables()[variable];
  std::array<int, kMostDimensions> owners{};
  for (std::uint32_t i = 0; i < entry.length; ++i) {
    const Datum& datum = values.slot(entry.first + i);
    const int held = name_in(datum, plan.element);
    std::uint64_t place = mixed(5, variable);
    std::uint32_t rest = i;
    const std::size_t count = plan.dimensions.size();
    for (std::size_t d = count; d-- > 0;) {
      const std::uint32_t at = rest % entry.dimensions[d];
      rest /= entry.dimensions[d];
      owners[d] = name_in(Datum::integer(static_cast<std::int32_t>(at)),
                          plan.dimensions[d]);
      place = mixed(place, owners[d] < 0
                               ? at
                               : colours_[static_cast<std::size_t>(owners[d])]);
      names_meet_ |= owners[d] >= 0 && (held >= 0 || count > 1);
    }
    // Which element it is, where elements have no names.
    if (count == 0) place = mixed(place, i);
    const std::uint64_t what = mixed(place, number_of(datum, held));
    for (std::size_t d = 0; d < count; ++d) {
      if (owners[d] < 0) continue;
      const bool is_self = held == owners[d];
      sums_[static_cast<std::size_t>(owners[d])] +=
          mixed(what, 8 * d + (is_self ? kSelf : 0));
    }
    if (held >= 0) sums_[static_cast<std::size_t>(held)] += mixed(what, kHeld);
  }
}

void Colours::look_at_channel(std::size_t channel, const Valuation& values) {
  const SymmetryPlan::ChannelPlan& plan = plan_.channels[channel];
  if (plan.index == kNoSet && plan.fields.empty()) return;
  const Channel& shape = values.layout().channels()[channel];
  for (std::uint32_t i = 0; i < shape.elements; ++i) {
    if (values.size(shape.first + i) == 0) continue;
    const int owner =
        name_in(Datum::integer(static_cast<std::int32_t>(i)), plan.index);
    std::uint64_t place = mixed(6, channel);
    place =
        mixed(place, owner < 0 ? i : colours_[static_cast<std::size_t>(owner)]);
    for (const auto& message : values.messages(shape.first + i)) {
      place = mixed(place, 7);
      for (std::size_t f = 0; f < message.size(); ++f) {
        const int held = name_in(
            message[f], f < plan.fields.size() ? plan.fields[f] : kNoSet);
        place = mixed(place, number_of(message[f], held));
        if (held < 0) continue;
        names_meet_ |= owner >= 0 || message.size() > 1;
        sums_[static_cast<std::size_t>(held)] +=
            mixed(place, held == owner ? kSelf : kHeld);
      }
    }
    if (owner >= 0) sums_[static_cast<std::size_t>(owner)] += mixed(place, 0);
  }
}

std::uint64_t Colours::look_at_holes(const Node& node, NodeId id,
                                     const std::uint8_t*& at,
                                     std::uint64_t path) {
  const std::vector<SetNumber>& sets = plan_.holes[id];
  std::uint64_t what = mixed(path, id);
  if (sets.empty() && !node.is_frame) {
    for (std::uint32_t i = 0; i < node.holes; ++i) read_datum(at);
    return what;
  }
  std::array<int, 32> names{};
  const std::size_t most = names.size();
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < node.holes; ++i) {
    const Datum hole = read_datum(at);
    const int name = sets.empty() ? -1 : name_in(hole, sets[i]);
    what = mixed(what, number_of(hole, name));
    if (name >= 0 && count < most) names[count++] = name;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t same = 0;
    for (std::size_t j = 0; j < count; ++j) {
      if (names[j] == names[i]) same |= std::uint64_t{1} << j;
      names_meet_ |= names[j] != names[i];
    }
    sums_[static_cast<std::size_t>(names[i])] += mixed(mixed(what, i), same);
  }
  return what;
}

// LIMIT: names that stand in one component are not told from those that stand
// in different ones, where that is all that differs; see break_ties().
void Colours::look_at_term(const std::uint8_t*& at, std::uint64_t path) {
  const auto id = static_cast<NodeId>(read_number(at));
  const Node& node = (*plan_.nodes)[id];
  const std::uint64_t what = look_at_holes(node, id, at, path);
  if (node.is_frame) look_at_operands(node, id, at, what);
}

void Colours::look_at_operands(const Node& frame, NodeId id,
                               const std::uint8_t*& at, std::uint64_t path) {
  const bool alike =
      frame.kind == NodeKind::kCopies || frame.kind == NodeKind::kReplicated;
  const bool in_order =
      frame.kind == NodeKind::kInterrupt ||
      (frame.kind == NodeKind::kParallel && plan_.components.count(id) == 0);
  const std::uint8_t* counts = at;
  const std::uint64_t count = operands_of(frame, at);
  if (alike) read_number(counts);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t copies = alike ? read_number(counts) : 0;
    look_at_term(at, mixed(path, in_order ? i + 1 : copies));
  }
}

}  // namespace plumb::csp
