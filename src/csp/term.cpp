// SPDX-License-Identifier: Apache-2.0
// Process terms as bytes: how they are made and read.
#include "csp/term.h"

#include <algorithm>
#include <utility>

namespace plumb::csp {

std::span<Datum> Values::take(std::size_t count) {
  if (count == 0) return {};
  if (block_ < blocks_.size() && used_ + count > blocks_[block_]->size()) {
    ++block_;
    used_ = 0;
  }
  while (block_ < blocks_.size() && blocks_[block_]->size() < count) ++block_;
  if (block_ == blocks_.size()) {
    blocks_.push_back(
        std::make_unique<std::vector<Datum>>(std::max(count, kBlock)));
  }
  const std::span<Datum> taken(blocks_[block_]->data() + used_, count);
  used_ += count;
  return taken;
}

Datum Terms::value_on_copy(const Compiled& code) {
  Valuation copy = context_.valuation;
  Context apart{copy, context_.bound, context_.processes, {}};
  return evaluate(code.program, apart);
}

std::int32_t Terms::as_number(const Datum& datum, const Compiled& code) {
  if (datum.is_plain()) return datum.number();
  throw RuntimeFault{FaultKind::kType,
                     "a number is needed, not " + datum.text(),
                     code.tree->span};
}

std::int32_t Terms::number(const Compiled& code, Holes holes) {
  return as_number(value(code, holes), code);
}

Terms::Holes Terms::holes_of(const Child& child, Holes holes) {
  const std::span<Datum> found = values_.take(child.holes.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i] = value(child.holes[i], holes);
  }
  return found;
}

void Terms::for_each(const std::vector<IndexShape>& indices, Holes holes,
                     Span place, const std::function<void(Holes)>& use) {
  const std::size_t known = holes.size();
  std::size_t uses = 0;
  std::function<void(std::size_t, Holes)> go = [&](std::size_t i,
                                                   Holes so_far) {
    if (i == indices.size()) {
      if (++uses > kMostComponents) {
        throw StepFault{StepFault::Kind::kMany, place, ""};
      }
      use(so_far);
      return;
    }
    const auto with = [&](const Datum& item) {
      const std::span<Datum> longer = values_.take(known + i + 1);
      std::copy(so_far.begin(), so_far.end(), longer.begin());
      longer.back() = item;
      go(i + 1, longer);
    };
    const IndexShape& index = indices[i];
    for (const Compiled& item : index.values) with(value(item, so_far));
    if (index.low.tree == nullptr) return;
    const std::int64_t low = number(index.low, so_far);
    const std::int64_t high = number(index.high, so_far);
    for (std::int64_t item = low; item <= high; ++item) {
      with(Datum::integer(static_cast<std::int32_t>(item)));
    }
  };
  go(0, holes);
}

void Terms::write(const Child& child, Holes holes, lts::StateBytes& out) {
  const Node& node = nodes_[child.node];
  if (node.kind < NodeKind::kSequence || node.is_lazy) {
    write_number(child.node, out);
    for (const Compiled& hole : child.holes)
      write_datum(value(hole, holes), out);
    return;
  }
  unfold(child.node, holes_of(child, holes), out);
}

void Terms::write(NodeId id, Holes holes, lts::StateBytes& out) {
  const Node& node = nodes_[id];
  if (node.kind >= NodeKind::kSequence && !node.is_lazy) {
    unfold(id, holes, out);
    return;
  }
  write_number(id, out);
  for (const Datum& hole : holes) write_datum(hole, out);
}

void Terms::unfold(NodeId id, Holes holes, lts::StateBytes& out) {
  const Node& node = nodes_[id];
  switch (node.kind) {
    case NodeKind::kSequence:
    case NodeKind::kAtomic:
      write_sequence(node, holes, out);
      return;
    case NodeKind::kHide: {
      write_number(node.frame, out);
      for (const Datum& hole : holes_of(node.children[1], holes)) {
        write_datum(hole, out);
      }
      write(node.children[0], holes, out);
      return;
    }
    case NodeKind::kInterrupt:
      write_number(node.frame, out);
      write(node.children[0], holes, out);
      write(node.children[1], holes, out);
      return;
    case NodeKind::kCopies:
    case NodeKind::kReplicated:
      write_copies(node, holes, out);
      return;
    default:
      write_components(node, holes, out);
  }
}

// What comes first goes first; if there is nothing to do for it, it goes.
void Terms::write_sequence(const Node& node, Holes holes,
                           lts::StateBytes& out) {
  const bool has_rest = node.kind == NodeKind::kSequence;
  const std::size_t begin = out.size();
  write_number(node.frame, out);
  if (has_rest) {
    for (const Datum& hole : holes_of(node.children[1], holes)) {
      write_datum(hole, out);
    }
  }
  const std::size_t first = out.size();
  write(node.children[0], holes, out);
  if (!is_skip({out.data() + first, out.size() - first})) return;
  out.resize(begin);
  if (has_rest) {
    write(node.children[1], holes, out);
  } else {
    write_number(kSkipNode, out);
  }
}

void Terms::write_components(const Node& node, Holes holes,
                             lts::StateBytes& out) {
  write_number(node.frame, out);
  if (node.kind == NodeKind::kParallel) {
    for (const Datum& hole : holes) write_datum(hole, out);
  }
  if (!node.is_indexed) {
    write_number(node.children.size(), out);
    for (const Child& child : node.children) write(child, holes, out);
    return;
  }
  std::uint64_t count = 0;
  lts::StateBytes terms;
  for_each(node.indices, holes, node.span, [&](Holes with_indices) {
    ++count;
    write(node.children[0], with_indices, terms);
  });
  write_number(count, out);
  out.insert(out.end(), terms.begin(), terms.end());
}

void Terms::write_copies(const Node& node, Holes holes, lts::StateBytes& out) {
  write_number(node.frame, out);
  if (node.kind == NodeKind::kReplicated) {
    for (const Datum& hole : holes_of(node.children[0], holes)) {
      write_datum(hole, out);
    }
    write_number(0, out);
    return;
  }
  const std::int32_t copies = number(node.copies, holes);
  if (copies <= 0) {
    write_number(0, out);
    return;
  }
  write_number(1, out);
  write_number(static_cast<std::uint64_t>(copies), out);
  write(node.children[0], holes, out);
}

Terms::Holes Terms::read_holes(std::uint32_t count, const std::uint8_t*& at) {
  const std::span<Datum> holes = values_.take(count);
  for (Datum& hole : holes) hole = read_datum(at);
  return holes;
}

// Not by recursion: terms may be deep.
const std::uint8_t* Terms::end_of(const std::uint8_t* at) const {
  for (std::uint64_t left = 1; left > 0; --left) {
    const Node& node = nodes_[static_cast<NodeId>(read_number(at))];
    for (std::uint32_t i = 0; i < node.holes; ++i) read_datum(at);
    if (node.is_frame) left += operands_of(node, at);
  }
  return at;
}

std::uint64_t operands_of(const Node& frame, const std::uint8_t*& at) {
  switch (frame.kind) {
    case NodeKind::kSequence:
    case NodeKind::kAtomic:
    case NodeKind::kHide:
      return 1;
    case NodeKind::kInterrupt:
      return 2;
    default:
      break;
  }
  const std::uint64_t count = read_number(at);
  if (frame.kind == NodeKind::kCopies || frame.kind == NodeKind::kReplicated) {
    for (std::uint64_t i = 0; i < count; ++i) read_number(at);
  }
  return count;
}

std::int32_t Terms::count(std::uint32_t process, lts::StateView term) const {
  const std::uint8_t* at = term.data();
  constexpr int kDeepest = 2'000;
  return count(process, at, kDeepest);
}

std::int32_t Terms::count(std::uint32_t process, const std::uint8_t*& at,
                          int depth) const {
  if (depth == 0) {
    at = end_of(at);
    return 0;
  }
  const Node& node = nodes_[static_cast<NodeId>(read_number(at))];
  for (std::uint32_t i = 0; i < node.holes; ++i) read_datum(at);
  const bool has_ended =
      node.kind == NodeKind::kSkip || node.kind == NodeKind::kStop;
  const bool is_one =
      !has_ended && (node.kind == NodeKind::kReference ? node.process == process
                                                       : node.owner == process);
  if (!node.is_frame) return is_one ? 1 : 0;
  const std::uint8_t* counts = at;
  const std::uint64_t parts = operands_of(node, at);
  const bool alike =
      node.kind == NodeKind::kCopies || node.kind == NodeKind::kReplicated;
  if (alike) read_number(counts);
  std::int32_t inside = 0;
  for (std::uint64_t i = 0; i < parts; ++i) {
    const auto times =
        alike ? static_cast<std::int32_t>(read_number(counts)) : 1;
    inside += times * count(process, at, depth - 1);
  }
  return std::max(inside, is_one ? 1 : 0);
}

}  // namespace plumb::csp
