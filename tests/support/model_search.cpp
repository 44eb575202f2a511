// SPDX-License-Identifier: Apache-2.0
#include "support/model_search.h"

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>

#include "lang/parse.h"
#include "lang/reduce.h"
#include "support/source_folder.h"
#include "verify/exact_moves.h"
#include "verify/point_moves.h"

namespace plumb::testing {

std::string shipped_text(const std::string& name) {
  std::ifstream file(source_folder() / "examples" / "models" /
                     (name + ".plumb"));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

SearchedModel::SearchedModel(const std::string& text,
                             const lts::Reductions& reductions) {
  lang::Reading reading = lang::read_model("model.plumb", text);
  if (!reading.errors.empty()) {
    std::cerr << reading.errors.front().what() << "\n" << text;
    std::abort();
  }
  module_ = std::move(reading.module);
  model_ = lang::compile(*module_, module_->checks.back(), {});
  reduced_ = lang::reduce(model_, model_.specification.get(), reductions);
}

namespace {

// The last ones first.
void meet_calls(const lts::System& system, verify::SpecificationGraph& graph) {
  lts::Label label;
  label.kind = lts::LabelKind::kInvoke;
  for (std::size_t i = system.operations().size(); i-- > 0;) {
    label.operation = static_cast<std::uint16_t>(i);
    label.value = Value();
    graph.call(label);
    for (std::int64_t number = 5; number-- > 0;) {
      label.value = Value::integer(number);
      graph.call(label);
    }
  }
}

}  // namespace

SearchedModel::Found SearchedModel::search(const How& how) const {
  verify::SpecificationGraph graph(*model_.specification, model_.codes);
  verify::Configurations all(graph, system().processes());
  if (how.in_other_order) meet_calls(system(), graph);
  Budget unlimited, budget = how.budget;
  std::unique_ptr<verify::SetMoves> moves;
  if (how.exact) {
    moves = std::make_unique<verify::ExactMoves>(all, unlimited);
  } else {
    moves = std::make_unique<verify::PointMoves>(all, how.policy);
  }
  verify::PairSearch search(system(), reduced(), *moves, how.limits, budget);
  Found found;
  found.end = search.run();
  found.work = search.transitions();
  search.add_to(found.statistics);
  using End = verify::Search::End;
  if (found.end == End::kEmpty || found.end == End::kFault) {
    found.path = search.path();
  }
  return found;
}

}  // namespace plumb::testing
