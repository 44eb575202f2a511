// SPDX-License-Identifier: Apache-2.0
#include "explore/write_graph.h"

#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "support/counter_system.h"
#include "support/table_system.h"

namespace plumb::explore {
namespace {

using testing::CounterSystem;
using testing::TableSystem;

TableSystem small_system() {
  TableSystem system(2, {"push", "pop"});
  system.invoke(0, 0, 0, Value::integer(1), 1);
  system.internal(1, 0, 2, 8);
  system.returns(2, 0, 0, {}, 0);
  system.invoke(0, 1, 1, {}, 3);
  system.returns(3, 1, 1, Value::integer(2), 0);
  return system;
}

std::string aut(const lts::System& system, std::uint64_t limit = 0,
                const AutOptions& options = {}) {
  Budget budget;
  const Reached reached(system, limit, budget);
  std::ostringstream out;
  EXPECT_TRUE(write_aut(reached, out, budget, options).finished);
  return out.str();
}

std::string dot(const lts::System& system, const DotOptions& options = {}) {
  Budget budget;
  const Reached reached(system, 0, budget);
  std::ostringstream out;
  EXPECT_TRUE(write_dot(reached, out, budget, options).finished);
  return out.str();
}

TEST(WriteAut, WritesCallsReturnsAndInternalSteps) {
  EXPECT_EQ(aut(small_system()),
            "des (0, 5, 4)\n"
            "(0, \"push_inv.0.1\", 1)\n"
            "(0, \"pop_inv.1\", 2)\n"
            "(1, i, 3)\n"
            "(2, \"pop_ret.1.2\", 0)\n"
            "(3, \"push_ret.0\", 0)\n");
}

TEST(WriteAut, NamesInternalStepsAsAsked) {
  EXPECT_NE(aut(small_system(), 0, {"tau"}).find("(1, tau, 3)\n"),
            std::string::npos);
}

TEST(WriteAut, LeavesNoQuoteOrLineEndInsideALabel) {
  TableSystem system(1, {"put"});
  const Value items[] = {Value::text("a\"b\nc"), Value::integer(1)};
  system.invoke(0, 0, 0, Value::list(items), 1);
  const std::string text = aut(system);
  EXPECT_EQ(std::count(text.begin(), text.end(), '"'), 2);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 2);
}

TEST(WriteAut, SendsAllFaultsToOneMoreState) {
  TableSystem system = small_system();
  system.fault(1, 0, 3, 0);
  system.fault(3, 1, 0, 0);
  const std::string text = aut(system);
  EXPECT_EQ(text.substr(0, 14), "des (0, 7, 5)\n");
  EXPECT_NE(text.find("(1, \"fault.0.fault 3\", 4)\n"), std::string::npos);
  EXPECT_NE(text.find("(2, \"fault.1.fault 0\", 4)\n"), std::string::npos);
}

// The first line must be right: readers trust it.
TEST(WriteAut, CountsWhatItWrites) {
  for (const std::uint64_t limit : {0u, 300u, 1u}) {
    const CounterSystem system(2, 4);
    Budget budget;
    const Reached reached(system, limit, budget);
    std::ostringstream out;
    const Written written = write_aut(reached, out, budget, {});
    std::istringstream in(out.str());
    std::string first, line;
    std::getline(in, first);
    std::uint64_t lines = 0;
    while (std::getline(in, line)) ++lines;
    EXPECT_EQ(first, "des (0, " + std::to_string(lines) + ", " +
                         std::to_string(reached.states.size()) + ")");
    EXPECT_EQ(written.transitions, lines);
    EXPECT_EQ(written.left_out == 0, limit == 0);
  }
}

TEST(WriteAut, SaysWhenTheBudgetIsSpent) {
  const CounterSystem system(2, 4);
  Budget budget;
  const Reached reached(system, 0, budget);
  Budget spent = Budget().with_steps(0);
  std::ostringstream out;
  EXPECT_FALSE(write_aut(reached, out, spent).finished);
}

TEST(WriteDot, ShowsStatesAndSteps) {
  EXPECT_EQ(dot(small_system()),
            "digraph states {\n"
            "  node [shape=box];\n"
            "  0 [label=\"0\\nstate = 0\", peripheries=2];\n"
            "  1 [label=\"1\\nstate = 1\"];\n"
            "  2 [label=\"2\\nstate = 3\"];\n"
            "  3 [label=\"3\\nstate = 2\"];\n"
            "  0 -> 1 [label=\"0: push(1)\"];\n"
            "  0 -> 2 [label=\"1: pop()\"];\n"
            "  1 -> 3 [label=\"0: line 9, step 8\"];\n"
            "  2 -> 0 [label=\"1: return 2\"];\n"
            "  3 -> 0 [label=\"0: return \"];\n"
            "}\n");
}

TEST(WriteDot, LeavesOutWhatNobodyCouldRead) {
  const std::string text = dot(small_system(), {2, 4});
  EXPECT_NE(text.find("  1 [label=\"1\\nst...\"];\n"), std::string::npos);
  EXPECT_EQ(text.find("  2 [label"), std::string::npos);
  EXPECT_NE(text.find("2 more states are not shown"), std::string::npos);
}

TEST(WriteDot, GivesEachFaultANodeOfItsOwn) {
  TableSystem system = small_system();
  system.fault(1, 0, 3, 0);
  const std::string text = dot(system);
  EXPECT_NE(text.find("  1 -> fault0 [label=\"0: fault 3\"];\n"),
            std::string::npos);
}

}  // namespace
}  // namespace plumb::explore
