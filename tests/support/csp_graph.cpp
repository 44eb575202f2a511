// SPDX-License-Identifier: Apache-2.0
#include "support/csp_graph.h"

#include <algorithm>
#include <map>
#include <set>

#include "support/csp_walker.h"

namespace plumb::walked {
namespace {

using Edge = StepGraph::Edge;

std::string label_text(const lts::Label& label) {
  switch (label.kind) {
    case lts::LabelKind::kInternal:
      return "tau";
    case lts::LabelKind::kEvent:
      return std::string(label.value.as_text());
    case lts::LabelKind::kTerminate:
      return "terminate";
    case lts::LabelKind::kFault:
      return "fault";
    default:
      return "no label of CSP#";
  }
}

// The two graphs side by side, and the partitions of all rounds.
class Refinement {
 public:
  Refinement(const StepGraph& left, const StepGraph& right)
      : second_(left.edges.size()), edges_(left.edges) {
    for (const std::vector<Edge>& all : right.edges) {
      edges_.push_back(all);
      for (Edge& edge : edges_.back()) {
        edge.to += static_cast<std::uint32_t>(second_);
      }
    }
  }

  std::string run() {
    rounds_.emplace_back(edges_.size(), 0);
    std::size_t blocks = 1;
    while (true) {
      const std::size_t now = refine();
      if (rounds_.back()[0] != rounds_.back()[second_]) return explained();
      if (now == blocks) return "";
      blocks = now;
    }
  }

 private:
  using Signature = std::set<std::pair<std::string, std::uint32_t>>;

  Signature signature(std::size_t state, std::size_t round) const {
    Signature made;
    for (const Edge& edge : edges_[state]) {
      made.emplace(edge.label, rounds_[round][edge.to]);
    }
    return made;
  }

  std::size_t refine() {
    std::map<std::pair<std::uint32_t, Signature>, std::uint32_t> blocks;
    const std::size_t round = rounds_.size() - 1;
    std::vector<std::uint32_t> next;
    for (std::size_t state = 0; state < edges_.size(); ++state) {
      const auto number = static_cast<std::uint32_t>(blocks.size());
      next.push_back(
          blocks
              .try_emplace({rounds_[round][state], signature(state, round)},
                           number)
              .first->second);
    }
    rounds_.push_back(std::move(next));
    return blocks.size();
  }

  // Follows a step that only one side has, as long as the other side has one
  // of the same name.
  std::string explained() const {
    std::size_t one = 0, other = second_;
    bool swapped = false;
    std::string trace;
    while (true) {
      const std::size_t round = first_difference(one, other);
      const Edge* found = missing(one, other, round);
      if (found == nullptr) {
        std::swap(one, other);
        swapped = !swapped;
        found = missing(one, other, round);
      }
      trace += " " + found->label;
      const Edge* answer = nullptr;
      for (const Edge& edge : edges_[other]) {
        if (edge.label == found->label) answer = &edge;
      }
      if (answer == nullptr) {
        return std::string(swapped ? "only the second" : "only the first") +
               " can do the last of:" + trace + described(one, other);
      }
      one = found->to;
      other = answer->to;
    }
  }

  std::string described(std::size_t one, std::size_t other) const {
    return "\n  one has:" + labels(one) + "\n  the other has:" + labels(other);
  }

  std::string labels(std::size_t state) const {
    std::set<std::string> all;
    for (const Edge& edge : edges_[state]) all.insert(edge.label);
    std::string text;
    for (const std::string& label : all) text += " " + label;
    return text;
  }

  std::size_t first_difference(std::size_t one, std::size_t other) const {
    std::size_t round = 0;
    while (rounds_[round][one] == rounds_[round][other]) ++round;
    return round;
  }

  const Edge* missing(std::size_t one, std::size_t other,
                      std::size_t round) const {
    const Signature has = signature(other, round - 1);
    for (const Edge& edge : edges_[one]) {
      if (!has.contains({edge.label, rounds_[round - 1][edge.to]})) {
        return &edge;
      }
    }
    return nullptr;
  }

  std::size_t second_;
  std::vector<std::vector<Edge>> edges_;
  std::vector<std::vector<std::uint32_t>> rounds_;
};

bool is_end(const std::string& label) {
  return label == "terminate" || label == "fault";
}

// Numbers states by their keys, in the order in which they are found.
template <typename Key, typename State>
class Numbers {
 public:
  std::uint32_t of(const Key& key, const State& state) {
    const auto next = static_cast<std::uint32_t>(states.size());
    const auto [found, is_new] = numbers_.try_emplace(key, next);
    if (is_new) states.push_back(state);
    return found->second;
  }
  std::vector<State> states;

 private:
  std::map<Key, std::uint32_t> numbers_;
};

}  // namespace

std::size_t StepGraph::transitions() const {
  std::size_t count = 0;
  for (const std::vector<Edge>& all : edges) {
    for (const Edge& edge : all) {
      if (edge.label != "fault") ++count;
    }
  }
  return count;
}

std::size_t StepGraph::proper_states() const {
  std::vector<bool> seen(edges.size());
  std::vector<std::uint32_t> work = {0};
  seen[0] = true;
  std::size_t count = 0;
  while (!work.empty()) {
    const std::uint32_t state = work.back();
    work.pop_back();
    ++count;
    for (const Edge& edge : edges[state]) {
      if (is_end(edge.label) || seen[edge.to]) continue;
      seen[edge.to] = true;
      work.push_back(edge.to);
    }
  }
  return count;
}

std::optional<StepGraph> walked_graph(const Module& module,
                                      const ProcessPtr& subject,
                                      std::size_t most_states) {
  const CspWalker walker(module);
  Numbers<std::string, WalkedState> numbers;
  StepGraph graph;
  WalkedState end;
  end.term = std::make_shared<const Process>();
  const std::string end_key = "the end";
  const std::vector<WalkedState> first = walker.initial(subject);
  if (first.size() > 1) {  // one of them is chosen
    numbers.of("the beginning", end);
    std::vector<Edge>& choices = graph.edges.emplace_back();
    for (const WalkedState& state : first) {
      choices.push_back({"tau", numbers.of(walker.key(state), state)});
    }
  } else {
    numbers.of(walker.key(first[0]), first[0]);
  }
  for (std::size_t i = graph.edges.size(); i < numbers.states.size(); ++i) {
    if (i >= most_states) return std::nullopt;
    const WalkedState state = numbers.states[i];
    std::vector<Edge> all;
    for (const WalkedStep& step : walker.steps(state)) {
      const bool ends = is_end(step.label);
      all.push_back(
          {step.label, numbers.of(ends ? end_key : walker.key(step.after),
                                  ends ? end : step.after)});
    }
    graph.edges.push_back(std::move(all));
  }
  return graph;
}

std::optional<StepGraph> system_graph(const lts::System& system,
                                      std::size_t most_states) {
  Numbers<lts::StateBytes, lts::StateBytes> numbers;
  StepGraph graph;
  const lts::StateBytes first = system.initial();
  numbers.of(first, first);
  lts::Successors successors;
  std::optional<std::uint32_t> end;  // where faults lead to, whatever follows
  for (std::size_t i = 0; i < numbers.states.size(); ++i) {
    if (i >= most_states) return std::nullopt;
    std::vector<Edge> all;
    if (!end || *end != i) {
      const lts::StateBytes state = numbers.states[i];
      system.successors(state, successors);
      for (std::size_t s = 0; s < successors.size(); ++s) {
        const std::string label = label_text(successors.label(s));
        const lts::StateView view = successors.state(s);
        lts::StateBytes after(view.begin(), view.end());
        if (label == "fault") {
          after.assign(1, 0xff);
          after.resize(64, 0xff);
          end = numbers.of(after, after);
        }
        all.push_back({label, numbers.of(after, after)});
      }
    }
    graph.edges.push_back(std::move(all));
  }
  return graph;
}

std::string difference(const StepGraph& left, const StepGraph& right) {
  return Refinement(left, right).run();
}

}  // namespace plumb::walked
