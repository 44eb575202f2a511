// SPDX-License-Identifier: Apache-2.0
#include "assertions/call_atoms.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "assertions/assertions.h"
#include "support/random_formulas.h"
#include "support/table_system.h"

namespace plumb::assertions {
namespace {

using testing::TableSystem;

lts::Label label(lts::LabelKind kind, std::uint16_t process,
                 std::uint16_t operation, Value value) {
  lts::Label out;
  out.kind = kind;
  out.process = process;
  out.operation = operation;
  out.value = value;
  return out;
}

TEST(CallAtoms, NameAnOperationAndMaybeAProcessAndAValue) {
  const TableSystem system(2, {"read", "write"});
  const auto holds = [&](const char* atom, const lts::Label& of) {
    return call_atom(atom, system, {}).at_step(of);
  };
  const lts::Label call =
      label(lts::LabelKind::kInvoke, 1, 1, Value::integer(5));
  const lts::Label result =
      label(lts::LabelKind::kReturn, 0, 0, Value::integer(7));
  for (const char* atom :
       {"inv(write)", "inv(1,write)", "inv(write,5)", "inv(1,write,5)"}) {
    EXPECT_TRUE(holds(atom, call)) << atom;
    EXPECT_FALSE(holds(atom, result)) << atom;
  }
  for (const char* atom : {"res(write)", "inv(0,write)", "inv(read)",
                           "inv(write,6)", "inv(0,write,5)"}) {
    EXPECT_FALSE(holds(atom, call)) << atom;
  }
  EXPECT_TRUE(holds("res(0,read,7)", result));
  const Value list =
      Value::list(std::vector<Value>{Value::integer(1), Value::integer(2)});
  EXPECT_TRUE(
      holds("inv(write,[1,2])", label(lts::LabelKind::kInvoke, 1, 1, list)));
}

TEST(CallAtoms, SayWhatIsWrong) {
  const TableSystem system(2, {"read", "write"});
  const auto error_of = [&](const char* atom) -> std::string {
    try {
      call_atom(atom, system, {});
    } catch (const InputError& error) {
      return std::string(error.what()) + " | " + error.hint();
    }
    return "";
  };
  EXPECT_EQ(error_of("read"),
            "'read' is not an event | write inv(read) or res(read)");
  EXPECT_EQ(error_of("inv(reed)"),
            "'inv(reed)' names no operation of the model | did you mean "
            "'read'?");
  EXPECT_EQ(error_of("inv(2,read)"),
            "'inv(2,read)' is no call | a process from 0 to 1 may stand before "
            "the operation, one value after it");
  EXPECT_NE(error_of("inv(0,read,1,2)"), "");
  EXPECT_NE(error_of("inv()"), "");
}

TEST(CallAtoms, AreWhatFormulasOfModelsWithCallsAreAbout) {
  TableSystem system(2, {"read", "write"});
  system.invoke(0, 0, 0, {}, 1);
  system.internal(1, 0, 1);
  system.returns(1, 0, 0, Value::integer(3), 0);
  const ltl::Property property =
      testing::formula("[](inv(read) -> <> res (0, read, 3))");
  Temporal question{property.formula, {}, Fairness::kNone};
  for (const ltl::Atom& atom : property.atoms) {
    question.atoms.push_back(call_atom(atom.text, system, {}));
  }
  Budget budget;
  EXPECT_EQ(satisfies(system, question, {}, budget).answer,
            check::Answer::kViolated);
  question.fairness = Fairness::kStrongGlobal;
  EXPECT_EQ(satisfies(system, question, {}, budget).answer,
            check::Answer::kHolds);
}

}  // namespace
}  // namespace plumb::assertions
