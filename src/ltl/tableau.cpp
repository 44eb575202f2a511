// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "base/input_error.h"
#include "ltl/automaton.h"
#include "ltl/normal_form.h"

namespace plumb::ltl {
namespace {

using Kind = Node::Kind;
using Nodes = std::vector<NodeId>;  // sorted, each once

void insert(Nodes& nodes, NodeId node) {
  const auto place = std::ranges::lower_bound(nodes, node);
  if (place == nodes.end() || *place != node) nodes.insert(place, node);
}

// One way to make formulas true, as far as it is worked out.
struct Way {
  Nodes to_do;
  Nodes seen;
  Letter with = 0, without = 0;
  Nodes next;
  Automaton::Marks promised = 0;
};

class Tableau {
 public:
  explicit Tableau(Budget& budget) : budget_(budget) {}

  std::optional<Automaton> make(const Formula& formula, bool negated) {
    const NodeId root = forms_.of(formula, negated);
    if (root == NormalForms::kFalse) return Automaton{{{}}, 0};
    number_untils();
    state_of(root == NormalForms::kTrue ? Nodes{} : Nodes{root});
    for (std::size_t at = 0; at < sets_.size(); ++at) {
      if (!expand(at)) return std::nullopt;
    }
    automaton_.marks = all_marks_;
    return std::move(automaton_);
  }

 private:
  void number_untils() {
    for (NodeId id = 0; id < forms_.size(); ++id) {
      if (forms_[id].kind != Kind::kUntil) continue;
      if (untils_.size() == 64) {
        throw InputError("the formula has more than 64 different untils",
                         "split it into several assertions");
      }
      all_marks_ |= Automaton::Marks{1} << untils_.size();
      untils_.emplace(id, untils_.size());
    }
  }

  std::uint32_t state_of(const Nodes& set) {
    const auto next = static_cast<std::uint32_t>(sets_.size());
    const auto [entry, is_new] = numbers_.try_emplace(set, next);
    if (is_new) {
      sets_.push_back(set);
      automaton_.states.emplace_back();
    }
    return entry->second;
  }

  bool expand(std::size_t state) {
    std::vector<Way> ways(1);
    ways[0].to_do = sets_[state];
    std::vector<Automaton::Transition> out;
    while (!ways.empty()) {
      if (budget_.spent()) return false;
      Way& way = ways.back();
      if (way.to_do.empty()) {
        out.push_back({way.with, way.without, state_of(way.next),
                       all_marks_ & ~way.promised});
        ways.pop_back();
        continue;
      }
      const NodeId node = way.to_do.back();
      way.to_do.pop_back();
      if (std::ranges::binary_search(way.seen, node)) continue;
      insert(way.seen, node);
      if (!step(node, ways)) ways.pop_back();
    }
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    automaton_.states[state] = std::move(out);
    return true;
  }

  // Works `node` into the last way, and adds another one where there are two.
  // Returns false if it cannot be.
  bool step(NodeId id, std::vector<Way>& ways) {
    const Node node = forms_[id];
    Way& way = ways.back();
    switch (node.kind) {
      case Kind::kTrue:
        return true;
      case Kind::kFalse:
        return false;
      case Kind::kLiteral:
        (node.right == 0 ? way.with : way.without) |= Letter{1} << node.left;
        return (way.with & way.without) == 0;
      case Kind::kAnd:
        way.to_do.push_back(node.left);
        way.to_do.push_back(node.right);
        return true;
      case Kind::kNext:
        insert(way.next, node.left);
        return true;
      default:
        break;
    }
    Way other = way;
    if (node.kind == Kind::kOr) {
      other.to_do.push_back(node.left);
    } else if (node.kind == Kind::kUntil) {
      other.to_do.push_back(node.left);
      insert(other.next, id);
      other.promised |= Automaton::Marks{1} << untils_.at(id);
    } else {
      other.to_do.push_back(node.right);
      insert(other.next, id);
      way.to_do.push_back(node.left);
    }
    way.to_do.push_back(node.right);
    ways.push_back(std::move(other));  // `way` is gone
    return true;
  }

  Budget& budget_;
  NormalForms forms_;
  std::map<NodeId, std::size_t> untils_;
  Automaton::Marks all_marks_ = 0;
  std::map<Nodes, std::uint32_t> numbers_;
  std::vector<Nodes> sets_;
  Automaton automaton_;
};

}  // namespace

std::optional<Automaton> translate(const Formula& formula, bool negated,
                                   Budget& budget) {
  auto automaton = Tableau(budget).make(formula, negated);
  if (automaton) simplify(*automaton);
  return automaton;
}

}  // namespace plumb::ltl
