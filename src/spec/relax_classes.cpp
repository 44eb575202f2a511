// SPDX-License-Identifier: Apache-2.0
#include "spec/relax_classes.h"

#include <algorithm>

namespace plumb::spec {

bool Range::contains(Value value) const {
  if (value.is_list() && !value.items().empty()) {
    value = value.items().front();
  }
  return compare(lowest, value) <= 0 && compare(value, highest) <= 0;
}

Classes::Classes(const Specification& base,
                 const std::vector<RelaxedClass>& classes)
    : by_code_(base.operations().size()) {
  for (const Signature& signature : base.operations()) {
    takes_.push_back(signature.takes);
  }
  for (const RelaxedClass& one : classes) {
    if (one.factor == 0) continue;
    const auto index = static_cast<ClassIndex>(factors_.size());
    factors_.push_back(one.factor);
    auto& codes = codes_.emplace_back();
    for (const ClassMember& member : one.members) {
      by_code_[member.code].push_back({index, member});
      if (member.argument) ranges_.push_back(*member.argument);
      if (member.result) ranges_.push_back(*member.result);
      if (std::ranges::find(codes, member.code) == codes.end()) {
        codes.push_back(member.code);
      }
    }
  }
}

bool Classes::may_be_in_none(std::uint16_t code, Value argument) const {
  if (takes_[code]) return true;
  return std::ranges::none_of(by_code_[code], [&](const Entry& entry) {
    const ClassMember& member = entry.member;
    return !member.result &&
           (!member.argument || member.argument->contains(argument));
  });
}

bool Classes::alike(Value a, Value b) const {
  const auto same = [&](const std::optional<Range>& range) {
    return !range || range->contains(a) == range->contains(b);
  };
  return std::ranges::all_of(by_code_, [&](const auto& entries) {
    return std::ranges::all_of(entries, [&](const Entry& entry) {
      return same(entry.member.argument) && same(entry.member.result);
    });
  });
}

}  // namespace plumb::spec
