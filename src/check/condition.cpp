// SPDX-License-Identifier: Apache-2.0
#include "check/condition.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/input_error.h"

namespace plumb::check {

namespace {

// What a range compares: a list counts as its first item.
Value compared(Value value) {
  if (!value.is_list() || value.items().empty()) return value;
  return value.items().front();
}

bool meet(const std::optional<ValueRange>& a,
          const std::optional<ValueRange>& b) {
  return !a || !b || a->meets(*b);
}

bool any_positive(const Factors& factors) {
  return std::any_of(factors.begin(), factors.end(),
                     [](const auto& factor) { return factor.second > 0; });
}

void append(std::string& list, const std::string& item) {
  if (!list.empty()) list += ", ";
  list += item;
}

std::string listed(const Factors& factors) {
  std::string out;
  for (const auto& [name, factor] : factors) {
    append(out, fmt::format("{}={}", name, factor));
  }
  return out;
}

std::string to_word(Order order) {
  switch (order) {
    case Order::kRealTime:
      return "";
    case Order::kProgram:
      return "sequential";
    case Order::kQuiescent:
      return "quiescent";
    case Order::kQuiescentAndProgram:
      return "quiescent+sequential";
  }
  return "";
}

// What a condition asks of an object must be there.
class Fitting {
 public:
  Fitting(const Condition& condition, const spec::Specification& object)
      : condition_(condition), object_(object) {}

  void check() const {
    for (const Factors* factors :
         {&condition_.factors, &condition_.out_of_order, &condition_.late,
          &condition_.stuttering}) {
      for (const auto& [name, factor] : *factors) code_of(name);
    }
    for (const ClassPattern& one : condition_.classes) {
      for (const MemberPattern& member : one.members) check_member(member);
    }
    check_turns("out_of_order", condition_.out_of_order);
    check_turns("late", condition_.late);
  }

 private:
  [[noreturn]] void fail(const std::string& what,
                         const std::string& hint) const {
    throw InputError(
        fmt::format("condition '{}': {}", condition_.to_string(), what), hint);
  }

  std::uint16_t code_of(const std::string& name) const {
    if (const auto code = spec::find_operation(object_, name)) return *code;
    std::vector<std::string> names;
    for (const spec::Signature& signature : object_.operations()) {
      names.emplace_back(signature.name);
    }
    const std::string guess = nearest(name, names);
    fail(fmt::format("{} has no operation '{}'", object_.name(), name),
         (guess.empty() ? std::string()
                        : fmt::format("did you mean '{}'? ", guess)) +
             "its operations are " +
             quoted([](std::uint16_t) { return true; }));
  }

  void check_member(const MemberPattern& member) const {
    const spec::Signature& signature =
        object_.operations()[code_of(member.operation)];
    if (member.argument && signature.argument == spec::Argument::kNone) {
      fail(fmt::format("'{}' asks for an argument, but '{}' has none",
                       member.to_string(), member.operation),
           fmt::format("write {} for all of them, or {} -> 1..2 for those "
                       "with these results",
                       member.operation, member.operation));
    }
    if (member.result && signature.result == spec::Result::kNone) {
      fail(fmt::format("'{}' asks for a result, but '{}' has none",
                       member.to_string(), member.operation),
           fmt::format("write {} for all of them, or {}(1..2) for those with "
                       "these arguments",
                       member.operation, member.operation));
    }
  }

  // Only takes whose items have an order can be out of it.
  void check_turns(const char* word, const Factors& factors) const {
    const auto has_turns = [&](std::uint16_t code) {
      return object_.has_turns(code);
    };
    const std::string takes = quoted(has_turns);
    for (const auto& [name, factor] : factors) {
      if (takes.empty()) {
        fail(fmt::format("{} gives its items in no order that an operation "
                         "could be out of",
                         object_.name()),
             fmt::format("{} is for takes of queue, stack, deque and "
                         "priority_queue, blocking and bounded ones too; "
                         "quasi(...) and stuttering(...) are for any object",
                         word));
      }
      if (has_turns(code_of(name))) continue;
      fail(fmt::format("'{}' takes nothing out of {}", name, object_.name()),
           fmt::format("{} is for {}", word, takes));
    }
  }

  // Names of operations, as "'enq', 'deq'".
  template <typename Wanted>
  std::string quoted(Wanted wanted) const {
    std::string out;
    const auto signatures = object_.operations();
    for (std::uint16_t code = 0; code < signatures.size(); ++code) {
      if (wanted(code)) append(out, fmt::format("'{}'", signatures[code].name));
    }
    return out;
  }

  const Condition& condition_;
  const spec::Specification& object_;
};

}  // namespace

bool ValueRange::contains(Value value) const {
  const Value v = compared(value);
  return v.kind() == lowest.kind() && compare(lowest, v) <= 0 &&
         compare(v, highest) <= 0;
}

bool ValueRange::meets(const ValueRange& other) const {
  return lowest.kind() == other.lowest.kind() &&
         compare(lowest, other.highest) <= 0 &&
         compare(other.lowest, highest) <= 0;
}

std::string ValueRange::to_string() const {
  if (lowest == highest) return lowest.to_string();
  return lowest.to_string() + ".." + highest.to_string();
}

bool MemberPattern::meets(const MemberPattern& other) const {
  return operation == other.operation && meet(argument, other.argument) &&
         meet(result, other.result);
}

std::string MemberPattern::to_string() const {
  std::string out = operation;
  if (argument) out += '(' + argument->to_string() + ')';
  if (result) out += " -> " + result->to_string();
  return out;
}

std::string ClassPattern::to_string() const {
  std::string all;
  for (const MemberPattern& member : members) append(all, member.to_string());
  return fmt::format("{}{{{}}}={}", name, all, factor);
}

bool Condition::quasi() const {
  return any_positive(factors) ||
         std::any_of(classes.begin(), classes.end(),
                     [](const ClassPattern& one) { return one.factor > 0; });
}

bool Condition::transformed() const {
  return any_positive(out_of_order) || any_positive(late) ||
         any_positive(stuttering);
}

std::string Condition::to_string() const {
  std::string out = to_word(order);
  const auto add = [&](const char* word, const std::string& list) {
    if (list.empty()) return;
    if (!out.empty()) out += '+';
    out += fmt::format("{}({})", word, list);
  };
  std::string quasi_list;
  for (const ClassPattern& one : classes) append(quasi_list, one.to_string());
  if (!factors.empty()) append(quasi_list, listed(factors));
  add("quasi", quasi_list);
  if (stutters_first) add("stuttering", listed(stuttering));
  add("out_of_order", listed(out_of_order));
  add("late", listed(late));
  if (!stutters_first) add("stuttering", listed(stuttering));
  return out.empty() ? "linearizable" : out;
}

void require_factors_fit(const Condition& condition,
                         const spec::Specification& object) {
  Fitting(condition, object).check();
}

}  // namespace plumb::check
