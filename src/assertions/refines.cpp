// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "assertions/assertions.h"
#include "assertions/pass.h"
#include "assertions/refinement.h"
#include "verify/evidence.h"
#include "verify/words.h"

namespace plumb::assertions {
namespace {

using check::Answer;
using explore::Tag;
using verify::EventFailure;
using End = verify::Search::End;

// What came of a search, in words.
class Report {
 public:
  Report(const lts::System& system, RefinementTags& tags,
         const verify::Search& search, Outcome& outcome)
      : system_(system), tags_(tags), search_(search), outcome_(outcome) {}

  void ended(End end) {
    switch (end) {
      case End::kComplete:
        outcome_ = verify::ended(system_, search_, end);
        break;
      case End::kFault:
        report_model_fault(system_, search_.path(), outcome_);
        break;
      case End::kEmpty:
        report_event();
        break;
      case End::kFound:
        report_offence();
        break;
      default:
        outcome_.reason = search_.limit();
    }
    outcome_.bounds_met =
        verify::complete_outcome(system_, search_.cut()).bounds_met;
  }

 private:
  Tag after(const lts::Path& path, std::size_t steps) {
    Tag tag = tags_.initial();
    for (std::size_t i = 0; i < steps; ++i) {
      tag = tags_.after(tag, path.labels[i]);
    }
    return tag;
  }
  EventFailure::Events labels(const SpecificationSets::EventSet& events) {
    EventFailure::Events out;
    for (const EventId event : events) out.push_back(tags_.events()[event]);
    return out;
  }

  void report_event() {
    lts::Path path = search_.path();
    const std::size_t size = path.size();
    const Tag before = after(path, size - 1);
    outcome_.failure = {
        EventFailure::Kind::kNotAllowed,
        {tags_.events()[tags_.events().number(path.labels.back())]},
        labels(tags_.sets().possible(before))};
    violated("", {std::move(path), size});
  }

  // The last state refuses too much, or diverges.
  void report_offence() {
    lts::Path path = search_.path();
    lts::Successors out;
    system_.successors(path.states.back(), out);
    const auto offered = tags_.offered(out);
    if (!offered.empty() && offered.front() == Events::kTau) {
      return report_divergence(std::move(path));
    }
    EventFailure failure{EventFailure::Kind::kRefused, {}, labels(offered)};
    SpecificationSets::EventSet refused;
    for (const auto& acceptance :
         tags_.sets().acceptances(after(path, path.size()))) {
      std::ranges::set_difference(acceptance, offered,
                                  std::back_inserter(refused));
      failure.accepted.push_back(labels(acceptance));
    }
    failure.events = labels(refused);
    outcome_.failure = std::move(failure);
    const std::size_t size = path.size();
    violated("", {std::move(path), size});
  }

  void report_divergence(lts::Path path) {
    LazyGraph& graph = tags_.graph();
    explore::StateId at = graph.add(path.states.back());
    const auto way = tags_.divergences().way(at);
    lts::Lasso lasso;
    lasso.path = std::move(path);
    lasso.back_to = lasso.path.size() + way.before_cycle;
    for (const std::uint64_t step : way.steps) {
      lasso.path.labels.push_back(graph.label(at, step));
      at = graph[step].target;
      const lts::StateView to = graph.state(at);
      lasso.path.states.emplace_back(to.begin(), to.end());
    }
    violated(
        "the implementation may take internal steps for ever, the "
        "specification may not",
        std::move(lasso));
  }

  void violated(std::string reason, lts::Lasso lasso) {
    if (!lts::is_run_of(lasso.path, system_)) {
      verify::fail("the evidence is not a run of the implementation");
    }
    // Beyond its bound the specification may allow what it does not seem to.
    const LazyGraph& specification = tags_.sets().graph();
    const auto bounds = specification.system().bounds();
    for (std::size_t b = 0; b < bounds.size() && b < 64; ++b) {
      if ((specification.cut() >> b & 1) == 0) continue;
      outcome_.hint = bounds[b].hint;
      outcome_.failure.reset();
      outcome_.reason = fmt::format(
          "the specification's bound of {} was reached", bounds[b].text);
      return;
    }
    outcome_.answer = Answer::kViolated;
    outcome_.reason = std::move(reason);
    if (lasso.back_to < lasso.path.size()) {
      outcome_.lasso = std::move(lasso);
    } else {
      outcome_.path = std::move(lasso.path);
    }
  }

  const lts::System& system_;
  RefinementTags& tags_;
  const verify::Search& search_;
  Outcome& outcome_;
};

void fill_statistics(const verify::Search& search, RefinementTags& tags,
                     verify::Statistics& figures) {
  search.add_to(figures);
  figures.transitions = search.transitions();
  figures.sets = tags.sets().size();
  figures.represented = 0;  // nothing was reduced by this search
  figures.store_bytes +=
      tags.sets().bytes() + tags.graph().bytes() + tags.divergences().bytes();
}

// Calls search(tags, limits, outcome), which may be stopped by tags.
template <typename F>
Outcome with_tags(const lts::System& implementation,
                  const lts::System& specification, Semantics semantics,
                  const Options& options, Budget& budget, F search) {
  const auto start = Budget::Clock::now();
  verify::SearchLimits limits = verify::limits_of(options);
  limits.uses_symmetry = false;
  limits.faults_last = true;
  Outcome outcome;
  try {
    RefinementTags tags(implementation, specification, semantics, options,
                        budget);
    search(tags, limits, outcome);
  } catch (const RefinementTags::Stopped& stopped) {
    outcome.reason = stopped.why;
  }
  const std::chrono::duration<double> taken = Budget::Clock::now() - start;
  outcome.statistics.seconds = taken.count();
  return outcome;
}

// Whatever stops it, there are figures.
void run(verify::Search& search, const lts::System& system,
         RefinementTags& tags, Outcome& outcome) {
  try {
    Report(system, tags, search, outcome).ended(search.run());
  } catch (const RefinementTags::Stopped& stopped) {
    outcome.reason = stopped.why;
  }
  fill_statistics(search, tags, outcome.statistics);
}

}  // namespace

Outcome refines(const lts::System& implementation,
                const lts::System& specification, Semantics semantics,
                const Options& options, Budget& budget) {
  Outcome outcome = with_tags(
      implementation, specification, semantics, options, budget,
      [&](RefinementTags& tags, verify::SearchLimits& limits, Outcome& found) {
        const Offence offence(tags);
        if (semantics != Semantics::kTraces) limits.watch = &offence;
        const auto search =
            verify::make_search({.system = implementation, .codes = {}},
                                options, tags, limits, budget);
        run(*search, implementation, tags, found);
      });
  outcome.statistics.method = "antichain";
  return outcome;
}

// The loop that PAT's published figures come from [LiuEtAl13]: what was found
// last is expanded first; and a pair that another one has come to stand for is
// expanded all the same, though it is not counted.
Outcome pat_refines(const lts::System& implementation,
                    const lts::System& specification, const Options& options,
                    Budget& budget) {
  Outcome outcome = with_tags(
      implementation, specification, Semantics::kTraces, options, budget,
      [&](RefinementTags& tags, verify::SearchLimits& limits, Outcome& found) {
        limits.order = Options::Order::kDepthFirst;
        limits.threads = 1;
        limits.last_first = true;
        verify::PairSearch search(implementation, tags, limits, budget);
        run(search, implementation, tags, found);
        found.statistics.states = search.pairs().hardest(tags);
      });
  outcome.statistics.method = "PAT's loop";
  return outcome;
}

}  // namespace plumb::assertions
