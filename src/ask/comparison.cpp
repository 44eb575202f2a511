// SPDX-License-Identifier: Apache-2.0
#include "ask/comparison.h"

#include <utility>

#include "ask/unless_limited.h"
#include "base/input_error.h"
#include "check/condition.h"
#include "check/relaxation.h"
#include "lang/refinement.h"
#include "verify/refines.h"

namespace plumb::ask {

namespace {

struct Relaxed {
  spec::SpecificationPtr object;
  bool says_quasi = false;
};

Relaxed relaxed(const lang::Check& check, const lang::Side& side,
                const lang::ComparedSpec& compared,
                check::Construction construction, const Budget& budget) {
  if (side.relaxation.empty()) return {compared.specification};
  try {
    const check::Condition condition = check::parse_condition(side.relaxation);
    return {
        check::relaxed_for_models(compared.specification, condition,
                                  {compared.arguments}, construction, budget),
        condition.says_quasi()};
  } catch (const InputError& error) {
    throw InputError(check.source->place(side.relaxation_span), error.what(),
                     error.hint());
  }
}

std::string shown(const lang::Side& side) {
  return side.relaxation.empty() ? side.text
                                 : side.relaxation + ' ' + side.text;
}

}  // namespace

Outcome compare(const lang::Module& module, const lang::Check& check,
                const lang::Settings& settings, const Question& question,
                Budget& budget) {
  const lang::Refinement& sides = *check.refinement;
  const lang::Comparison compared =
      lang::compile_refinement(module, check, settings);
  const Relaxed left =
      relaxed(check, sides.left, compared.left, question.construction, budget);
  const Relaxed right = relaxed(check, sides.right, compared.right,
                                question.construction, budget);
  Outcome out;
  out.specification = right.object;
  out.bounds = compared.bounds;
  out.by_windows = question.construction == check::Construction::kWindow &&
                   (left.says_quasi || right.says_quasi);
  verify::Comparison found;
  out.found = unless_limited([&] {
    found =
        verify::check_refines({*left.object, *right.object, compared.codes,
                               compared.left.arguments, compared.operations},
                              question.search, budget);
    return std::move(found.outcome);
  });
  if (out.found.answer != check::Answer::kViolated) return out;
  out.refutation =
      Refutation{left.object, shown(sides.left), shown(sides.right),
                 std::move(found.sequence), std::move(found.possible)};
  return out;
}

}  // namespace plumb::ask
