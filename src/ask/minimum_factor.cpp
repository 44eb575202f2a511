// SPDX-License-Identifier: Apache-2.0
#include "ask/minimum_factor.h"

#include <algorithm>

#include "base/input_error.h"

namespace plumb::ask {

namespace {

void set_factor(check::Condition& condition, const std::string& of,
                std::uint32_t factor) {
  const auto named =
      std::ranges::find(condition.classes, of, &check::ClassPattern::name);
  if (named != condition.classes.end()) {
    named->factor = factor;
  } else {
    condition.factors[of] = factor;
  }
}

}  // namespace

bool has_factors(const Subject& subject) {
  try {
    const Question question = subject.question();
    return question.property == Property::kCondition &&
           question.proof == Proof::kSearch &&
           !question.condition.transformed();
  } catch (const InputError&) {
    return true;  // to be told what is wrong with it
  }
}

Outcome find_minimum_factor(const Subject& subject, Question& question,
                            MinimumFactor& minimum, Budget& budget) {
  for (std::uint32_t factor = 0;; ++factor) {
    set_factor(question.condition, minimum.of, factor);
    Outcome outcome = subject.answer(question, budget);
    const check::Answer answer = outcome.found.answer;
    minimum.tried = factor;
    if (answer == check::Answer::kHolds) minimum.found = factor;
    minimum.refuted = answer == check::Answer::kViolated;
    if (!minimum.refuted || factor >= minimum.largest) return outcome;
  }
}

}  // namespace plumb::ask
