// SPDX-License-Identifier: Apache-2.0
// States of the specification machine: an object, and what each process does.
#pragma once

#include <absl/container/inlined_vector.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/numbers.h"
#include "lts/symmetry.h"
#include "verify/members.h"
#include "verify/specification_graph.h"

namespace plumb::verify {

using ConfigurationId = MemberId;
using ConfigurationList = MemberList;

// What a process does, in one word.
class Status {
 public:
  static Status idle() { return Status(0); }
  static Status pending(CallId call) { return Status(call * 2 + 1); }
  static Status done(ResultId result) { return Status(result * 2 + 2); }
  static Status from_word(std::uint32_t word) { return Status(word); }

  bool is_idle() const { return word_ == 0; }
  bool is_pending() const { return (word_ & 1) != 0; }  // no effect so far
  bool is_done() const { return !is_idle() && !is_pending(); }
  CallId call() const { return word_ / 2; }          // if is_pending()
  ResultId result() const { return word_ / 2 - 1; }  // if is_done()
  std::uint32_t word() const { return word_; }

  friend bool operator==(Status, Status) = default;

 private:
  explicit Status(std::uint32_t word) : word_(word) {}
  std::uint32_t word_;
};

// What a set of configurations may contain: a Bloom filter with one hash.  If
// the set is a subset, so are the bits.
struct Signature {
  std::array<std::uint64_t, 4> words = {};

  bool is_empty() const {
    return (words[0] | words[1] | words[2] | words[3]) == 0;
  }
  void add(std::uint64_t hash) {
    words[hash >> 6 & 3] |= std::uint64_t{1} << (hash & 63);
  }
  void add(const Signature& other) {
    for (std::size_t i = 0; i < 4; ++i) words[i] |= other.words[i];
  }
  bool is_within(const Signature& other) const {
    return ((words[0] & ~other.words[0]) | (words[1] & ~other.words[1]) |
            (words[2] & ~other.words[2]) | (words[3] & ~other.words[3])) == 0;
  }
};

// The configurations of the specification machine for a number of processes,
// interned.  The machine's moves: a process invokes (idle, then pending), its
// operation takes effect (pending, then done; hidden), it returns what the
// effect gave (done, then idle).
class Configurations final : public Members {
 public:
  Configurations(SpecificationGraph& graph, std::size_t processes);
  Configurations(const Configurations&) = delete;

  ConfigurationId initial() const { return 0; }
  std::size_t size() const { return words_.size() / stride_; }
  std::size_t processes() const override { return stride_ - 1; }
  SpecificationGraph& graph() override { return graph_; }
  AbstractId object(ConfigurationId c) const { return words_[c * stride_]; }
  Status status(ConfigurationId c, std::size_t process) const {
    return Status::from_word(words_[c * stride_ + 1 + process]);
  }

  // Requires: `process` is idle.
  ConfigurationId invoked(ConfigurationId c, std::size_t process, CallId call);
  // The return of a process that is done with this result.
  std::optional<ConfigurationId> returned(ConfigurationId c,
                                          std::size_t process, ResultId result);
  // Appends what can become of `c` when the operation of `process`, which is
  // pending, takes effect, with the result `only` if one is given.
  void append_effects(ConfigurationId c, std::size_t process,
                      std::optional<ResultId> only, ConfigurationList& out);
  // Appends what can become of `c` when `process` returns `result`, with just
  // those effects before it that end in its own; see exact_moves.h.
  void append_lazy_returns(ConfigurationId c, std::size_t process,
                           ResultId result, ConfigurationList& out);

  ConfigurationId renamed(ConfigurationId c, const lts::Renaming& renaming,
                          std::span<const Value> values) override;
  ConfigurationId with_sorted_twins(ConfigurationId c, std::uint16_t twins,
                                    lts::Renaming& renaming,
                                    std::span<const Value> values) override;
  std::uint64_t about(ConfigurationId c, std::size_t process) const override {
    return status(c, process).word();
  }
  std::uint64_t beside(ConfigurationId c) const override { return object(c); }

  // May a history end here, whatever of what is pending takes effect?
  bool may_end(ConfigurationId c);
  // ... in one of these?
  bool some_may_end(std::span<const ConfigurationId> members) {
    return std::ranges::any_of(members,
                               [&](ConfigurationId c) { return may_end(c); });
  }

  // Is `later` the same as `c`, or can it come from `c` by effects alone?
  bool reaches(ConfigurationId c, ConfigurationId later);
  // Of all that `c` reaches, `c` included.
  const Signature& signature(ConfigurationId c);

 private:
  using Words = absl::InlinedVector<std::uint32_t, 9>;
  std::span<const std::uint32_t> view(ConfigurationId c) const {
    return {words_.data() + c * stride_, stride_};
  }
  // Both make a configuration in made_, for intern().
  std::span<std::uint32_t> copy(ConfigurationId c);
  // By other names.
  std::span<std::uint32_t> words_by(ConfigurationId c,
                                    const lts::Renaming& renaming,
                                    std::span<const Value> values);
  ConfigurationId intern(std::span<const std::uint32_t> words);
  bool reach(Words& words, const Words& goal);

  SpecificationGraph& graph_;
  std::size_t stride_;
  // One configuration after the other: the object, then the processes.
  std::vector<std::uint32_t> words_;
  std::vector<std::uint32_t> made_;  // one more
  NumberIndex index_;
  std::vector<Signature> signatures_;  // empty ones: not known yet
};

}  // namespace plumb::verify
