// SPDX-License-Identifier: Apache-2.0
// Which class of quasi-linearizability an operation is in.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "check/condition.h"
#include "spec/specification.h"

namespace plumb::check {

class Classes {
 public:
  static constexpr std::int32_t kNone = -1;

  // Requires: the condition fits `object`, which outlives this.  Read
  // literally, all operations of a name without a factor are a class, too.
  Classes(const Condition& condition, const spec::Specification& object);

  std::size_t size() const { return classes_.size(); }
  const std::string& name(std::int32_t one) const { return at(one).name; }
  std::uint32_t factor(std::int32_t one) const { return at(one).factor; }
  // Of which operations may it have some?
  std::vector<std::uint16_t> codes(std::int32_t one) const;

  // Of an operation with this result: its class, or kNone.
  std::int32_t of(const spec::Call& call, Value result) const;
  // Of an operation that took effect with a result that nobody saw.  (A take
  // found something: one that did not might as well not have happened.)
  std::vector<std::int32_t> possible(const spec::Call& call) const;

 private:
  struct One {
    std::string name;
    std::uint32_t factor;
    std::vector<std::pair<std::uint16_t, MemberPattern>> members;
  };
  const One& at(std::int32_t one) const {
    return classes_[static_cast<std::size_t>(one)];
  }
  void add(const ClassPattern& pattern);

  const spec::Specification& object_;
  std::vector<One> classes_;
};

}  // namespace plumb::check
