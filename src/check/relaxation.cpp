// SPDX-License-Identifier: Apache-2.0
#include "check/relaxation.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/input_error.h"
#include "check/transformed.h"
#include "spec/relax.h"
#include "spec/relax_classes.h"
#include "spec/window.h"

namespace plumb::check {

namespace {

using history::History;
using history::Operation;
using spec::Argument;

void sort_and_dedup(std::vector<Value>& values) {
  std::sort(values.begin(), values.end(),
            [](Value a, Value b) { return compare(a, b) < 0; });
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

// The values that the history mentions.
struct Mentioned {
  Mentioned(const History& history, const spec::Specification& object);

  std::vector<Value> values;  // whole arguments, and results
  std::vector<Value> items;   // those, and what pairs consist of
  std::vector<Value> keys;    // parts of the object
  bool writes_null = false;   // by a pair
};

Mentioned::Mentioned(const History& history,
                     const spec::Specification& object) {
  for (const Operation& o : history.operations) {
    const spec::Signature& signature = object.operations()[o.code];
    if (const auto key = object.part(o.call())) keys.push_back(*key);
    if (signature.argument == Argument::kPair) {
      for (const Value item : o.argument.items()) items.push_back(item);
      writes_null |= o.argument.items().back().is_null();
    } else if (signature.argument != Argument::kNone) {
      values.push_back(o.argument);
    }
    if (signature.result == spec::Result::kValue && !o.result.is_null()) {
      values.push_back(o.result);
    }
  }
  items.insert(items.end(), values.begin(), values.end());
  for (auto* list : {&values, &items, &keys}) sort_and_dedup(*list);
}

Value unmentioned() {
  return Value::text("(any other value)");
}

// A cas may expect null and write it.  Under a key, null is what was there
// before anybody put something: nobody is taken to put it who does not.
std::vector<Value> pairs(const Mentioned& mentioned) {
  std::vector<Value> seconds = mentioned.items;
  seconds.push_back(unmentioned());
  std::erase_if(seconds, [](Value value) { return value.is_null(); });
  if (mentioned.keys.empty() || mentioned.writes_null) {
    seconds.push_back(Value());
  }
  const auto& firsts = mentioned.keys.empty() ? seconds : mentioned.keys;
  std::vector<Value> out;
  for (const Value first : firsts) {
    for (const Value second : seconds) {
      out.push_back(Value::list(std::array{first, second}));
    }
  }
  return out;
}

bool is_priority(Value value) {
  if (!value.is_list()) return value.is_number();
  return !value.items().empty() && value.items().front().is_number();
}

// Any argument that a further operation could have.
std::vector<Value> open_arguments(const spec::Signature& signature,
                                  const Mentioned& mentioned) {
  if (signature.argument == Argument::kPair) return pairs(mentioned);
  if (signature.argument == Argument::kPriority) {
    std::vector<Value> out = mentioned.items;
    std::erase_if(out, [](Value value) { return !is_priority(value); });
    if (out.empty()) out.push_back(Value::integer(0));
    return out;
  }
  std::vector<Value> out = mentioned.values;
  for (const Value item : mentioned.items) {
    // Null is what was there before anybody wrote: nobody is taken to write
    // it who does not.
    if (!item.is_null()) out.push_back(item);
  }
  out.push_back(unmentioned());
  return out;
}

// Those that operations of the history have.
std::vector<Value> closed_arguments(std::uint16_t code,
                                    const History& history) {
  std::vector<Value> out;
  for (const Operation& o : history.operations) {
    if (o.code == code) out.push_back(o.argument);
  }
  return out;
}

// Parts that are objects of their own are judged on their own: what happens to
// others makes no place.
void keep_parts(const spec::Specification& object, std::uint16_t code,
                const std::vector<Value>& parts,
                std::vector<Value>& arguments) {
  std::erase_if(arguments, [&](Value argument) {
    const auto part = object.part({code, argument});
    return !part || std::ranges::find(parts, *part) == parts.end();
  });
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

// Clients of a model have few values.  A class may be of others, which further
// operations may have: one of each kind that classes tell apart is enough.
void add_further(spec::Relaxation& relaxation,
                 const spec::Specification& base) {
  const spec::Classes classes(base, relaxation.classes);
  for (std::uint16_t code = 0; code < relaxation.arguments.size(); ++code) {
    auto& arguments = relaxation.arguments[code];
    const Argument kind = base.operations()[code].argument;
    if (!classes.relaxes(code) ||
        (kind != Argument::kValue && kind != Argument::kPriority)) {
      continue;
    }
    for (const Value value : spec::further_values(relaxation.classes)) {
      const bool is_new = std::ranges::none_of(
          arguments, [&](Value other) { return classes.alike(value, other); });
      if (is_new && value.is_integer()) arguments.push_back(value);
    }
  }
}

}  // namespace

spec::SpecificationPtr relaxed_object(const History& history,
                                      const spec::Specification& object,
                                      const Condition& condition) {
  const auto signatures = object.operations();
  Mentioned mentioned(history, object);
  spec::Relaxation relaxation;
  relaxation.closed = condition.closed;
  relaxation.classes = classes_of(condition, object);
  for (const Value value : spec::further_values(relaxation.classes)) {
    mentioned.items.push_back(value);
  }
  sort_and_dedup(mentioned.items);
  relaxation.arguments.resize(signatures.size());
  std::vector<bool> relaxed(signatures.size());
  for (const spec::RelaxedClass& one : relaxation.classes) {
    for (const auto& member : one.members) relaxed[member.code] = true;
  }
  for (std::uint16_t code = 0; code < signatures.size(); ++code) {
    if (!relaxed[code] && !object.parts_are_objects()) continue;
    auto& arguments = relaxation.arguments[code];
    if (signatures[code].argument == Argument::kNone) {
      arguments = {Value()};
    } else if (condition.closed || !relaxed[code]) {
      arguments = closed_arguments(code, history);
    } else {
      arguments = open_arguments(signatures[code], mentioned);
    }
    if (object.parts_are_objects()) {
      keep_parts(object, code, mentioned.keys, arguments);
    }
    sort_and_dedup(arguments);
  }
  return transformed_object(spec::relax(object, std::move(relaxation)),
                            condition);
}

spec::SpecificationPtr relaxed_for_models(spec::SpecificationPtr base,
                                          const Condition& condition,
                                          const Universe& universe,
                                          Construction construction) {
  require_factors_fit(condition, *base);
  if (!condition.quasi()) return transformed_object(base, condition);
  if (condition.literal()) {
    throw InputError("the literal reading of quasi(...) is for histories",
                     "models are judged in place: see docs/conditions.md");
  }
  spec::Relaxation relaxation;
  relaxation.classes = classes_of(condition, *base);
  relaxation.arguments = universe.arguments;
  add_further(relaxation, *base);
  for (auto& arguments : relaxation.arguments) sort_and_dedup(arguments);
  return transformed_object(
      construction == Construction::kWindow
          ? spec::window_for_models(std::move(base), std::move(relaxation))
          : spec::relax_for_models(std::move(base), std::move(relaxation)),
      condition);
}

}  // namespace plumb::check
