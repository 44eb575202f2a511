// SPDX-License-Identifier: Apache-2.0
// Numbers for everything that can go wrong in a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "csp/node.h"
#include "csp/steps.h"

namespace plumb::csp {

// All kinds and places are known before a search, so that numbers do not
// depend on its course.  Number 0 stands for what nobody thought of.
class Faults {
 public:
  explicit Faults(const Nodes& nodes);

  std::uint16_t number(const Failure& failure) const;
  std::uint16_t number(const RuntimeFault& fault) const;
  // "line 3: index out of bounds in 'a[i]'".
  const std::string& text(std::uint16_t number) const { return texts_[number]; }
  static std::string detail(const Failure& failure) {
    return failure.of_expression ? failure.expression.detail
                                 : failure.step.detail;
  }

 private:
  using Key = std::tuple<int, std::uint32_t, std::uint32_t>;

  void add(const Program& program);
  void add(const Compiled& code);
  void add(const Node& node);
  void add(const std::vector<IndexShape>& indices);
  void add(const std::vector<EventShape>& events);
  void add(FaultKind kind, Span span);
  void add(StepFault::Kind kind, Span span, const std::string& words);
  void add(const Key& key, Span span, const std::string& words);
  std::uint16_t find(const Key& key) const;

  const Module& module_;
  std::map<Key, std::uint16_t> numbers_;
  std::vector<std::string> texts_;
};

}  // namespace plumb::csp
