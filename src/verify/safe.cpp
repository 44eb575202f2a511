// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <optional>
#include <string>

#include "verify/configurations.h"
#include "verify/evidence.h"
#include "verify/outcome.h"
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
  const std::chrono::duration<double> taken = Budget::Clock::now() - start;
  outcome.statistics.seconds = taken.count();
  return outcome;
}

}  // namespace plumb::verify
