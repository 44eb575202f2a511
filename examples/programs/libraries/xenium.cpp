// SPDX-License-Identifier: Apache-2.0
// xenium: queues and a set with reclamation of their own.
#include <cassert>

#include "../calls.h"
#include "library.h"

#if __has_include(<xenium/michael_scott_queue.hpp>)
#include <xenium/harris_michael_list_based_set.hpp>
#include <xenium/michael_scott_queue.hpp>
#include <xenium/ramalhete_queue.hpp>
#include <xenium/reclamation/generic_epoch_based.hpp>
#include <xenium/reclamation/hazard_pointer.hpp>

namespace {

namespace policy = xenium::policy;
namespace reclamation = xenium::reclamation;

// Looks for nodes to delete as often as can be.
using Hazards = reclamation::hazard_pointer<>::with<policy::allocation_strategy<
    reclamation::hp_allocation::static_strategy<3, 0, 1>>>;
using Epochs = reclamation::epoch_based<>;

template <typename Base>
class Queue {
 public:
  void enq(int item) { queue_.push(item); }
  std::optional<int> deq() {
    int item = 0;
    const bool found = queue_.try_pop(item);
    return given(found, item);
  }

 private:
  Base queue_;
};

template <typename Reclaimer>
using MichaelScott =
    Queue<xenium::michael_scott_queue<int, policy::reclaimer<Reclaimer>>>;
template <typename Reclaimer>
using Ramalhete =
    Queue<xenium::ramalhete_queue<int, policy::reclaimer<Reclaimer>,
                                  policy::entries_per_node<2>,
                                  policy::pop_retries<1>>>;

template <typename Reclaimer>
class Set {
 public:
  bool add(int key) { return set_.emplace(key); }
  bool remove(int key) { return set_.erase(key); }
  bool contains(int key) { return set_.contains(key); }

 private:
  xenium::harris_michael_list_based_set<int, policy::reclaimer<Reclaimer>> set_;
};

}  // namespace

// Michael and Scott's queue: linearizable, and no node is deleted too early.
PLUMB_TEST(xenium_michael_scott_queue_hazards) {
  test.memory("sc");  // there are too many graphs
  auto [enq, deq] = queue_calls<MichaelScott<Hazards>>(test);
  test.program().thread(enq(1)).thread(deq());
  test.program().before(enq(1)).thread(deq()).thread(deq());
}
PLUMB_TEST(xenium_michael_scott_queue_epochs) {
  auto [enq, deq] = queue_calls<MichaelScott<Epochs>>(test);
  test.program().thread(enq(1)).thread(deq());
  test.program().before(enq(1)).thread(deq()).thread(deq());
}

// Arrays of slots, each taken by a counter: linearizable.
PLUMB_TEST(xenium_ramalhete_queue) {
  test.memory("sc");  // there are too many graphs
  auto [enq, deq] = queue_calls<Ramalhete<Hazards>>(test);
  test.program().thread(enq(1), deq()).thread(enq(2), deq());
}

// Harris and Michael's list: linearizable.
PLUMB_TEST(xenium_set_hazards) {
  test.memory("sc");  // there are too many graphs
  auto [add, remove, contains] = set_calls<Set<Hazards>>(test);
  test.program().before(add(1)).thread(remove(1)).thread(add(1)).after(
      contains(1));
}
PLUMB_TEST(xenium_set_epochs) {
  auto [add, remove, contains] = set_calls<Set<Epochs>>(test);
  test.program().before(add(1)).thread(remove(1)).thread(add(1));
  test.program().before(add(1)).thread(remove(1)).thread(remove(1));
  test.program().before(add(1), add(2)).thread(remove(1)).thread(contains(2));
}
#else
PLUMB_WITHOUT_LIBRARY(xenium)
#endif
