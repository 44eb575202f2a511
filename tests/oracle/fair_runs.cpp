// SPDX-License-Identifier: Apache-2.0
#include "oracle/fair_runs.h"

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "oracle/runs.h"

namespace plumb::oracle {
namespace {

using assertions::Fairness;
using testing::TableSystem;

class Pairs {
 public:
  Pairs(const TableSystem& system, const assertions::Temporal& question,
        const ltl::Automaton& automaton)
      : system_(system), question_(question), automaton_(automaton) {}

  // Returns false if there are too many.
  bool find(std::size_t most) {
    read(0, 0, nullptr, kNowhere, kStays);
    for (std::size_t at = 0; at < pairs_.size(); ++at) {
      if (pairs_.size() > most) return false;
      const auto [state, automaton] = pairs_[at];
      const auto& moves = system_.state(state).transitions;
      for (std::size_t i = 0; i < moves.size(); ++i) {
        read(automaton, moves[i].to, &moves[i].label, at, i);
      }
      if (moves.empty()) read(automaton, state, nullptr, at, kStays);
    }
    return true;
  }

  bool any_set_is_good() const {
    for (std::size_t set = 1; set < std::size_t{1} << pairs_.size(); ++set) {
      if (is_connected(set) && has_all_marks(set) && is_fair(set)) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kNowhere = SIZE_MAX, kStays = SIZE_MAX;
  struct Step {
    std::size_t from, to;
    std::size_t move;  // of the state's
    ltl::Automaton::Marks marks;
  };

  void read(std::uint32_t automaton, std::size_t to, const lts::Label* label,
            std::size_t from, std::size_t move) {
    ltl::Letter letter = 0;
    for (std::size_t i = 0; i < question_.atoms.size(); ++i) {
      const auto& atom = question_.atoms[i];
      const bool holds = atom.in_state
                             ? atom.in_state(system_.encode(to))
                             : label != nullptr && atom.at_step(*label);
      if (holds) letter |= ltl::Letter{1} << i;
    }
    for (const auto& step : automaton_.states[automaton]) {
      if (!step.reads(letter)) continue;
      const std::pair<std::size_t, std::uint32_t> pair(to, step.target);
      const auto [entry, is_new] = numbers_.try_emplace(pair, pairs_.size());
      if (is_new) pairs_.push_back(pair);
      if (from != kNowhere) {
        steps_.push_back({from, entry->second, move, step.marks});
      }
    }
  }

  static bool has(std::size_t set, std::size_t pair) {
    return (set >> pair & 1) != 0;
  }
  bool is_inside(std::size_t set, const Step& step) const {
    return has(set, step.from) && has(set, step.to);
  }

  // Does each reach each, itself too, by one step or more?
  bool is_connected(std::size_t set) const {
    for (std::size_t start = 0; start < pairs_.size(); ++start) {
      if (!has(set, start)) continue;
      std::size_t reached = 0, before = 1;
      while (reached != before) {
        before = reached;
        for (const Step& step : steps_) {
          if (is_inside(set, step) &&
              (step.from == start || has(reached, step.from))) {
            reached |= std::size_t{1} << step.to;
          }
        }
      }
      if (reached != set) return false;
    }
    return true;
  }
  bool has_all_marks(std::size_t set) const {
    ltl::Automaton::Marks marks = 0;
    for (const Step& step : steps_) {
      if (is_inside(set, step)) marks |= step.marks;
    }
    return marks == automaton_.marks;
  }

  bool is_fair(std::size_t set) const {
    std::set<std::string> taken;
    std::set<std::pair<std::size_t, std::size_t>> moves_taken;
    for (const Step& step : steps_) {
      if (!is_inside(set, step) || step.move == kStays) continue;
      const std::size_t state = pairs_[step.from].first;
      moves_taken.insert({state, step.move});
      taken.merge(parties(system_,
                          system_.state(state).transitions[step.move].label,
                          question_.fairness));
    }
    std::map<std::string, std::size_t> enabled;
    std::size_t size = 0;
    for (std::size_t pair = 0; pair < pairs_.size(); ++pair) {
      if (!has(set, pair)) continue;
      ++size;
      const auto& moves = system_.state(pairs_[pair].first).transitions;
      std::set<std::string> here;
      for (std::size_t i = 0; i < moves.size(); ++i) {
        here.merge(parties(system_, moves[i].label, question_.fairness));
        if (question_.fairness == Fairness::kStrongGlobal &&
            !moves_taken.contains({pairs_[pair].first, i})) {
          return false;
        }
      }
      for (const std::string& party : here) ++enabled[party];
    }
    return all_have_a_step(taken, enabled, size);
  }

  bool all_have_a_step(const std::set<std::string>& taken,
                       const std::map<std::string, std::size_t>& enabled,
                       std::size_t size) const {
    if (question_.fairness == Fairness::kNone ||
        question_.fairness == Fairness::kStrongGlobal) {
      return true;
    }
    const bool is_weak = question_.fairness == Fairness::kWeakEvent ||
                         question_.fairness == Fairness::kWeakProcess;
    for (const auto& [party, count] : enabled) {
      if (!taken.contains(party) && (!is_weak || count == size)) return false;
    }
    return true;
  }

  const TableSystem& system_;
  const assertions::Temporal& question_;
  const ltl::Automaton& automaton_;
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> numbers_;
  std::vector<std::pair<std::size_t, std::uint32_t>> pairs_;
  std::vector<Step> steps_;
};

}  // namespace

std::optional<bool> has_fair_run(const TableSystem& system,
                                 const assertions::Temporal& question,
                                 const ltl::Automaton& automaton,
                                 std::size_t most) {
  Pairs pairs(system, question, automaton);
  if (!pairs.find(most)) return std::nullopt;
  return pairs.any_set_is_good();
}

}  // namespace plumb::oracle
