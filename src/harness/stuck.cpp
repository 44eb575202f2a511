// SPDX-License-Identifier: Apache-2.0
#include "harness/stuck.h"

#include <string>
#include <utility>

namespace plumb::harness {

namespace {

// The object, with one more operation for each: it gives true where the other
// one blocks, and has no outcome elsewhere.  Once something blocks for ever,
// nothing else happens: the last value of a state says whether that is so.
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
      operations_.push_back(asks);
    }
  }

  std::string name() const override { return base_->name(); }
  std::span<const spec::Signature> operations() const override {
    return operations_;
  }
  spec::State initial() const override {
    return with_flag(base_->initial(), false);
  }
  void apply(const spec::State& state, const spec::Call& call,
             std::vector<spec::Outcome>& outcomes) const override {
    spec::Call asked = call;
    if (asked.code >= count_) {
      asked.code = static_cast<std::uint16_t>(call.code - count_);
      std::vector<spec::Outcome> possible;
      base_->apply(without_flag(state), asked, possible);
      if (!possible.empty()) return;
      outcomes.push_back(
          {Value::boolean(true), with_flag(without_flag(state), true)});
    } else if (!is_over(state)) {
      const std::size_t before = outcomes.size();
      base_->apply(without_flag(state), asked, outcomes);
      add_flags(outcomes, before);
    }
  }
  void step(const spec::State& state, const spec::Call& call,
            std::optional<Value> observed,
            std::vector<spec::State>& next) const override {
    if (call.code >= count_) {
      Specification::step(state, call, observed, next);
    } else if (!is_over(state)) {
      const std::size_t before = next.size();
      base_->step(without_flag(state), call, observed, next);
      for (std::size_t i = before; i < next.size(); ++i) {
        next[i] = with_flag(std::move(next[i]), false);
      }
    }
  }
  bool may_end(const spec::State& state) const override {
    return base_->may_end(without_flag(state));
  }
  bool may_end_with(const spec::State& state,
                    std::span<const spec::Call> pending) const override {
    std::vector<spec::Call> real(pending.begin(), pending.end());
    std::erase_if(real, [&](const spec::Call& c) { return c.code >= count_; });
    return base_->may_end_with(without_flag(state), real);
  }
  bool has_turns(std::uint16_t code) const override {
    return code < count_ && base_->has_turns(code);
  }
  void overtake(const spec::State& state, const spec::Call& call,
                std::size_t furthest,
                std::vector<spec::Outcome>& outcomes) const override {
    if (is_over(state)) return;
    const std::size_t before = outcomes.size();
    base_->overtake(without_flag(state), call, furthest, outcomes);
    add_flags(outcomes, before);
  }
  std::string describe(const spec::State& state) const override {
    return base_->describe(without_flag(state));
  }
  bool changes_nothing(const spec::Call& call, Value observed) const override {
    return call.code < count_ && base_->changes_nothing(call, observed);
  }

 private:
  static bool is_over(const spec::State& state) {
    return state.back() == Value::boolean(true);
  }
  static spec::State with_flag(spec::State state, bool is_over) {
    state.push_back(Value::boolean(is_over));
    return state;
  }
  static spec::State without_flag(spec::State state) {
    state.pop_back();
    return state;
  }
  static void add_flags(std::vector<spec::Outcome>& outcomes,
                        std::size_t from) {
    for (std::size_t i = from; i < outcomes.size(); ++i) {
      outcomes[i].next = with_flag(std::move(outcomes[i].next), false);
    }
  }

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

// A call that never returns overlaps everything after its invocation: nothing
// is quiet any more.  So it stays where it is, as a call that ends last.
check::Answer StuckJudge::judge(const CallTrace& trace, Budget& budget) {
  completed_ = trace;
  completed_.pending = 0;
  std::uint64_t all = 0;
  for (std::uint32_t i = 0; i < trace.size; ++i) {
    all |= first_end(i) | (trace.is_pending(i) ? 0 : last_end(i));
  }
  // What it did so far may come before others; its end does not.
  for (std::uint32_t end = 0; end < 2 * trace.size; ++end) {
    completed_.before[end] &= all;
  }
  const auto blocked = [this](std::uint16_t call) {
    return static_cast<std::uint16_t>(call + calls_);
  };
  for (std::uint32_t i = 0; i < trace.size; ++i) {
    if (!trace.is_pending(i)) continue;
    completed_.call[i] = blocked(trace.call[i]);
    completed_.result[i] = Value::boolean(true);
    completed_.before[2 * i + 1] = all;
  }
  for (auto* solos : {&completed_.first, &completed_.after}) {
    for (SoloCall& solo : *solos) {
      if (!solo.pending) continue;
      solo = {blocked(solo.call), false, Value::boolean(true)};
    }
  }
  return judge_->judge(completed_, budget).answer;
}

}  // namespace plumb::harness
