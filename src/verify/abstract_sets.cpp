// SPDX-License-Identifier: Apache-2.0
#include "verify/abstract_sets.h"

#include <algorithm>

namespace plumb::verify {

AbstractSets::AbstractSets(SpecificationGraph& graph, OperationLogs& logs,
                           Budget& budget)
    : graph_(graph), logs_(logs), budget_(budget) {
  std::vector<AbstractId> first = {graph.initial()};
  initial_ = sets_.intern(first);
}

// An order of all operations ends with the last one of some sequence, and
// without it is an order of the others.  So this is dynamic programming over
// what can be left of the sequences; as all answers are kept, each of these
// is asked once, however many questions need it.
std::optional<SetId> AbstractSets::after(SetId from,
                                         std::vector<LogId> sequences) {
  std::erase(sequences, kEmptyLog);
  if (sequences.empty()) return from;
  std::ranges::sort(sequences);
  std::vector<std::uint32_t> words = {from};
  words.insert(words.end(), sequences.begin(), sequences.end());
  const WordLists::Id question = questions_.intern(words);
  if (question < answers_.size() && answers_[question]) {
    return answers_[question];
  }
  std::vector<AbstractId> all;
  for (std::size_t i = 0; i < sequences.size(); ++i) {
    if (i > 0 && sequences[i] == sequences[i - 1]) continue;
    std::vector<LogId> shorter = sequences;
    shorter[i] = logs_.shortened(shorter[i]);
    const auto before = after(from, std::move(shorter));
    if (!before) return std::nullopt;
    const auto next = after_one(*before, logs_.last(sequences[i]));
    if (!next) return std::nullopt;
    const auto states = sets_[*next];
    all.insert(all.end(), states.begin(), states.end());
  }
  if (answers_.size() < questions_.size()) answers_.resize(questions_.size());
  answers_[question] = sets_.intern(all);
  return answers_[question];
}

// Equal operations may as well keep their order, so they are a sequence.
std::optional<SetId> AbstractSets::after_any_order(SetId from, LogId log) {
  std::vector<LogId> sequences;
  std::optional<OperationId> previous;
  for (; log != kEmptyLog; log = logs_.shortened(log)) {
    const OperationId operation = logs_.last(log);
    if (operation != previous) sequences.push_back(kEmptyLog);
    previous = operation;
    sequences.back() = logs_.extended(sequences.back(), operation);
  }
  return after(from, std::move(sequences));
}

std::optional<SetId> AbstractSets::after_one(SetId from,
                                             OperationId operation) {
  const std::uint64_t key = std::uint64_t{from} << 32 | operation;
  const auto known = steps_.find(key);
  if (known != steps_.end()) return known->second;
  const auto [call, result] = logs_[operation];
  std::vector<AbstractId> next;
  for (const AbstractId state : sets_[from]) {
    if (budget_.spent()) return std::nullopt;
    for (const auto& outcome : graph_.outcomes(state, call)) {
      if (result == OperationLogs::kAnyResult || outcome.result == result) {
        next.push_back(outcome.next);
      }
    }
  }
  const SetId made = sets_.intern(next);
  steps_.emplace(key, made);
  return made;
}

SetId AbstractSets::renamed(SetId set, std::span<const Value> values,
                            lts::Permutation permutation) {
  if (permutation.is_identity()) return set;
  const std::pair<SetId, std::uint64_t> key(set, permutation.word());
  const auto known = renamings_.find(key);
  if (known != renamings_.end()) return known->second;
  std::vector<AbstractId> states(sets_[set].begin(), sets_[set].end());
  for (AbstractId& state : states) {
    state = graph_.renamed_state(state, values, permutation);
  }
  const SetId made = sets_.intern(states);
  renamings_.emplace(key, made);
  return made;
}

}  // namespace plumb::verify
