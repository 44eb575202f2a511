// SPDX-License-Identifier: Apache-2.0
// Small programs with memory orders: made at random, and searched by TruSt.
#pragma once

#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "oracle/memory_models.h"
#include "sched/trust.h"

namespace plumb::test_support {

struct WeakSearch {
  oracle::WeakGraphs graphs;   // as text, like those of the oracle
  std::uint64_t complete = 0;  // executions; more than graphs: some came twice
  std::uint64_t stuck = 0;
  std::uint64_t abandoned = 0;
  bool diverged = false;
};
// How a lock waits, to the search.
enum class LockStyle {
  kInPlace,  // takes the next write that lets it go on
  kVisited,  // is revisited by it
  kTold,     // without values: the run knows whether it can go on
};
// `locations`: how many graphs have lines for; -1: as many as are used.
// `visit` sees each complete graph.
using WeakVisit = std::function<void(const sched::ExecutionGraph&)>;
WeakSearch search(const oracle::WeakProgram& program, sched::MemoryModel model,
                  int locations = -1, const WeakVisit& visit = nullptr,
                  LockStyle style = LockStyle::kInPlace);
// Some of them, at random.
WeakSearch walk(const oracle::WeakProgram& program, sched::MemoryModel model,
                int locations, std::uint64_t runs, std::uint64_t seed);

// The same graph for the oracle, with a mark before and one after each step.
struct MarkedGraph {
  oracle::WeakGraph graph;
  struct Call {
    sched::EventId first, last;  // of the search's graph
    int begin = 0, end = 0;      // marks
  };
  std::vector<Call> calls;  // each step is one, thread by thread
};
MarkedGraph marked(const sched::ExecutionGraph& graph, int locations);

// The graph of a search as text.
std::string text_of(const sched::ExecutionGraph& graph, std::size_t locations);

struct WeakShape {
  int threads = 2;
  int locations = 2;
  int steps = 3;  // of a thread, at most
  bool locks = false;
};
oracle::WeakProgram random_weak_program(std::mt19937& random,
                                        const WeakShape& shape);

}  // namespace plumb::test_support
