// SPDX-License-Identifier: Apache-2.0
#include "oracle/runs.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace plumb::oracle {
namespace {

using assertions::Fairness;
using lts::Label;
using lts::LabelKind;
using lts::StateBytes;

struct Move {
  Label label;
  StateBytes to;
};

std::vector<Move> moves_of(const lts::System& system, const StateBytes& from) {
  lts::Successors out;
  system.successors(from, out);
  std::vector<Move> moves;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out.label(i).kind == LabelKind::kFault) continue;
    const lts::StateView to = out.state(i);
    moves.push_back({out.label(i), StateBytes(to.begin(), to.end())});
  }
  return moves;
}

class Walk {
 public:
  Walk(const lts::System& system, std::size_t most,
       const std::function<bool(const lts::Lasso&)>& use)
      : system_(system), most_(most), use_(use) {
    lasso_.path.states = {system.initial()};
  }

  bool go() {
    lts::Path& path = lasso_.path;
    const StateBytes here = path.states.back();
    const auto moves = moves_of(system_, here);
    if (moves.empty()) {
      lasso_.back_to = path.size();
      return use_(lasso_);
    }
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path.states[i] != here) continue;
      lasso_.back_to = i;
      if (!use_(lasso_)) return false;
    }
    if (path.size() == most_) return true;
    for (const Move& move : moves) {
      path.labels.push_back(move.label);
      path.states.push_back(move.to);
      if (!go()) return false;
      path.labels.pop_back();
      path.states.pop_back();
    }
    return true;
  }

 private:
  const lts::System& system_;
  const std::size_t most_;
  const std::function<bool(const lts::Lasso&)>& use_;
  lts::Lasso lasso_;
};

bool is_globally_fair(const lts::Lasso& lasso, const lts::System& system) {
  const lts::Path& path = lasso.path;
  for (std::size_t at = lasso.back_to; at < path.size(); ++at) {
    for (const Move& move : moves_of(system, path.states[at])) {
      bool taken = false;
      for (std::size_t i = lasso.back_to; i < path.size(); ++i) {
        taken |= path.states[i] == path.states[at] &&
                 path.labels[i] == move.label && path.states[i + 1] == move.to;
      }
      if (!taken) return false;
    }
  }
  return true;
}

}  // namespace

std::set<std::string> parties(const lts::System& system, const Label& label,
                              Fairness fairness) {
  std::set<std::string> names;
  if (fairness == Fairness::kWeakProcess ||
      fairness == Fairness::kStrongProcess) {
    for (std::size_t p = 0; p < 64; ++p) {
      if (system.actors(label) >> p & 1) names.insert(std::to_string(p));
    }
  } else if (label.kind == LabelKind::kInternal) {
    names.insert("tau " + std::to_string(label.edge));
  } else {
    names.insert(label.kind == LabelKind::kTerminate
                     ? "terminate"
                     : "event " + label.value.to_string());
  }
  return names;
}

void each_lasso(const lts::System& system, std::size_t most,
                const std::function<bool(const lts::Lasso&)>& use) {
  Walk(system, most, use).go();
}

ltl::Word word_of(const lts::Lasso& lasso,
                  const std::vector<assertions::Proposition>& atoms) {
  const lts::Path& path = lasso.path;
  ltl::Word word;
  const auto add = [&](const StateBytes& state, const Label* before) {
    ltl::Letter letter = 0;
    for (std::size_t i = 0; i < atoms.size(); ++i) {
      const bool holds = atoms[i].in_state
                             ? atoms[i].in_state(state)
                             : before != nullptr && atoms[i].at_step(*before);
      if (holds) letter |= ltl::Letter{1} << i;
    }
    word.letters.push_back(letter);
  };
  add(path.states[0], nullptr);
  for (std::size_t i = 0; i < path.size(); ++i) {
    add(path.states[i + 1], &path.labels[i]);
  }
  if (lasso.back_to == path.size()) {
    add(path.states.back(), nullptr);
    word.loop_to = word.letters.size() - 1;
    return word;
  }
  // Once more around, so that the first moment of the cycle has been reached
  // by its last step.
  word.loop_to = word.letters.size();
  for (std::size_t i = lasso.back_to; i < path.size(); ++i) {
    add(path.states[i + 1], &path.labels[i]);
  }
  return word;
}

bool is_fair(const lts::Lasso& lasso, const lts::System& system,
             Fairness fairness) {
  const lts::Path& path = lasso.path;
  if (fairness == Fairness::kNone || lasso.back_to == path.size()) return true;
  if (fairness == Fairness::kStrongGlobal) {
    return is_globally_fair(lasso, system);
  }
  const bool is_weak =
      fairness == Fairness::kWeakEvent || fairness == Fairness::kWeakProcess;
  const std::size_t length = path.size() - lasso.back_to;
  std::map<std::string, std::size_t> enabled;  // in how many states
  std::set<std::string> taken;
  for (std::size_t at = lasso.back_to; at < path.size(); ++at) {
    taken.merge(parties(system, path.labels[at], fairness));
    std::set<std::string> here;
    for (const Move& move : moves_of(system, path.states[at])) {
      here.merge(parties(system, move.label, fairness));
    }
    for (const std::string& party : here) ++enabled[party];
  }
  for (const auto& [party, count] : enabled) {
    if (taken.contains(party)) continue;
    if (!is_weak || count == length) return false;
  }
  return true;
}

}  // namespace plumb::oracle
