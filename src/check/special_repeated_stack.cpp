// SPDX-License-Identifier: Apache-2.0
//
// A stack whose values repeat.  One frontier of all operations; the content is
// not kept as a list, of which there would be too many, but as a graph whose
// paths are the lists, the way parsers of ambiguous languages do it: a
// graph-structured stack.
//
// A level is a value that was pushed when a frontier was reached: (frontier
// just after the push, value).  What lies below it are the levels at which the
// push can have happened, its callers; what can happen above it, until it is
// popped again, does not depend on them.  A case is a level that is on top and
// a frontier.  A push leads to a new level; a pop of its value leaves it, for
// each of its callers; both are remembered, so that callers found later get
// the ways to leave that are known, and the other way round.
//
// A block, a push with all up to its pop, can be moved as a whole: it leaves
// the stack as it was.  If none of its operations is the first to return of
// those left, it can be moved behind that one, since it contains none that
// anything up to there must wait for.  So we ask of every block that it does
// contain the first to return, or another that becomes it.  That and leaving
// equal operations for later (Frontiers::Equals::kByReturn) go together: of
// all explanations take those in which the first return missing, added up over
// all beginnings, is latest, and among them one with the fewest equal
// operations against the order of their returns.  (A pop that found nothing is
// no such block, although it leaves the stack as it was: it needs an empty
// one.)
//
// The number of cases is at most the square of the number of frontiers; with 8
// processes it is mostly below 200 for an operation.

#include <algorithm>
#include <utility>

#include "base/flat_table.h"
#include "check/frontiers.h"
#include "check/special_repeated.h"
#include "spec/catalogue.h"

namespace plumb::check {

namespace {

using history::History;
using history::Moment;
using history::Operation;

class GraphStructuredStack {
 public:
  GraphStructuredStack(const History& history, const ContainerCodes& codes,
                       const RepeatedValues& values,
                       const spec::Specification& object)
      : history_(history),
        codes_(codes),
        frontiers_(history, values.all(), object,
                   Frontiers::Equals::kByReturn) {}

  std::optional<Verdict> run(const SpecialOptions& options, Budget& budget) {
    if (!frontiers_.fit()) return std::nullopt;
    const std::size_t most = most_cases(history_);
    levels_.emplace_back();  // kBottom
    arrive({.level = kBottom, .frontier = frontiers_.root()});
    while (!todo_.empty()) {
      if (budget.spent()) return stopped(budget);
      if (cases_.size() > most) return std::nullopt;
      const std::uint32_t at = todo_.back();
      todo_.pop_back();
      if (frontiers_.complete(cases_[at].frontier)) {
        Verdict verdict;
        verdict.answer = Answer::kHolds;
        verdict.steps = cases_.size();
        if (options.want_order) verdict.order = order_to(at);
        return verdict;
      }
      expand(at);
    }
    Verdict verdict = violated_up_to(farthest_, history_);
    verdict.steps = cases_.size();
    return verdict;
  }

 private:
  static constexpr std::uint32_t kNone = UINT32_MAX;
  static constexpr std::uint32_t kBottom = 0;

  // A way in which the value of a level was popped.
  struct Exit {
    std::uint32_t at;         // the case before the pop
    std::uint32_t operation;  // the pop
    Frontiers::Id frontier;   // after it
  };
  // A case at which the level was pushed, and by whom.
  struct Caller {
    std::uint32_t at;
    std::uint32_t operation;
  };
  struct Level {
    Value value;
    // So many must have returned when it is left, and one more.
    std::int64_t must_pass = -1;
    std::vector<Caller> callers;
    std::vector<Exit> exits;
  };
  struct LevelName {
    Frontiers::Id frontier;
    bool must_pass;
    Value value;

    friend bool operator==(const LevelName&, const LevelName&) = default;
    template <typename H>
    friend H AbslHashValue(H h, const LevelName& name) {
      return H::combine(std::move(h), name.frontier, name.must_pass,
                        name.value);
    }
  };
  // How it was reached first: from the case `before` by `operation` and, if
  // that was a push that has been popped, by what lies up to that exit.
  struct Case {
    std::uint32_t level = 0;
    Frontiers::Id frontier = 0;
    std::uint32_t before = kNone;
    std::uint32_t operation = kNone;
    std::uint32_t pushed = kNone;  // the level that was pushed and left
    std::uint32_t exit = 0;        // which of its exits
  };

  void arrive(const Case& next) {
    const std::uint64_t key = (std::uint64_t{next.level} << 32) | next.frontier;
    if (!seen_.insert(key).second) return;
    farthest_ = std::max(farthest_, frontiers_.missing(next.frontier));
    todo_.push_back(static_cast<std::uint32_t>(cases_.size()));
    cases_.push_back(next);
  }

  void expand(std::uint32_t at) {
    const std::uint32_t level = cases_[at].level;
    const auto steps = frontiers_.steps(cases_[at].frontier);
    for (const Frontiers::Step& step : steps) {
      const Operation& o = history_.operations[step.operation];
      if (o.code == codes_.add) {
        push(at, step);
      } else if (level == kBottom) {
        if (o.pending() || !o.result.is_null()) continue;
        arrive({kBottom, step.next, at, step.operation});
      } else if (o.pending() || o.result == levels_[level].value) {
        pop(at, step);
      }
    }
  }

  void push(std::uint32_t at, const Frontiers::Step& step) {
    const std::uint32_t treated = frontiers_.treated(step.next);
    const bool lazy = treated == frontiers_.treated(cases_[at].frontier);
    const Value value = history_.operations[step.operation].argument;
    const auto [entry, is_new] =
        level_ids_.try_emplace(LevelName{step.next, lazy, value},
                               static_cast<std::uint32_t>(levels_.size()));
    const std::uint32_t level = entry->second;
    if (is_new) {
      Level& made = levels_.emplace_back();
      made.value = value;
      if (lazy) made.must_pass = treated;
    }
    levels_[level].callers.push_back({at, step.operation});
    for (std::uint32_t i = 0; i < levels_[level].exits.size(); ++i) {
      leave(level, levels_[level].callers.back(), i);
    }
    arrive({level, step.next, at, step.operation});
  }

  void pop(std::uint32_t at, const Frontiers::Step& step) {
    const std::uint32_t level = cases_[at].level;
    if (std::int64_t{frontiers_.treated(step.next)} <=
        levels_[level].must_pass) {
      return;
    }
    const std::uint64_t key = (std::uint64_t{level} << 32) | step.next;
    if (!left_.insert(key).second) return;
    auto& exits = levels_[level].exits;
    exits.push_back({at, step.operation, step.next});
    const auto last = static_cast<std::uint32_t>(exits.size() - 1);
    for (const Caller& caller : levels_[level].callers) {
      leave(level, caller, last);
    }
  }

  void leave(std::uint32_t level, const Caller& caller, std::uint32_t exit) {
    arrive({cases_[caller.at].level, levels_[level].exits[exit].frontier,
            caller.at, caller.operation, level, exit});
  }

  // From the end backwards.  A way through a block stands for itself until
  // its turn comes: a case, and whether what lies below its level belongs to
  // the order that is wanted.
  std::vector<std::uint32_t> order_to(std::uint32_t last) const {
    struct Piece {
      std::uint32_t operation;  // or kNone: the way to `at`
      std::uint32_t at = 0;
      bool below = false;
    };
    std::vector<std::uint32_t> order;
    std::vector<Piece> left = {{kNone, last, true}};
    while (!left.empty()) {
      const Piece piece = left.back();
      left.pop_back();
      if (piece.operation != kNone) {
        order.push_back(piece.operation);
        continue;
      }
      const Case& to = cases_[piece.at];
      if (to.before == kNone) continue;
      const bool enters =
          to.pushed == kNone && to.level != cases_[to.before].level;
      if (enters && !piece.below) continue;  // the push belongs to the block
      left.push_back({kNone, to.before, piece.below});
      left.push_back({to.operation});
      if (to.pushed == kNone) continue;
      const Exit& exit = levels_[to.pushed].exits[to.exit];
      left.push_back({kNone, exit.at, false});
      left.push_back({exit.operation});
    }
    std::reverse(order.begin(), order.end());
    return order;
  }

  const History& history_;
  const ContainerCodes& codes_;
  Frontiers frontiers_;
  std::vector<Level> levels_;
  FlatMap<LevelName, std::uint32_t> level_ids_;
  std::vector<Case> cases_;
  std::vector<std::uint32_t> todo_;  // indices into cases_
  FlatSet<std::uint64_t> seen_;      // level and frontier of cases
  FlatSet<std::uint64_t> left_;      // of exits
  Moment farthest_ = 0;
};

}  // namespace

std::optional<Verdict> decide_repeated_stack(const History& history,
                                             const ContainerCodes& codes,
                                             const SpecialOptions& options,
                                             Budget& budget) {
  const RepeatedValues values(history, codes, options.blocking);
  if (values.has_null()) return std::nullopt;
  if (!values.core().empty()) return violated_by(values.core());
  const auto object = spec::make("stack");
  return GraphStructuredStack(history, codes, values, *object)
      .run(options, budget);
}

}  // namespace plumb::check
