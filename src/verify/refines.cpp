// SPDX-License-Identifier: Apache-2.0
#include "verify/refines.h"

#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <utility>

#include "lts/system.h"
#include "verify/specification_graph.h"
#include "verify/words.h"

namespace plumb::verify {

namespace {

using States = std::vector<AbstractId>;  // ascending, each once
using StatesId = std::uint32_t;

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
    AbstractId state;
    StatesId states;
    std::uint32_t parent, depth;
    std::uint32_t call;  // of calls_
    ResultId result;     // of left_
  };

  bool expand(std::uint32_t at);
  bool expand(std::uint32_t at, std::uint32_t call);
  States after(StatesId states, CallId call, Value result);
  StatesId intern(States states);
  void reach(Node node);
  bool is_covered(AbstractId state, StatesId states) const;
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
  absl::flat_hash_map<States, StatesId> ids_;
  // What was reached with each state of the left one.
  absl::flat_hash_map<AbstractId, std::vector<StatesId>> reached_;
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

// A pair whose set contains another's, with the same state, leads to no
// violation that the other does not lead to as soon.
bool RefinesSearch::is_covered(AbstractId state, StatesId states) const {
  const auto known = reached_.find(state);
  if (known == reached_.end()) return false;
  const States& all = states_[states];
  return std::any_of(
      known->second.begin(), known->second.end(), [&](StatesId other) {
        const States& some = states_[other];
        return std::includes(all.begin(), all.end(), some.begin(), some.end());
      });
}

void RefinesSearch::reach(Node node) {
  if (is_covered(node.state, node.states)) return;
  reached_[node.state].push_back(node.states);
  nodes_.push_back(node);
}

States RefinesSearch::after(StatesId states, CallId call, Value result) {
  const ResultId wanted = right_.result(result);
  States next;
  for (const AbstractId state : states_[states]) {
    for (const auto& outcome : right_.outcomes(state, call)) {
      if (outcome.result == wanted) next.push_back(outcome.next);
    }
  }
  std::sort(next.begin(), next.end());
  next.erase(std::unique(next.begin(), next.end()), next.end());
  return next;
}

// Returns false if it found a violation.
bool RefinesSearch::expand(std::uint32_t at, std::uint32_t call) {
  const SpecificationGraph::Outcomes& outcomes =
      left_.outcomes(nodes_[at].state, calls_[call].left);
  std::optional<ResultId> last;
  StatesId next = 0;
  for (const auto& outcome : outcomes) {
    ++transitions_;
    if (last != outcome.result) {
      States states = after(nodes_[at].states, calls_[call].right,
                            left_.result_value(outcome.result));
      if (states.empty()) {
        violated(at, call, outcome.result);
        return false;
      }
      next = intern(std::move(states));
      last = outcome.result;
    }
    reach({outcome.next, next, at, nodes_[at].depth + 1, call, outcome.result});
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
  for (const AbstractId state : states_[nodes_[at].states]) {
    for (const auto& outcome : right_.outcomes(state, calls_[call].right)) {
      const Value value = right_.result_value(outcome.result);
      if (std::find(found.possible.begin(), found.possible.end(), value) ==
          found.possible.end()) {
        found.possible.push_back(value);
      }
    }
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
  if (left.empty()) fail("the left specification has no such sequence");
  if (!right.empty()) fail("the right specification has the sequence, too");
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
  reach({left_.initial(), intern({right_.initial()}), 0, 0, 0, 0});
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
