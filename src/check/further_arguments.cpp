// SPDX-License-Identifier: Apache-2.0
//
// Let a history be explained with further operations, and exchange the values
// of these that nobody mentions for others that no class tells from them.
//
// Containers only move values: all of them may become one, mentioned or not,
// and what was legal is legal still.  So a value is added only if there is none
// of its kind.
//
// Priority queues compare values by size.  What lies between two ends of
// ranges may become one, mentioned or not: no order is turned round.  So each
// such stretch, and each end, has a value.
//
// Registers, maps and sets compare values with each other.  One that nobody
// mentions must not become one that is mentioned, but all such of a kind may
// become one: then `cas` finds what it expects where it did not, and `add`
// finds a member, which matters only if a class asks for `-> false` or `->
// true`.  A cas that has to fail needs a second value of its kind, or another
// kind that it may expect.  Members of a set that nobody mentions are put in
// to fill places of operations that are late: by guesses, of which each class
// has at most its factor at a time, and which nobody pays for before the
// history ends.  So that many are enough.
#include "check/further_arguments.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include "base/flat_table.h"
#include "spec/relax_classes.h"

namespace plumb::check {

namespace {

using spec::Argument;
using spec::RelaxedClass;

bool has(const std::vector<Value>& values, Value value) {
  return std::ranges::find(values, value) != values.end();
}

// Where the ranges end by which classes tell values apart: of results that are
// counts, or true and false, no argument depends.
std::vector<Value> ends_of(const std::vector<RelaxedClass>& classes,
                           const spec::Specification& object) {
  std::vector<Value> ends;
  const auto add = [&](const std::optional<spec::Range>& range) {
    if (range) ends.insert(ends.end(), {range->lowest, range->highest});
  };
  for (const RelaxedClass& one : classes) {
    if (one.factor == 0) continue;
    for (const spec::ClassMember& member : one.members) {
      add(member.argument);
      const spec::Signature& signature = object.operations()[member.code];
      if (signature.result == spec::Result::kValue) add(member.result);
    }
  }
  sort_and_dedup(ends);
  return ends;
}

std::vector<std::int64_t> numbers_of(const std::vector<Value>& ends) {
  std::vector<std::int64_t> numbers;
  for (const Value end : ends) {
    if (end.is_integer()) numbers.push_back(end.as_integer());
  }
  return numbers;
}

using Set = FlatSet<Value>;

// The first `count` numbers between `low` and `high` that are not in `taken`:
// whole ones if there are any.
std::vector<Value> between(std::int64_t low, std::int64_t high,
                           std::size_t count, const Set& taken) {
  std::vector<Value> out;
  for (std::int64_t i = low + 1; i < high && out.size() < count; ++i) {
    const Value value = Value::integer(i);
    if (!taken.contains(value)) out.push_back(value);
  }
  // LIMIT: no doubles lie between very large numbers.
  const auto parts = static_cast<double>(taken.size() + count + 1);
  for (double part = 1; part < parts && out.size() < count; ++part) {
    const Value value = Value::real(
        static_cast<double>(low) +
        part / parts * (static_cast<double>(high) - static_cast<double>(low)));
    if (value.is_integer() || taken.contains(value) || has(out, value)) {
      continue;
    }
    out.push_back(value);
  }
  return out;
}

Value any_other(std::size_t number) {
  const std::string which = number == 0 ? "" : " " + std::to_string(number + 1);
  return Value::text("(any other value" + which + ")");
}

// Of each kind that classes tell apart `count` values that nobody mentions,
// if there are so many; one that is mentioned if there are none.
std::vector<Value> others(const spec::Classes& classes,
                          const std::vector<Value>& ends,
                          const Mentioned& mentioned, std::size_t count) {
  const Set taken(mentioned.items().begin(), mentioned.items().end());
  std::vector<Value> out;
  const auto lacks = [&](Value value) {
    const auto alike = std::ranges::count_if(
        out, [&](Value one) { return classes.alike(one, value); });
    return static_cast<std::size_t>(alike) < count;
  };
  for (std::size_t i = 0; i < count; ++i) out.push_back(any_other(i));
  const std::vector<std::int64_t> numbers = numbers_of(ends);
  for (std::size_t i = 1; i < numbers.size(); ++i) {
    for (const Value value :
         between(numbers[i - 1], numbers[i], count, taken)) {
      if (lacks(value)) out.push_back(value);
    }
  }
  for (const Value end : ends) {
    if (lacks(end)) out.push_back(end);
  }
  return out;
}

bool is_priority(Value value) {
  if (!value.is_list()) return value.is_number();
  return !value.items().empty() && value.items().front().is_number();
}

// What is mentioned, a number at each end of a range, and one on either side.
std::vector<Value> priorities(const std::vector<Value>& ends,
                              const Mentioned& mentioned) {
  std::vector<Value> out = mentioned.items();
  std::erase_if(out, [](Value value) { return !is_priority(value); });
  const std::vector<std::int64_t> numbers = numbers_of(ends);
  const auto add = [&](const std::optional<Value>& low,
                       const std::optional<Value>& high, Value value) {
    const bool is_there = std::ranges::any_of(out, [&](Value one) {
      const Value size = one.is_list() ? one.items().front() : one;
      return (!low || compare(*low, size) < 0) &&
             (!high || compare(size, *high) < 0);
    });
    if (!is_there) out.push_back(value);
  };
  std::optional<Value> low;
  for (const std::int64_t end : numbers) {
    const Value high = Value::integer(end);
    const auto inside = low ? between(low->as_integer(), end, 1, {})
                            : std::vector<Value>{Value::integer(end - 1)};
    for (const Value value : inside) add(low, high, value);
    if (!has(out, high)) out.push_back(high);
    low = high;
  }
  add(low, std::nullopt,
      Value::integer(numbers.empty() ? 0 : numbers.back() + 1));
  return out;
}

// A cas may expect null and write it.  Under a key, null is what was there
// before anybody put something: nobody is taken to put it who does not.
std::vector<Value> pairs(const Mentioned& mentioned,
                         const std::vector<Value>& others) {
  std::vector<Value> seconds = mentioned.items();
  seconds.insert(seconds.end(), others.begin(), others.end());
  std::erase_if(seconds, [](Value value) { return value.is_null(); });
  sort_and_dedup(seconds);
  const auto& keys = mentioned.keys();
  if (keys.empty() || mentioned.writes_null()) seconds.push_back(Value());
  std::vector<Value> out;
  for (const Value first : keys.empty() ? seconds : keys) {
    for (const Value second : seconds) {
      out.push_back(Value::list(std::array{first, second}));
    }
  }
  return out;
}

bool is_container(const spec::Specification& object) {
  return std::ranges::any_of(object.operations(), &spec::Signature::takes);
}

// Null is what was there before anybody wrote: nobody is taken to write it who
// does not.
std::vector<Value> singles(const spec::Classes& classes,
                           const Mentioned& mentioned,
                           const std::vector<Value>& others) {
  std::vector<Value> out = mentioned.values();
  for (const Value item : mentioned.items()) {
    if (!item.is_null()) out.push_back(item);
  }
  const bool only_moves = is_container(mentioned.object());
  for (const Value other : others) {
    const bool is_there =
        only_moves && std::ranges::any_of(out, [&](Value value) {
          return !value.is_null() && classes.alike(value, other);
        });
    if (!is_there) out.push_back(other);
  }
  return out;
}

// See above.
std::size_t needed(const std::vector<RelaxedClass>& classes,
                   const spec::Specification& object, std::size_t calls) {
  std::size_t factors = 0;
  bool asks_for_truth = false;
  for (const RelaxedClass& one : classes) {
    factors += one.factor;
    for (const spec::ClassMember& member : one.members) {
      asks_for_truth |= member.result && member.result->lowest.is_boolean();
    }
  }
  if (!asks_for_truth || is_container(object)) return 1;
  const bool is_set = std::ranges::any_of(
      object.operations(), [](const spec::Signature& signature) {
        return signature.argument != Argument::kNone &&
               signature.result == spec::Result::kBoolean;
      });
  return is_set ? std::max<std::size_t>(2, std::min(factors, calls)) : 2;
}

// Parts that are objects of their own are judged on their own: what happens to
// others makes no place.
void keep_parts(std::uint16_t code, const Mentioned& mentioned,
                std::vector<Value>& arguments) {
  std::erase_if(arguments, [&](Value argument) {
    const auto part = mentioned.object().part({code, argument});
    return !part || !has(mentioned.keys(), *part);
  });
}

}  // namespace

void sort_and_dedup(std::vector<Value>& values) {
  std::sort(values.begin(), values.end(),
            [](Value a, Value b) { return compare(a, b) < 0; });
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

void Mentioned::add_call(std::uint16_t code, Value argument) {
  if (const auto key = object_.part({code, argument})) keys_.push_back(*key);
  switch (object_.operations()[code].argument) {
    case Argument::kNone:
      return;
    case Argument::kPair:
      items_.insert(items_.end(), argument.items().begin(),
                    argument.items().end());
      writes_null_ |= argument.items().back().is_null();
      return;
    case Argument::kValue:
    case Argument::kPriority:
      return add_value(argument);
  }
}

void Mentioned::add_result(std::uint16_t code, Value result) {
  if (object_.operations()[code].result != spec::Result::kValue) return;
  if (!result.is_null()) add_value(result);
}

void Mentioned::add_value(Value value) {
  values_.push_back(value);
  items_.push_back(value);
}

void Mentioned::finish() {
  for (auto* list : {&values_, &items_, &keys_}) sort_and_dedup(*list);
}

bool Mentioned::speaks_of(Value value) const {
  return has(items_, value);
}

std::vector<std::vector<Value>> further_arguments(
    const std::vector<RelaxedClass>& classes, const Mentioned& mentioned,
    std::size_t calls) {
  const spec::Specification& object = mentioned.object();
  const spec::Classes kinds(object, classes);
  const std::vector<Value> ends = ends_of(classes, object);
  const std::vector<Value> more =
      others(kinds, ends, mentioned, needed(classes, object, calls));
  const auto signatures = object.operations();
  std::vector<std::vector<Value>> out(signatures.size());
  for (std::uint16_t code = 0; code < signatures.size(); ++code) {
    if (!kinds.relaxes(code)) continue;
    switch (signatures[code].argument) {
      case Argument::kNone:
        out[code] = {Value()};
        continue;
      case Argument::kValue:
        out[code] = singles(kinds, mentioned, more);
        break;
      case Argument::kPriority:
        out[code] = priorities(ends, mentioned);
        break;
      case Argument::kPair:
        out[code] = pairs(mentioned, more);
        break;
    }
    if (object.parts_are_objects()) keep_parts(code, mentioned, out[code]);
    sort_and_dedup(out[code]);
  }
  return out;
}

}  // namespace plumb::check
