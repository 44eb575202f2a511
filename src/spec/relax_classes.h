// SPDX-License-Identifier: Apache-2.0
// Which class of a relaxation an operation is in.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "spec/relax.h"
#include "spec/specification.h"

namespace plumb::spec {

using ClassIndex = std::uint16_t;

class Classes {
 public:
  static constexpr ClassIndex kNone = UINT16_MAX;

  // Classes with factor 0 change nothing and are left out.
  Classes(const Specification& base, const std::vector<RelaxedClass>& classes);

  std::size_t size() const { return factors_.size(); }
  std::uint32_t factor(ClassIndex one) const { return factors_[one]; }
  // The operations of which some are in the class.
  std::span<const std::uint16_t> codes(ClassIndex one) const {
    return codes_[one];
  }
  // By which classes tell arguments and results apart.
  std::span<const Range> ranges() const { return ranges_; }

  // Is some operation of this code in some class?
  bool relaxes(std::uint16_t code) const { return !by_code_[code].empty(); }

  ClassIndex of(std::uint16_t code, Value argument, Value result) const {
    if (takes_[code] && result.is_null()) return kNone;
    for (const Entry& entry : by_code_[code]) {
      if (entry.member.is_whole() || matches(entry.member, argument, result)) {
        return entry.one;
      }
    }
    return kNone;
  }

  // The class that all operations of this code are in, if there is one.
  ClassIndex whole(std::uint16_t code) const {
    const auto& entries = by_code_[code];
    const bool is_whole = entries.size() == 1 && entries[0].member.is_whole();
    return is_whole ? entries[0].one : kNone;
  }

  // Calls `use` with each class that an operation may be in whose result is
  // not known.
  template <typename Function>
  void for_each_possible(std::uint16_t code, Value argument,
                         Function use) const {
    ClassIndex last = kNone;  // members of a class stand together
    for (const Entry& entry : by_code_[code]) {
      const auto& range = entry.member.argument;
      if (entry.one == last || (range && !range->contains(argument))) continue;
      last = entry.one;
      use(entry.one);
    }
  }

  // May an operation be in no class, its result not being known?
  bool may_be_in_none(std::uint16_t code, Value argument) const;

  // Does no class tell the one value from the other?
  bool alike(Value a, Value b) const;

 private:
  struct Entry {
    ClassIndex one;
    ClassMember member;
  };

  static bool matches(const ClassMember& member, Value argument, Value result) {
    return (!member.argument || member.argument->contains(argument)) &&
           (!member.result || member.result->contains(result));
  }

  std::vector<std::uint32_t> factors_;             // by class
  std::vector<std::vector<std::uint16_t>> codes_;  // by class
  std::vector<std::vector<Entry>> by_code_;
  std::vector<bool> takes_;  // by code
  std::vector<Range> ranges_;
};

}  // namespace plumb::spec
