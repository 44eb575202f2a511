// SPDX-License-Identifier: Apache-2.0
// Whether further operations can still pay the debts of a relaxed state.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "base/budget.h"
#include "base/flat_table.h"
#include "spec/relax_payment.h"
#include "spec/specification.h"

namespace plumb::spec {

// Exact.  What was found out is remembered; several threads may ask.
class Liveness {
 public:
  enum class Bounds { kWhereKnown, kNever };

  // Requires: the first two outlive this.
  Liveness(const Specification& base, const Payment& payment,
           const Budget& budget, Bounds bounds = Bounds::kWhereKnown)
      : base_(base),
        payment_(payment),
        budget_(budget.without_steps()),
        bounds_(bounds) {}

  // `pending` calls may take effect between further operations, each once.
  // Throws LimitError if that takes too long to find out.
  bool alive(const Owed& owed, std::span<const Call> pending);

 private:
  // A state of the search, the pending calls that have not taken effect there
  // (sorted), and from where it was reached.
  struct Node {
    Payment::Step step;
    std::vector<Call> pending;
    std::size_t parent;
  };

  bool alive_with(const Owed& owed, const std::vector<Call>& pending);
  bool search(const Owed& owed, const std::vector<Call>& pending);
  void append_steps(const Node& from, std::vector<Node>& next) const;
  Helpers helpers(const Owed& owed, std::size_t pending) const;
  void note_path(const std::vector<Node>& nodes, std::size_t last);
  void note(const Node& node, bool is_alive);
  std::optional<bool> known(const Owed& owed,
                            std::span<const Call> pending) const;

  const Specification& base_;
  const Payment& payment_;
  Budget budget_;
  Bounds bounds_;
  std::mutex mutex_;
  // By pack_owed and the pending calls.
  FlatMap<State, bool> known_;
};

}  // namespace plumb::spec
