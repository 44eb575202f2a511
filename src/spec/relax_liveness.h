// SPDX-License-Identifier: Apache-2.0
// Whether further operations can still pay the debts of a relaxed state.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <mutex>
#include <optional>
#include <vector>

#include "spec/relax_payment.h"
#include "spec/specification.h"

namespace plumb::spec {

// Exact.  What was found out is remembered; several threads may ask.
class Liveness {
 public:
  enum class Bounds { kWhereKnown, kNever };

  // Requires: both outlive this.
  Liveness(const Specification& base, const Payment& payment,
           Bounds bounds = Bounds::kWhereKnown)
      : base_(base), payment_(payment), bounds_(bounds) {}

  // Throws LimitError if that takes too long to find out.
  bool alive(const Owed& owed);

 private:
  // A state of the search, and from where it was reached.
  struct Node {
    Payment::Step step;
    std::size_t parent;
  };

  bool search(const Owed& owed, const Helpers& helpers);
  void note_path(const std::vector<Node>& nodes, std::size_t last);
  std::optional<bool> known(const Owed& owed) const;

  const Specification& base_;
  const Payment& payment_;
  Bounds bounds_;
  std::mutex mutex_;
  absl::flat_hash_map<State, bool> known_;  // by pack_owed
};

}  // namespace plumb::spec
