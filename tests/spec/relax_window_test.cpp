// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "spec/relax_test_support.h"
#include "spec/spec_test_support.h"

namespace plumb::relax_testing {
namespace {

using spec_testing::number;
using spec_testing::Walk;

// A queue that holds 1, 2, ... at first.
class Filled final : public Specification {
 public:
  explicit Filled(int items) : queue_(make("queue")) {
    for (int i = 1; i <= items; ++i) initial_.push_back(number(i));
  }
  std::string name() const override { return "filled queue"; }
  std::span<const Signature> operations() const override {
    return queue_->operations();
  }
  State initial() const override { return initial_; }
  void apply(const State& state, const Call& call,
             std::vector<Outcome>& outcomes) const override {
    queue_->apply(state, call, outcomes);
  }

 private:
  SpecificationPtr queue_;
  State initial_;
};

Case taking(int items, std::uint32_t factor) {
  Case one = make_case(std::make_shared<Filled>(items), {});
  return with_factors(one, {{"deq", factor}});
}

// 3 1 5 2 7 4 9 6 ...: how many of them can `object` give?
int length_given(SpecificationPtr object, int most) {
  Walk walk(std::move(object));
  for (int i = 0; i < most; ++i) {
    const int given = i == 1 ? 1 : i % 2 == 0 ? i + 3 : i - 1;
    if (!walk.saw("deq", {}, number(given))) return i;
  }
  return most;
}

TEST(Window, RejectsAPatternThatNeverMovesAnythingTooFar) {
  for (const int most : {8, 20, 40}) {
    const Case one = taking(most + 3, 2);
    EXPECT_EQ(length_given(relaxed_model(one), most), most);
    EXPECT_EQ(length_given(window_model(one), most), 4);
    EXPECT_LT(length_given(relaxed_model(taking(most + 3, 1)), most), 2);
  }
}

TEST(Window, IsWhatTheConstructionSays) {
  for (const std::uint32_t factor : {0u, 1u, 2u, 3u}) {
    const Case one = taking(9, factor);
    Alphabet alphabet;
    // All that is left may have to follow.
    const Words exact = Definition(one, alphabet).words(8, 8);
    const Words window = Definition(one, alphabet, true).words(8, 8);
    EXPECT_EQ(words_of(*relaxed_model(one), one, 8, alphabet), exact);
    EXPECT_EQ(words_of(*window_model(one), one, 8, alphabet), window);
    EXPECT_EQ(exact == window, factor < 2);
  }
}

TEST(Window, IsContainedInTheExactObject) {
  for (const std::uint32_t factor : {0u, 1u, 2u}) {
    Case one = with_factors(make_case("queue(2)", numbers({1, 2})),
                            {{"deq", factor}, {"enq", 1}});
    EXPECT_EQ(difference(*window_model(one), *relaxed_model(one), one,
                         Relation::kContained),
              "");
    Case map =
        with_factors(make_case("map", numbers({1, 2})), {{"get", factor}});
    map.arguments[0] = {spec_testing::list({number(1), number(1)})};
    EXPECT_EQ(difference(*window_model(map), *relaxed_model(map), map,
                         Relation::kContained),
              "");
  }
}

}  // namespace
}  // namespace plumb::relax_testing
