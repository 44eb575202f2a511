// SPDX-License-Identifier: Apache-2.0
// Terms by other names.
#include "csp/symmetry_terms.h"

#include <algorithm>
#include <span>

#include "csp/symmetry.h"
#include "csp/term.h"

namespace plumb::csp {

Datum renamed(const Datum& datum, SetNumber set, const SymmetryPlan& plan,
              lts::Permutation names) {
  if (set == kNoSet || !datum.is_plain()) return datum;
  const NameSet& values = plan.sets[static_cast<std::size_t>(set)];
  const int name = values.name_of(datum.number());
  if (name < 0) return datum;
  return Datum::integer(values.value_of(names[static_cast<std::size_t>(name)]));
}

void TermRenamer::write(const std::uint8_t*& at, lts::StateBytes& out) const {
  const auto id = static_cast<NodeId>(read_number(at));
  const Node& node = (*plan_.nodes)[id];
  write_number(id, out);
  const std::vector<SetNumber>& sets = plan_.holes[id];
  for (std::uint32_t i = 0; i < node.holes; ++i) {
    const Datum hole = read_datum(at);
    write_datum(sets.empty() ? hole : renamed(hole, sets[i], plan_, names_),
                out);
  }
  if (node.is_frame) write_operands(node, id, at, out);
}

void TermRenamer::write_parts(std::uint64_t count, const std::uint8_t*& at,
                              lts::StateBytes& out, Parts& parts) const {
  for (std::uint64_t i = 0; i < count; ++i) {
    Part part;
    part.begin = out.size();
    write(at, out);
    part.end = out.size();
    parts.push_back(part);
  }
}

namespace {

using Bytes = std::span<const std::uint8_t>;

int compare(Bytes left, Bytes right) {
  const auto both = std::min(left.size(), right.size());
  const auto [l, r] = std::mismatch(
      left.begin(), left.begin() + static_cast<std::ptrdiff_t>(both),
      right.begin());
  if (l != left.begin() + static_cast<std::ptrdiff_t>(both)) {
    return *l < *r ? -1 : 1;
  }
  return left.size() < right.size() ? -1 : left.size() > right.size() ? 1 : 0;
}

}  // namespace

void TermRenamer::write_operands(const Node& frame, NodeId id,
                                 const std::uint8_t*& at,
                                 lts::StateBytes& out) const {
  switch (frame.kind) {
    case NodeKind::kInterleave:
    case NodeKind::kExternal:
    case NodeKind::kParallel:
      break;
    case NodeKind::kCopies:
    case NodeKind::kReplicated:
      write_copies(at, out);
      return;
    default:
      for (std::uint64_t i = operands_of(frame, at); i > 0; --i) write(at, out);
      return;
  }
  const std::uint64_t count = read_number(at);
  write_number(count, out);
  Parts parts;
  const std::size_t begin = out.size();
  write_parts(count, at, out, parts);
  const auto text = [&](const Part& part) {
    return Bytes(out).subspan(part.begin, part.end - part.begin);
  };
  const auto less = [&](const Part& left, const Part& right) {
    return compare(text(left), text(right)) < 0;
  };
  Parts order = parts;
  const auto found = plan_.components.find(id);
  if (frame.kind != NodeKind::kParallel) {
    if (std::is_sorted(parts.begin(), parts.end(), less)) return;
    std::sort(order.begin(), order.end(), less);
  } else if (found != plan_.components.end() && !names_.is_identity()) {
    for (std::size_t i = 0; i < parts.size(); ++i) {
      order[moved(found->second, i)] = parts[i];
    }
  } else {
    return;
  }
  lts::StateBytes sorted;
  sorted.reserve(out.size() - begin);
  for (const Part& part : order) {
    const Bytes bytes = text(part);
    sorted.insert(sorted.end(), bytes.begin(), bytes.end());
  }
  std::copy(sorted.begin(), sorted.end(),
            out.begin() + static_cast<std::ptrdiff_t>(begin));
}

// In the order of their bytes, and alike ones together.
void TermRenamer::write_copies(const std::uint8_t*& at,
                               lts::StateBytes& out) const {
  const std::uint64_t count = read_number(at);
  std::vector<std::uint64_t> counts;
  for (std::uint64_t i = 0; i < count; ++i) counts.push_back(read_number(at));
  lts::StateBytes terms;
  Parts parts;
  write_parts(count, at, terms, parts);
  for (std::size_t i = 0; i < parts.size(); ++i) parts[i].count = counts[i];
  const auto text = [&](const Part& part) {
    return Bytes(terms).subspan(part.begin, part.end - part.begin);
  };
  std::sort(parts.begin(), parts.end(),
            [&](const Part& left, const Part& right) {
              return compare(text(left), text(right)) < 0;
            });
  Parts different;
  for (const Part& part : parts) {
    if (!different.empty() &&
        compare(text(different.back()), text(part)) == 0) {
      different.back().count += part.count;
    } else {
      different.push_back(part);
    }
  }
  write_number(different.size(), out);
  for (const Part& part : different) write_number(part.count, out);
  for (const Part& part : different) {
    const Bytes bytes = text(part);
    out.insert(out.end(), bytes.begin(), bytes.end());
  }
}

std::size_t TermRenamer::moved(const SymmetryPlan::ComponentsPlan& components,
                               std::size_t at) const {
  std::size_t to = 0, unit = 1;
  for (std::size_t i = components.indices.size(); i-- > 0;) {
    const auto& index = components.indices[i];
    const std::size_t size = index.values.size();
    std::size_t place = at % size;
    at /= size;
    if (index.set != kNoSet) {
      const NameSet& set = plan_.sets[static_cast<std::size_t>(index.set)];
      const auto name =
          static_cast<std::size_t>(set.name_of(index.values[place]));
      const auto value = set.value_of(names_[name]);
      place = static_cast<std::size_t>(
          std::find(index.values.begin(), index.values.end(), value) -
          index.values.begin());
    }
    to += place * unit;
    unit *= size;
  }
  return to;
}

}  // namespace plumb::csp
