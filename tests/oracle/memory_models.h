// SPDX-License-Identifier: Apache-2.0
// Memory models straight from their axioms: all graphs of a small program.
//
// Slow on purpose, and shares nothing with src/sched: relations are sets of
// pairs, composed and closed as the definitions have it [LahavEtAl17] (RC11
// with the release sequences of C++20), [OwensEtAl09] (x86-TSO).
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace plumb::oracle {

// What a thread does next, which may depend on what it read: next[value % 2]
// is the number of the step that follows, -1 the end.
struct WeakStep {
  enum class Do : std::uint8_t {
    kLoad,
    kStore,
    kAdd,  // fetch_add(value)
    kCas,  // compare_exchange_strong(expected, value)
    kFence,
    kLock,    // waits until the location is 0, then makes it 1; acquires
    kUnlock,  // makes it 0; releases
  };
  Do what = Do::kLoad;
  int location = 0;
  int order = 0;  // 0 relaxed, 2 acquire, 3 release, 4 both, 5 seq_cst
  int failure = 0;
  int value = 0;
  int expected = 0;
  int next[2] = {-1, -1};
};
using WeakThread = std::vector<WeakStep>;  // begins with the first
using WeakProgram = std::vector<WeakThread>;

enum class Axioms : std::uint8_t { kSc, kTso, kRc11 };

// A graph as text: what each thread did, which write each read read (thread
// and number of the step, in the order in which they were done), and mo.
struct WeakGraphs {
  std::set<std::string> complete;
  // Threads wait for ever, whatever they read.
  std::set<std::string> stuck;
  // Of complete ones, what each thread read, and what is there at the end.
  std::set<std::vector<std::vector<int>>> outcomes;
};
WeakGraphs all_graphs(const WeakProgram& program, int locations, Axioms axioms);

// One event of a graph; reads and writes of an update are one.
struct WeakEvent {
  int thread = -1;  // -1: what a location holds at first
  int number = 0;
  bool reads = false, writes = false, fence = false, marks = false;
  bool locked = false;  // has a lock prefix on x86, but for plain stores
  int location = -1;
  int value = 0;    // written
  int order = -1;   // -1: not atomic
  int source = -1;  // which event
};
struct WeakGraph {
  std::vector<WeakEvent> events;
  std::vector<std::vector<int>> mo;        // by location, what was at first
                                           // included
  std::vector<std::pair<int, int>> extra;  // synchronisation from outside
};
bool satisfies(const WeakGraph& graph, Axioms axioms);

}  // namespace plumb::oracle
