// SPDX-License-Identifier: Apache-2.0
#include "verify/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <chrono>
#include <mutex>
#include <utility>
#include <vector>

#include "base/flat_table.h"
#include "base/input_error.h"
#include "base/invariant.h"
#include "explore/components.h"
#include "explore/cycle.h"
#include "explore/rows.h"
#include "explore/tagging.h"
#include "explore/watch.h"
#include "lts/extend.h"
#include "verify/evidence.h"
#include "verify/outcome.h"
#include "verify/pair_search.h"
#include "verify/words.h"

namespace plumb::verify {
namespace {

using explore::Rows;
using explore::StateId;
using explore::Tag;
using lts::Label;
using lts::LabelKind;

// Which calls are pending, a bit for each process, is the tag of a state.
class PendingCalls final : public explore::Tagging {
 public:
  Tag initial() const override { return 1; }
  std::optional<std::uint32_t> point(const Label& label) const override {
    const bool changes =
        label.kind == LabelKind::kInvoke || label.kind == LabelKind::kReturn;
    return changes ? std::optional<std::uint32_t>(0) : std::nullopt;
  }
  Tag after(Tag tag, const Label& label) override {
    if (!point(label)) return tag;
    const std::lock_guard lock(mutex_);
    const std::uint64_t bit = std::uint64_t{1} << label.process;
    const std::uint64_t before = masks_[tag - 1];
    const std::uint64_t mask =
        label.kind == LabelKind::kInvoke ? before | bit : before & ~bit;
    const auto next = static_cast<Tag>(masks_.size() + 1);
    const auto [entry, is_new] = tags_.try_emplace(mask, next);
    if (is_new) {
      masks_.push_back(mask);
      note({tag, false, label, {}});
    }
    return entry->second;
  }
  std::string course() const override { return "pending calls"; }
  std::size_t size() const override { return masks_.size(); }

  bool is_some(Tag tag) const { return tag != initial(); }

 private:
  std::mutex mutex_;
  std::vector<std::uint64_t> masks_ = {0};  // by tag, from the first on
  FlatMap<std::uint64_t, Tag> tags_ = {{0, 1}};
};

// Calls are pending, and nobody can take a step.
class Deadlock final : public explore::Watch {
 public:
  explicit Deadlock(const PendingCalls& calls) : calls_(calls) {}
  bool is_found(lts::StateView, Tag tag,
                const lts::Successors& out) const override {
    return out.size() == 0 && out.cut == 0 && calls_.is_some(tag);
  }

 private:
  const PendingCalls& calls_;
};

// Which cycles are bad, of process `process` or, for lock-freedom, of all.
struct BadCycle {
  Progress property;
  std::uint32_t process;

  // What rows keep of a step, as a number; nothing if it matters to no cycle.
  static std::optional<std::uint32_t> kept(const Label& label,
                                           Progress property) {
    const bool is_internal = label.kind == LabelKind::kInternal;
    switch (property) {
      case Progress::kObstructionFree:
        return is_internal ? std::optional<std::uint32_t>(label.process)
                           : std::nullopt;
      case Progress::kWaitFree:
        return label.process * 2 + (is_internal ? 1u : 0u);
      default:
        return is_internal ? std::optional<std::uint32_t>(0) : std::nullopt;
    }
  }
  static std::uint32_t numbers(Progress property, std::size_t processes) {
    const auto count = static_cast<std::uint32_t>(processes);
    return property == Progress::kWaitFree          ? 2 * count
           : property == Progress::kObstructionFree ? count
                                                    : 1;
  }

  // A step that such a cycle may have.
  bool operator()(std::uint32_t number) const {
    switch (property) {
      case Progress::kObstructionFree:
        return number == process;
      case Progress::kWaitFree:
        return number % 2 != 0 || number / 2 != process;
      default:
        return true;
    }
  }
  bool operator()(const Rows::Step& step) const { return (*this)(step.number); }
  // A step that it must have, once at least.
  bool needs(const Rows::Step& step) const {
    return property != Progress::kWaitFree || step.number / 2 == process;
  }
};

// Somebody waits; and steps that matter to cycles.
class Waiting final : public explore::Watch {
 public:
  explicit Waiting(Progress property) : property_(property) {}
  bool is_found(lts::StateView, Tag,
                const lts::Successors& out) const override {
    return out.waiting != 0;
  }
  std::optional<std::uint32_t> kept(const Label& label) const override {
    return BadCycle::kept(label, property_);
  }

 private:
  const Progress property_;
};

class ProgressCheck {
 public:
  ProgressCheck(const Question& question, Progress property,
                const Options& options, Budget& budget)
      : system_(question.system),
        property_(property),
        options_(options),
        budget_(budget) {}

  // Names of processes and values are told apart: see PendingCalls, Rows.
  Outcome run() {
    PLUMB_CHECK(system_.symmetry() == nullptr);
    const auto start = Budget::Clock::now();
    if (property_ == Progress::kDeadlockFree) {
      look_for_deadlocks();
    } else {
      look_for_cycles();
    }
    // A state has one tag.
    outcome_.statistics.pairs = 0;
    outcome_.statistics.sets = 0;
    outcome_.statistics.represented = 0;  // nothing was reduced
    const std::chrono::duration<double> taken = Budget::Clock::now() - start;
    outcome_.statistics.seconds = taken.count();
    return std::move(outcome_);
  }

 private:
  void look_for_deadlocks();
  void look_for_cycles();
  void look_for_nearest_cycle(const PairSearch& search, const Rows& rows);
  void conclude(const Search& search, Search::End end);
  void report_stuck(lts::Path path);
  void report_cycle(const PairSearch& search, const Rows& rows, StateId start,
                    const BadCycle& bad);
  void report(lts::Lasso lasso, std::string reason);

  const lts::System& system_;
  const Progress property_;
  const Options& options_;
  Budget& budget_;
  Outcome outcome_;
};

// What came of a search, but for cycles.
void ProgressCheck::conclude(const Search& search, Search::End end) {
  if (end == Search::End::kFound) {
    report_stuck(search.path());
  } else {
    outcome_ = ended(system_, search, end);
  }
  outcome_.bounds_met = complete_outcome(system_, search.cut()).bounds_met;
  search.add_to(outcome_.statistics);
}

void ProgressCheck::report(lts::Lasso lasso, std::string reason) {
  if (!violates(lasso, property_, system_)) {
    fail("the run found does not violate the progress property");
  }
  outcome_.answer = check::Answer::kViolated;
  outcome_.reason = std::move(reason);
  outcome_.lasso = std::move(lasso);
}

void ProgressCheck::report_stuck(lts::Path path) {
  lts::Successors last;
  system_.successors(path.states.back(), last);
  const std::uint64_t pending = pending_after(path.labels);
  const std::uint64_t waiting = last.waiting & pending;
  lts::Lasso lasso;
  lasso.back_to = path.size();
  lasso.path = std::move(path);
  lasso.process = static_cast<std::size_t>(
      std::countr_zero(waiting != 0 ? waiting : pending));
  lasso.waits = last.waiting != 0;
  std::string reason =
      property_ == Progress::kDeadlockFree
          ? "calls are pending and no process can take a step"
          : fmt::format("process {} may wait for ever", lasso.process);
  report(std::move(lasso), std::move(reason));
}

void ProgressCheck::report_cycle(const PairSearch& search, const Rows& rows,
                                 StateId start, const BadCycle& bad) {
  const auto cycle = explore::shortest_cycle(
      rows, start, bad,
      [&bad](const Rows::Step& step) { return bad.needs(step); });
  if (cycle.empty()) fail("a component without a cycle");
  lts::Lasso lasso;
  lasso.path = search.path_to(start);
  lasso.back_to = lasso.path.size();
  lts::StateBytes buffer;
  for (const Rows::Step& step : cycle) {
    const auto is_meant = [&](const Label& label) {
      return BadCycle::kept(label, property_) == step.number;
    };
    if (!lts::extend(lasso.path, system_,
                     search.pairs().states().get(step.target, buffer),
                     is_meant)) {
      fail("a transition of the graph is not one of the system");
    }
  }
  lasso.process = property_ == Progress::kLockFree
                      ? lasso.path.labels[lasso.back_to].process
                      : bad.process;
  std::string reason;
  switch (property_) {
    case Progress::kWaitFree:
      reason = fmt::format(
          "process {} may take steps for ever without returning", bad.process);
      break;
    case Progress::kObstructionFree:
      reason = fmt::format(
          "process {}, running alone, may take steps for ever without "
          "returning",
          bad.process);
      break;
    default:
      reason =
          "calls are pending, and steps may go on for ever without any "
          "return";
  }
  report(std::move(lasso), std::move(reason));
}

// Of the bad cycles of all processes, the one that begins nearest.
void ProgressCheck::look_for_nearest_cycle(const PairSearch& search,
                                           const Rows& rows) {
  const std::size_t rounds =
      property_ == Progress::kLockFree ? 1 : system_.processes();
  const std::size_t end = search.pairs().states().end();
  std::vector<bool> bad(end);
  std::vector<std::vector<bool>> of_process;
  bool any = false;
  for (std::size_t process = 0; process < rounds; ++process) {
    const BadCycle own{property_, static_cast<std::uint32_t>(process)};
    auto states = explore::states_of_cycles(
        rows, end, own,
        [&own](const Rows::Step& step) { return own.needs(step); }, budget_);
    if (!states) {
      if (any) break;
      outcome_.answer = check::Answer::kUnknown;
      outcome_.reason = budget_.describe_limit();
      return;
    }
    for (std::size_t i = 0; i < states->size(); ++i) {
      if ((*states)[i]) bad[i] = any = true;
    }
    of_process.push_back(*std::move(states));
  }
  if (!any) return;
  const StateId nearest = search.nearest_of(bad);
  const auto process = std::ranges::find_if(of_process, [&](const auto& own) {
    return !own.empty() && own[nearest];
  });
  report_cycle(
      search, rows, nearest,
      {property_, static_cast<std::uint32_t>(process - of_process.begin())});
}

void ProgressCheck::look_for_cycles() {
  if (options_.store != Options::Store::kExact) {
    throw InputError(
        "'--store compact' and '--store bitstate' keep too little "
        "of a state for properties of infinite runs",
        "use --store exact");
  }
  const SearchLimits limits = limits_of(options_);
  const Waiting waiting(property_);
  Rows rows(limits.threads, BadCycle::numbers(property_, system_.processes()));
  explore::NoTags nothing;
  SearchLimits watched = limits;
  watched.watch = &waiting;
  watched.rows = &rows;
  PairSearch search(system_, nothing, watched, budget_);
  const auto end = search.run();
  conclude(search, end);
  rows.finish();
  outcome_.statistics.store_bytes += rows.bytes();
  // What was explored may have a bad cycle even if it is not all.  But when
  // time or memory is spent, nothing more is begun.
  const bool is_limit = options_.state_limit != 0 &&
                        search.pairs().states().size() >= options_.state_limit;
  if ((end == Search::End::kComplete || is_limit) &&
      budget_.limit() == Limit::kNone) {
    look_for_nearest_cycle(search, rows);
  }
}

void ProgressCheck::look_for_deadlocks() {
  PendingCalls calls;
  const Deadlock deadlock(calls);
  SearchLimits limits = limits_of(options_);
  limits.watch = &deadlock;
  const Question whole{.system = system_, .codes = {}};
  const auto search = make_search(whole, options_, calls, limits, budget_);
  conclude(*search, search->run());
}

}  // namespace

Outcome check_progress(const Question& question, Progress property,
                       const Options& options, Budget& budget) {
  return ProgressCheck(question, property, options, budget).run();
}

}  // namespace plumb::verify
