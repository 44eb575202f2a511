// SPDX-License-Identifier: Apache-2.0
#include "harness/stuck.h"

#include <string>
#include <utility>

namespace plumb::harness {

namespace {

// The object, with one more operation for each: it gives true where the other
// one blocks, and has no outcome elsewhere.
class Blockable final : public spec::Specification {
 public:
  explicit Blockable(spec::SpecificationPtr base) : base_(std::move(base)) {
    for (const spec::Signature& signature : base_->operations()) {
      operations_.push_back(signature);
    }
    count_ = operations_.size();
    names_.reserve(count_);
    for (std::size_t i = 0; i < count_; ++i) {
      names_.push_back(std::string(operations_[i].name) + " blocks");
      spec::Signature asks;
      asks.name = names_.back();
      asks.argument = operations_[i].argument;
      asks.result = spec::Result::kBoolean;
      asks.reads_only = true;
      operations_.push_back(asks);
    }
  }

  std::string name() const override { return base_->name(); }
  std::span<const spec::Signature> operations() const override {
    return operations_;
  }
  spec::State initial() const override { return base_->initial(); }
  void apply(const spec::State& state, const spec::Call& call,
             std::vector<spec::Outcome>& outcomes) const override {
    if (call.code < count_) {
      base_->apply(state, call, outcomes);
      return;
    }
    spec::Call asked = call;
    asked.code = static_cast<std::uint16_t>(call.code - count_);
    std::vector<spec::Outcome> possible;
    base_->apply(state, asked, possible);
    if (possible.empty()) outcomes.push_back({Value::boolean(true), state});
  }
  void step(const spec::State& state, const spec::Call& call,
            std::optional<Value> observed,
            std::vector<spec::State>& next) const override {
    if (call.code < count_) {
      base_->step(state, call, observed, next);
    } else {
      Specification::step(state, call, observed, next);
    }
  }
  bool may_end(const spec::State& state) const override {
    return base_->may_end(state);
  }
  bool has_turns(std::uint16_t code) const override {
    return code < count_ && base_->has_turns(code);
  }
  void overtake(const spec::State& state, const spec::Call& call,
                std::size_t furthest,
                std::vector<spec::Outcome>& outcomes) const override {
    base_->overtake(state, call, furthest, outcomes);
  }
  std::string describe(const spec::State& state) const override {
    return base_->describe(state);
  }
  bool changes_nothing(const spec::Call& call, Value observed) const override {
    return call.code >= count_ || base_->changes_nothing(call, observed);
  }

 private:
  spec::SpecificationPtr base_;
  std::size_t count_ = 0;
  std::vector<std::string> names_;
  std::vector<spec::Signature> operations_;
};

}  // namespace

StuckJudge::StuckJudge(std::vector<spec::Call> calls,
                       spec::SpecificationPtr object,
                       check::Condition condition)
    : calls_(calls.size()) {
  const auto count = static_cast<std::uint16_t>(object->operations().size());
  for (std::size_t i = 0; i < calls_; ++i) {
    spec::Call asks = calls[i];
    asks.code = static_cast<std::uint16_t>(asks.code + count);
    calls.push_back(asks);
  }
  judge_ = std::make_unique<Judge>(std::move(calls),
                                   std::make_shared<Blockable>(object),
                                   std::move(condition));
}

check::Answer StuckJudge::judge(const CallTrace& trace, Budget& budget) {
  completed_.clear();
  const auto add_blocked = [&](std::uint16_t call) {
    completed_.after.push_back({static_cast<std::uint16_t>(call + calls_),
                                false, Value::boolean(true)});
  };
  for (const SoloCall& solo : trace.first) {
    if (!solo.pending) completed_.first.push_back(solo);
  }
  std::uint32_t kept[kMaxCalls];  // their numbers in `trace`
  for (std::uint32_t i = 0; i < trace.size; ++i) {
    if (trace.is_pending(i)) continue;
    const std::uint32_t to = completed_.size++;
    kept[to] = i;
    completed_.call[to] = trace.call[i];
    completed_.thread[to] = trace.thread[i];
    completed_.result[to] = trace.result[i];
  }
  const auto move = [&](std::uint64_t before) {
    std::uint64_t moved = 0;
    for (std::uint32_t to = 0; to < completed_.size; ++to) {
      moved |= (before >> (2 * kept[to]) & 3) << (2 * to);
    }
    return moved;
  };
  for (std::uint32_t to = 0; to < completed_.size; ++to) {
    completed_.before[2 * to] = move(trace.before[2 * kept[to]]);
    completed_.before[2 * to + 1] = move(trace.before[2 * kept[to] + 1]);
  }
  for (const SoloCall& solo : trace.after) {
    if (!solo.pending) completed_.after.push_back(solo);
  }
  for (std::uint32_t i = 0; i < trace.size; ++i) {
    if (trace.is_pending(i)) add_blocked(trace.call[i]);
  }
  for (const auto* solos : {&trace.first, &trace.after}) {
    for (const SoloCall& solo : *solos) {
      if (solo.pending) add_blocked(solo.call);
    }
  }
  return judge_->judge(completed_, budget).answer;
}

}  // namespace plumb::harness
