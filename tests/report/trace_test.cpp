// SPDX-License-Identifier: Apache-2.0
#include "report/trace.h"

#include <gtest/gtest.h>

#include <array>

namespace plumb::report {
namespace {

// Two cells that change their names in each step; the second process can take
// no step while the first can.
class Swapping : public lts::System {
 public:
  explicit Swapping(bool moves) : moves_(moves) {}
  std::size_t processes() const override { return 2; }
  std::span<const std::string> operations() const override { return names_; }
  lts::StateBytes initial() const override { return {0}; }
  void successors(lts::StateView, lts::Successors& out) const override {
    out.clear();
    const lts::StateBytes same = {0};
    if (moves_) out.add(lts::Label{}, same);
    out.waiting = 2;
  }
  lts::Edge edge(std::uint32_t) const override { return {}; }
  std::string fault(std::uint16_t) const override { return "broken"; }
  lts::StepText explain(lts::StateView, const lts::Label&,
                        lts::StateView) const override {
    lts::StepText text;
    text.line = 3;
    text.statement = "swap";
    text.effects = {{lts::Effect::Kind::kWrite, "top", "#1", "#2"}};
    text.names = {{2, 1}};
    return text;
  }
  std::vector<lts::Variable> describe(lts::StateView) const override {
    return {{"top", "#1"}, {"n", "1"}, {"n", "2"}};
  }

 private:
  bool moves_;
  std::array<std::string, 1> names_ = {"f"};
};

lts::Path two_steps() {
  lts::Label last;
  last.kind = lts::LabelKind::kFault;
  return {{{0}, {0}, {0}}, {lts::Label{}, last}};
}

TEST(Trace, KeepsTheNamesOfCells) {
  Trace trace;
  describe_path(Swapping(true), two_steps(), trace);
  EXPECT_EQ(trace.initial[0].value, "#1");
  ASSERT_EQ(trace.steps.size(), 2u);
  EXPECT_EQ(words_of(trace.steps[0].effects), "top: #1 -> #2");
  EXPECT_EQ(trace.steps[0].state[0].value, "#2");
  EXPECT_EQ(words_of(trace.steps[1].effects), "top: #2 -> #1");
  EXPECT_EQ(trace.steps[1].state[0].value, "#1");
}

TEST(Trace, GivesEachVariableANameOfItsOwn) {
  Trace trace;
  describe_path(Swapping(true), two_steps(), trace);
  EXPECT_EQ(trace.initial[1].name, "n");
  EXPECT_EQ(trace.initial[2].name, "n (2)");
  EXPECT_EQ(trace.steps[0].state[2].name, "n (2)");
}

TEST(Trace, TellsWhatWentWrong) {
  Trace trace;
  describe_path(Swapping(true), two_steps(), trace);
  EXPECT_EQ(trace.steps[0].fault, "");
  EXPECT_EQ(trace.steps[1].fault, "broken");
  EXPECT_EQ(trace.steps[1].operation, "f");
  EXPECT_EQ(trace.steps[1].line, 3u);
}

TEST(Trace, OfALassoNamesWhoWaitsIfOthersDoNot) {
  lts::Lasso lasso;
  lasso.path = two_steps();
  lasso.back_to = 2;
  lasso.process = 1;
  lasso.waits = true;
  Trace trace;
  describe_lasso(Swapping(true), lasso, trace);
  EXPECT_EQ(trace.back_to, 2u);
  EXPECT_EQ(trace.stuck, 1u);
  EXPECT_EQ(trace.waiting, 1u);
  describe_lasso(Swapping(false), lasso, trace);
  EXPECT_EQ(trace.waiting, std::nullopt) << "all of them wait";
}

}  // namespace
}  // namespace plumb::report
