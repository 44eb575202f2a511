// SPDX-License-Identifier: Apache-2.0
// Canonical forms: steps by other names, twins, the same form for all names.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "lang/machine_test_support.h"
#include "lang/program_system.h"
#include "support/source_folder.h"
#include "support/symmetric_models.h"
#include "support/symmetry_judge.h"

namespace plumb::lang {
namespace {

struct Named {
  Compiled compiled;
  Found found;
};

Named named(const std::string& text) {
  Named made;
  made.compiled = compiled(text);
  made.found = find_in(made.compiled.model, true, true);
  return made;
}

// All promises are kept, and all renamings of a state have one form.
Judgement judged(const std::string& text, std::size_t walks = 150) {
  const Named model = named(text);
  if (model.found.symmetry == nullptr) {
    ADD_FAILURE() << "nothing is interchangeable";
    return {};
  }
  std::mt19937 random(5);
  const Judgement said =
      judge(*model.compiled.model.system, model.found, walks, 30, random);
  EXPECT_EQ(said.wrong, "");
  EXPECT_EQ(said.different, 0u);
  EXPECT_GT(said.moved, 100u);
  return said;
}

// A process that holds a cell of its own: its name must not matter.
TEST(SymmetryForms, CellsOfProcessesEnterByWhatTheyHold) {
  const Judgement said = judged(
      "object o { struct N { int k; N next; } shared N top;\n"
      "  void f(int v) { N n = new N { k = v }; skip;\n"
      "    n.next = top; skip; top = n; } }\n"
      "check o safe with 3 processes, values 1;");
  EXPECT_GT(said.twins, 0u);
}

// LIMIT: five processes that name each other in a ring have 120 arrangements.
TEST(SymmetryForms, ManyProcessesThatNameEachOtherGetSeveralForms) {
  const auto ring_forms = [](const std::string& processes) {
    const Named model = named(
        "object o {\n"
        "  shared set<process> ps;\n  shared process next[process];\n"
        "  void join() { insert(ps, self); }\n"
        "  void link() { atomic { next[self] = any_of(ps); } }\n"
        "}\ncheck o safe with " +
        processes + " processes;\n");
    const lts::Symmetry& symmetry = *model.found.symmetry;
    std::mt19937 random(1);
    std::set<lts::StateBytes> forms;
    // All idle; p is followed by p + 1.
    lts::StateBytes state = model.compiled.model.system->initial();
    const auto& program =
        dynamic_cast<const ProgramSystem&>(*model.compiled.model.system)
            .program();
    const std::size_t count = program.processes;
    for (std::size_t p = 0; p < count; ++p) {
      state[program.variables[1].offset + p] =
          static_cast<std::uint8_t>(1 + (p + 1) % count);
    }
    for (int i = 0; i < 50; ++i) {
      lts::StateBytes other = symmetry.rename(
          state, random_renaming(symmetry, model.found.groups, random));
      symmetry.canonicalize(other);
      forms.insert(other);
    }
    return forms.size();
  };
  EXPECT_EQ(ring_forms("4"), 1u);
  EXPECT_GT(ring_forms("5"), 1u);
}

// Two pairs of processes that share a cell each, which no variable knows: who
// is in one pair matters.
TEST(SymmetryForms, ProcessesThatShareACellAreNotExchangedAlone) {
  judged(
      "object o { struct N { int k; } shared N top;\n"
      "  void f() { N n = null; atomic { if (top == null) { n = new N; top = "
      "n;"
      " } else { n = top; top = null; } } skip; if (n.k == 1) skip; } }\n"
      "check o safe with 4 processes, 1 operation;");
}

TEST(SymmetryForms, FramesAloneHoldNames) {
  judged(
      "object o { int f(int v) { skip; skip; return v; }\n"
      "  void g() { process p = self; skip; if (p == self) skip; } }\n"
      "check o safe with 3 processes, values 1..3;");
}

TEST(SymmetryForms, ElementsOfTheirOwnTellProcessesApart) {
  judged(
      "object o { shared int d[process]; void f(int v) { d[self] = v; } }\n"
      "check o safe with 3 processes, values 1..3;");
}

TEST(SymmetryForms, ElementsInCellsTellProcessesApart) {
  judged(
      "object o { struct N { int d[process]; } shared N top = new N;\n"
      "  void f(int v) { top.d[self] = v; } }\n"
      "check o safe with 3 processes, values 1..3;");
}

// An array of one process with an element for each of the others.
TEST(SymmetryForms, ElementsInFramesOfOthersTellProcessesApart) {
  judged(
      "object o { shared set<process> ps; void join() { insert(ps, self); }\n"
      "  void f() { bool seen[process]; process h = nobody;\n"
      "    atomic { h = any_of(ps); clear(ps); } seen[h] = true; h = "
      "nobody;\n"
      "    skip; if (seen[self]) skip; } }\n"
      "check o safe with 4 processes;");
}

TEST(SymmetryForms, WhoIsNamedByWhomMatters) {
  judged(
      "object o { shared set<process> ps; void join() { insert(ps, self); }\n"
      "  void f() { process h = nobody; atomic { h = any_of(ps); } skip;\n"
      "    if (h == self) skip; } }\n"
      "check o safe with 4 processes;");
}

// A cell that a map by processes knows, and one that it does not know.
TEST(SymmetryForms, CellsInMapsByNamesTellTheirHoldersApart) {
  const Named model = named(
      "object o { struct N { int k; } shared N top;\n"
      "  shared map<process, N> pn;\n"
      "  void give() { N n = new N; atomic { top = n; pn[self] = n; } }\n"
      "  void hide() { top = null; }\n"
      "  void hold() { N n = null; choose { n = top; } or { n = new N; skip; "
      "}\n"
      "    skip; if (n != null) { if (n.k == 1) skip; } } }\n"
      "check o safe with 3 processes;");
  std::mt19937 random(9);
  const Judgement said =
      judge(*model.compiled.model.system, model.found, 300, 40, random);
  EXPECT_EQ(said.wrong, "");
}

TEST(SymmetryForms, ShippedModelsTakeTheSameStepsByOtherNames) {
  const std::filesystem::path folder =
      testing::source_folder() / "examples" / "models";
  std::mt19937 random(7);
  std::size_t with_processes = 0, with_values = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".plumb") continue;
    std::ifstream file(entry.path());
    std::ostringstream text;
    text << file.rdbuf();
    const Reading reading = read_model(entry.path().filename(), text.str());
    for (const Check& check : reading.module->checks) {
      if (check.refinement) continue;  // of no object
      const Model model = compile(*reading.module, check, {});
      const Found found = find_in(model, true, true);
      if (found.symmetry == nullptr) continue;
      with_values += found.symmetry->values().empty() ? 0u : 1u;
      with_processes += found.groups.back() + 1 < found.groups.size() ? 1u : 0u;
      const Judgement said = judge(*model.system, found, 6, 60, random);
      EXPECT_EQ(said.wrong, "") << entry.path() << check.object_name;
      EXPECT_EQ(said.different, 0u) << entry.path() << check.object_name;
    }
  }
  EXPECT_GT(with_processes, 80u);
  EXPECT_GT(with_values, 30u);
}

TEST(SymmetryForms, RandomModelsTakeTheSameStepsByOtherNames) {
  std::size_t states = 0, different = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    std::mt19937 random(seed);
    const Named model = named(random_symmetric_model(random, seed % 2 == 1));
    if (model.found.symmetry == nullptr) continue;
    const Judgement said =
        judge(*model.compiled.model.system, model.found, 4, 50, random);
    EXPECT_EQ(said.wrong, "") << "seed " << seed;
    states += said.states;
    different += said.different;
  }
  EXPECT_GT(states, 5000u);
  EXPECT_LT(different * 50, states);
}

}  // namespace
}  // namespace plumb::lang
