// SPDX-License-Identifier: Apache-2.0
#include "ask/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/input_error.h"
#include "base/limit_error.h"
#include "check/decide.h"

namespace plumb::ask {

namespace {

[[noreturn]] void reject(const lang::Check& check, const std::string& what,
                         const std::string& hint) {
  throw InputError(check.source->place(check.property_span), what, hint);
}

bool relaxes(const check::Condition& condition, const std::string& operation) {
  const auto factor = condition.factors.find(operation);
  if (factor != condition.factors.end() && factor->second > 0) return true;
  return std::ranges::any_of(condition.classes, [&](const auto& one) {
    return std::ranges::any_of(one.members, [&](const auto& member) {
      return member.operation == operation;
    });
  });
}

// A take that found nothing is in no class, and nobody sees whether it did.
void refuse_silent_takes(const lang::Check& check, const lang::Model& model,
                         const check::Condition& condition) {
  for (const std::uint16_t code : model.silent_takes) {
    const std::string name(model.specification->operations()[code].name);
    if (!relaxes(condition, name)) continue;
    reject(check,
           fmt::format("'{}' returns nothing, so that nobody sees whether it "
                       "took something out",
                       name),
           "let it return what it takes, or give it no factor");
  }
}

}  // namespace

check::Condition condition_of(const lang::Check& check) {
  try {
    return check::parse_condition(check.property);
  } catch (const InputError& error) {
    reject(check, error.what(), error.hint());
  }
}

AskedCondition asked_condition(const lang::Check& check,
                               const lang::Model& model,
                               const check::Condition& condition,
                               check::Construction construction,
                               const Budget& budget) {
  if (!model.specification) {
    reject(check,
           fmt::format("'{}' implements nothing, so there is nothing that it "
                       "could be {} to",
                       check.object_name, check.property),
           "write 'object NAME implements SPECIFICATION'");
  }
  AskedCondition asked;
  asked.universe.arguments = model.arguments;
  asked.universe.largest_number = 8;  // see doubt()
  asked.condition = condition;
  try {
    refuse_silent_takes(check, model, asked.condition);
    check::require_factors_fit(asked.condition, *model.specification);
    asked.object =
        check::relaxed_for_models(model.specification, asked.condition,
                                  asked.universe, construction, budget);
  } catch (const InputError& error) {
    reject(check, error.what(), error.hint());
  }
  if (asked.condition.order == check::Order::kProgram &&
      check.operations == nullptr) {
    reject(check, "sequential consistency needs a bound on operations",
           "write '... with 2 processes, 2 operations;'");
  }
  return asked;
}

namespace {

bool is_explained(const history::History& history, const lang::Model& model,
                  const AskedCondition& asked, Budget& budget) {
  constexpr std::uint64_t kSteps = 300'000;
  Budget some = budget.with_steps(kSteps);
  try {
    return check::decide(history, *model.specification, asked.condition, {},
                         some)
               .answer == check::Answer::kHolds;
  } catch (const LimitError&) {
    return false;
  }
}

}  // namespace

Doubt doubt(const history::History& history, const lang::Model& model,
            check::Construction construction, Budget& budget,
            AskedCondition& asked) {
  constexpr std::int64_t kLargest = 1000;
  const spec::Specification& base = *model.specification;
  if (!asked.condition.quasi()) return Doubt::kNone;
  check::Universe& universe = asked.universe;
  if (!check::add_results(history, base, asked.condition, universe)) {
    if (construction == check::Construction::kWindow ||
        !base.takes_any_value() ||
        !is_explained(history, model, asked, budget)) {
      return Doubt::kNone;
    }
    // By a number, perhaps, that a pending call would be told.
    if (*universe.largest_number > kLargest) return Doubt::kExplained;
    *universe.largest_number *= 4;
  }
  asked.object = check::relaxed_for_models(model.specification, asked.condition,
                                           universe, construction, budget);
  return Doubt::kAskAgain;
}

verify::Busy busy_bound(const lang::Check& check, const lang::Model& model,
                        check::Order order) {
  if (order != check::Order::kQuiescent &&
      order != check::Order::kQuiescentAndProgram) {
    return {};
  }
  if (model.busy > 0) return {.most = model.busy, .by_user = true};
  if (check.operations != nullptr) return {};
  return verify::Busy::by_default(model.system->processes());
}

}  // namespace plumb::ask
