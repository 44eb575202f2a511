// SPDX-License-Identifier: Apache-2.0
#include "verify/candidates.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace plumb::verify {
namespace {

using lts::LabelKind;
using Rank = Candidate::Rank;
using Whose = Effect::Whose;
using LabelSpan = std::span<const lts::Label>;

// The return of the call that is invoked at `begin`, or size().
std::size_t end_of_call(LabelSpan labels, std::size_t begin) {
  std::size_t i = begin + 1;
  while (i < labels.size() && (labels[i].kind != LabelKind::kReturn ||
                               labels[i].process != labels[begin].process)) {
    ++i;
  }
  return i;
}

class Collector {
 public:
  Collector(const lts::System& system, const SpecificationGraph& graph,
            bool helped)
      : system_(system), graph_(graph), helped_(helped) {}

  void add_run(LabelSpan labels) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i].kind == LabelKind::kInvoke) add_call(labels, i);
    }
  }

  // The unlikely ones first, without repetitions.
  std::vector<Candidate> take() {
    const auto key = [](const Candidate& c) {
      // Of reads the later ones, of writes the earlier ones are likely; a
      // result that is not known is not.
      const std::int64_t edge = c.edge;
      return std::tuple(c.rank, c.rank == Rank::kWrite ? -edge : edge,
                        c.effect.only.has_value(),
                        c.effect.only.value_or(Value()).word(),
                        c.effect.operation, c.effect.whose);
    };
    std::ranges::sort(all_, {}, key);
    all_.erase(std::unique(all_.begin(), all_.end()), all_.end());
    return std::move(all_);
  }

 private:
  void add_call(LabelSpan labels, std::size_t begin) {
    const std::size_t end = end_of_call(labels, begin);
    Effect own;
    own.may = true;
    if (end < labels.size()) own.only = graph_.observed(labels[end]);
    all_.push_back({Rank::kInvocation, labels[begin].edge, own});
    if (end < labels.size()) {
      all_.push_back({Rank::kReturn, labels[end].edge, own});
    }
    for (std::size_t i = begin + 1; i < end; ++i) {
      if (labels[i].kind != LabelKind::kInternal) continue;
      const std::uint32_t edge = labels[i].edge;
      if (labels[i].process == labels[begin].process) {
        all_.push_back({writes(edge) ? Rank::kWrite : Rank::kRead, edge, own});
      } else if (helped_ && writes(edge)) {
        add_helped(edge, own, labels[begin].operation);
      }
    }
  }

  void add_helped(std::uint32_t edge, Effect effect, std::uint16_t operation) {
    effect.operation = operation;
    for (const Whose whose : {Whose::kOthersBefore, Whose::kOthersAfter}) {
      effect.whose = whose;
      all_.push_back({Rank::kHelped, edge, effect});
    }
  }

  bool writes(std::uint32_t edge) {
    auto& known = writes_[edge];
    if (!known) known = system_.edge(edge).writes;
    return *known;
  }

  const lts::System& system_;
  const SpecificationGraph& graph_;
  const bool helped_;
  std::map<std::uint32_t, std::optional<bool>> writes_;
  std::vector<Candidate> all_;
};

}  // namespace

std::vector<Candidate> candidates_of(const lts::System& system,
                                     const SpecificationGraph& graph,
                                     std::span<const Run> runs, bool helped) {
  Collector collector(system, graph, helped);
  for (const Run& run : runs) collector.add_run(run.labels);
  return collector.take();
}

bool all_return(std::span<const Run> runs, const SpecificationGraph& graph,
                std::uint32_t edge, std::span<const Value> results) {
  for (const auto& [processes, labels] : runs) {
    for (std::size_t begin = 0; begin < labels.size(); ++begin) {
      if (labels[begin].kind != LabelKind::kInvoke) continue;
      const std::size_t end = end_of_call(labels, begin);
      if (end == labels.size()) continue;
      for (std::size_t i = begin; i <= end; ++i) {
        if (labels[i].process != labels[begin].process) continue;
        if (labels[i].edge != edge) continue;
        const Value result = graph.observed(labels[end]);
        if (std::ranges::find(results, result) == results.end()) return false;
      }
    }
  }
  return true;
}

}  // namespace plumb::verify
