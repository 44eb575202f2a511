// SPDX-License-Identifier: Apache-2.0
#include "lts/path.h"

#include <gtest/gtest.h>

#include "support/table_system.h"

namespace plumb::lts {
namespace {

using testing::TableSystem;

TableSystem two_steps() {
  TableSystem system(1, {"get"});
  system.invoke(0, 0, 0, Value::integer(3), 1);
  system.returns(1, 0, 0, Value::integer(4), 0);
  return system;
}

Path run_of(const TableSystem& system) {
  Path path;
  path.states = {system.encode(0), system.encode(1), system.encode(0)};
  path.labels = {system.state(0).transitions[0].label,
                 system.state(1).transitions[0].label};
  return path;
}

TEST(Path, EachStepOfARunExists) {
  const TableSystem system = two_steps();
  EXPECT_TRUE(is_run_of(run_of(system), system));
  Path nothing;
  nothing.states = {system.encode(0)};
  EXPECT_TRUE(is_run_of(nothing, system));
}

TEST(Path, ARunHasItsLabelsAndStatesExactly) {
  const TableSystem system = two_steps();
  Path path = run_of(system);
  path.labels[1].value = Value::integer(5);
  EXPECT_FALSE(is_run_of(path, system)) << "another result";
  path = run_of(system);
  path.states[2] = system.encode(1);
  EXPECT_FALSE(is_run_of(path, system)) << "another state";
  path = run_of(system);
  path.labels.pop_back();
  EXPECT_FALSE(is_run_of(path, system)) << "a state without a label";
  path = run_of(system);
  path.states.erase(path.states.begin());
  path.labels.erase(path.labels.begin());
  EXPECT_FALSE(is_run_of(path, system)) << "does not begin at the beginning";
}

}  // namespace
}  // namespace plumb::lts
