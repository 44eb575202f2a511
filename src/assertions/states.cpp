// SPDX-License-Identifier: Apache-2.0
// Properties that single states have or have not.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "assertions/assertions.h"
#include "assertions/names.h"
#include "assertions/pass.h"
#include "base/input_error.h"
#include "base/memory_ceiling.h"

namespace plumb::assertions {
namespace {

using check::Answer;
using explore::StateId;
using explore::Tag;
using lts::Label;
using lts::LabelKind;

// The end of a process and a deadlock may be the same state, reached in two
// ways: the tag says which.
class EndTags final : public explore::Tagging {
 public:
  static constexpr Tag kOther = 1, kEnded = 2;

  Tag initial() const override { return kOther; }
  std::optional<std::uint32_t> point(const Label&) const override { return 0; }
  Tag after(Tag, const Label& label) override {
    return label.kind == LabelKind::kTerminate ? kEnded : kOther;
  }
  bool is_harder(Tag tag, Tag other) override {
    return tag == kOther || tag == other;
  }
  std::string course() const override { return "ends"; }
  std::size_t size() const override { return kEnded; }
};

class Stuck final : public explore::Watch {
 public:
  bool is_found(lts::StateView, Tag tag,
                const lts::Successors& out) const override {
    return out.size() == 0 && out.cut == 0 && tag != EndTags::kEnded;
  }
};

Outcome look_for_stuck(const lts::System& system, explore::Tagging& tags,
                       const Options& options, Budget& budget) {
  const Stuck stuck;
  Pass pass(system, {tags, &stuck}, options, budget);
  if (pass.run() == Pass::End::kFound) {
    lts::Path path = pass.search().path();
    const bool terminated =
        path.size() != 0 && path.labels.back().kind == LabelKind::kTerminate;
    pass.decide(Answer::kViolated,
                terminated ? "the process may terminate"
                           : "no step is possible in the last state",
                std::move(path));
  }
  return pass.finish(0, "all states");
}

// Two visible steps of a state with the same name that lead to different
// states; nothing: there are none.
std::optional<std::size_t> ambiguous_step(const lts::Successors& out) {
  std::vector<std::pair<Label, std::size_t>> steps;
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Label& label = out.label(i);
    if (is_visible(label)) steps.push_back({name_of(label), i});
  }
  for (std::size_t i = 1; i < steps.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (steps[i].first == steps[j].first &&
          !std::ranges::equal(out.state(steps[i].second),
                              out.state(steps[j].second))) {
        return steps[j].second;
      }
    }
  }
  return std::nullopt;
}

class Ambiguous final : public explore::Watch {
 public:
  bool is_found(lts::StateView, Tag,
                const lts::Successors& out) const override {
    return ambiguous_step(out).has_value();
  }
};

class Satisfying final : public explore::Watch {
 public:
  explicit Satisfying(const StatePredicate& predicate)
      : predicate_(predicate) {}
  bool is_goal(lts::StateView state, Tag) const override {
    return predicate_(state);
  }

 private:
  const StatePredicate& predicate_;
};

// The nearest of the states with the best value among all that were found.
struct Best {
  StateId state = explore::kNoState;
  std::int64_t value = 0;
  bool is_nearest = true;
};

Best best_of(const Pass& pass, const StatePredicate& predicate,
             const Extreme& extreme, const Budget& budget) {
  const explore::SharedStore& states = pass.pairs().pairs().states();
  Best best;
  std::vector<bool> with_best(states.end());
  explore::StoreMark mark;
  // States that are read back from a file take memory until it is asked for.
  constexpr StateId kSome = 4096;
  for (const auto& [begin, end] : states.added_since(mark)) {
    for (StateId id = begin; id < end; ++id) {
      if (id % kSome == 0) budget.for_memory().spent_now();
      const lts::StateView state = pass.state(id);
      if (!predicate(state)) continue;
      const std::int64_t value = extreme.measure(state);
      const bool is_better =
          best.state == explore::kNoState ||
          (extreme.greatest ? value > best.value : value < best.value);
      if (is_better) {
        best = {id, value};
        with_best.assign(states.end(), false);
      }
      if (value == best.value) with_best[id] = true;
    }
  }
  if (best.state == explore::kNoState) return best;
  best.is_nearest =
      MemoryCeiling::has_room(states.end() * sizeof(std::uint32_t));
  if (best.is_nearest) best.state = pass.pairs().nearest_of(with_best);
  return best;
}

Outcome reaches_best(const lts::System& system, const StatePredicate& predicate,
                     const Extreme& extreme, const Options& options,
                     Budget& budget) {
  if (options.store != Options::Store::kExact) {
    throw InputError(
        "'--store compact' and '--store bitstate' keep too little of a state "
        "to tell which is best",
        "use --store exact");
  }
  explore::NoTags nothing;
  Pass pass(system, {nothing}, options, budget);
  const bool no_fault = pass.run() != Pass::End::kFault;
  const Best best = best_of(pass, predicate, extreme, budget);
  Outcome outcome = pass.finish(0, "all states");
  if (best.state == explore::kNoState) return outcome;
  outcome.details.push_back(fmt::format(
      "the {} value {} {}", extreme.greatest ? "greatest" : "least",
      outcome.answer == Answer::kHolds ? "is" : "so far is", best.value));
  if (no_fault) outcome.path = pass.pairs().path_to(best.state);
  if (!best.is_nearest) {
    outcome.details.push_back(
        "there may be a shorter run: there was no memory to look for it");
  }
  return outcome;
}

}  // namespace

Outcome deadlock_free(const lts::System& system, const Options& options,
                      Budget& budget) {
  EndTags tags;
  return look_for_stuck(system, tags, options, budget);
}

Outcome nonterminating(const lts::System& system, const Options& options,
                       Budget& budget) {
  explore::NoTags nothing;
  return look_for_stuck(system, nothing, options, budget);
}

Outcome deterministic(const lts::System& system, const Options& options,
                      Budget& budget) {
  explore::NoTags nothing;
  const Ambiguous ambiguous;
  Pass pass(system, {nothing, &ambiguous}, options, budget);
  if (pass.run() == Pass::End::kFound) {
    lts::Path path = pass.search().path();
    lts::Successors out;
    system.successors(path.states.back(), out);
    const std::size_t step = ambiguous_step(out).value();
    const lts::StateView to = out.state(step);
    path.labels.push_back(out.label(step));
    path.states.emplace_back(to.begin(), to.end());
    pass.decide(Answer::kViolated, "", std::move(path));
    pass.outcome().failure = {verify::EventFailure::Kind::kAmbiguous,
                              {name_of(out.label(step))}};
  }
  return pass.finish(0, "all states");
}

Outcome reaches(const lts::System& system, const StatePredicate& predicate,
                const std::optional<Extreme>& extreme, const Options& options,
                Budget& budget) {
  explore::NoTags nothing;
  const Satisfying satisfying(predicate);
  Outcome outcome;
  if (extreme) {
    outcome = reaches_best(system, predicate, *extreme, options, budget);
  } else {
    Pass pass(system, {nothing, &satisfying}, options, budget);
    const Pass::End end = pass.run();
    if (end == Pass::End::kFound) {
      pass.decide(Answer::kHolds, "", pass.search().path());
    }
    outcome = pass.finish(0, "all states");
    // What a search without a find means is said of violations.
    if (end == Pass::End::kComplete && !pass.search().meaning().empty()) {
      outcome.reason = "no such state was found, but some may be overlooked";
      outcome.hint = "--store exact overlooks none";
    }
  }
  if (outcome.answer == Answer::kHolds && !outcome.path) {
    outcome.answer = Answer::kViolated;
    outcome.reason = "no reachable state satisfies the condition";
  }
  return outcome;
}

}  // namespace plumb::assertions
