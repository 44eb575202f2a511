// SPDX-License-Identifier: Apache-2.0
#include "snzi.h"

#include <plumb/test.h>

#include <tuple>

namespace {

template <typename Indicator>
auto calls(plumb::Test& test) {
  auto indicator = test.object<Indicator>();
  test.spec("snzi");
  return std::tuple(indicator.operation("arrive", PLUMB_METHOD(arrive)),
                    indicator.operation("depart", PLUMB_METHOD(depart)),
                    indicator.operation("query", PLUMB_METHOD(query)));
}

// The smallest test: T2 arrives second and looks.
template <typename Indicator>
void arrive_and_look(plumb::Test& test) {
  auto [arrive, depart, query] = calls<Indicator>(test);
  test.program()
      .thread(arrive())
      .thread(arrive(), query())
      .after(query(), depart());
}

}  // namespace

PLUMB_TEST(snzi) {
  arrive_and_look<Snzi>(test);
}

PLUMB_TEST(snzi_departing) {
  test.memory("sc");  // there are too many graphs
  auto [arrive, depart, query] = calls<Snzi>(test);
  test.program()
      .thread(arrive(), depart())
      .thread(arrive(), query())
      .after(query());
  test.program()
      .before(arrive())
      .thread(depart())
      .thread(arrive(), query())
      .after(query());
  test.program()
      .thread(arrive(), query(), depart())
      .thread(query(), query())
      .after(query());
  test.program()
      .thread(arrive(), depart())
      .thread(arrive(), depart())
      .after(query());
}

PLUMB_TEST(snzi_without_half) {
  arrive_and_look<SnziWithoutHalf>(test);
  test.expect("violated");
}
PLUMB_TEST(snzi_without_half_quiescent) {
  arrive_and_look<SnziWithoutHalf>(test);
  test.condition("quiescent");
}
