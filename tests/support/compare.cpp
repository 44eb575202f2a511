// SPDX-License-Identifier: Apache-2.0
#include "support/compare.h"

#include <array>
#include <utility>

#include "oracle/definition.h"
#include "oracle/judged.h"
#include "support/histories.h"
#include "support/random_conditions.h"
#include "support/random_histories.h"

namespace plumb::testing {

using check::Answer;
using check::Condition;
using check::Decider;
using history::History;
using history::Operation;

namespace {

constexpr std::array kDeciders = {std::pair(Decider::kAuto, "automatic"),
                                  std::pair(Decider::kGeneral, "general"),
                                  std::pair(Decider::kSpecial, "special")};

// A history as far as a condition can see it.
std::string key_of(const oracle::Judged& judged) {
  std::string key;
  const auto add = [&key](std::uint64_t word) {
    key.append(reinterpret_cast<const char*>(&word), sizeof word);
  };
  for (const Operation& operation : judged.operations) {
    add(operation.code * 2u + (operation.pending() ? 1u : 0u));
    add(operation.argument.word());
    add(operation.result.word());
  }
  for (const auto& row : judged.before) {
    for (const bool is_before : row) key += is_before ? '1' : '0';
  }
  return key;
}

}  // namespace

check::Verdict answer_of(Decider decider, const History& history,
                         const spec::Specification& object,
                         const Condition& condition) {
  Budget budget;
  check::Options options;
  options.decider = decider;
  return check::decide(history, object, condition, options, budget);
}

std::optional<std::string> dissenter(const History& history,
                                     const spec::Specification& object,
                                     const Condition& condition,
                                     bool expected) {
  for (const auto& [decider, name] : kDeciders) {
    const Answer answer = answer_of(decider, history, object, condition).answer;
    if (decider == Decider::kSpecial && answer == Answer::kUnknown) continue;
    if (answer == (expected ? Answer::kHolds : Answer::kViolated)) continue;
    return std::string("the ") + name + " decider says " +
           check::to_string(answer);
  }
  return std::nullopt;
}

std::string explain_dissent(const History& history,
                            const spec::Specification& object,
                            const Condition& condition) {
  const auto fails = [&](const History& smaller) {
    return dissenter(smaller, object, condition,
                     oracle::holds(smaller, object, condition))
        .has_value();
  };
  if (!fails(history)) return "(cannot be repeated)";
  const History small = shrink(history, fails);
  const bool expected = oracle::holds(small, object, condition);
  return object.name() + ", " + describe(condition) + ": the oracle says " +
         (expected ? "holds" : "violated") + ", " +
         *dissenter(small, object, condition, expected) + "\n" +
         picture(small, object);
}

bool RememberingOracle::holds(const History& history) {
  const auto judged = oracle::judged(history, condition_.order);
  const auto [entry, is_new] = answers_.try_emplace(key_of(judged), false);
  if (is_new) entry->second = oracle::holds(history, object_, condition_);
  return entry->second;
}

std::vector<Condition> with_all_factors(const Condition& base,
                                        const spec::Specification& object,
                                        std::uint32_t largest) {
  std::vector<Condition> conditions = {base};
  for (const spec::Signature& signature : object.operations()) {
    const std::vector<Condition> before = std::move(conditions);
    conditions.clear();
    for (Condition condition : before) {
      for (std::uint32_t factor = 0; factor <= largest; ++factor) {
        condition.factors[std::string(signature.name)] = factor;
        conditions.push_back(condition);
      }
    }
  }
  return conditions;
}

}  // namespace plumb::testing
