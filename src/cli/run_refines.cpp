// SPDX-License-Identifier: Apache-2.0
#include "cli/run_refines.h"

#include <utility>

#include "base/input_error.h"
#include "check/condition.h"
#include "check/relaxation.h"
#include "cli/unless_limited.h"
#include "lang/refinement.h"
#include "verify/refines.h"

namespace plumb::cli {

namespace {

lang::Comparison compile(const LoadedCheck& loaded,
                         const lang::Settings& settings) {
  try {
    return lang::compile_refinement(*loaded.module, *loaded.check, settings);
  } catch (const InputError& error) {
    reject_check(loaded, error);
  }
}

spec::SpecificationPtr relaxed(const LoadedCheck& loaded,
                               const lang::Side& side,
                               const lang::ComparedSpec& compared,
                               check::Construction construction) {
  if (side.relaxation.empty()) return compared.specification;
  try {
    return check::relaxed_for_models(compared.specification,
                                     check::parse_condition(side.relaxation),
                                     {compared.arguments}, construction);
  } catch (const InputError& error) {
    reject_check(loaded,
                 InputError(loaded.module->source->place(side.relaxation_span),
                            error.what(), error.hint()));
  }
}

std::string shown(const lang::Side& side) {
  return side.relaxation.empty() ? side.text
                                 : side.relaxation + ' ' + side.text;
}

report::Refutation refutation(const lang::Refinement& sides,
                              const spec::Specification& left,
                              const verify::Comparison& found) {
  report::Refutation out;
  out.left = shown(sides.left);
  out.right = shown(sides.right);
  for (const verify::SpecificationStep& step : found.sequence) {
    const spec::Signature& signature = left.operations()[step.call.code];
    report::Refutation::Step& one = out.sequence.emplace_back();
    one.operation = signature.name;
    one.has_argument = signature.argument != spec::Argument::kNone;
    one.has_result = signature.result != spec::Result::kNone;
    one.argument = step.call.argument;
    one.result = step.result;
  }
  out.possible = found.possible;
  return out;
}

}  // namespace

report::ModelResult run_refines(const LoadedCheck& loaded,
                                const lang::Settings& settings,
                                const HowToCheck& how, Budget budget) {
  const lang::Refinement& sides = *loaded.check->refinement;
  const lang::Comparison compared = compile(loaded, settings);
  const spec::SpecificationPtr left =
      relaxed(loaded, sides.left, compared.left, how.construction);
  const spec::SpecificationPtr right =
      relaxed(loaded, sides.right, compared.right, how.construction);
  report::ModelResult result = blank_result(loaded);
  result.specification = right;
  result.bounds = compared.bounds;
  verify::Comparison found;
  result.outcome = unless_limited([&] {
    found =
        verify::check_refines({*left, *right, compared.codes,
                               compared.left.arguments, compared.operations},
                              how.options, budget);
    return std::move(found.outcome);
  });
  label_construction(sides.left.relaxation + sides.right.relaxation,
                     how.construction, result);
  result.peak_memory_bytes = peak_resident_bytes();
  if (result.outcome.answer != check::Answer::kViolated) return result;
  result.refutation = refutation(sides, *left, found);
  result.outcome.reason = report::refutation_reason(*result.refutation);
  result.replay = command_for(loaded, settings);
  return result;
}

}  // namespace plumb::cli
