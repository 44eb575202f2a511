// SPDX-License-Identifier: Apache-2.0
#include "support/csp_subjects.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/input_error.h"
#include "csp/read.h"
#include "report/event_failure.h"
#include "report/trace.h"
#include "support/source_folder.h"

namespace plumb::testing {
namespace {

using assertions::Fairness;

std::filesystem::path folder_of_models() {
  return source_folder() / "examples" / "csp";
}

std::string steps_of(const lts::Path& path, const lts::System& system) {
  std::string words;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const lts::StepText step =
        system.explain(path.states[i], path.labels[i], path.states[i + 1]);
    words += fmt::format("\n  {} {} {}", step.line, step.statement,
                         report::words_of(step.effects));
  }
  return words + fmt::format("\n  {}", fmt::join(path.states.back(), " "));
}

std::string words_of(const ask::Outcome& outcome) {
  const verify::Outcome& found = outcome.found;
  const verify::Statistics& figures = found.statistics;
  std::string words = fmt::format(
      "{}: {}; {}; {}; {}; {} states, {} transitions, {} pairs, {} sets, {} of "
      "the specification, depth {}, by {}; {}",
      check::to_string(found.answer), found.reason, found.hint,
      fmt::join(found.details, ", "), fmt::join(outcome.notes, ", "),
      figures.states, figures.transitions, figures.pairs, figures.sets,
      figures.specification_states, figures.depth, figures.method,
      fmt::join(found.bounds_met, ", "));
  if (found.failure) {
    words += "\n  " + report::reason_of(*found.failure, {});
    words += fmt::format(
        "; {}", fmt::join(report::details_of(*found.failure, {}), "; "));
  }
  if (found.path) words += steps_of(*found.path, *outcome.system);
  if (found.lasso) {
    words += steps_of(found.lasso->path, *outcome.system) +
             fmt::format("\n  back to {}", found.lasso->back_to);
  }
  return words;
}

std::string verdict_of(const verify::Outcome& found) {
  std::string words = check::to_string(found.answer);
  if (found.path) words += fmt::format(", {} steps", found.path->size());
  if (found.lasso) words += fmt::format(", back to {}", found.lasso->back_to);
  if (found.answer != check::Answer::kHolds || found.path || found.lasso) {
    return words;
  }
  words += fmt::format(", {} states", found.statistics.states);
  // Pairs, and their transitions, depend on which of two sets came first.
  if (found.statistics.pairs != 0) return words;
  return words + fmt::format(", {} transitions", found.statistics.transitions);
}

void add_variants(const CspQuestion& plain, std::vector<CspQuestion>& all) {
  all.push_back(plain);
  CspQuestion bare = plain;
  bare.name += ", without reductions";
  bare.question.reductions = lts::Reductions::none();
  bare.question.keep_dead = true;
  all.push_back(bare);
  if (plain.question.property == ask::Property::kSatisfies) {
    for (const Fairness fairness :
         {Fairness::kWeakEvent, Fairness::kStrongProcess}) {
      CspQuestion fair = plain;
      fair.name += ", with fairness";
      fair.question.fairness = fairness;
      all.push_back(fair);
    }
  }
  if (plain.question.property == ask::Property::kRefines) {
    CspQuestion counted = plain;
    counted.name += ", as PAT does";
    counted.question.pat_counts = true;
    all.push_back(counted);
  }
}

}  // namespace

std::string CspQuestion::ask(const verify::Options& search,
                             Budget& budget) const {
  ask::Question asked = question;
  asked.search = search;
  try {
    return words_of(subject->answer(asked, budget));
  } catch (const InputError& error) {
    return std::string("error: ") + error.what();  // it has no such event
  }
}

std::string CspQuestion::verdict(const verify::Options& search,
                                 Budget& budget) const {
  ask::Question asked = question;
  asked.search = search;
  try {
    return verdict_of(subject->answer(asked, budget).found);
  } catch (const InputError& error) {
    return std::string("error: ") + error.what();  // it has no such event
  }
}

std::vector<CspQuestion> assertions_of(
    std::shared_ptr<const csp::Module> module) {
  std::vector<CspQuestion> all;
  for (const csp::Assertion& assertion : module->assertions) {
    const ask::SubjectPtr subject = ask::subject(module, assertion);
    all.push_back({assertion.text, subject, subject->question()});
  }
  return all;
}

std::vector<CspQuestion> questions_about_system(const std::string& model) {
  constexpr const char* kAsserted =
      "#define odd (x == 1);\n"
      "#assert System() nonterminating;\n"
      "#assert System() divergencefree;\n"
      "#assert System() deterministic;\n"
      "#assert System() reaches odd;\n"
      "#assert System() reaches odd with max(y);\n"
      "#assert System() |= [] e.0;\n"
      "#assert System() |= []<> odd;\n"
      "#assert System() |= <>[] h || []<> e.1;\n"
      "#assert System() refines System();\n"
      "#assert System() refines<F> D1();\n"
      "#assert System() refines<FD> System();\n";
  // The definitions that are refined must have no parameters.
  std::string text = model + kAsserted;
  if (text.find("\nD1() =") == std::string::npos) {
    text.replace(text.find("<F> D1()"), 8, "<F> System()");
  }
  std::vector<CspQuestion> all;
  for (const CspQuestion& one :
       assertions_of(csp::read_module("random", text, {}).module)) {
    add_variants(one, all);
  }
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
