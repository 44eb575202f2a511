// SPDX-License-Identifier: Apache-2.0
#include "verify/configurations.h"

#include <algorithm>
#include <cassert>

#include "base/flat_table.h"
#include "base/invariant.h"

namespace plumb::verify {

Configurations::Configurations(SpecificationGraph& graph, std::size_t processes)
    : graph_(graph),
      stride_(processes + 1),
      made_(stride_, Status::idle().word()) {
  made_[0] = graph.initial();
  intern(made_);
}

std::span<std::uint32_t> Configurations::copy(ConfigurationId c) {
  std::ranges::copy(view(c), made_.begin());
  return made_;
}

ConfigurationId Configurations::intern(std::span<const std::uint32_t> words) {
  assert(words.size() == stride_);
  const std::uint64_t hash = hash_words(words);
  const ConfigurationId known = index_.find(hash, [&](ConfigurationId c) {
    return std::equal(words.begin(), words.end(), view(c).begin());
  });
  if (known != NumberIndex::kNone) return known;
  const auto id = static_cast<ConfigurationId>(size());
  words_.insert(words_.end(), words.begin(), words.end());
  index_.add(hash, id);
  return id;
}

ConfigurationId Configurations::invoked(ConfigurationId c, std::size_t process,
                                        CallId call) {
  const auto words = copy(c);
  words[1 + process] = Status::pending(call).word();
  return intern(words);
}

std::optional<ConfigurationId> Configurations::returned(ConfigurationId c,
                                                        std::size_t process,
                                                        ResultId result) {
  if (status(c, process) != Status::done(result)) return std::nullopt;
  const auto words = copy(c);
  words[1 + process] = Status::idle().word();
  return intern(words);
}

void Configurations::append_effects(ConfigurationId c, std::size_t process,
                                    std::optional<ResultId> only,
                                    ConfigurationList& out) {
  const auto words = copy(c);
  const CallId call = status(c, process).call();
  for (const auto& outcome : graph_.outcomes(words[0], call)) {
    if (only && outcome.result != *only) continue;
    words[0] = outcome.next;
    words[1 + process] = Status::done(outcome.result).word();
    out.push_back(intern(words));
  }
}

void Configurations::append_lazy_returns(ConfigurationId c, std::size_t process,
                                         ResultId result,
                                         ConfigurationList& out) {
  if (!status(c, process).is_pending()) {
    if (const auto next = returned(c, process, result)) out.push_back(*next);
    return;
  }
  ConfigurationList helped = {c};  // grows while we go through it
  ConfigurationList done;
  FlatSet<ConfigurationId> seen = {c};
  for (std::size_t i = 0; i < helped.size(); ++i) {
    done.clear();
    append_effects(helped[i], process, result, done);
    for (const ConfigurationId d : done) {
      out.push_back(*returned(d, process, result));
    }
    done.clear();
    for (std::size_t p = 0; p < processes(); ++p) {
      if (p == process || !status(helped[i], p).is_pending()) continue;
      append_effects(helped[i], p, std::nullopt, done);
    }
    for (const ConfigurationId d : done) {
      if (seen.insert(d).second) helped.push_back(d);
    }
  }
}

std::span<std::uint32_t> Configurations::words_by(
    ConfigurationId c, const lts::Renaming& renaming,
    std::span<const Value> values) {
  PLUMB_CHECK(processes() <= lts::Permutation::kMost);
  const std::uint32_t* const from = words_.data() + c * stride_;
  const std::span<std::uint32_t> words = made_;
  words[0] = from[0];
  std::uint64_t names = renaming.processes.word();
  for (std::size_t p = 0; p < processes(); ++p, names >>= 4) {
    words[1 + (names & 15)] = from[1 + p];
  }
  if (renaming.values.is_identity()) return words;
  words[0] = graph_.renamed_state(words[0], values, renaming.values);
  for (std::size_t p = 0; p < processes(); ++p) {
    const Status status = Status::from_word(words[1 + p]);
    if (status.is_pending()) {
      words[1 + p] = Status::pending(graph_.renamed_call(status.call(), values,
                                                         renaming.values))
                         .word();
    } else if (status.is_done()) {
      words[1 + p] = Status::done(graph_.renamed_result(status.result(), values,
                                                        renaming.values))
                         .word();
    }
  }
  return words;
}

ConfigurationId Configurations::renamed(ConfigurationId c,
                                        const lts::Renaming& renaming,
                                        std::span<const Value> values) {
  if (renaming.is_identity()) return c;
  return intern(words_by(c, renaming, values));
}

ConfigurationId Configurations::with_sorted_twins(
    ConfigurationId c, std::uint16_t twins, lts::Renaming& renaming,
    std::span<const Value> values) {
  const auto words = words_by(c, renaming, values);
  if (twins == 0) return intern(words);
  // Which process stands at a place.
  lts::Permutation old = renaming.processes.inverse();
  // Runs of twins are short, and nearly sorted.
  bool is_sorted = true;
  for (std::size_t p = 1; p < processes(); ++p) {
    for (std::size_t q = p;
         q > 0 && (twins >> (q - 1) & 1) != 0 && words[q] > words[1 + q]; --q) {
      std::swap(words[q], words[1 + q]);
      const std::size_t left = old[q - 1];
      old.set(q - 1, old[q]);
      old.set(q, left);
      is_sorted = false;
    }
  }
  if (!is_sorted) renaming.processes = old.inverse();
  return intern(words);
}

const Signature& Configurations::signature(ConfigurationId c) {
  if (c < signatures_.size() && !signatures_[c].is_empty()) {
    return signatures_[c];
  }
  Signature all;
  // Multiplied, so that neighbours are spread.
  all.add((c * std::uint64_t{0x9E3779B97F4A7C15}) >> 56);
  ConfigurationList next;
  for (std::size_t p = 0; p < processes(); ++p) {
    if (status(c, p).is_pending()) append_effects(c, p, std::nullopt, next);
  }
  for (const ConfigurationId each : next) all.add(signature(each));
  if (signatures_.size() < size()) signatures_.resize(size());
  return signatures_[c] = all;
}

bool Configurations::may_end(ConfigurationId c) {
  if (graph_.may_end(object(c))) return true;
  ConfigurationList open = {c};  // grows while we go through it
  FlatSet<ConfigurationId> seen = {c};
  ConfigurationList next;
  for (std::size_t i = 0; i < open.size(); ++i) {
    next.clear();
    for (std::size_t p = 0; p < processes(); ++p) {
      if (!status(open[i], p).is_pending()) continue;
      append_effects(open[i], p, std::nullopt, next);
    }
    for (const ConfigurationId d : next) {
      if (!seen.insert(d).second) continue;
      if (graph_.may_end(object(d))) return true;
      open.push_back(d);
    }
  }
  // Between operations that nobody has called yet, too.
  std::vector<CallId> pending;
  for (std::size_t p = 0; p < processes(); ++p) {
    if (status(c, p).is_pending()) pending.push_back(status(c, p).call());
  }
  return !pending.empty() && graph_.may_end(object(c), pending);
}

bool Configurations::reaches(ConfigurationId c, ConfigurationId later) {
  if (c == later) return true;
  std::size_t effects = 0;
  for (std::size_t p = 0; p < processes(); ++p) {
    const Status from = status(c, p), to = status(later, p);
    if (from == to) continue;
    if (!from.is_pending() || !to.is_done()) return false;
    ++effects;
  }
  if (effects == 0) return false;  // the objects differ
  const Signature mine = signature(c);
  if (!signature(later).is_within(mine)) return false;
  const auto from = view(c), to = view(later);
  Words words(from.begin(), from.end());
  return reach(words, Words(to.begin(), to.end()));
}

// Some order of the effects in which `goal` is ahead leads to its object and
// its results.
bool Configurations::reach(Words& words, const Words& goal) {
  const Words before = words;
  bool all_done = true;
  for (std::size_t p = 0; p < processes(); ++p) {
    if (before[1 + p] == goal[1 + p]) continue;
    all_done = false;
    const CallId call = Status::from_word(before[1 + p]).call();
    for (const auto& outcome : graph_.outcomes(before[0], call)) {
      if (Status::done(outcome.result).word() != goal[1 + p]) continue;
      words[0] = outcome.next;
      words[1 + p] = goal[1 + p];
      if (reach(words, goal)) return true;
    }
    words = before;
  }
  return all_done && before[0] == goal[0];
}

}  // namespace plumb::verify
