// SPDX-License-Identifier: Apache-2.0
#include "support/csp_questions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>
#include <utility>

#include "csp/read.h"
#include "ltl/parse.h"
#include "support/random_formulas.h"
#include "support/source_folder.h"

namespace plumb::testing {
namespace {

using assertions::Fairness;
using assertions::Options;
using assertions::Outcome;
using assertions::Semantics;
using csp::AssertionKind;

std::filesystem::path folder_of_models() {
  return testing::source_folder() / "examples" / "csp";
}

std::string steps_of(const lts::Path& path, const lts::System& system) {
  std::string words;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const lts::StepText step =
        system.explain(path.states[i], path.labels[i], path.states[i + 1]);
    words += fmt::format("\n  {} {} {}", step.line, step.statement,
                         fmt::join(step.effects, ", "));
  }
  return words + fmt::format("\n  {}", fmt::join(path.states.back(), " "));
}

using ModelPtr = std::shared_ptr<const csp::Module>;
using Ask = std::function<Outcome(const csp::Model&, const lts::System&,
                                  const Options&, Budget&)>;

// A new model each time: what is numbered during a search is numbered anew.
CspQuestion question(std::string name, ModelPtr module, csp::Process subject,
                     Ask ask) {
  return {std::move(name),
          [module, subject, ask](const Options& options, Budget& budget) {
            const csp::Model model(module, {});
            const auto system = model.system(subject);
            return words_of(ask(model, *system, options, budget), *system);
          }};
}

assertions::Proposition meaning_of(const csp::Model& model,
                                   const ltl::Atom& atom) {
  const auto& known = model.module().propositions;
  for (std::uint32_t i = 0; i < known.size(); ++i) {
    if (known[i].name != atom.text) continue;
    return {[&model, i](lts::StateView state) { return model.holds(i, state); },
            nullptr};
  }
  const Value value = Value::text(atom.text);
  return {nullptr, [value](const lts::Label& label) {
            return label.kind == lts::LabelKind::kEvent && label.value == value;
          }};
}

Outcome satisfies(const csp::Model& model, const lts::System& system,
                  const ltl::Property& property, Fairness fairness,
                  const Options& options, Budget& budget) {
  assertions::Temporal temporal;
  temporal.formula = property.formula;
  temporal.fairness = fairness;
  for (const ltl::Atom& atom : property.atoms) {
    temporal.atoms.push_back(meaning_of(model, atom));
  }
  return assertions::satisfies(system, temporal, options, budget);
}

// Without the choice of initial values, as the tool does it.
Outcome refines(const csp::Model& model, const csp::Assertion& assertion,
                const Options& options, Budget& budget) {
  Outcome outcome;
  for (std::size_t i = 0; i < model.initial_valuations(); ++i) {
    const auto left = model.system(*assertion.subject, {}, i);
    const auto right = model.system(*assertion.other, {}, i);
    outcome = assertions::refines(
        *left, *right,
        assertion.model == csp::Behaviours::kTraces ? Semantics::kTraces
        : assertion.model == csp::Behaviours::kFailures
            ? Semantics::kFailures
            : Semantics::kFailuresDivergences,
        options, budget);
    if (outcome.answer != check::Answer::kHolds) break;
  }
  return outcome;
}

Ask ask_of(const csp::Assertion& assertion) {
  return [&assertion](const csp::Model& model, const lts::System& system,
                      const Options& options, Budget& budget) {
    switch (assertion.kind) {
      case AssertionKind::kDeadlockFree:
        return assertions::deadlock_free(system, options, budget);
      case AssertionKind::kDivergenceFree:
        return assertions::divergence_free(system, options, budget);
      case AssertionKind::kDeterministic:
        return assertions::deterministic(system, options, budget);
      case AssertionKind::kNonterminating:
        return assertions::nonterminating(system, options, budget);
      case AssertionKind::kReaches:
        return assertions::reaches(
            system,
            [&](lts::StateView state) {
              return model.holds(assertion.proposition, state);
            },
            std::nullopt, options, budget);
      case AssertionKind::kSatisfies:
        return satisfies(
            model, system,
            ltl::parse(*model.module().source, assertion.formula_span),
            Fairness::kNone, options, budget);
      default:
        return refines(model, assertion, options, budget);
    }
  };
}

csp::Process system_of(const csp::Module& module) {
  csp::Process reference;
  reference.kind = csp::ProcessKind::kReference;
  for (std::size_t i = 0; i < module.processes.size(); ++i) {
    if (module.processes[i].name != "System") continue;
    reference.number = static_cast<std::uint32_t>(i);
  }
  return reference;
}

int sum_of(lts::StateView state) {
  return std::accumulate(state.begin(), state.end(), 0);
}

}  // namespace

std::string words_of(const Outcome& outcome, const lts::System& system) {
  const verify::Statistics& figures = outcome.statistics;
  std::string words = fmt::format(
      "{}: {}; {}; {}; {} states, {} transitions, {} pairs, {} sets, {} of the "
      "specification, depth {}, by {}; {}",
      check::to_string(outcome.answer), outcome.reason, outcome.hint,
      fmt::join(outcome.details, ", "), figures.states, figures.transitions,
      figures.pairs, figures.sets, figures.specification_states, figures.depth,
      figures.method, fmt::join(outcome.bounds_met, ", "));
  if (outcome.path) words += steps_of(*outcome.path, system);
  if (outcome.lasso) {
    words += steps_of(outcome.lasso->path, system) +
             fmt::format("\n  back to {}", outcome.lasso->back_to);
  }
  return words;
}

std::vector<CspQuestion> assertions_of(ModelPtr module) {
  std::vector<CspQuestion> all;
  for (const csp::Assertion& assertion : module->assertions) {
    all.push_back(question(assertion.text, module, *assertion.subject,
                           ask_of(assertion)));
  }
  return all;
}

std::vector<CspQuestion> questions_about_system(ModelPtr module) {
  const csp::Process subject = system_of(*module);
  std::vector<CspQuestion> all;
  const auto add = [&](const char* name, Ask ask) {
    all.push_back(question(name, module, subject, std::move(ask)));
  };
  using Model = csp::Model;
  using System = lts::System;
  using Simple = Outcome (*)(const System&, const Options&, Budget&);
  const std::pair<const char*, Simple> simple[] = {
      {"deadlockfree", assertions::deadlock_free},
      {"nonterminating", assertions::nonterminating},
      {"divergencefree", assertions::divergence_free},
      {"deterministic", assertions::deterministic}};
  for (const auto& [name, ask] : simple) {
    add(name, [ask = ask](const Model&, const System& system, const Options& o,
                          Budget& b) { return ask(system, o, b); });
  }
  add("greatest",
      [](const Model&, const System& system, const Options& o, Budget& b) {
        return assertions::reaches(
            system, [](lts::StateView state) { return sum_of(state) % 3 != 0; },
            assertions::Extreme{true, sum_of}, o, b);
      });
  for (const Fairness fairness :
       {Fairness::kNone, Fairness::kWeakEvent, Fairness::kStrongProcess}) {
    for (const char* text : {"[] a.0", "[]<> a.0", "<>[] b.1 || []<> a.1"}) {
      add(text, [=](const Model& model, const System& system, const Options& o,
                    Budget& b) {
        return satisfies(model, system, formula(text), fairness, o, b);
      });
    }
  }
  for (const Semantics semantics : {Semantics::kTraces, Semantics::kFailures,
                                    Semantics::kFailuresDivergences}) {
    add("refines itself",
        [=](const Model&, const System& system, const Options& o, Budget& b) {
          return assertions::refines(system, system, semantics, o, b);
        });
  }
  add("refines as PAT",
      [](const Model&, const System& system, const Options& o, Budget& b) {
        return assertions::pat_refines(system, system, o, b);
      });
  return all;
}

std::shared_ptr<const csp::Module> shipped_csp_model(const std::string& name) {
  std::ifstream file(folder_of_models() / (name + ".csp"));
  std::ostringstream text;
  text << file.rdbuf();
  return csp::read_module(name, text.str(), {}).module;
}

std::vector<std::string> shipped_csp_models() {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(folder_of_models())) {
    if (entry.path().extension() == ".csp") {
      names.push_back(entry.path().stem().string());
    }
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace plumb::testing
