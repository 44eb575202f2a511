// SPDX-License-Identifier: Apache-2.0
//
// More freedom never hurts: what holds with some factors holds with larger
// ones.  So the factors that hold are those above a border of minimal ones,
// and trying them by increasing sum finds each of the border before any
// factors that it covers.
#include "check/minimum_factor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/input_error.h"
#include "check/decide.h"

namespace plumb::check {

namespace {

bool covers(const Factors& small, const Factors& large) {
  return std::all_of(small.begin(), small.end(), [&](const auto& factor) {
    const auto found = large.find(factor.first);
    return found != large.end() && found->second >= factor.second;
  });
}

// All ways to spread `sum` over names[from..], added to `so_far`.
void spread(const std::vector<std::string>& names, std::size_t from,
            std::uint32_t sum, Factors& so_far, std::vector<Factors>& out) {
  if (from + 1 == names.size()) {
    Factors factors = so_far;
    if (sum > 0) factors[names[from]] = sum;
    out.push_back(std::move(factors));
    return;
  }
  for (std::uint32_t here = 0; here <= sum; ++here) {
    if (here > 0) so_far[names[from]] = here;
    spread(names, from + 1, sum - here, so_far, out);
  }
  so_far.erase(names[from]);
}

// All operations that may have factors of this kind.
std::vector<std::string> all_names(const spec::Specification& object,
                                   Relaxed kind) {
  const bool turns =
      kind == &Condition::out_of_order || kind == &Condition::late;
  std::vector<std::string> names;
  const auto signatures = object.operations();
  for (std::uint16_t code = 0; code < signatures.size(); ++code) {
    if (turns && !object.has_turns(code)) continue;
    names.emplace_back(signatures[code].name);
  }
  return names;
}

}  // namespace

Relaxed relaxed_by(const Condition& condition) {
  Relaxed kind = &Condition::factors;
  for (const Relaxed other :
       {&Condition::out_of_order, &Condition::late, &Condition::stuttering}) {
    if ((condition.*other).empty()) continue;
    if (kind != &Condition::factors || condition.says_quasi()) {
      throw InputError(
          fmt::format("the smallest factors of '{}' can be found for one "
                      "relaxation only",
                      condition.to_string()),
          "leave all but one of quasi, out_of_order, late and stuttering "
          "out");
    }
    kind = other;
  }
  return kind;
}

MinimumFactors minimum_factors(const history::History& history,
                               const spec::Specification& object,
                               const Condition& condition,
                               const std::vector<std::string>& operations,
                               std::uint32_t largest_sum, Budget& budget) {
  MinimumFactors out;
  out.kind = relaxed_by(condition);
  const std::vector<std::string> names =
      operations.empty() ? all_names(object, out.kind) : operations;
  for (std::uint32_t sum = 0; sum <= largest_sum && !out.complete; ++sum) {
    std::vector<Factors> candidates;
    Factors none;
    spread(names, 0, sum, none, candidates);
    out.complete = true;  // unless something is left that nothing covers
    for (const Factors& factors : candidates) {
      if (std::any_of(out.minimal.begin(), out.minimal.end(),
                      [&](const Factors& f) { return covers(f, factors); })) {
        continue;
      }
      Condition relaxed = condition;
      relaxed.classes.clear();
      relaxed.*out.kind = factors;
      const Verdict verdict = decide(history, object, relaxed, {}, budget);
      if (verdict.answer == Answer::kUnknown) {
        out.complete = false;
        out.reason = verdict.reason;
        return out;
      }
      if (verdict.answer == Answer::kHolds) {
        out.minimal.push_back(factors);
      } else {
        out.complete = false;
      }
    }
    out.tried_up_to = sum;
  }
  return out;
}

}  // namespace plumb::check
