// SPDX-License-Identifier: Apache-2.0
#include "verify/refines.h"

#include <absl/hash/hash.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "base/flat_table.h"
#include "lts/system.h"
#include "verify/specification_graph.h"
#include "verify/words.h"

namespace plumb::verify {

namespace {

using States = std::vector<AbstractId>;  // ascending, each once
using StatesId = std::uint32_t;          // of sets of either one

class RefinesSearch {
 public:
  RefinesSearch(const SpecificationPair& pair, const Options& options,
                Budget& budget)
      : pair_(pair),
        limit_(options.state_limit),
        budget_(budget),
        left_(pair.left, {}),
        right_(pair.right, pair.codes) {
    for (std::uint16_t code = 0; code < pair.arguments.size(); ++code) {
      for (const Value argument : pair.arguments[code]) {
        lts::Label label;
        label.operation = code;
        label.value = argument;
        calls_.push_back(
            {{code, argument}, left_.call(label), right_.call(label)});
      }
    }
  }

  Comparison run();

 private:
  struct Asked {
    spec::Call call;
    CallId left, right;
  };
  // A pair that was reached, and how.
  struct Node {
    StatesId left, right;
    std::uint32_t parent, depth;
    std::uint32_t call;  // of calls_
    ResultId result;     // of left_
  };

  bool expand(std::uint32_t at);
  bool expand(std::uint32_t at, std::uint32_t call);
  using Outcomes = std::vector<std::pair<ResultId, States>>;
  // What a call leads to from some of the states, by its result; of those
  // results only after which a history may end.
  static Outcomes after(SpecificationGraph& graph, const States& states,
                        CallId call);
  StatesId intern(States states);
  void reach(Node node);
  bool is_covered(StatesId left, StatesId right) const;
  void violated(std::uint32_t at, std::uint32_t call, ResultId result);
  void confirm(const Comparison& found) const;
  void fill(Statistics& statistics) const;
  std::string limit_words() const;

  const SpecificationPair& pair_;
  std::uint64_t limit_;
  Budget& budget_;
  SpecificationGraph left_, right_;
  std::vector<Asked> calls_;
  std::deque<States> states_;  // by their number
  FlatMap<States, StatesId> ids_;
  // What was reached with each set of states of the left one.
  FlatMap<StatesId, std::vector<StatesId>> reached_;
  std::vector<Node> nodes_;  // in breadth-first order
  std::uint64_t transitions_ = 0;
  bool is_cut_ = false;
  Comparison found_;
};

StatesId RefinesSearch::intern(States states) {
  const auto next = static_cast<StatesId>(states_.size());
  const auto [entry, is_new] = ids_.try_emplace(std::move(states), next);
  if (is_new) states_.push_back(entry->first);
  return entry->second;
}

// A pair whose right set contains another's, with the same left one, leads to
// no violation that the other does not lead to as soon.
bool RefinesSearch::is_covered(StatesId left, StatesId right) const {
  const auto known = reached_.find(left);
  if (known == reached_.end()) return false;
  const States& all = states_[right];
  return std::any_of(
      known->second.begin(), known->second.end(), [&](StatesId other) {
        const States& some = states_[other];
        return std::includes(all.begin(), all.end(), some.begin(), some.end());
      });
}

void RefinesSearch::reach(Node node) {
  if (is_covered(node.left, node.right)) return;
  reached_[node.left].push_back(node.right);
  nodes_.push_back(node);
}

RefinesSearch::Outcomes RefinesSearch::after(SpecificationGraph& graph,
                                             const States& states,
                                             CallId call) {
  Outcomes all;
  for (const AbstractId state : states) {
    for (const auto& outcome : graph.outcomes(state, call)) {
      auto same =
          std::ranges::find(all, outcome.result, &Outcomes::value_type::first);
      if (same == all.end()) same = all.insert(same, {outcome.result, {}});
      same->second.push_back(outcome.next);
    }
  }
  for (auto& [result, next] : all) {
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
  }
  std::erase_if(all, [&](const auto& outcome) {
    return std::ranges::none_of(
        outcome.second, [&](AbstractId state) { return graph.may_end(state); });
  });
  return all;
}

// Returns false if it found a violation.
bool RefinesSearch::expand(std::uint32_t at, std::uint32_t call) {
  const Outcomes of_left =
      after(left_, states_[nodes_[at].left], calls_[call].left);
  if (of_left.empty()) return true;
  const Outcomes of_right =
      after(right_, states_[nodes_[at].right], calls_[call].right);
  for (const auto& [result, states] : of_left) {
    ++transitions_;
    const ResultId wanted = right_.result(left_.result_value(result));
    const auto same =
        std::ranges::find(of_right, wanted, &Outcomes::value_type::first);
    if (same == of_right.end()) {
      violated(at, call, result);
      return false;
    }
    reach({intern(states), intern(same->second), at, nodes_[at].depth + 1, call,
           result});
  }
  return true;
}

bool RefinesSearch::expand(std::uint32_t at) {
  if (pair_.operations > 0 && nodes_[at].depth >= pair_.operations) {
    is_cut_ = true;
    return true;
  }
  for (std::uint32_t call = 0; call < calls_.size(); ++call) {
    if (!expand(at, call)) return false;
  }
  return true;
}

void RefinesSearch::violated(std::uint32_t at, std::uint32_t call,
                             ResultId result) {
  Comparison& found = found_;
  found.outcome.answer = check::Answer::kViolated;
  found.sequence.push_back({calls_[call].call, left_.result_value(result)});
  for (const auto& [other, states] :
       after(right_, states_[nodes_[at].right], calls_[call].right)) {
    found.possible.push_back(right_.result_value(other));
  }
  for (std::uint32_t i = at; i != 0; i = nodes_[i].parent) {
    found.sequence.push_back(
        {calls_[nodes_[i].call].call, left_.result_value(nodes_[i].result)});
  }
  std::reverse(found.sequence.begin(), found.sequence.end());
  std::sort(found.possible.begin(), found.possible.end(),
            [](Value a, Value b) { return compare(a, b) < 0; });
}

// Walks the sequence again, through both specifications and with nothing of
// what the search remembers.
void RefinesSearch::confirm(const Comparison& found) const {
  const auto walk = [](const spec::Specification& object,
                       std::vector<spec::State>& states, const spec::Call& call,
                       Value result) {
    std::vector<spec::State> next;
    for (const spec::State& state : states) {
      object.step(state, call, result, next);
    }
    std::vector<spec::State> distinct;
    for (spec::State& state : next) {
      if (std::find(distinct.begin(), distinct.end(), state) ==
          distinct.end()) {
        distinct.push_back(std::move(state));
      }
    }
    states = std::move(distinct);
  };
  std::vector<spec::State> left = {pair_.left.initial()};
  std::vector<spec::State> right = {pair_.right.initial()};
  for (const SpecificationStep& step : found.sequence) {
    if (right.empty()) fail("the right specification ends early");
    walk(pair_.left, left, step.call, step.result);
    walk(pair_.right, right, {pair_.codes[step.call.code], step.call.argument},
         step.result);
  }
  const auto may_end = [](const spec::Specification& object,
                          const std::vector<spec::State>& states) {
    return std::ranges::any_of(states, [&](const spec::State& state) {
      return object.may_end(state);
    });
  };
  if (!may_end(pair_.left, left)) {
    fail("the left specification has no such sequence");
  }
  if (may_end(pair_.right, right)) {
    fail("the right specification has the sequence, too");
  }
}

void RefinesSearch::fill(Statistics& statistics) const {
  statistics.states = left_.size();
  statistics.transitions = transitions_;
  statistics.pairs = nodes_.size();
  statistics.sets = states_.size();
  statistics.specification_states = right_.size();
  statistics.depth = nodes_.back().depth;
  statistics.store_bytes = nodes_.capacity() * sizeof(Node);
  for (const States& states : states_) {
    statistics.store_bytes += 2 * (sizeof(States) + 4 * states.size());
  }
  statistics.method = "antichain";
}

std::string RefinesSearch::limit_words() const {
  const std::string after =
      fmt::format(" after {} pairs", with_commas(nodes_.size()));
  return budget_.limit() != Limit::kNone
             ? budget_.describe_limit() + after
             : fmt::format("the limit of {} states was reached",
                           with_commas(limit_));
}

Comparison RefinesSearch::run() {
  const auto start = Budget::Clock::now();
  reach({intern({left_.initial()}), intern({right_.initial()}), 0, 0, 0, 0});
  found_.outcome.answer = check::Answer::kHolds;
  for (std::uint32_t at = 0; at < nodes_.size(); ++at) {
    if (budget_.spent() || (limit_ > 0 && nodes_.size() > limit_)) {
      found_.outcome.answer = check::Answer::kUnknown;
      found_.outcome.reason = limit_words();
      break;
    }
    if (!expand(at)) break;
  }
  if (found_.outcome.answer == check::Answer::kViolated) confirm(found_);
  fill(found_.outcome.statistics);
  found_.outcome.statistics.seconds =
      std::chrono::duration<double>(Budget::Clock::now() - start).count();
  if (is_cut_) {
    found_.outcome.bounds_met.push_back(
        fmt::format("{} operations", pair_.operations));
  }
  return std::move(found_);
}

}  // namespace

Comparison check_refines(const SpecificationPair& pair, const Options& options,
                         Budget& budget) {
  return RefinesSearch(pair, options, budget).run();
}

}  // namespace plumb::verify
