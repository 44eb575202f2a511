// SPDX-License-Identifier: Apache-2.0
// The compiled machine against the tree walker: the same traces, and at every
// moment the same memory to see.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "lang/machine_test_support.h"
#include "support/random_models.h"
#include "support/tree_walker.h"

namespace plumb::lang {
namespace {

// What can be seen of a step and of the memory after it.
using Sight = std::string;
using CompiledSet = std::set<lts::StateBytes>;
using WalkedSet = std::set<WalkedState>;

std::string sight_of(const lts::Label& label, const std::string& fault) {
  return std::to_string(static_cast<int>(label.kind)) + " " +
         std::to_string(label.process) + " " + std::to_string(label.operation) +
         " " +
         (label.kind == lts::LabelKind::kFault ? "" : label.value.to_string()) +
         (label.marked ? " marked " : " ") + fault + "\n";
}

// Keeps the cells that can be reached from the variables.
std::string memory_of(const lts::System& system, lts::StateView state,
                      std::size_t variables) {
  const std::vector<lts::Variable> all = system.describe(state);
  std::map<std::string, std::string> cells;
  std::string text;
  std::vector<std::string> open;
  std::set<std::string> seen;
  const auto note = [&](const std::string& line) {
    for (std::size_t at = line.find('#'); at != std::string::npos;
         at = line.find('#', at + 1)) {
      const std::size_t end = line.find_first_not_of("0123456789", at + 1);
      const std::string name = line.substr(at, end - at);
      if (seen.insert(name).second) open.push_back(name);
    }
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i < variables) {
      text += all[i].name + " = " + all[i].value + "\n";
      note(all[i].value);
    } else if (all[i].name[0] == '#') {
      cells[all[i].name] = all[i].value;
    }
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    const std::string name = open[i];
    text += name + " = " + cells[name] + "\n";
    note(cells[name]);
  }
  return text;
}

std::string reason_of(const std::string& fault) {
  const std::size_t begin = fault.find(": ") + 2;
  return fault.substr(begin, fault.find(" `") - begin);
}

class Comparison {
 public:
  explicit Comparison(const std::string& text)
      : made_(compiled(text)),
        walker_(*made_.module, made_.module->checks[0]) {}

  // Explores both, step by step, and compares what is possible.
  void run(std::size_t depth, std::size_t most_pairs) {
    std::vector<std::pair<CompiledSet, WalkedSet>> open;
    open.push_back({{system().initial()}, {walker_.initial()}});
    std::set<std::pair<CompiledSet, WalkedSet>> seen;
    for (std::size_t d = 0; d < depth && !open.empty(); ++d) {
      std::vector<std::pair<CompiledSet, WalkedSet>> next;
      for (const auto& [states, walked] : open) {
        if (!compare(states, walked, next)) return;
        ++pairs;
      }
      open.clear();
      for (auto& pair : next) {
        if (seen.size() > most_pairs) break;
        if (seen.insert(pair).second) open.push_back(std::move(pair));
      }
    }
  }
  std::size_t pairs = 0;
  std::size_t faults = 0;

 private:
  const lts::System& system() const { return *made_.model.system; }

  bool compare(const CompiledSet& states, const WalkedSet& walked,
               std::vector<std::pair<CompiledSet, WalkedSet>>& next) {
    std::map<Sight, std::pair<CompiledSet, WalkedSet>> ways;
    std::uint64_t waiting = 0, walked_waiting = 0;
    bool cut = false, walked_cut = false;
    lts::Successors out;
    const std::size_t variables = walker_.object().variables.size();
    for (const lts::StateBytes& state : states) {
      system().successors(state, out);
      waiting |= out.waiting;
      cut |= out.cut != 0;
      for (std::size_t i = 0; i < out.size(); ++i) {
        const lts::Label& label = out.label(i);
        const bool fault = label.kind == lts::LabelKind::kFault;
        const lts::StateView to = out.state(i);
        const Sight sight =
            sight_of(label,
                     fault ? reason_of(system().fault(label.fault)) : "") +
            memory_of(system(), to, variables);
        ways[sight].first.insert({to.begin(), to.end()});
      }
    }
    for (const WalkedState& state : walked) {
      const WalkedSuccessors steps = walker_.successors(state);
      walked_waiting |= steps.waiting;
      walked_cut |= steps.cut;
      for (const WalkedStep& step : steps.steps) {
        Sight sight = sight_of(step.label, step.fault);
        for (const std::string& line : walker_.describe(step.next)) {
          sight += line + "\n";
        }
        ways[sight].second.insert(step.next);
      }
    }
    EXPECT_EQ(waiting, walked_waiting);
    EXPECT_EQ(cut, walked_cut);
    for (auto& [sight, pair] : ways) {
      EXPECT_FALSE(pair.first.empty()) << "only the walker can do\n" << sight;
      EXPECT_FALSE(pair.second.empty()) << "only the machine can do\n" << sight;
      if (pair.first.empty() || pair.second.empty()) return false;
      if (sight[0] == '3') {
        ++faults;
      } else if (pair.second.size() <= kLargestSet) {
        next.push_back(std::move(pair));
      }
    }
    return !::testing::Test::HasFailure();
  }

  // The walker forgets nothing, so its sets may grow beyond use.
  static constexpr std::size_t kLargestSet = 50;

  Compiled made_;
  TreeWalker walker_;
};

struct Example {
  const char* name;
  const char* text;
};

const Example kExamples[] = {
#include "lang/compile_examples.inc"
};

class Agreement : public ::testing::TestWithParam<Example> {};

TEST_P(Agreement, OfMachineAndTree) {
  Comparison comparison(GetParam().text);
  comparison.run(12, 600);
  EXPECT_GT(comparison.pairs, 5u);
}

INSTANTIATE_TEST_SUITE_P(Examples, Agreement, ::testing::ValuesIn(kExamples),
                         [](const auto& one) { return one.param.name; });

TEST(Agreement, OnRandomModels) {
  std::mt19937 random(403);  // fixed: a failure here is a failure everywhere
  std::size_t pairs = 0, faults = 0;
  for (int round = 0; round < 60; ++round) {
    const std::string text = random_model(random);
    SCOPED_TRACE(text);
    Comparison comparison(text);
    comparison.run(9, 100);
    if (HasFailure()) return;
    pairs += comparison.pairs;
    faults += comparison.faults;
  }
  EXPECT_GT(pairs, 2'000u);
  EXPECT_GT(faults, 5u) << "some of them go wrong";
}

}  // namespace
}  // namespace plumb::lang
