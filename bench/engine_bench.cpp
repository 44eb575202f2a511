// SPDX-License-Identifier: Apache-2.0
// Successors of compiled models: how many a second, and how large states are.
#include <absl/container/flat_hash_set.h>
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lang/model.h"
#include "lang/parse.h"

namespace plumb::lang {
namespace {

constexpr const char* kCounter = R"(
const N = 4;
object counter {
  shared int 0..N h = 0;
  int push() { while (true) { int ss = h; int n = min(ss + 1, N);
    if (cas(h, ss, n)) return n; } }
  void pop() { while (true) { int ss = h;
    if (cas(h, ss, max(ss - 1, 0))) return; } }
}
check counter safe with 3 processes;
check counter safe with 4 processes;)";

constexpr const char* kTreiberStack = R"(
object treiber implements stack(2) {
  struct Node { int val; Node next; }
  shared Node top = null;
  void push(int v) { Node n = new Node; n.val = v;
    while (true) { Node t = top; n.next = t; if (cas(top, t, n)) return; } }
  int pop() { while (true) { Node t = top; if (t == null) return empty;
    Node next = t.next; if (cas(top, t, next)) return t.val; } }
}
check treiber safe with 2 processes, values 1..2;
check treiber safe with 3 processes, values 1..2;)";

constexpr const char* kMichaelScottQueue = R"(
object queue implements queue(2) {
  struct Node { int val; Node next; }
  shared Node head = new Node, tail = head;
  void enq(int v) {
    Node n = new Node { val = v };
    while (true) {
      Node t = tail;
      Node next = t.next;
      if (t == tail) {
        if (next == null) {
          if (cas(t.next, null, n)) { cas(tail, t, n); return; }
        } else { cas(tail, t, next); }
      }
    }
  }
  int deq() {
    while (true) {
      Node h = head;
      Node t = tail;
      Node next = h.next;
      if (h == head) {
        if (h == t) {
          if (next == null) return empty;
          cas(tail, t, next);
        } else {
          int v = next.val;
          if (cas(head, h, next)) return v;
        }
      }
    }
  }
}
check queue safe with 2 processes, values 1..2, cells 6;
check queue safe with 3 processes, values 1, cells 4;)";

using States = absl::flat_hash_set<std::string>;

lts::StateView view_of(const std::string& state) {
  return {reinterpret_cast<const std::uint8_t*>(state.data()), state.size()};
}

std::vector<std::string> reachable(const lts::System& system) {
  States seen;
  std::vector<std::string> all;
  const auto add = [&](lts::StateView view) {
    std::string state(view.begin(), view.end());
    if (seen.insert(state).second) all.push_back(std::move(state));
  };
  const lts::StateBytes first = system.initial();
  add(first);
  lts::Successors out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const std::string state = all[i];
    system.successors(view_of(state), out);
    for (std::size_t k = 0; k < out.size(); ++k) add(out.state(k));
  }
  return all;
}

void successors_of(benchmark::State& run, const char* text) {
  const Reading reading = read_model("model", text);
  const auto check = static_cast<std::size_t>(run.range(0));
  const Model model =
      compile(*reading.module, reading.module->checks.at(check), {});
  const std::vector<std::string> states = reachable(*model.system);
  std::size_t bytes = 0;
  for (const std::string& state : states) bytes += state.size();
  lts::Successors out;
  std::int64_t transitions = 0;
  for (auto _ : run) {
    for (const std::string& state : states) {
      model.system->successors(view_of(state), out);
      transitions += static_cast<std::int64_t>(out.size());
    }
  }
  run.SetItemsProcessed(transitions);
  run.counters["states"] = static_cast<double>(states.size());
  run.counters["bytes"] =
      static_cast<double>(bytes) / static_cast<double>(states.size());
}

BENCHMARK_CAPTURE(successors_of, counter, kCounter)
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(successors_of, treiber_stack, kTreiberStack)
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(successors_of, michael_scott_queue, kMichaelScottQueue)
    ->Arg(0)
    ->Arg(1)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace plumb::lang
