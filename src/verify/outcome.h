// SPDX-License-Identifier: Apache-2.0
// What came of checking a property of a model.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/budget.h"
#include "check/condition.h"
#include "check/verdict.h"
#include "history/history.h"
#include "lts/abstraction.h"
#include "lts/path.h"
#include "lts/system.h"
#include "spec/specification.h"
#include "verify/event_failure.h"
#include "verify/progress.h"

namespace plumb::verify {

class Journal;

// How many operations may begin in a busy period, the time between two moments
// at which nothing is pending.  What goes beyond is not followed.
struct Busy {
  std::uint32_t most = 0;  // 0: any number
  bool by_user = true;  // else a default of ours: reaching it means `unknown`

  // Where the check gives none and clients may go on for ever.
  static Busy by_default(std::size_t processes) {
    return {static_cast<std::uint32_t>(2 * processes), false};
  }
};

struct Options {
  enum class Order : std::uint8_t { kBreadthFirst, kDepthFirst };
  Order order = Order::kBreadthFirst;
  // How linearizability is decided.  kAuto looks for linearization points
  // first; the others exist for tests, benchmarks and `at marks`.
  enum class Method : std::uint8_t { kAuto, kExact, kPoints, kMarks };
  Method method = Method::kAuto;
  // No more than this many states (0: any number).
  std::uint64_t state_limit = 0;
  // What is kept of the states that were reached: all of each, 64 bits, or
  // three bits of a table of `table_bytes`.
  enum class Store : std::uint8_t { kExact, kCompact, kBitstate };
  Store store = Store::kExact;
  std::size_t table_bytes = std::size_t{1} << 30;
  Busy busy = {};  // quiescent orders only
  // Threads of one search.
  std::size_t threads = 1;
  // Where a breadth-first search with an exact store saves its progress, and
  // reads how far another one came; null: nowhere.
  Journal* journal = nullptr;
  // In assertions/, so many states are expanded until other threads join in:
  // small systems are not worth their start.
  std::uint64_t states_alone = 4096;
};

struct Statistics {
  std::uint64_t states = 0;       // of the system
  std::uint64_t transitions = 0;  // of the system, as far as explored
  std::uint64_t pairs = 0;        // (state, specification set); 0 if unused
  std::uint64_t sets = 0;         // distinct specification sets
  std::uint64_t specification_states = 0;
  std::uint64_t depth = 0;        // of the search
  std::uint64_t store_bytes = 0;  // states and side tables
  std::uint64_t state_bytes = 0;  // of a packed state, on average
  // What reductions did: states of the system that those found stand for by
  // symmetry; transitions left out; steps taken together with one before.
  double represented = 0;
  std::uint64_t left_out = 0;
  std::uint64_t joined = 0;
  double seconds = 0;
  std::string method;  // "linearization points", "antichain", ...
};

// "push takes effect at line 9, `if (cas(top, t, n))`, when the cas succeeds".
struct Point {
  std::uint16_t operation = 0;
  lts::Edge edge;
  // It may take effect there, or elsewhere; else it does, if it has not yet.
  bool may = false;
  // Only if it then gives this result; for people.
  std::string only_if;
  // The step is one of another process (edge.operation is that one's), which
  // helps; `before`: just before what that step does itself.
  bool by_other = false;
  bool before = false;
};

struct Outcome {
  check::Answer answer = check::Answer::kUnknown;
  // Why not (or why nothing is known): one clause, "no order of the calls
  // explains them", "the time limit of 5 s was reached", "assertion failed".
  // Nothing where the next field tells it.
  std::string reason;
  std::optional<EventFailure> failure;  // assertions about events
  std::string hint;  // a way out or a warning: "the marks may be wrong"
  Statistics statistics;
  std::vector<Point> points;            // a proof by linearization points
  std::vector<std::string> bounds_met;  // bounds that cut the search
  std::optional<lts::Lasso> lasso;      // progress properties
  std::optional<lts::Path> path;        // everything else
  // The history of `path`; present for violations of an order, and refuted by
  // check::decide before it is shown.
  std::optional<history::History> history;
  // Of a relation that proves nothing: the obligation that fails, the states
  // of the object and of the specification that it fails on; for people.
  std::vector<std::string> details;
};

// A system, and the same with fewer states and steps; null: none.
struct Smaller {
  std::shared_ptr<const lts::System> system, reduced;

  const lts::System& reduced_or_whole() const {
    return reduced ? *reduced : *system;
  }
};

// What a search needs to know of the model.
struct Question {
  const lts::System& system;
  const spec::Specification* specification = nullptr;  // orders, relations
  std::vector<std::uint16_t> codes;                    // see lang::Model
  // The same model for fewer processes, with the same edges, to learn its
  // linearization points on; null if there is none.
  std::function<std::shared_ptr<const Smaller>(std::size_t processes)> smaller =
      nullptr;
  // The same system with fewer states and steps; null: none.
  const lts::System* reduced = nullptr;
  // What a history is judged by.
  check::Order order = check::Order::kRealTime;

  const lts::System& reduced_or_whole() const {
    return reduced != nullptr ? *reduced : system;
  }
};

// verify/linearizable.cpp
Outcome check_linearizable(const Question&, const Options&, Budget&);
// verify/orders.cpp: the operations of every run have an order that keeps
// `order`.  Sequential consistency remembers all of a run, so that the search
// ends only if each process makes a bounded number of calls.
Outcome check_order(const Question&, check::Order, const Options&, Budget&);
// verify/relation.cpp: the states that the abstraction relates a state to
// satisfy the obligations of a coupled simulation (kQuiescent), or of a forward
// simulation (kRealTime; other orders have none).  If so, the order holds.
Outcome check_relation(const Question&, const lts::Abstraction&, check::Order,
                       const Options&, Budget&);
// verify/progress.cpp
Outcome check_progress(const Question&, Progress, const Options&, Budget&);
// verify/safe.cpp: no reachable fault.
Outcome check_safe(const Question&, const Options&, Budget&);

}  // namespace plumb::verify
