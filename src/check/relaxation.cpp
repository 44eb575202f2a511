// SPDX-License-Identifier: Apache-2.0
#include "check/relaxation.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/input_error.h"
#include "check/further_arguments.h"
#include "check/transformed.h"
#include "spec/relax.h"
#include "spec/relax_classes.h"
#include "spec/window.h"

namespace plumb::check {

namespace {

using history::History;
using history::Operation;
using spec::Argument;

// Those that operations of the history have.
std::vector<std::vector<Value>> called_arguments(
    const History& history, const spec::Specification& object) {
  std::vector<std::vector<Value>> out(object.operations().size());
  for (const Operation& o : history.operations) {
    const Argument kind = object.operations()[o.code].argument;
    out[o.code].push_back(kind == Argument::kNone ? Value() : o.argument);
  }
  return out;
}

std::optional<spec::Range> range_of(const std::optional<ValueRange>& range) {
  if (!range) return std::nullopt;
  return spec::Range{range->lowest, range->highest};
}

// Requires: the condition fits `object`.
std::vector<spec::RelaxedClass> classes_of(const Condition& condition,
                                           const spec::Specification& object) {
  std::vector<spec::RelaxedClass> classes;
  for (const auto& [name, factor] : condition.factors) {
    const auto code = find_operation(object, name);
    if (!code) continue;
    classes.push_back({factor, {{*code, std::nullopt, std::nullopt}}});
  }
  for (const ClassPattern& pattern : condition.classes) {
    spec::RelaxedClass& one = classes.emplace_back();
    one.factor = pattern.factor;
    for (const MemberPattern& member : pattern.members) {
      const auto code = find_operation(object, member.operation);
      if (!code) continue;
      one.members.push_back(
          {*code, range_of(member.argument), range_of(member.result)});
    }
  }
  return classes;
}

Mentioned mentioned_by(const History& history,
                       const spec::Specification& object) {
  Mentioned mentioned(object);
  for (const Operation& o : history.operations) {
    mentioned.add_call(o.code, o.argument);
    mentioned.add_result(o.code, o.result);
  }
  mentioned.finish();
  return mentioned;
}

Mentioned mentioned_by(const Universe& universe,
                       const spec::Specification& object) {
  Mentioned mentioned(object);
  for (std::uint16_t code = 0; code < universe.arguments.size(); ++code) {
    for (const Value argument : universe.arguments[code]) {
      mentioned.add_call(code, argument);
    }
  }
  for (const Value value : universe.results) mentioned.add_value(value);
  mentioned.finish();
  return mentioned;
}

// A specification that a user wrote takes some values only: those of the
// clients, what the object gave, and one of each kind that classes tell apart
// are tried.
std::vector<std::vector<Value>> own_arguments(
    const std::vector<spec::RelaxedClass>& relaxed, const Universe& universe,
    const spec::Specification& base) {
  const spec::Classes classes(base, relaxed);
  std::vector<std::vector<Value>> out(universe.arguments.size());
  for (std::uint16_t code = 0; code < out.size(); ++code) {
    if (!classes.relaxes(code) ||
        base.operations()[code].argument != Argument::kValue) {
      continue;
    }
    out[code] = universe.results;
    for (const spec::Range& range : classes.ranges()) {
      for (const auto& [end, outwards] :
           {std::pair{range.lowest, -1}, {range.highest, 1}}) {
        if (!end.is_integer()) continue;
        for (const int step : {0, outwards}) {
          const Value value = Value::integer(end.as_integer() + step);
          const auto alike = [&](Value one) {
            return classes.alike(one, value);
          };
          if (std::ranges::none_of(universe.arguments[code], alike) &&
              std::ranges::none_of(out[code], alike)) {
            out[code].push_back(value);
          }
        }
      }
    }
  }
  return out;
}

// `further` where something is relaxed, and `called`, in order.
void set_arguments(std::vector<std::vector<Value>> further,
                   const std::vector<std::vector<Value>>& called,
                   spec::Relaxation& relaxation) {
  relaxation.arguments = std::move(further);
  relaxation.arguments.resize(called.size());
  for (std::size_t code = 0; code < called.size(); ++code) {
    auto& arguments = relaxation.arguments[code];
    arguments.insert(arguments.end(), called[code].begin(), called[code].end());
    sort_and_dedup(arguments);
  }
}

}  // namespace

spec::SpecificationPtr relaxed_object(const History& history,
                                      const spec::Specification& object,
                                      const Condition& condition,
                                      const Budget& budget) {
  spec::Relaxation relaxation;
  relaxation.budget = budget;
  relaxation.closed = condition.closed;
  relaxation.classes = classes_of(condition, object);
  std::vector<std::vector<Value>> further;
  if (!condition.closed) {
    further = further_arguments(relaxation.classes,
                                mentioned_by(history, object), history.size());
  }
  set_arguments(std::move(further), called_arguments(history, object),
                relaxation);
  return transformed_object(spec::relax(object, std::move(relaxation)),
                            condition);
}

bool add_results(const History& history, const spec::Specification& base,
                 const Condition& condition, Universe& universe) {
  if (!condition.quasi()) return false;
  const spec::Classes classes(base, classes_of(condition, base));
  bool has_arguments = false;
  bool has_numbers = false;
  for (std::uint16_t code = 0; code < base.operations().size(); ++code) {
    if (!classes.relaxes(code)) continue;
    const spec::Signature& signature = base.operations()[code];
    has_arguments |= signature.argument != Argument::kNone;
    has_numbers |=
        signature.result == spec::Result::kInteger && universe.largest_number;
  }
  const Mentioned mentioned = mentioned_by(universe, base);
  bool added = false;
  for (const Operation& given : history.operations) {
    const auto value = given.observed();
    if (!value || value->is_null()) continue;
    const spec::Result kind = base.operations()[given.code].result;
    if (has_arguments && kind == spec::Result::kValue &&
        !mentioned.speaks_of(*value)) {
      universe.results.push_back(*value);
      added = true;
    }
    if (has_numbers && kind == spec::Result::kInteger && value->is_integer() &&
        value->as_integer() > *universe.largest_number) {
      universe.largest_number = value->as_integer();
      added = true;
    }
  }
  sort_and_dedup(universe.results);
  return added;
}

spec::SpecificationPtr relaxed_for_models(spec::SpecificationPtr base,
                                          const Condition& condition,
                                          const Universe& universe,
                                          Construction construction,
                                          const Budget& budget) {
  require_factors_fit(condition, *base);
  if (!condition.quasi()) return transformed_object(base, condition);
  if (condition.literal()) {
    throw InputError("the literal reading of quasi(...) is for histories",
                     "models are judged in place: see docs/conditions.md");
  }
  spec::Relaxation relaxation;
  relaxation.budget = budget;
  relaxation.classes = classes_of(condition, *base);
  relaxation.largest_number = universe.largest_number;
  set_arguments(
      base->takes_any_value()
          ? further_arguments(relaxation.classes, mentioned_by(universe, *base))
          : own_arguments(relaxation.classes, universe, *base),
      universe.arguments, relaxation);
  return transformed_object(
      construction == Construction::kWindow
          ? spec::window_for_models(std::move(base), std::move(relaxation))
          : spec::relax_for_models(std::move(base), std::move(relaxation)),
      condition);
}

}  // namespace plumb::check
