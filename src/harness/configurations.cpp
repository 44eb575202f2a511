// SPDX-License-Identifier: Apache-2.0
#include "harness/configurations.h"

#include <algorithm>

namespace plumb::harness {

namespace {

constexpr std::uint32_t kThreadShift = 26;
constexpr std::uint32_t kResultMask = (std::uint32_t{1} << kThreadShift) - 1;

}  // namespace

Configurations::StateId Configurations::intern(const spec::State& state) {
  const auto [entry, is_new] =
      state_ids_.try_emplace(state, static_cast<StateId>(states_.size()));
  if (is_new) states_.push_back(state);
  return entry->second;
}

std::uint32_t Configurations::number_of(Value result) {
  const auto [entry, is_new] = results_.try_emplace(
      result.word(), static_cast<std::uint32_t>(values_.size()));
  if (is_new) values_.push_back(result);
  return entry->second;
}

// All that a call can do in a state.
const std::vector<Configurations::Taken>& Configurations::taken(
    StateId state, std::uint16_t call) {
  const std::uint64_t key = std::uint64_t{call} << 32 | state;
  const auto found = taken_.find(key);
  if (found != taken_.end()) return found->second;
  std::vector<spec::Outcome> outcomes;
  judge_.object().apply(states_[state], judge_.call(call), outcomes);
  std::vector<Taken> all;
  for (const spec::Outcome& outcome : outcomes) {
    all.push_back({number_of(outcome.result), intern(outcome.next)});
  }
  return taken_[key] = std::move(all);
}

Configurations::Set Configurations::intern(std::vector<Configuration> members) {
  std::sort(members.begin(), members.end());
  members.erase(std::unique(members.begin(), members.end()), members.end());
  if (members.empty()) return kNone;
  const auto [entry, is_new] =
      set_ids_.try_emplace(members, static_cast<Set>(sets_.size()));
  if (is_new) {
    std::vector<std::uint64_t> row;
    for (const Configuration& one : members) {
      row.push_back(one.size());
      row.insert(row.end(), one.begin(), one.end());
    }
    const auto [a, b] = hash_row_twice(row);
    sets_.push_back({std::move(members), {a, b}});
  }
  return entry->second;
}

// Of calls that are made one after another.
void Configurations::follow(const std::vector<ProgramRun::Record>& calls,
                            std::vector<spec::State>& now) const {
  for (const ProgramRun::Record& record : calls) {
    if (!record.returned) break;
    std::vector<spec::State> next;
    for (const spec::State& state : now) {
      judge_.object().step(state, judge_.call(record.call),
                           judge_.seen_result(record.call, record.result),
                           next);
    }
    now = std::move(next);
  }
}

Configurations::Set Configurations::after(
    const std::vector<ProgramRun::Record>& before) {
  std::vector<spec::State> now = {judge_.object().initial()};
  follow(before, now);
  std::vector<Configuration> members;
  for (const spec::State& state : now) members.push_back({intern(state)});
  make_row(before, row_);
  return known_[row_] = intern(std::move(members));
}

void Configurations::make_row(const std::vector<ProgramRun::Record>& before,
                              Row& row) {
  row.clear();
  for (const ProgramRun::Record& record : before) {
    if (record.returned) row.push_back(record.result.word());
  }
  row.push_back(~std::uint64_t{0});  // no row of a return begins or ends so
}

void Configurations::make_row(const Return& what, Row& row) {
  row.clear();
  row.push_back(std::uint64_t{what.from} << 32 | what.thread);
  row.push_back(what.result.word());
  for (const Open& open : what.open) {
    row.push_back(std::uint64_t{open.call} << 8 | open.thread);
  }
}

std::optional<Configurations::Set> Configurations::find(const Row& row) const {
  const auto found = known_.find(row);
  if (found == known_.end()) return std::nullopt;
  return found->second;
}

std::optional<Configurations::Set> Configurations::known_after(
    const Return& what) const {
  make_row(what, row_);
  return find(row_);
}

std::optional<Configurations::Set> Configurations::known_after(
    const std::vector<ProgramRun::Record>& before) const {
  make_row(before, row_);
  return find(row_);
}

Configurations::Set Configurations::after(const Return& what) {
  std::vector<Configuration> out;
  absl::flat_hash_set<Configuration> seen;
  const std::vector<Configuration> from = sets_[what.from].all;
  for (const Configuration& one : from) advance(what, one, out, seen);
  make_row(what, row_);
  return known_[row_] = intern(std::move(out));
}

void Configurations::advance(const Return& what, const Configuration& from,
                             std::vector<Configuration>& out,
                             absl::flat_hash_set<Configuration>& seen) {
  if (!seen.insert(from).second) return;
  sched::ThreadMask has_taken = 0;
  for (std::size_t i = 1; i < from.size(); ++i) {
    const auto thread = static_cast<sched::ThreadId>(from[i] >> kThreadShift);
    has_taken |= sched::bit(thread);
    if (thread != what.thread) continue;
    // It took effect before; the result that was guessed must be right.
    if (values_[from[i] & kResultMask] != seen_result(what)) return;
    Configuration rest = from;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    out.push_back(std::move(rest));
    return;
  }
  for (const Open& open : what.open) {
    if (has_taken & sched::bit(open.thread)) continue;
    const std::vector<Taken> all = taken(from[0], open.call);
    for (const Taken& one : all) {
      Configuration next = from;
      next[0] = one.next;
      if (open.thread == what.thread) {
        if (values_[one.result] == seen_result(what)) out.push_back(next);
        continue;
      }
      const std::uint32_t word =
          std::uint32_t{open.thread} << kThreadShift | one.result;
      next.insert(std::upper_bound(next.begin() + 1, next.end(), word), word);
      advance(what, next, out, seen);
    }
  }
}

Value Configurations::seen_result(const Return& what) const {
  const auto open =
      std::find_if(what.open.begin(), what.open.end(),
                   [&](const Open& one) { return one.thread == what.thread; });
  return judge_.seen_result(open->call, what.result);
}

bool Configurations::explains(Set set,
                              const std::vector<ProgramRun::Record>& after) {
  std::vector<spec::State> now;
  for (const Configuration& one : sets_[set].all) {
    now.push_back(states_[one[0]]);
  }
  follow(after, now);
  return std::any_of(now.begin(), now.end(), [&](const spec::State& state) {
    return judge_.object().may_end(state);
  });
}

}  // namespace plumb::harness
