// SPDX-License-Identifier: Apache-2.0
// Runs of a system from which dead values were taken, with these values.
#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "csp/model.h"

namespace plumb::csp {

namespace {

// LIMIT: of states of the whole system that one of the reduced system stands
// for in a run, and of rounds of a loop.
constexpr std::size_t kMostCandidates = 10'000;
constexpr std::size_t kMostTurns = 1'000;

// Goes along a run, layer by layer, with all states that it may be in.
class Unfolding {
 public:
  // Requires: `reduced` is a CspSystem.
  Unfolding(const lts::System& reduced, const lts::System& whole)
      : reduced_(static_cast<const CspSystem&>(reduced)), whole_(whole) {}

  bool start(lts::StateView first) {
    lts::StateBytes state = whole_.initial();
    if (!is_like(state, first)) return false;
    layers_.push_back({{std::move(state), {}, 0}});
    return true;
  }

  bool go(const lts::Label& label, lts::StateView after) {
    Layer next;
    std::set<lts::StateBytes> known;
    for (std::size_t from = 0; from < layers_.back().size(); ++from) {
      whole_.successors(layers_.back()[from].state, successors_);
      for (std::size_t i = 0; i < successors_.size(); ++i) {
        if (!(successors_.label(i) == label)) continue;
        const lts::StateView found = successors_.state(i);
        lts::StateBytes state(found.begin(), found.end());
        if (!is_like(state, after)) continue;
        if (!known.insert(state).second) continue;
        next.push_back({std::move(state), label, from});
        if (next.size() > kMostCandidates) return false;
      }
    }
    layers_.push_back(std::move(next));
    return !layers_.back().empty();
  }

  bool go(const lts::Path& path, std::size_t first, std::size_t end) {
    for (std::size_t i = first; i < end; ++i) {
      if (!go(path.labels[i], path.states[i + 1])) return false;
    }
    return true;
  }

  std::size_t steps() const { return layers_.size() - 1; }
  std::size_t candidates() const { return layers_.back().size(); }

  // That ends with candidate `last` of the last layer.
  lts::Path path(std::size_t last) const {
    lts::Path path;
    for (std::size_t i = layers_.size(); i-- > 0;) {
      const Reached& reached = layers_[i][last];
      path.states.push_back(reached.state);
      if (i > 0) path.labels.push_back(reached.label);
      last = reached.from;
    }
    std::reverse(path.states.begin(), path.states.end());
    std::reverse(path.labels.begin(), path.labels.end());
    return path;
  }

 private:
  struct Reached {
    lts::StateBytes state;
    lts::Label label;
    std::size_t from = 0;
  };
  using Layer = std::vector<Reached>;

  bool is_like(lts::StateView state, lts::StateView forgotten) const {
    return std::ranges::equal(reduced_.forgetting(state), forgotten);
  }

  const CspSystem& reduced_;
  const lts::System& whole_;
  lts::Successors successors_;
  std::vector<Layer> layers_;
};

}  // namespace

std::optional<lts::Path> Model::unfold(const lts::System& reduced,
                                       const lts::System& whole,
                                       const lts::Path& path) const {
  Unfolding run(reduced, whole);
  if (!run.start(path.states[0]) || !run.go(path, 0, path.size())) {
    return std::nullopt;
  }
  return run.path(0);
}

// There are finitely many states that the loop's first one stands for, so that
// one of them comes again.
std::optional<lts::Lasso> Model::unfold(const lts::System& reduced,
                                        const lts::System& whole,
                                        const lts::Lasso& lasso) const {
  const std::size_t length = lasso.path.size() - lasso.back_to;
  Unfolding run(reduced, whole);
  if (!run.start(lasso.path.states[0]) ||
      !run.go(lasso.path, 0, lasso.back_to)) {
    return std::nullopt;
  }
  lts::Lasso unfolded = lasso;
  if (length == 0) {
    unfolded.path = run.path(0);
    return unfolded;
  }
  for (std::size_t round = 0; round < kMostTurns; ++round) {
    if (!run.go(lasso.path, lasso.back_to, lasso.path.size())) break;
    for (std::size_t i = 0; i < run.candidates(); ++i) {
      unfolded.path = run.path(i);
      for (unfolded.back_to = lasso.back_to;
           unfolded.back_to < unfolded.path.size();
           unfolded.back_to += length) {
        if (unfolded.path.states[unfolded.back_to] ==
            unfolded.path.states.back()) {
          return unfolded;
        }
      }
    }
  }
  return std::nullopt;
}

}  // namespace plumb::csp
