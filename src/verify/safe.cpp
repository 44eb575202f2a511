// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "verify/configurations.h"
#include "verify/evidence.h"
#include "verify/outcome.h"
#include "verify/pair_search.h"
#include "verify/search.h"
#include "verify/set_moves.h"

namespace plumb::verify {
namespace {

// An object that nobody calls.
class Nothing : public spec::Specification {
 public:
  std::string name() const override { return "nothing"; }
  std::span<const spec::Signature> operations() const override { return {}; }
  spec::State initial() const override { return {}; }
  void apply(const spec::State&, const spec::Call&,
             std::vector<spec::Outcome>&) const override {}
};

// Whatever the system does, nothing is asked of the specification.
class NoMoves : public SetMoves {
 public:
  explicit NoMoves(Members& members) : SetMoves(members) {}
  std::optional<std::uint32_t> point(const lts::Label&) const override {
    return std::nullopt;
  }
  std::string course() const override { return "nothing"; }

 private:
  SetId move(SetId set, const lts::Label&) override { return set; }
  bool compare(SetId set, SetId other) override { return set == other; }
};

// A shortest run of the whole system is shown if it is as near as this.
constexpr std::uint64_t kNearby = 200'000;

Outcome with_shortest(const Question& question, const Options& options,
                      Configurations& configurations, Budget& budget,
                      Outcome found) {
  if (found.answer != check::Answer::kViolated || !found.path ||
      question.reduced == nullptr ||
      options.order == Options::Order::kDepthFirst) {
    return found;
  }
  NoMoves moves(configurations);
  PairSearch search(question.system, moves, {.transitions = kNearby}, budget);
  const auto end = search.run();
  if (end != Search::End::kFault) return not_shortest(std::move(found));
  Outcome shortest = ended(question.system, search, end);
  if (shortest.path->size() >= found.path->size()) return found;
  shortest.statistics = found.statistics;
  return shortest;
}

}  // namespace

// An object is safe if no run of it takes a step that goes wrong.  Faults are
// ends of runs, so that one pass over the states decides.
Outcome check_safe(const Question& question, const Options& options,
                   Budget& budget) {
  const auto start = Budget::Clock::now();
  const Nothing nothing;
  SpecificationGraph graph(nothing, {});
  Configurations configurations(graph, question.system.processes());
  NoMoves moves(configurations);
  const auto search =
      make_search(question, options, moves, limits_of(options), budget);
  const auto end = search->run();
  Outcome outcome = ended(question.system, *search, end);
  search->add_to(outcome.statistics);
  outcome.statistics.pairs = 0;
  outcome.statistics.sets = 0;
  outcome.statistics.specification_states = 0;
  outcome = with_shortest(question, options, configurations, budget,
                          std::move(outcome));
  const std::chrono::duration<double> taken = Budget::Clock::now() - start;
  outcome.statistics.seconds = taken.count();
  return outcome;
}

}  // namespace plumb::verify
