// SPDX-License-Identifier: Apache-2.0
// Systems of events, written down as a table or made at random.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "lts/path.h"
#include "support/table_system.h"

namespace plumb::testing {

// As TableSystem; a step may have several actors.
class EventSystem : public TableSystem {
 public:
  explicit EventSystem(std::size_t processes = 2)
      : TableSystem(processes, {}) {}

  // `actors`: bit p is process p.
  void event(std::size_t from, const std::string& name, std::size_t to,
             std::uint64_t actors = 1);
  void tau(std::size_t from, std::size_t to, std::uint64_t actors = 1);
  void terminate(std::size_t from, std::size_t to);
  void goes_wrong(std::size_t from, std::size_t number);

  std::uint64_t actors(const lts::Label& label) const override {
    return actors_[label.edge];
  }
  // "a.1", "tau", "terminate" for each step, with spaces between.
  static std::string words(const lts::Path& path);

 private:
  void add_step(std::size_t from, lts::Label label, std::size_t to,
                std::uint64_t actors);

  // By edge: an edge is a pair of a name and its actors.
  std::vector<std::string> names_;
  std::vector<std::uint64_t> actors_;
};

struct RandomEvents {
  std::size_t processes = 2;
  std::size_t states = 5;
  std::size_t steps = 9;
  std::size_t names = 2;      // a, b, ...
  double taus = 0.3;          // share of the steps
  double terminations = 0.1;  // share of the steps; they lead to the last state
  double faults = 0;
};
EventSystem random_event_system(const RandomEvents& wanted,
                                std::mt19937& random);

}  // namespace plumb::testing
