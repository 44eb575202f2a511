// SPDX-License-Identifier: Apache-2.0
#include <plumb/test.h>

// LIMIT: without a specification, an object must give the same results
// whenever it runs alone.
struct Dice {
  unsigned roll() { return plumb::choose(6); }
};

PLUMB_TEST(dice) {
  auto dice = test.object<Dice>();
  auto roll = dice.operation("roll", PLUMB_METHOD(roll));
  test.program().thread(roll()).thread(roll());
}

// A model may say all that is right.
PLUMB_TEST(dice_with_model) {
  auto dice = test.object<Dice, Dice>();
  auto roll = dice.operation("roll", PLUMB_METHOD(roll));
  test.program().thread(roll()).thread(roll());
}
