// SPDX-License-Identifier: Apache-2.0
#include "support/trace_graph.h"

#include <algorithm>
#include <deque>

namespace plumb::testing {

std::uint32_t Symbols::number(Kind kind, std::size_t process,
                              const std::string& text) {
  const auto next = static_cast<std::uint32_t>(symbols_.size() + 1);
  const auto [entry, is_new] =
      numbers_.try_emplace(std::tuple(kind, process, text), next);
  if (is_new) symbols_.push_back({kind, process, text});
  return entry->second;
}

namespace {

using Kind = Symbols::Kind;

// What is seen of a step: nothing, or one or two symbols.
std::vector<std::uint32_t> seen_of(const lts::System& system,
                                   const lts::Label& label, bool marks,
                                   Symbols& symbols) {
  std::vector<std::uint32_t> seen;
  const std::string& name = system.operations()[label.operation];
  const auto add = [&](Kind kind, const std::string& text) {
    seen.push_back(symbols.number(
        kind, label.process,
        "p" + std::to_string(label.process) + " " + name + " " + text));
  };
  if (label.kind == lts::LabelKind::kInvoke) {
    add(Kind::kInvoke, "(" + label.value.to_string() + ")");
  } else if (label.kind == lts::LabelKind::kReturn) {
    add(Kind::kReturn, "-> " + label.value.to_string());
  } else if (label.kind == lts::LabelKind::kFault) {
    add(Kind::kFault, system.fault(label.fault));
  }
  if (marks && label.marked && label.kind != lts::LabelKind::kFault) {
    add(Kind::kMark, "mark");
  }
  return seen;
}

}  // namespace

std::optional<TraceGraph> trace_graph(const lts::System& system, bool marks,
                                      std::size_t limit, Symbols& symbols) {
  TraceGraph made;
  std::map<std::string, std::uint32_t> numbers;
  std::deque<lts::StateBytes> open;
  const auto fresh = [&] {
    made.nodes.emplace_back();
    return static_cast<std::uint32_t>(made.nodes.size() - 1);
  };
  const auto node_of = [&](const lts::StateBytes& state) {
    const std::string key(state.begin(), state.end());
    const auto found = numbers.find(key);
    if (found != numbers.end()) return found->second;
    open.push_back(state);
    return numbers[key] = fresh();
  };
  node_of(system.initial());
  lts::Successors out;
  while (!open.empty()) {
    if (numbers.size() > limit) return std::nullopt;
    const lts::StateBytes state = open.front();
    open.pop_front();
    system.successors(state, out);
    made.cut |= out.cut;
    made.transitions += out.size();
    for (std::size_t i = 0; i < out.size(); ++i) {
      std::vector<std::uint32_t> trace;
      for (const lts::Label& label : out.labels(i)) {
        for (const auto symbol : seen_of(system, label, marks, symbols)) {
          trace.push_back(symbol);
        }
      }
      if (trace.empty()) trace.push_back(0);
      const lts::Label& last = out.labels(i).back();
      std::uint32_t at = node_of(state);
      for (std::size_t j = 0; j + 1 < trace.size(); ++j) {
        const std::uint32_t between = fresh();
        made.nodes[at].push_back({trace[j], between});
        at = between;
      }
      if (last.kind == lts::LabelKind::kFault) {
        made.faults.insert(system.fault(last.fault));
        const std::uint32_t end = fresh();
        made.nodes[at].push_back({trace.back(), end});
        continue;
      }
      const lts::StateView to = out.state(i);
      const std::uint32_t target = node_of({to.begin(), to.end()});
      made.nodes[at].push_back({trace.back(), target});
    }
  }
  made.states = numbers.size();
  return made;
}

// Each process may have seen an invocation that is still to come, or a return
// that was already.
std::optional<TraceGraph> loosened(const TraceGraph& graph,
                                   const Symbols& symbols,
                                   std::size_t processes, std::size_t limit) {
  using Node = std::pair<std::uint32_t, std::vector<std::uint32_t>>;
  TraceGraph made;
  std::map<Node, std::uint32_t> numbers;
  std::deque<Node> open;
  const auto node_of = [&](const Node& node) {
    const auto [entry, is_new] = numbers.try_emplace(
        node, static_cast<std::uint32_t>(made.nodes.size()));
    if (is_new) {
      made.nodes.emplace_back();
      open.push_back(node);
    }
    return entry->second;
  };
  node_of({0, std::vector<std::uint32_t>(processes, 0)});
  while (!open.empty()) {
    if (numbers.size() > limit) return std::nullopt;
    const Node node = open.front();
    open.pop_front();
    const std::uint32_t from = numbers[node];
    const auto add = [&](std::uint32_t symbol, const Node& to) {
      const std::uint32_t target = node_of(to);
      made.nodes[from].push_back({symbol, target});
    };
    for (const TraceGraph::Edge& edge : graph.nodes[node.first]) {
      Node next = node;
      next.first = edge.to;
      if (edge.symbol == 0 || symbols[edge.symbol].kind >= Kind::kFault) {
        add(edge.symbol, next);
        continue;
      }
      std::uint32_t& ahead = next.second[symbols[edge.symbol].process];
      const bool invokes = symbols[edge.symbol].kind == Kind::kInvoke;
      if (ahead == 0) {
        add(edge.symbol, next);
        ahead = edge.symbol;
        if (!invokes) add(0, next);
      } else if (invokes && ahead == edge.symbol) {
        ahead = 0;
        add(0, next);
      }
    }
    for (std::uint32_t s = 1; s <= symbols.size(); ++s) {
      Node next = node;
      std::uint32_t& ahead = next.second[symbols[s].process];
      if (symbols[s].kind == Kind::kInvoke && ahead == 0) {
        ahead = s;
        add(s, next);
      } else if (symbols[s].kind == Kind::kReturn && ahead == s) {
        ahead = 0;
        add(s, next);
      }
    }
  }
  return made;
}

namespace {

using Set = std::vector<std::uint32_t>;  // sorted

void close(const TraceGraph& graph, Set& set) {
  std::vector<bool> in(graph.nodes.size());
  for (const auto node : set) in[node] = true;
  for (std::size_t i = 0; i < set.size(); ++i) {
    for (const TraceGraph::Edge& edge : graph.nodes[set[i]]) {
      if (edge.symbol != 0 || in[edge.to]) continue;
      in[edge.to] = true;
      set.push_back(edge.to);
    }
  }
  std::sort(set.begin(), set.end());
}

Set after(const TraceGraph& graph, const Set& set, std::uint32_t symbol) {
  Set next;
  for (const auto node : set) {
    for (const TraceGraph::Edge& edge : graph.nodes[node]) {
      if (edge.symbol == symbol) next.push_back(edge.to);
    }
  }
  std::sort(next.begin(), next.end());
  next.erase(std::unique(next.begin(), next.end()), next.end());
  close(graph, next);
  return next;
}

}  // namespace

Inclusion find_missing_trace(const TraceGraph& all, const TraceGraph& in,
                             const Symbols& symbols, std::size_t limit) {
  struct Found {
    std::uint32_t node, set;
    std::size_t from;
    std::uint32_t symbol;
  };
  std::map<Set, std::uint32_t> numbers;
  std::vector<const Set*> sets;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> steps;
  const auto number_of = [&](Set set) {
    const auto [entry, is_new] = numbers.try_emplace(
        std::move(set), static_cast<std::uint32_t>(sets.size()));
    if (is_new) sets.push_back(&entry->first);
    return entry->second;
  };
  Set first = {0};
  close(in, first);
  std::vector<Found> found = {{0, number_of(first), 0, 0}};
  std::set<std::pair<std::uint32_t, std::uint32_t>> seen = {{0, 0}};
  const auto trace_to = [&](std::size_t i) {
    std::string text;
    for (; i != 0; i = found[i].from) {
      if (found[i].symbol == 0) continue;
      text = symbols[found[i].symbol].text + "; " + text;
    }
    return text;
  };
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (found.size() > limit) return {};
    for (const TraceGraph::Edge& edge : all.nodes[found[i].node]) {
      std::uint32_t set = found[i].set;
      if (edge.symbol != 0) {
        const auto [entry, is_new] = steps.try_emplace({set, edge.symbol}, 0);
        if (is_new) {
          entry->second = number_of(after(in, *sets[set], edge.symbol));
        }
        set = entry->second;
      }
      if (sets[set]->empty()) {
        return {true, trace_to(i) + symbols[edge.symbol].text};
      }
      if (!seen.insert({edge.to, set}).second) continue;
      found.push_back({edge.to, set, i, edge.symbol});
    }
  }
  return {true, std::nullopt};
}

}  // namespace plumb::testing
