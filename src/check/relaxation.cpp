// SPDX-License-Identifier: Apache-2.0
#include "check/relaxation.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "spec/relax.h"

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
};

Mentioned::Mentioned(const History& history,
                     const spec::Specification& object) {
  for (const Operation& o : history.operations) {
    const spec::Signature& signature = object.operations()[o.code];
    if (const auto key = object.part(o.call())) keys.push_back(*key);
    if (signature.argument == Argument::kPair) {
      for (const Value item : o.argument.items()) items.push_back(item);
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

std::vector<Value> pairs(const Mentioned& mentioned) {
  std::vector<Value> items = mentioned.items;
  items.push_back(Value());
  items.push_back(unmentioned());
  const auto& firsts = mentioned.keys.empty() ? items : mentioned.keys;
  std::vector<Value> out;
  for (const Value first : firsts) {
    for (const Value second : items) {
      out.push_back(Value::list(std::array{first, second}));
    }
  }
  return out;
}

// Any argument that a further operation could have.
std::vector<Value> open_arguments(const spec::Signature& signature,
                                  const Mentioned& mentioned) {
  if (signature.argument == Argument::kPair) return pairs(mentioned);
  if (signature.argument == Argument::kPriority) return mentioned.values;
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

}  // namespace

spec::SpecificationPtr relaxed_object(const History& history,
                                      const spec::Specification& object,
                                      const Condition& condition) {
  const auto signatures = object.operations();
  const Mentioned mentioned(history, object);
  spec::Relaxation relaxation;
  relaxation.closed = condition.closed;
  relaxation.unmentioned = unmentioned();
  relaxation.factors.resize(signatures.size());
  relaxation.arguments.resize(signatures.size());
  for (std::uint16_t code = 0; code < signatures.size(); ++code) {
    const auto factor =
        condition.factors.find(std::string(signatures[code].name));
    if (factor == condition.factors.end()) continue;
    relaxation.factors[code] = factor->second;
    auto& arguments = relaxation.arguments[code];
    if (signatures[code].argument == Argument::kNone) {
      arguments = {Value()};
    } else if (condition.closed) {
      arguments = closed_arguments(code, history);
    } else {
      arguments = open_arguments(signatures[code], mentioned);
    }
    sort_and_dedup(arguments);
  }
  return spec::relax(object, std::move(relaxation));
}

}  // namespace plumb::check
