// SPDX-License-Identifier: Apache-2.0
// Which operations of a history are in flight when, laid out for searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/transitions.h"
#include "history/history.h"

namespace plumb::check {

struct FlightPlan {
  static constexpr std::uint32_t kNone = UINT32_MAX;

  struct Item {
    std::uint32_t operation;  // index in the history
    LabelId label;
    std::uint32_t slot;  // its bit in a mask, reused after its return
    history::Moment invoked;
    // It may be left out: when its return comes, it is simply passed over.
    bool optional = false;
    // Index into firm: what its process did before, if that may overlap it.
    std::uint32_t after = kNone;
  };

  FlightPlan(const history::History& history, Transitions& transitions);

  std::vector<Item> firm;     // that returned, in the order of that
  std::vector<Item> pending;  // in the order of their invocations
  // pending[i] may be used only after this one, which is equal: or kNone.
  std::vector<std::uint32_t> equal_before;
  std::vector<history::Moment> returned;  // of firm[k]

  // firm[k] is in the group of all with the same return moment; a group has
  // the list of all firm operations in flight at that moment, by return.
  std::vector<std::uint32_t> group;
  std::vector<std::uint32_t> group_start;  // into in_flight
  std::vector<std::uint32_t> in_flight;    // indices into firm
  std::size_t slots = 0;
  bool keeps_processes = false;  // is there any Item::after?

 private:
  void list_operations(const history::History& history,
                       Transitions& transitions);
  void keep_processes(const history::History& history);
  void list_in_flight();
  void assign_slots();
};

}  // namespace plumb::check
