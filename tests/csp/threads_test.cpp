// SPDX-License-Identifier: Apache-2.0
// One CSP# system serves several threads at once.
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include "csp/small_graphs.h"

namespace plumb::csp {
namespace {

TEST(CspThreads, AllThreadsSeeTheSameLabels) {
  const auto module = module_of(
      "channel c 0; var x; Q(i) = a.i{x = (x + 1) % 3} -> (c!x -> Q(i) [] "
      "if (x == i) { c?v -> b.v -> Q(i) } else { Q(i) });"
      "P = ||| i:{0..2} @ Q(i);");
  const Model model(module, {});
  const auto system = model.system(reference_to(*module, "P"));
  constexpr std::size_t kThreads = 4;
  std::vector<SmallGraph> graphs(kThreads);
  std::vector<std::vector<lts::Label>> labels(kThreads);
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i] {
      graphs[i] = graph_of(*system);
      lts::Successors out;
      for (const lts::StateBytes& state : graphs[i].states) {
        system->successors(state, out);
        for (std::size_t j = 0; j < out.size(); ++j) {
          labels[i].push_back(out.label(j));
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(graphs[0].states.size(), 50u);
  for (std::size_t i = 1; i < kThreads; ++i) {
    EXPECT_EQ(graphs[i].lines, graphs[0].lines);
    EXPECT_EQ(labels[i], labels[0]);
  }
}

}  // namespace
}  // namespace plumb::csp
