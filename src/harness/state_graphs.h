// SPDX-License-Identifier: Apache-2.0
// The states of the object that a condition means, kept between histories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "check/condition.h"
#include "check/transitions.h"
#include "harness/row_table.h"
#include "spec/specification.h"

namespace plumb::harness {

// A call as a specification sees it.
struct SeenCall {
  spec::Call call;
  std::optional<Value> result;  // nothing: it is pending
};

struct SeenCalls {
  std::vector<SeenCall> first;  // before the threads, one after another
  std::vector<SeenCall> threads;
  std::vector<SeenCall> after;

  void clear() {
    first.clear();
    threads.clear();
    after.clear();
  }
};

// check::decide() makes them anew for every history; ours are small and many.
class StateGraphs {
 public:
  // Requires: both outlive this.
  StateGraphs(const spec::Specification& object,
              const check::Condition& condition)
      : object_(object), condition_(condition) {}

  // That of the object itself.  What it explains satisfies every condition,
  // however relaxed.
  check::Transitions& strict();

  // That of the object which is relaxed as the condition says.  A relaxed
  // object depends on the values that the calls mention.  Null if the
  // condition is not that of one object: each key is relaxed on its own, or
  // the condition is read literally.  Valid until the next call.
  check::Transitions* exact(const SeenCalls& calls);

 private:
  struct Graph {
    spec::SpecificationPtr object;
    std::unique_ptr<check::Transitions> transitions;
  };
  spec::SpecificationPtr object_for(const SeenCalls& calls) const;
  void make_row(const SeenCalls& calls);
  std::size_t states() const;

  const spec::Specification& object_;
  const check::Condition& condition_;
  std::unique_ptr<check::Transitions> strict_;
  std::vector<std::uint64_t> row_;
  RowTable index_;  // of what is mentioned: an index of graphs_, plus 1
  std::vector<Graph> graphs_;
};

}  // namespace plumb::harness
