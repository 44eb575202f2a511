// SPDX-License-Identifier: Apache-2.0
#include "check/classes.h"

#include <algorithm>

namespace plumb::check {

namespace {

ClassPattern all_of(const std::string& name, std::uint32_t factor) {
  MemberPattern member;
  member.operation = name;
  return {.name = name, .factor = factor, .members = {std::move(member)}};
}

}  // namespace

Classes::Classes(const Condition& condition, const spec::Specification& object)
    : object_(object) {
  for (const ClassPattern& pattern : condition.classes) add(pattern);
  for (const auto& [name, factor] : condition.factors) {
    add(all_of(name, factor));
  }
  if (!condition.literal()) return;
  for (const spec::Signature& signature : object.operations()) {
    const std::string name(signature.name);
    if (!condition.factors.contains(name)) add(all_of(name, 0));
  }
}

void Classes::add(const ClassPattern& pattern) {
  One& one = classes_.emplace_back();
  one.name = pattern.name;
  one.factor = pattern.factor;
  for (const MemberPattern& member : pattern.members) {
    if (const auto code = spec::find_operation(object_, member.operation)) {
      one.members.emplace_back(*code, member);
    }
  }
}

std::vector<std::uint16_t> Classes::codes(std::int32_t one) const {
  std::vector<std::uint16_t> out;
  for (const auto& [code, member] : at(one).members) out.push_back(code);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::int32_t Classes::of(const spec::Call& call, Value result) const {
  if (object_.operations()[call.code].takes && result.is_null()) return kNone;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    for (const auto& [code, member] : classes_[i].members) {
      if (code == call.code && member.matches(call.argument, result)) {
        return static_cast<std::int32_t>(i);
      }
    }
  }
  return kNone;
}

std::vector<std::int32_t> Classes::possible(const spec::Call& call) const {
  std::vector<std::int32_t> out;
  bool certain = false;
  for (std::size_t i = 0; i < classes_.size(); ++i) {
    bool some = false;
    for (const auto& [code, member] : classes_[i].members) {
      if (code != call.code) continue;
      if (member.argument && !member.argument->contains(call.argument)) {
        continue;
      }
      some = true;
      certain = certain || !member.result;
    }
    if (some) out.push_back(static_cast<std::int32_t>(i));
  }
  if (!certain) out.push_back(kNone);
  return out;
}

}  // namespace plumb::check
